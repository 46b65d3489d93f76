#include "haptos/bodies/elastic/elastic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "haptos/base/borrowed.h"
#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/bodies/elastic/elastic_point.h"

namespace haptos {
namespace {

constexpr int kLanes = ElementSlots::kLanes;
using P = Pack<double, kLanes>;

// kNodes and kPoints are those of the element: 4, 1 or 10, 4. A law that lags its rotation is the
// linear one of R_n^T F.
template <class Given, int kNodes, int kPoints>
class ElasticTerm final : public Term {
  static constexpr bool kLags = std::is_same_v<Given, LinearCorotated>;
  // Composite elements have a barrier against inversion beside them, which asks for a cap.
  static constexpr bool kFrozen = kLags && kPoints == 1;
  using Law = std::conditional_t<kLags, LinearElastic, Given>;
  using Point = ElasticPoint<Law, P>;

 public:
  ElasticTerm(std::shared_ptr<const SoftElements> s, SharedLame moduli)
      : s_(std::move(s)), lame_(std::move(moduli)) {
    F_.resize(at_index(s_->group_count) * kPoints);
    if (kLags) R_.assign(F_.size(), Mat3<P>::identity());
    for (double v : s_->volume) cancelled_ += lame_->mu * v;
  }

  const char* name() const override { return "elastic"; }
  TermKind kind() const override { return TermKind::kPosition; }
  bool frozen() const override { return kFrozen; }
  bool slow() const override { return true; }
  void prepare(const StepContext& context) override {
    tangent_known_ = false;
    if constexpr (kLags)
      each_deformation(context.points->x_start, [&](std::size_t i, const Mat3<P>& F) {
        Mat3<P> U, V;
        Vec3<P> stretch;
        rotation_svd(F, U, stretch, V);
        R_[i] = U * transpose(V);
      });
  }
  void couplings(const Points& p, Coupled coupled,
                 std::vector<std::array<int, 2>>& out) const override {
    if (coupled == Coupled::kAlways) s_->scatter.couplings(p, out);
  }

  bool refresh(const Points& points, Sampling) override {
    each_deformation(points.x, [&](std::size_t i, const Mat3<P>& F) {
      if constexpr (kLags)
        F_[i] = transpose(R_[i]) * F;
      else
        F_[i] = F;
    });
    return false;
  }

  Energy evaluate(const Evaluation& e) override {
    if (e.assembly && e.assembly->along()) add_along(*e.assembly);
    double energy = 0;
    if (!e.assembly || e.assembly->along()) {
      energy = reduce_sum(
          s_->group_count, [&](std::ptrdiff_t g) { return energy_of(g); }, 8);
    } else {
      const bool hessian = e.assembly->wants_hessian(), anew = hessian && !tangent_known_;
      Borrowed<ElementSlots> slopes, blocks;
      // A law that lags its rotation has one tangent for the step.
      ElementSlots &gradient = *slopes, &tangent = kLags ? tangent_ : *blocks;
      gradient.resize(s_->element_count, s_->scatter.gradient_components());
      if (hessian) tangent.resize(s_->element_count, s_->scatter.tangent_components());
      energy = reduce_sum(
          s_->group_count,
          [&](std::ptrdiff_t g) {
            return differentiate(g, gradient, anew ? &tangent : nullptr, e.project);
          },
          8);
      s_->scatter.add_gradient(gradient, *e.assembly);
      if (hessian) s_->scatter.add_tangent(tangent, *e.points, *e.assembly);
      tangent_known_ = kLags && (hessian || tangent_known_);
    }
    return {energy, std::abs(energy) + cancelled_};
  }

  double max_step(const Points& points, const std::vector<Vec3d>& dx, double limit) override {
    if (kFrozen) return limit;
    return reduce_min(static_cast<std::ptrdiff_t>(s_->tets.size()), limit, [&](std::ptrdiff_t t) {
      const Vec4i& c = s_->tets[at_index(t)];
      Mat3d E, D;
      for (int a = 0; a < 3; ++a)
        for (int i = 0; i < 3; ++i) {
          E(i, a) = points.x[at_index(c[a + 1])][i] - points.x[at_index(c[0])][i];
          D(i, a) = dx[at_index(c[a + 1])][i] - dx[at_index(c[0])][i];
        }
      return inversion_step(E, D, limit);
    });
  }

 private:
  Vec3<P> shape(std::ptrdiff_t g, int q, int a) const {
    const double* p = s_->gradient.data() + ((g * kPoints + q) * kNodes + a) * 3 * kLanes;
    return {{P::load(p), P::load(p + kLanes), P::load(p + 2 * kLanes)}};
  }

  ShearModuli<P> moduli() const {
    const double mu = lame_->mu;
    return {P(mu), P(mu * s_->material.mooney_ratio)};
  }

  // Positions relative to node 0: gradients sum to zero, so nothing is lost and digits are kept.
  void gather(std::ptrdiff_t g, const std::vector<Vec3d>& points, Vec3<P> x[kNodes]) const {
    for (int l = 0; l < kLanes; ++l) {
      const int* c = s_->corner.data() + (g * kLanes + l) * kNodes;
      const Vec3d& x0 = points[at_index(c[0])];
      for (int a = 1; a < kNodes; ++a)
        for (int i = 0; i < 3; ++i) x[a][i].set(l, points[at_index(c[a])][i] - x0[i]);
    }
  }

  // f(i, F) of every point i of every element, at the positions x.
  template <class F>
  void each_deformation(const std::vector<Vec3d>& positions, const F& f) {
    for_each(
        s_->group_count,
        [&](std::ptrdiff_t g) {
          Vec3<P> x[kNodes];
          gather(g, positions, x);
          for (int q = 0; q < kPoints; ++q) {
            Mat3<P> D = outer(x[1], shape(g, q, 1));
            for (int a = 2; a < kNodes; ++a) {
              const Vec3<P> s = shape(g, q, a);
              for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j) D(i, j) = fma(x[a][i], s[j], D(i, j));
            }
            f(at_index(g * kPoints + q), D);
          }
        },
        8);
  }

  // Slope and curvature along a motion: what is frozen is asked for these too.
  void add_along(Assembly& assembly) {
    if constexpr (kLags) {
      const ShearModuli<P> mu = moduli();
      const P lambda(lame_->lambda);
      along_.resize(F_.size());
      line_.resize(at_index(s_->group_count));
      each_deformation(*assembly.along(),
                       [&](std::size_t i, const Mat3<P>& D) { along_[i] = transpose(R_[i]) * D; });
      for_each(
          s_->group_count,
          [&](std::ptrdiff_t g) {
            P mean(0), rate(0), first(0), second(0);
            for (int q = 0; q < kPoints; ++q) {
              const std::size_t i = at_index(g * kPoints + q);
              mean += Point::measure(F_[i]) * P(1.0 / kPoints);
              rate += trace(along_[i]) * P(1.0 / kPoints);
            }
            const Curve<P> U = Law::template volume<P>(lambda, mean);
            for (int q = 0; q < kPoints; ++q) {
              const std::size_t i = at_index(g * kPoints + q);
              const Mat3<P>& D = along_[i];
              first += inner(Point(F_[i], mu, mean).stress(U.first), D) * P(1.0 / kPoints);
              second += mu.mu * (inner(D, D) + inner(D, transpose(D))) * P(1.0 / kPoints);
            }
            const P V = P::load(s_->volume.data() + g * kLanes);
            first = first * V, second = (second + U.second * rate * rate) * V;
            line_[at_index(g)] = {0, 0};
            for (int l = 0; l < kLanes; ++l)
              line_[at_index(g)][0] += first[l], line_[at_index(g)][1] += second[l];
          },
          8);
      for (const auto& [slope, curvature] : line_) assembly.add_along(slope, curvature);
    }
  }

  // A vector of the frame that the law sees, in the world.
  Vec3<P> turned(std::ptrdiff_t g, int q, const Vec3<P>& v) const {
    if constexpr (kLags)
      return R_[at_index(g * kPoints + q)] * v;
    else
      return v;
  }

  double energy_of(std::ptrdiff_t g) const {
    const ShearModuli<P> mu = moduli();
    P shear(0), mean(0);
    for (int q = 0; q < kPoints; ++q) {
      const Mat3<P>& F = F_[at_index(g * kPoints + q)];
      const P s = Point::measure(F);
      shear += Point(F, mu, s).energy();
      mean += s;
    }
    return energy_of(g, shear, Law::template volume<P>(P(lame_->lambda), mean * P(1.0 / kPoints)));
  }
  // From the sum of its points' shear energies.
  double energy_of(std::ptrdiff_t g, const P& shear, const Curve<P>& volume) const {
    const P w = P::load(s_->volume.data() + g * kLanes) * (shear * P(1.0 / kPoints) + volume.value);
    double sum = 0;
    for (int l = 0; l < kLanes; ++l) sum += w[l];
    return sum;
  }

  // Gradient and energy; the Hessian too where there is room for it.
  double differentiate(std::ptrdiff_t g, ElementSlots& gradient, ElementSlots* tangent,
                       bool project) {
    const bool hessian = tangent != nullptr;
    const ShearModuli<P> mu = moduli();
    const P lambda(lame_->lambda);
    const P V = P::load(s_->volume.data() + g * kLanes), Vq = V * P(1.0 / kPoints);
    P s_q[kPoints], mean(0), shear(0);
    for (int q = 0; q < kPoints; ++q)
      mean += s_q[q] = Point::measure(F_[at_index(g * kPoints + q)]);
    const Curve<P> U = Law::template volume<P>(lambda, mean * P(1.0 / kPoints));

    Vec3<P> f[kNodes], j[kNodes];  // gradient; d sbar / d x_a
    for (int a = 0; a < kNodes; ++a) f[a] = j[a] = Vec3<P>{{P(0), P(0), P(0)}};
    Mat3<P> h[kNodes * (kNodes + 1) / 2];
    if (hessian)
      for (Mat3<P>& m : h)
        for (int i = 0; i < 9; ++i) m[i] = P(0);
    for (int q = 0; q < kPoints; ++q) {
      const Point point(F_[at_index(g * kPoints + q)], mu, s_q[q]);
      shear += point.energy();
      const Mat3<P> stress = point.stress(U.first) * Vq;
      Vec3<P> s[kNodes];
      for (int a = 0; a < kNodes; ++a) {
        s[a] = shape(g, q, a);
        f[a] += turned(g, q, stress * s[a]);
        if (hessian) j[a] += turned(g, q, point.measure_gradient(s[a]) * P(1.0 / kPoints));
      }
      if (!hessian) continue;
      const std::size_t i = at_index(g * kPoints + q);
      if (project)
        add_tangent(point.projected(Vq, U.first), s, i, h);
      else
        add_tangent(point.tangent(Vq, U.first), s, i, h);
    }
    double* out = gradient.group(g);
    for (int a = 0; a < kNodes; ++a)
      for (int i = 0; i < 3; ++i) f[a][i].store(out + (3 * a + i) * kLanes);
    const double energy = energy_of(g, shear, U);
    if (!hessian) return energy;
    const P second = (project ? vmax(U.second, P(0)) : U.second) * V;
    out = tangent->group(g);
    for (int a = 0, n = 0; a < kNodes; ++a)
      for (int b = 0; b <= a; ++b, ++n) {
        const Vec3<P> jb = j[b] * second;
        HAPTOS_UNROLL
        for (int i = 0; i < 9; ++i)
          fma(j[a][i / 3], jb[i % 3], h[n][i]).store(out + (9 * n + i) * kLanes);
      }
    return energy;
  }

  template <class Tangent>
  void add_tangent(const Tangent& t, const Vec3<P> s[kNodes], std::size_t i, Mat3<P>* h) const {
    typename Tangent::Node node[kNodes];
    for (int a = 0; a < kNodes; ++a) {
      node[a] = t.node(s[a]);
      for (int b = 0; b <= a; ++b) {
        if constexpr (kLags)
          *h++ += R_[i] * t.block(node[a], node[b]) * transpose(R_[i]);
        else
          *h++ += t.block(node[a], node[b]);
      }
    }
  }

  std::shared_ptr<const SoftElements> s_;
  SharedLame lame_;
  std::vector<Mat3<P>> F_;
  // Of a law that lags it, the rotation at the start of the step; and of a motion its deformation.
  std::vector<Mat3<P>> R_, along_;
  std::vector<std::array<double, 2>> line_;  // slope and curvature of each group
  bool tangent_known_ = false;               // of this step, where it has one
  // Scale of rounding near rest [J]: mu tr(F - I) and mu ln J cancel there, each known to an ulp of
  // mu, while the energy itself is of second order.
  double cancelled_ = 0;
  ElementSlots tangent_;  // of a law that lags its rotation
};

template <class Law>
std::unique_ptr<Term> make(std::shared_ptr<const SoftElements> e, SharedLame moduli) {
  if (e->nodes == 4)
    return std::make_unique<ElasticTerm<Law, 4, 1>>(std::move(e), std::move(moduli));
  return std::make_unique<ElasticTerm<Law, 10, 4>>(std::move(e), std::move(moduli));
}

}  // namespace

std::unique_ptr<Term> make_elastic_term(std::shared_ptr<const SoftElements> elements,
                                        ElasticLaw law, SharedLame moduli) {
  if (!moduli) moduli = own_moduli(elements);
  return with_law(
      law, [&](auto l) { return make<decltype(l)>(std::move(elements), std::move(moduli)); });
}

double smallest_volume_ratio(const SoftElements& s, const std::vector<Vec3d>& x) {
  double r = 1e300;
  for (std::size_t t = 0; t < s.tets.size(); ++t) {
    const Vec4i& c = s.tets[t];
    const Vec3d& x0 = x[at_index(c[0])];
    const double v =
        det(columns(x[at_index(c[1])] - x0, x[at_index(c[2])] - x0, x[at_index(c[3])] - x0)) / 6.0;
    r = std::min(r, v / s.tet_volume[t]);
  }
  return r;
}

double inversion_step(const Mat3d& E, const Mat3d& D, double limit, double keep) {
  // det(E + a D) = e0 + e1 a + e2 a^2 + e3 a^3, bounded below by dropping what would raise it.
  const double e0 = det(E);
  const double e1 = std::min(inner(cofactor(E), D), 0.0);
  const double e2 = std::min(inner(cofactor(D), E), 0.0);
  const double e3 = std::min(det(D), 0.0);
  const double floor = keep * e0;
  auto bound = [&](double a) { return e0 + a * (e1 + a * (e2 + a * e3)); };
  if (bound(limit) >= floor) return limit;
  double lo = 0, hi = limit;
  for (int i = 0; i < 40; ++i) {
    const double mid = 0.5 * (lo + hi);
    (bound(mid) >= floor ? lo : hi) = mid;
  }
  return lo;
}

}  // namespace haptos
