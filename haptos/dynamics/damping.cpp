#include "haptos/dynamics/damping.h"

#include "haptos/base/parallel.h"

namespace haptos {
namespace {

constexpr int kLanes = ElementSlots::kLanes;

std::size_t at_index(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

class DampingTerm final : public Term {
 public:
  explicit DampingTerm(std::shared_ptr<const SoftElements> s) : s_(std::move(s)) {
    tangent_.resize(s_->element_count, s_->scatter.tangent_components());
    gradient_.resize(s_->element_count, s_->scatter.gradient_components());
  }

  const char* name() const override { return "damping"; }
  TermKind kind() const override { return TermKind::kDissipation; }
  bool frozen() const override { return true; }
  void couplings(const Points& p, std::vector<std::array<int, 2>>& out) const override {
    s_->scatter.couplings(p, out);
  }

  void prepare(const StepContext& c) override {
    for_each(s_->element_count, [&](std::ptrdiff_t e) {
      element_matrix(static_cast<int>(e), c.points->x_start);
    }, 64);
  }

  Energy evaluate(const Evaluation& e) override {
    const std::vector<Vec3d>& u = e.points->u;
    const int n = s_->nodes;
    const double energy = reduce_sum(s_->element_count, [&](std::ptrdiff_t i) {
      const int element = static_cast<int>(i);
      const double* k = tangent_.element(element);
      double* out = gradient_.group(i / kLanes) + i % kLanes;
      double sum = 0;
      for (int a = 0; a < n; ++a) {
        Vec3d g = Vec3d::zero();
        for (int b = 0; b < n; ++b) {
          const double* m = k + 9 * (a >= b ? ElementScatter::block(a, b)
                                            : ElementScatter::block(b, a)) * kLanes;
          const Vec3d& ub = u[at_index(s_->scatter.node(element, b))];
          for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c)
              g[r] = fma(m[(a >= b ? 3 * r + c : 3 * c + r) * kLanes], ub[c], g[r]);
        }
        sum += 0.5 * dot(g, u[at_index(s_->scatter.node(element, a))]);
        for (int c = 0; c < 3; ++c) out[(3 * a + c) * kLanes] = g[c];
      }
      return sum;
    }, 64);
    if (e.assembly) {
      s_->scatter.add_gradient(gradient_, *e.assembly);
      if (e.assembly->wants_hessian()) s_->scatter.add_tangent(tangent_, *e.points, *e.assembly);
    }
    return {energy, energy};
  }

 private:
  Vec3d shape(int e, int q, int a) const {
    const double* p =
        s_->gradient.data() +
        ((static_cast<std::ptrdiff_t>(e / kLanes) * s_->quadrature + q) * s_->nodes + a) * 3 *
            kLanes + e % kLanes;
    return {{p[0], p[kLanes], p[2 * kLanes]}};
  }

  // On velocities x, y of nodes a, b:  2 Edot_a : Edot_b = x . [(g_a.g_b) F F^T + (F g_b)(F g_a)^T] y,
  // and tr Edot_a = x . F g_a.
  void element_matrix(int e, const std::vector<Vec3d>& x) {
    const int n = s_->nodes, m = s_->quadrature;
    const double tau = s_->material.stiffness_damping;
    const double V = s_->volume[at_index(e)];
    std::vector<Mat3d> h(at_index(n * (n + 1) / 2), Mat3d::zero());
    std::vector<Vec3d> trace(at_index(n), Vec3d::zero());
    for (int q = 0; q < m; ++q) {
      Mat3d F = Mat3d::zero();
      const Vec3d& x0 = x[at_index(s_->scatter.node(e, 0))];
      for (int a = 1; a < n; ++a)
        F += outer(x[at_index(s_->scatter.node(e, a))] - x0, shape(e, q, a));
      const Mat3d FFt = F * transpose(F);
      for (int a = 0; a < n; ++a) {
        const Vec3d ga = shape(e, q, a), Fa = F * ga;
        trace[at_index(a)] += Fa * (1.0 / m);
        for (int b = 0; b <= a; ++b) {
          const Vec3d gb = shape(e, q, b);
          h[at_index(ElementScatter::block(a, b))] +=
              (FFt * dot(ga, gb) + outer(F * gb, Fa)) *
              (tau * s_->lame_parameters.mu * V / m);
        }
      }
    }
    double* out = tangent_.group(e / kLanes) + e % kLanes;
    for (int a = 0; a < n; ++a)
      for (int b = 0; b <= a; ++b) {
        const int k = ElementScatter::block(a, b);
        const Mat3d v = h[at_index(k)] + outer(trace[at_index(a)], trace[at_index(b)]) *
                                             (tau * s_->lame_parameters.lambda * V);
        for (int i = 0; i < 9; ++i) out[(9 * k + i) * kLanes] = v[i];
      }
  }

  std::shared_ptr<const SoftElements> s_;
  ElementSlots tangent_, gradient_;
};

}  // namespace

std::unique_ptr<Term> make_damping_term(std::shared_ptr<const SoftElements> elements) {
  return std::make_unique<DampingTerm>(std::move(elements));
}

}  // namespace haptos
