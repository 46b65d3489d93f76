// A cantilever: a square bar, clamped at x = 0, sheared at its end, at small deflection. It is the
// scene in which elements that lock are far too stiff.
//
// Bar 10 x 2 x 2 mm, n cells across, 5 n along, six tetrahedra a cell. The load is a uniform shear
// traction on the end face. Timoshenko's beam with the shear factor of a square section (Cowper
// 1966) gives  d = P L^3 / (3 E I) + P L / (k G A),  k = 10 (1 + nu) / (12 + 11 nu); the clamped
// end, which cannot change its section, makes the solid a little stiffer than the beam.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/scenes/elastic_problem.h"

namespace haptos {
namespace {

using test::ElasticProblem;

constexpr double kLength = 10e-3, kSide = 2e-3;  // [m]
constexpr double kYoung = 1e5;                   // [Pa]

double timoshenko(double poisson, double load) {
  const double inertia = std::pow(kSide, 4) / 12, shear = kYoung / (2 * (1 + poisson));
  const double k = 10 * (1 + poisson) / (12 + 11 * poisson);
  return load * std::pow(kLength, 3) / (3 * kYoung * inertia) +
         load * kLength / (k * shear * kSide * kSide);
}

struct Tip {
  double ratio = 0;  ///< deflection of the end face over the beam's or the exact one
  double error = 0;  ///< root mean square of u - u_exact over the body, relative (moment only)
  int unknowns = 0;
};

enum class Load { kShear, kMoment };

// Adds the nodal forces of the traction sigma (s_x + s_z (z - middle)) on a triangle of the end
// face: int N_a f dA of a linear f is A/12 (sum f_b + f_a).
void add_traction(ElasticProblem& p, const int v[3], Load load, double sigma) {
  const std::vector<Vec3d>& X = p.model.rest.vertices;
  auto x = [&](int k) { return X[at_index(v[k])]; };
  const double area = 0.5 * norm(cross(x(1) - x(0), x(2) - x(0)));
  double f[3], sum = 0;
  for (int k = 0; k < 3; ++k)
    sum += f[k] = sigma * (load == Load::kShear ? 1.0 : 2 * x(k)[2] / kSide - 1);
  const int axis = load == Load::kShear ? 2 : 0;
  for (int k = 0; k < 3; ++k) p.loads.force[at_index(v[k])][axis] += area / 12 * (sum + f[k]);
}

// Displacement in pure bending with curvature kappa, exact in three dimensions for small kappa:
// only the stress along x, E kappa z, is not 0 (z from the middle, x from the clamped face).
Vec3d pure_bending(const Vec3d& X, double poisson, double kappa) {
  const double x = X[0], y = X[1] - kSide / 2, z = X[2] - kSide / 2;
  return {{kappa * x * z, -poisson * kappa * y * z,
           -0.5 * kappa * (x * x + poisson * (z * z - y * y))}};
}

Tip bend(Element element, double poisson, int n, Load load) {
  Material m;
  m.young = kYoung;
  m.poisson = poisson;
  const Vec3d size{{kLength, kSide, kSide}};
  ElasticProblem p(test::jittered_box(size, {{5 * n, n, n}}, 0, 1), element, m,
                   [](const Vec3d& x) { return x[0] < 1e-9; });
  const std::vector<Vec3d>& X = p.model.rest.vertices;
  const double deflection = 1e-4 * kLength;
  const double kappa = -2 * deflection / (kLength * kLength);
  for (std::size_t v = 0; v < X.size(); ++v)
    p.set_target(static_cast<int>(v),
                 load == Load::kShear ? X[v] : X[v] + pure_bending(X[v], poisson, kappa));
  const double sigma = load == Load::kShear ? deflection / timoshenko(poisson, 1) / (kSide * kSide)
                                            : kYoung * kappa * kSide / 2;
  std::vector<double> share(X.size(), 0.0);  // of the end face's area
  double expected = 0;
  for (const Vec3i& t : p.model.surface.triangles) {
    int v[3];
    bool end = true;
    for (int k = 0; k < 3; ++k) {
      v[k] = p.model.surface_vertex[at_index(t[k])];
      end = end && X[at_index(v[k])][0] > kLength - 1e-9;
    }
    if (!end) continue;
    add_traction(p, v, load, sigma);
    const double area = 0.5 * norm(cross(X[at_index(v[1])] - X[at_index(v[0])],
                                         X[at_index(v[2])] - X[at_index(v[0])]));
    for (int k = 0; k < 3; ++k) share[at_index(v[k])] += area / (3 * kSide * kSide);
  }
  const std::vector<Vec3d> u = p.solve(1e-7);
  EXPECT_EQ(p.report.status, 0u);
  Tip tip;
  tip.unknowns = p.unknown_count();
  double square_error = 0, square_exact = 0;
  for (std::size_t v = 0; v < X.size() && load == Load::kMoment; ++v) {
    const Vec3d exact = pure_bending(X[v], poisson, kappa);
    square_error += p.elements->node_mass[v] * squared_norm(u[v] - exact);
    square_exact += p.elements->node_mass[v] * squared_norm(exact);
  }
  tip.error = std::sqrt(square_error / std::max(square_exact, 1e-300));
  for (std::size_t v = 0; v < X.size(); ++v) {
    tip.ratio += share[v] * u[v][2];
    expected +=
        share[v] * (load == Load::kShear ? deflection : pure_bending(X[v], poisson, kappa)[2]);
  }
  tip.ratio /= expected;
  return tip;
}

const char* name_of(Element e) { return e == Element::kLinear ? "linear" : "composite"; }

const char* name_of(Load l) { return l == Load::kShear ? "shear" : "moment"; }

double order(double coarse, double fine) { return std::log2(coarse / fine); }

// Deflections for n, 2 n, 4 n, ... cells across the bar.
std::vector<Tip> refine(Load load, Element e, double nu, int n, int levels) {
  std::vector<Tip> t;
  for (int k = 0; k < levels; ++k) {
    t.push_back(bend(e, nu, n << k, load));
    const Tip& last = t.back();
    std::printf("FIGURE cantilever.%s.%s.nu%.4g.n%d = %.6f of %s, %d unknowns", name_of(load),
                name_of(e), nu, n << k, last.ratio, load == Load::kShear ? "Timoshenko" : "exact",
                last.unknowns);
    if (load == Load::kMoment) std::printf(", %.4e L2", last.error);
    if (load == Load::kMoment && k > 0)
      std::printf(", order %.2f", order(t[at_index(k) - 1].error, last.error));
    std::printf("\n");
  }
  return t;
}

// Deflection of the solid over Timoshenko's beam: the composite element at n = 2, 4, 8,
// extrapolated with its observed order (FullCantilever.ShearedBarConvergesInTheSolid).
double solid_ratio(double nu) { return nu < 0.4 ? 0.9877 : 0.9636; }

TEST(Cantilever, CompositeElementDoesNotLockAndLinearDoes) {
  for (const double nu : {0.3, 0.49}) {
    const Tip c = refine(Load::kShear, Element::kComposite, nu, 4, 1).back();
    const Tip l = refine(Load::kShear, Element::kLinear, nu, 8, 1).back();
    EXPECT_EQ(c.unknowns, l.unknowns);
    EXPECT_NEAR(c.ratio / solid_ratio(nu), 1, 0.01) << nu;
    EXPECT_LT(l.ratio / solid_ratio(nu), nu < 0.4 ? 0.95 : 0.65) << nu;
  }
}

TEST(Cantilever, BentByAMomentConvergesToTheExactSolid) {
  for (const double nu : {0.3, 0.49}) {
    const std::vector<Tip> c = refine(Load::kMoment, Element::kComposite, nu, 1, 3);
    EXPECT_LE(c[2].error, 1.5e-3) << nu;
    EXPECT_GE(order(c[0].error, c[1].error), 2) << nu;
    EXPECT_GE(order(c[1].error, c[2].error), 1.5) << nu;
    // With as many unknowns the linear element is two orders of magnitude off.
    const std::vector<Tip> l = refine(Load::kMoment, Element::kLinear, nu, 4, 2);
    EXPECT_GE(l[1].error, 50 * c[2].error) << nu;
  }
}

TEST(FullCantilever, ShearedBarConvergesInTheSolid) {
  for (const double nu : {0.3, 0.49}) {
    const std::vector<Tip> c = refine(Load::kShear, Element::kComposite, nu, 2, 3);
    refine(Load::kShear, Element::kLinear, nu, 2, 4);
    // The edge of the clamped face is a singular line: it limits the order to between 1 and 2.
    const double p = order(c[1].ratio - c[0].ratio, c[2].ratio - c[1].ratio);
    const double limit = c[2].ratio + (c[2].ratio - c[1].ratio) / (std::exp2(p) - 1);
    std::printf("FIGURE cantilever.shear.composite.nu%.4g = order %.2f, limit %.4f of Timoshenko\n",
                nu, p, limit);
    EXPECT_GE(p, 1);
    EXPECT_NEAR(limit, solid_ratio(nu), 5e-4);
  }
}

TEST(FullCantilever, MomentConvergesForEveryPoissonRatio) {
  for (const double nu : {0.3, 0.49, 0.499}) {
    const std::vector<Tip> c = refine(Load::kMoment, Element::kComposite, nu, 1, 4);
    refine(Load::kMoment, Element::kLinear, nu, 2, 3);
    EXPECT_GE(order(c[2].error, c[3].error), 1.5) << nu;
  }
}

}  // namespace
}  // namespace haptos
