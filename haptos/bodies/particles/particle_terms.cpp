#include "haptos/bodies/particles/particle_terms.h"

#include "haptos/bodies/elastic/elastic.h"
#include "haptos/bodies/elastic/elastic_point.h"
#include "haptos/bodies/particles/particle_term.h"

namespace haptos {
namespace {

using particles::CellBlocks;
using particles::ParticleTerm;
using particles::PointValue;

// Laws whose tangent is alpha, beta and gamma, and whose energy is convex.
template <class At>
struct ConvexAt {
  static constexpr bool kFrozen = true;
  static double cancelled(const ParticleGrid::Point&, const ParticleMaterial&) { return 0; }

  // Of a motion with the gradient G.
  static double curvature(const PointValue& v, const Mat3d& G) {
    // With dF = G F_n and A = R_n F_n^T the terms of the tangent are |dF|^2 = |G A^T|^2, tr(B B)
    // and tr(B)^2 of B = G A^T.
    const Mat3d B = G * transpose(v.A);
    const double t = trace(B);
    return v.tangent.alpha * inner(B, B) + v.tangent.beta * inner(B, transpose(B)) +
           v.tangent.gamma * t * t;
  }

  static void add_blocks(const ParticleGrid::Point& p, const ParticleMaterial& m, const Mat3d& G,
                         bool, CellBlocks& sum) {
    PointValue v;
    At::at(p, m, G, v);
    double a[3][CellBlocks::kRow] = {};
    p.spline.each([&](int n, int i, int j, int k) {
      const Vec3d g = v.A * p.spline.gradient(i, j, k);
      for (int axis = 0; axis < 3; ++axis) a[axis][n] = g[axis];
    });
    sum.add(v.tangent, a);
  }
};

struct ElasticAt : ConvexAt<ElasticAt> {
  static constexpr TermKind kKind = TermKind::kPosition;
  static constexpr const char* kName = "material points";
  // Whether the tangent does not change with G.
  static bool constant(const ParticleMaterial& m) { return m.law == ParticleLaw::kCorotated; }
  static bool acts(const ParticleMaterial& m) { return m.law != ParticleLaw::kNeoHookean; }
  static Vec3d motion(const Points& p, std::size_t i) { return p.x[i] - p.x_start[i]; }

  static void at(const ParticleGrid::Point& p, const ParticleMaterial& m, const Mat3d& G,
                 PointValue& v) {
    if (m.law == ParticleLaw::kLiquid) {
      const Curve<double> c = liquid_energy(m.bulk, p.J * (1 + trace(G)));
      v.energy = p.volume * c.value;
      v.M = (p.volume * c.first * p.J) * Mat3d::identity();
      v.A = Mat3d::identity();
      v.tangent = {0, 0, p.volume * c.second * p.J * p.J};
      return;
    }
    const Mat3d strain = strain_of(p, G);
    const double tr = trace(strain), mu = m.lame.mu, lambda = m.lame.lambda;
    v.energy = p.volume * (mu * inner(strain, strain) + 0.5 * lambda * tr * tr);
    v.A = p.R * transpose(p.F);
    v.M =
        p.volume * (p.R * ((2 * mu) * strain + (lambda * tr) * Mat3d::identity()) * transpose(p.F));
    v.tangent = {p.volume * mu, p.volume * mu, p.volume * lambda};
  }

  // sym(R^T (I + G) F) - I.
  static Mat3d strain_of(const ParticleGrid::Point& p, const Mat3d& G) {
    const Mat3d S = transpose(p.R) * (p.F + G * p.F);
    return less_identity(0.5 * (S + transpose(S)));
  }
};

struct ViscousAt : ConvexAt<ViscousAt> {
  static constexpr TermKind kKind = TermKind::kDissipation;
  static constexpr const char* kName = "viscosity of material points";
  static bool constant(const ParticleMaterial&) { return true; }
  static bool acts(const ParticleMaterial& m) { return m.viscosity > 0; }
  static Vec3d motion(const Points& p, std::size_t i) { return p.u[i]; }

  static void at(const ParticleGrid::Point& p, const ParticleMaterial& m, const Mat3d& L,
                 PointValue& v) {
    const double eta = p.volume * m.viscosity;
    const Mat3d d = 0.5 * (L + transpose(L));
    const double tr = trace(L);
    v.energy = eta * (inner(d, d) - tr * tr / 3);
    v.M = (2 * eta) * (d - (tr / 3) * Mat3d::identity());
    v.A = Mat3d::identity();
    v.tangent = {eta, eta, -2.0 / 3.0 * eta};
  }
};

// The neo-Hookean law of elastic_laws.h at F = (I + G) F_n, with no element to share a volume with.
struct NeoHookeanAt {
  static constexpr TermKind kKind = TermKind::kPosition;
  static constexpr const char* kName = "neo-Hookean material points";
  static constexpr bool kFrozen = false;
  using Law = ElasticPoint<LogNeoHookean, double>;

  static bool constant(const ParticleMaterial&) { return false; }
  static bool acts(const ParticleMaterial& m) { return m.law == ParticleLaw::kNeoHookean; }
  static Vec3d motion(const Points& p, std::size_t i) { return p.x[i] - p.x_start[i]; }
  // mu tr(F - I) and mu ln J cancel near rest, each known to an ulp of mu.
  static double cancelled(const ParticleGrid::Point& p, const ParticleMaterial& m) {
    return p.volume * m.lame.mu;
  }

  static void at(const ParticleGrid::Point& p, const ParticleMaterial& m, const Mat3d& G,
                 PointValue& v) {
    const Mat3d F = p.F + G * p.F;
    const double J = det(F);
    const Law law(F, {m.lame.mu, 0}, J);
    const Curve<double> U = LogNeoHookean::volume(m.lame.lambda, J);
    v.energy = p.volume * (law.energy() + U.value);
    v.M = p.volume * (law.stress(U.first) * transpose(p.F));
  }

  static void add_blocks(const ParticleGrid::Point& p, const ParticleMaterial& m, const Mat3d& G,
                         bool project, CellBlocks& sum) {
    const Mat3d F = p.F + G * p.F;
    const double J = det(F);
    const Law law(F, {m.lame.mu, 0}, J);
    const Curve<double> U = LogNeoHookean::volume(m.lame.lambda, J);
    const double second = p.volume * (project ? std::max(U.second, 0.0) : U.second);
    if (project)
      add_tangent(p, law, law.projected(p.volume, U.first), second, sum);
    else
      add_tangent(p, law, law.tangent(p.volume, U.first), second, sum);
  }

  // As a tetrahedron may: a tenth of its volume is kept.
  static double most(const ParticleGrid::Point& p, const Mat3d& G, const Mat3d& D, double limit) {
    return inversion_step(p.F + G * p.F, D * p.F, limit);
  }

 private:
  template <class Tangent>
  static void add_tangent(const ParticleGrid::Point& p, const Law& law, const Tangent& tangent,
                          double second, CellBlocks& sum) {
    typename Tangent::Node node[Cells::kNodes];
    Vec3d pressed[Cells::kNodes];  // dJ / dx of a node
    const Mat3d rest = transpose(p.F);
    p.spline.each([&](int n, int i, int j, int k) {
      const Vec3d g = rest * p.spline.gradient(i, j, k);
      node[n] = tangent.node(g), pressed[n] = law.measure_gradient(g);
    });
    for (int r = 0; r < Cells::kNodes; ++r)
      for (int s = 0; s <= r; ++s) {
        const Mat3d b = tangent.block(node[r], node[s]) + outer(second * pressed[r], pressed[s]);
        for (int e = 0; e < 9; ++e) sum.of[r][e][s] += b[e];
      }
  }
};

}  // namespace

std::vector<std::unique_ptr<Term>> make_particle_energies(const ParticleGrid& grid) {
  const auto any = [&](const auto& acts) {
    return std::any_of(grid.seeds().begin(), grid.seeds().end(),
                       [&](const ParticleSeed& s) { return acts(s.material); });
  };
  std::vector<std::unique_ptr<Term>> terms;
  if (any(ElasticAt::acts)) terms.push_back(std::make_unique<ParticleTerm<ElasticAt>>(grid));
  if (any(NeoHookeanAt::acts)) terms.push_back(std::make_unique<ParticleTerm<NeoHookeanAt>>(grid));
  return terms;
}

std::unique_ptr<Term> make_particle_viscosity(const ParticleGrid& grid) {
  return std::make_unique<ParticleTerm<ViscousAt>>(grid);
}

}  // namespace haptos
