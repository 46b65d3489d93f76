#include "haptos/bodies/elastic/inversion_barrier.h"

#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/bodies/elastic/elastic_kernel.h"

namespace haptos {
namespace {

// -(J - J0)^2 ln(J / J0) and derivatives, for 0 < J < J0.
Curve<double> barrier_of_ratio(double J, double J0) {
  const double e = J - J0, l = log_(J / J0), r = e / J;
  return {-e * e * l, -e * (2 * l + r), -2 * l - 4 * r + r * r};
}

class InversionBarrier final : public Term {
 public:
  InversionBarrier(std::shared_ptr<const SoftElements> s, SharedLame moduli)
      : s_(std::move(s)), lame_(std::move(moduli)) {
    ratio_.resize(s_->tets.size());
  }

  const char* name() const override { return "inversion barrier"; }
  TermKind kind() const override { return TermKind::kPosition; }
  bool frozen() const override { return false; }

  bool refresh(const Points& points, Sampling) override {
    for_each(
        static_cast<std::ptrdiff_t>(ratio_.size()),
        [&](std::ptrdiff_t t) {
          ratio_[at_index(t)] =
              det(edges(points.x, s_->tets[at_index(t)])) / (6 * s_->tet_volume[at_index(t)]);
        },
        512);
    active_.clear();
    for (std::size_t t = 0; t < ratio_.size(); ++t)
      if (ratio_[t] < kInversionSupport) active_.push_back(static_cast<int>(t));
    return false;
  }

  Energy evaluate(const Evaluation& e) override {
    Energy total;
    for (int t : active_) {
      const double scale = lame_->mu * s_->tet_volume[at_index(t)];
      const Curve<double> b = barrier_of_ratio(ratio_[at_index(t)], kInversionSupport);
      total += {scale * b.value, scale * b.value};
      if (e.assembly) differentiate(t, scale * b.first, scale * b.second, e);
    }
    return total;
  }

 private:
  static Mat3d edges(const std::vector<Vec3d>& x, const Vec4i& c) {
    const Vec3d& x0 = x[at_index(c[0])];
    return columns(x[at_index(c[1])] - x0, x[at_index(c[2])] - x0, x[at_index(c[3])] - x0);
  }

  void differentiate(int t, double first, double second, const Evaluation& e) const {
    const Vec4i& c = s_->tets[at_index(t)];
    const Mat3d& rows = s_->inverse[at_index(t)];  // row k: rest gradient of corner k + 1
    const Mat3d F = edges(e.points->x, c) * rows;
    Vec3d g[4] = {Vec3d::zero(), {}, {}, {}};
    for (int a = 1; a < 4; ++a) {
      g[a] = {{rows(a - 1, 0), rows(a - 1, 1), rows(a - 1, 2)}};
      g[0] -= g[a];
    }
    const Mat3d cof = cofactor(F);
    for (int a = 0; a < 4; ++a) e.assembly->add_gradient(c[a], (cof * g[a]) * first);
    if (!e.assembly->wants_hessian()) return;
    if (e.project)
      add_tangent(ProjectedTangent<double>(F, 0.0, second, first), c, g, *e.assembly);
    else
      add_tangent(ShearTangent<double>(F, 0.0, second, first), c, g, *e.assembly);
  }

  template <class Tangent>
  static void add_tangent(const Tangent& h, const Vec4i& c, const Vec3d g[4], Assembly& assembly) {
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b <= a; ++b) {
        Mat3d m = h.block(h.node(g[a]), h.node(g[b]));
        if (a == b) m = (m + transpose(m)) * 0.5;
        assembly.add_hessian(c[a], c[b], m);
      }
  }

  std::shared_ptr<const SoftElements> s_;
  SharedLame lame_;
  std::vector<double> ratio_;
  std::vector<int> active_;
};

}  // namespace

std::unique_ptr<Term> make_inversion_barrier(std::shared_ptr<const SoftElements> elements,
                                             SharedLame moduli) {
  if (!moduli) moduli = own_moduli(elements);
  return std::make_unique<InversionBarrier>(std::move(elements), std::move(moduli));
}

}  // namespace haptos
