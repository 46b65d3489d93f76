#include "haptos/bodies/elastic/damping.h"

#include "haptos/base/borrowed.h"
#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/bodies/elastic/elastic_kernel.h"

namespace haptos {
namespace {

constexpr int kLanes = ElementSlots::kLanes;
using P = Pack<double, kLanes>;

// kNodes and kPoints are those of the element: 4, 1 or 10, 4.
template <int kNodes, int kPoints>
class DampingTerm final : public Term {
 public:
  DampingTerm(std::shared_ptr<const SoftElements> s, SharedLame moduli)
      : s_(std::move(s)), lame_(std::move(moduli)) {
    F_.resize(at_index(s_->group_count * kPoints));
    offset_.assign(F_.size(), Mat3<P>::zero());
  }

  const char* name() const override { return "damping"; }
  TermKind kind() const override { return TermKind::kDissipation; }
  bool frozen() const override { return false; }
  bool slow() const override { return true; }
  void couplings(const Points& p, Coupled coupled,
                 std::vector<std::array<int, 2>>& out) const override {
    if (coupled == Coupled::kAlways) s_->scatter.couplings(p, out);
  }

  void prepare(const StepContext& c) override {
    b_ = c.b;
    const double w = c.w;
    for_each(
        s_->group_count,
        [&](std::ptrdiff_t g) {
          for (int q = 0; q < kPoints; ++q) {
            const auto i = at_index(g * kPoints + q);
            F_[i] = gradient_of(c.points->x_base, g, q);
            offset_[i] = Mat3<P>::zero();
            if (w == 0) continue;
            // F_base = F_n + w (F_n - F_n-1) gives F_n-1, and the three give E_base - E(F_base).
            const Mat3<P> Fn = gradient_of(c.points->x_start, g, q);
            const Mat3<P> before = Fn - (F_[i] - Fn) * P(1 / w);
            offset_[i] = (transpose(F_[i]) * F_[i] - transpose(Fn) * Fn * P(1 + w) +
                          transpose(before) * before * P(w)) *
                         P(0.5 / b_);
          }
        },
        8);
  }

  Energy evaluate(const Evaluation& e) override {
    const std::vector<Vec3d>& u = e.points->u;
    const double energy = reduce_sum(
        s_->group_count,
        [&](std::ptrdiff_t g) {
          const Rates r = rates(g, u);
          P sum = P(lame_->lambda) * r.trace * r.trace;
          for (int q = 0; q < kPoints; ++q)
            sum += P(2 * lame_->mu / kPoints) * inner(r.rate[q], r.rate[q]);
          const P w = P::load(s_->volume.data() + g * kLanes) *
                      P(0.5 * s_->material.stiffness_damping) * sum;
          double total = 0;
          for (int l = 0; l < kLanes; ++l) total += w[l];
          return total;
        },
        8);
    if (e.assembly) {
      const bool hessian = e.assembly->wants_hessian();
      Borrowed<ElementSlots> slopes, blocks;
      slopes->resize(s_->element_count, s_->scatter.gradient_components());
      if (hessian) blocks->resize(s_->element_count, s_->scatter.tangent_components());
      for_each(
          s_->group_count,
          [&](std::ptrdiff_t g) {
            differentiate(g, u, *slopes, hessian ? &*blocks : nullptr, e.project);
          },
          8);
      s_->scatter.add_gradient(*slopes, *e.assembly);
      if (hessian) s_->scatter.add_tangent(*blocks, *e.points, *e.assembly);
    }
    return {energy, energy};
  }

 private:
  // Strain rates, their mean trace, and F at the end of the step.
  struct Rates {
    Mat3<P> rate[kPoints], F[kPoints];
    P trace = P(0);
  };

  Vec3<P> shape(std::ptrdiff_t g, int q, int a) const {
    const double* p = s_->gradient.data() + ((g * kPoints + q) * kNodes + a) * 3 * kLanes;
    return {{P::load(p), P::load(p + kLanes), P::load(p + 2 * kLanes)}};
  }

  // sum_a v_a g_aq^T, from differences to node 0.
  Mat3<P> gradient_of(const std::vector<Vec3d>& v, std::ptrdiff_t g, int q) const {
    Mat3<P> G = Mat3<P>::zero();
    for (int a = 1; a < kNodes; ++a) {
      Vec3<P> d;
      for (int l = 0; l < kLanes; ++l) {
        const int* c = s_->corner.data() + (g * kLanes + l) * kNodes;
        for (int i = 0; i < 3; ++i) d[i].set(l, v[at_index(c[a])][i] - v[at_index(c[0])][i]);
      }
      const Vec3<P> s = shape(g, q, a);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) G(i, j) = fma(d[i], s[j], G(i, j));
    }
    return G;
  }

  Rates rates(std::ptrdiff_t g, const std::vector<Vec3d>& u) const {
    Rates r;
    for (int q = 0; q < kPoints; ++q) {
      const Mat3<P>& F = F_[at_index(g * kPoints + q)];
      const Mat3<P> L = gradient_of(u, g, q), half = transpose(F + L * P(0.5 * b_)) * L;
      r.rate[q] = (half + transpose(half)) * P(0.5) + offset_[at_index(g * kPoints + q)];
      r.F[q] = F + L * P(b_);
      r.trace += P(1.0 / kPoints) * trace(r.rate[q]);
    }
    return r;
  }

  // S = tau (2 mu Edot + lambda mean tr Edot); force F S g_a; with x = F g:
  //   2 Edot_a : Edot_b -> (g_a . g_b) F F^T + x_b x_a^T,   tr Edot_a -> x_a,   b (g_a . S g_b) I.
  // The Hessian too where there is room for it.
  void differentiate(std::ptrdiff_t g, const std::vector<Vec3d>& u, ElementSlots& gradient,
                     ElementSlots* tangent, bool project) {
    const bool hessian = tangent != nullptr;
    const double tau = s_->material.stiffness_damping;
    const P mu(tau * lame_->mu), lambda(tau * lame_->lambda);
    const P V = P::load(s_->volume.data() + g * kLanes), Vq = V * P(1.0 / kPoints);
    const Rates r = rates(g, u);
    Vec3<P> f[kNodes], mean[kNodes];  // gradient; d (mean tr Edot) / d u_a
    for (int a = 0; a < kNodes; ++a) f[a] = mean[a] = Vec3<P>{{P(0), P(0), P(0)}};
    Mat3<P> m[kNodes * (kNodes + 1) / 2];
    for (Mat3<P>& b : m) b = Mat3<P>::zero();
    for (int q = 0; q < kPoints; ++q) {
      Mat3<P> S = r.rate[q] * (P(2) * mu);
      for (int i = 0; i < 3; ++i) S(i, i) += lambda * r.trace;
      const Mat3<P> stress = r.F[q] * S * Vq;
      Vec3<P> s[kNodes], x[kNodes];
      for (int a = 0; a < kNodes; ++a) {
        s[a] = shape(g, q, a);
        f[a] += stress * s[a];
        x[a] = r.F[q] * s[a];
        mean[a] += x[a] * P(1.0 / kPoints);
      }
      if (!hessian) continue;
      if (project) S = clamp_positive(S);
      const Mat3<P> FFt = r.F[q] * transpose(r.F[q]) * (mu * Vq);
      for (int a = 0, n = 0; a < kNodes; ++a)
        for (int b = 0; b <= a; ++b, ++n) {
          m[n] += FFt * dot(s[a], s[b]) + outer(x[b], x[a] * (mu * Vq));
          const P w = dot(s[a], S * s[b]) * (P(b_) * Vq);
          for (int i = 0; i < 3; ++i) m[n](i, i) += w;
        }
    }
    double* out = gradient.group(g);
    for (int a = 0; a < kNodes; ++a)
      for (int i = 0; i < 3; ++i) f[a][i].store(out + (3 * a + i) * kLanes);
    if (!hessian) return;
    out = tangent->group(g);
    for (int a = 0, n = 0; a < kNodes; ++a)
      for (int b = 0; b <= a; ++b, ++n)
        for (int i = 0; i < 9; ++i)
          fma(mean[a][i / 3], mean[b][i % 3] * (lambda * V), m[n][i])
              .store(out + (9 * n + i) * kLanes);
  }

  std::shared_ptr<const SoftElements> s_;
  SharedLame lame_;
  std::vector<Mat3<P>> F_, offset_;  // of x_base; (E(F) - E_base) / b
  double b_ = 0;
};

}  // namespace

std::unique_ptr<Term> make_damping_term(std::shared_ptr<const SoftElements> elements,
                                        SharedLame moduli) {
  if (!moduli) moduli = own_moduli(elements);
  if (elements->nodes == 4)
    return std::make_unique<DampingTerm<4, 1>>(std::move(elements), std::move(moduli));
  return std::make_unique<DampingTerm<10, 4>>(std::move(elements), std::move(moduli));
}

}  // namespace haptos
