#include "haptos/dynamics/elastic.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/parallel.h"
#include "haptos/dynamics/elastic_kernel.h"

namespace haptos {
namespace {

using P = Pack<double, TetSlots::kLanes>;
constexpr int kLanes = TetSlots::kLanes;

std::size_t at_index(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

// Edges x_a - x_0 of the eight tetrahedra of a group, as columns.
Mat3<P> gather_edges(const SoftElements& s, const std::vector<Vec3d>& x, int g) {
  Mat3<P> e;
  for (int l = 0; l < kLanes; ++l) {
    const int* c = s.corner.data() + 4 * (g * kLanes + l);
    const Vec3d& x0 = x[at_index(c[0])];
    for (int a = 0; a < 3; ++a) {
      const Vec3d& xa = x[at_index(c[a + 1])];
      for (int i = 0; i < 3; ++i) e(i, a).set(l, xa[i] - x0[i]);
    }
  }
  return e;
}

Mat3<P> load_shape(const SoftElements& s, int g) {
  Mat3<P> b;
  for (int i = 0; i < 9; ++i) b[i] = P::load(s.shape.data() + (g * 9 + i) * kLanes);
  return b;
}

template <class Law>
class ElasticTerm final : public Term {
 public:
  explicit ElasticTerm(std::shared_ptr<const SoftElements> s) : s_(std::move(s)) {
    const auto groups = at_index(s_->group_count);
    F_.resize(groups);
    J_.resize(groups * kLanes);
    patch_J_.resize(at_index(s_->scatter.patch_count()));
    gradient_.resize(s_->tet_count, TetScatter::kGradientComponents);
    tangent_.resize(s_->tet_count, TetScatter::kTangentComponents);
    patch_coefficient_.resize(patch_J_.size());
    patch_vector_.resize(at_index(s_->scatter.patch_begin(s_->scatter.patch_count())));
  }

  const char* name() const override { return "elastic"; }
  TermKind kind() const override { return TermKind::kPosition; }
  bool frozen() const override { return false; }
  void couplings(const Points& p, std::vector<std::array<int, 2>>& out) const override {
    s_->scatter.couplings(p, out);
  }

  void refresh(const Points& points) override {
    for_each(s_->group_count, [&](std::ptrdiff_t g) {
      const int group = static_cast<int>(g);
      const Mat3<P> F =
          deformation_gradient(gather_edges(*s_, points.x, group), load_shape(*s_, group));
      F_[at_index(g)] = F;
      det(F).store(J_.data() + g * kLanes);
    }, 8);
    const int m = s_->scatter.patch_size();
    for_each(s_->scatter.patch_count(), [&](std::ptrdiff_t p) {
      double v = 0;
      for (std::ptrdiff_t t = p * m; t < (p + 1) * m; ++t)
        v = fma(s_->volume[at_index(t)], J_[at_index(t)], v);
      patch_J_[at_index(p)] = v / s_->patch_volume[at_index(p)];
    });
  }

  Energy evaluate(const Evaluation& e) override {
    const double mu = s_->lame_parameters.mu, lambda = s_->lame_parameters.lambda;
    const double shear = reduce_sum(s_->group_count, [&](std::ptrdiff_t g) {
      const P v = P::load(s_->volume.data() + g * kLanes);
      const P w = v * shear_energy<Law>(F_[at_index(g)], P(mu), P::load(J_.data() + g * kLanes));
      double sum = 0;
      for (int l = 0; l < kLanes; ++l) sum += w[l];
      return sum;
    }, 8);
    const double volume = reduce_sum(s_->scatter.patch_count(), [&](std::ptrdiff_t p) {
      return s_->patch_volume[at_index(p)] *
             Law::template volume<double>(lambda, patch_J_[at_index(p)]).value;
    });
    if (e.assembly) differentiate(e, mu, lambda);
    return {shear + volume, std::abs(shear) + std::abs(volume)};
  }

  double max_step(const Points& points, const std::vector<Vec3d>& dx, double limit) override {
    return reduce_min(s_->tet_count, limit, [&](std::ptrdiff_t t) {
      const int* c = s_->corner.data() + 4 * t;
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
  void differentiate(const Evaluation& e, double mu, double lambda) {
    const bool hessian = e.assembly->wants_hessian();
    const int m = s_->scatter.patch_size();
    for_each(s_->group_count, [&](std::ptrdiff_t g) {
      const Mat3<P> F = F_[at_index(g)], B = load_shape(*s_, static_cast<int>(g));
      const P J = P::load(J_.data() + g * kLanes), V = P::load(s_->volume.data() + g * kLanes);
      P pressure(0);
      for (int l = 0; l < kLanes; ++l) {
        const std::ptrdiff_t t = std::min<std::ptrdiff_t>(g * kLanes + l, s_->tet_count - 1);
        pressure.set(l, Law::template volume<double>(lambda, patch_J_[at_index(t / m)]).first);
      }
      const Curve<P> w = Law::template shear_volume<P>(P(mu), J);
      const P k = w.first + pressure;
      const Mat3<P> cof = cofactor(F);
      const Mat3<P> f = (F * P(mu) + cof * k) * B * V;  // column a-1: gradient of node a
      double* out = gradient_.group(static_cast<int>(g));
      for (int i = 0; i < 3; ++i) {
        (-(f(i, 0) + f(i, 1) + f(i, 2))).store(out + i * kLanes);
        for (int a = 0; a < 3; ++a) f(i, a).store(out + (3 * (a + 1) + i) * kLanes);
      }
      if (!hessian) return;
      Mat3<P> h[6];
      if (e.project)
        projected_tangent(F, B, P(mu), w.second, k, h);
      else
        shear_tangent(F, B, P(mu), w.second, k, h);
      store_tangent(h, V, tangent_.group(static_cast<int>(g)));
    }, 8);
    s_->scatter.add_gradient(gradient_, *e.assembly);
    if (!hessian) return;
    for_each(s_->scatter.patch_count(), [&](std::ptrdiff_t p) { patch_gradient(p, lambda); }, 32);
    s_->scatter.add_tangent(tangent_, patch_coefficient_, patch_vector_, *e.points, *e.assembly);
  }

  // Blocks (a, b), a >= b, of all four nodes from the six of nodes 1 to 3: rows sum to zero.
  static void store_tangent(const Mat3<P> h[6], P V, double* out) {
    auto put = [&](int a, int b, const Mat3<P>& m) {
      const int n = a * (a + 1) / 2 + b;
      for (int i = 0; i < 9; ++i) (m[i] * V).store(out + (9 * n + i) * kLanes);
    };
    auto at = [&](int a, int b) { return a >= b ? h[a * (a + 1) / 2 + b] : transpose(h[b * (b + 1) / 2 + a]); };
    Mat3<P> h00 = Mat3<P>::zero();
    for (int a = 0; a < 3; ++a) {
      const Mat3<P> row = at(a, 0) + at(a, 1) + at(a, 2);
      h00 += row;
      put(a + 1, 0, -row);
      for (int b = 0; b <= a; ++b) put(a + 1, b + 1, at(a, b));
    }
    put(0, 0, h00);
  }

  // d Jbar / d x over the patch's points, and the coefficient V U'' of its square.
  void patch_gradient(std::ptrdiff_t p, double lambda) {
    const TetScatter& sc = s_->scatter;
    const int m = sc.patch_size(), begin = sc.patch_begin(static_cast<int>(p));
    const double inv = 1.0 / s_->patch_volume[at_index(p)];
    for (int k = begin; k < sc.patch_begin(static_cast<int>(p) + 1); ++k)
      patch_vector_[at_index(k)] = Vec3d::zero();
    for (std::ptrdiff_t t = p * m; t < (p + 1) * m; ++t) {
      Mat3d F, B;
      for (int i = 0; i < 9; ++i) {
        F[i] = F_[at_index(t / kLanes)][i][static_cast<int>(t % kLanes)];
        B[i] = s_->shape[at_index((t / kLanes * 9 + i) * kLanes + t % kLanes)];
      }
      const Mat3d f = cofactor(F) * B * (s_->volume[at_index(t)] * inv);
      const int tet = static_cast<int>(t);
      for (int a = 0; a < 3; ++a) {
        const Vec3d v = column(f, a);
        patch_vector_[at_index(begin + sc.local(tet, a + 1))] += v;
        patch_vector_[at_index(begin + sc.local(tet, 0))] -= v;
      }
    }
    const double second = Law::template volume<double>(lambda, patch_J_[at_index(p)]).second;
    patch_coefficient_[at_index(p)] = s_->patch_volume[at_index(p)] * std::max(second, 0.0);
  }

  std::shared_ptr<const SoftElements> s_;
  std::vector<Mat3<P>> F_;
  std::vector<double> J_, patch_J_, patch_coefficient_;
  std::vector<Vec3d> patch_vector_;
  TetSlots gradient_, tangent_;
};

}  // namespace

std::unique_ptr<Term> make_elastic_term(std::shared_ptr<const SoftElements> elements,
                                        ElasticLaw law) {
  if (law == ElasticLaw::kLogNeoHookean)
    return std::make_unique<ElasticTerm<LogNeoHookean>>(std::move(elements));
  return std::make_unique<ElasticTerm<StableNeoHookean>>(std::move(elements));
}

double smallest_volume_ratio(const SoftElements& s, const std::vector<Vec3d>& x) {
  double r = 1e300;
  for (int g = 0; g < s.group_count; ++g) {
    const P J = det(deformation_gradient(gather_edges(s, x, g), load_shape(s, g)));
    for (int l = 0; l < kLanes; ++l) r = std::min(r, J[l]);
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
