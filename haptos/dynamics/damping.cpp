#include "haptos/dynamics/damping.h"

#include <cmath>

#include "haptos/base/parallel.h"

namespace haptos {
namespace {

constexpr int kLanes = TetSlots::kLanes;

std::size_t at_index(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

class DampingTerm final : public Term {
 public:
  explicit DampingTerm(std::shared_ptr<const SoftElements> s) : s_(std::move(s)) {
    tangent_.resize(s_->tet_count, TetScatter::kTangentComponents);
    gradient_.resize(s_->tet_count, TetScatter::kGradientComponents);
    patch_coefficient_.resize(at_index(s_->scatter.patch_count()));
    patch_vector_.resize(at_index(s_->scatter.patch_begin(s_->scatter.patch_count())));
  }

  const char* name() const override { return "damping"; }
  TermKind kind() const override { return TermKind::kDissipation; }
  bool frozen() const override { return true; }
  void couplings(const Points& p, std::vector<std::array<int, 2>>& out) const override {
    s_->scatter.couplings(p, out);
  }

  void prepare(const StepContext& c) override {
    const double tau = s_->material.stiffness_damping;
    const double mu = s_->lame_parameters.mu, lambda = s_->lame_parameters.lambda;
    const std::vector<Vec3d>& x = c.points->x_start;
    for (Vec3d& v : patch_vector_) v = Vec3d::zero();
    for (int t = 0; t < s_->tet_count; ++t) {
      const Mat3d B = shape(t), F = deformation(t, x);
      const double V = s_->volume[at_index(t)];
      const Mat3d FFt = F * transpose(F);
      Mat3d h[4][4];
      for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b) {
          const Vec3d ba = gradient(B, a), bb = gradient(B, b);
          h[a][b] = (FFt * dot(ba, bb) + outer(F * bb, F * ba)) * (tau * mu * V);
        }
      double* out = tangent_.group(t / kLanes) + t % kLanes;
      for (int a = 0; a < 4; ++a)
        for (int b = 0; b <= a; ++b)
          for (int i = 0; i < 9; ++i) out[(9 * (a * (a + 1) / 2 + b) + i) * kLanes] = h[a][b][i];
      // Rate of the patch's mean volumetric strain.
      const int p = t / s_->scatter.patch_size();
      const double share = V / s_->patch_volume[at_index(p)];
      for (int a = 0; a < 4; ++a)
        patch_vector_[at_index(s_->scatter.patch_begin(p) + s_->scatter.local(t, a))] +=
            (F * gradient(B, a)) * share;
    }
    for (int p = 0; p < s_->scatter.patch_count(); ++p)
      patch_coefficient_[at_index(p)] = tau * lambda * s_->patch_volume[at_index(p)];
  }

  Energy evaluate(const Evaluation& e) override {
    const std::vector<Vec3d>& u = e.points->u;
    double energy = 0;
    for (int t = 0; t < s_->tet_count; ++t) {
      const int* c = s_->corner.data() + 4 * t;
      const double* k = tangent_.tet(t);
      double* out = gradient_.group(t / kLanes) + t % kLanes;
      for (int a = 0; a < 4; ++a) {
        Vec3d g = Vec3d::zero();
        for (int b = 0; b < 4; ++b) {
          const int n = a >= b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a;
          const Vec3d& ub = u[at_index(c[b])];
          for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
              g[i] = fma(k[(9 * n + (a >= b ? 3 * i + j : 3 * j + i)) * kLanes], ub[j], g[i]);
        }
        energy += 0.5 * dot(g, u[at_index(c[a])]);
        for (int i = 0; i < 3; ++i) out[(3 * a + i) * kLanes] = g[i];
      }
    }
    const TetScatter& sc = s_->scatter;
    std::vector<double> rate(patch_coefficient_.size(), 0.0);
    for (int p = 0; p < sc.patch_count(); ++p) {
      for (int k = sc.patch_begin(p); k < sc.patch_begin(p + 1); ++k)
        rate[at_index(p)] += dot(patch_vector_[at_index(k)], u[at_index(sc.patch_point(k))]);
      energy += 0.5 * patch_coefficient_[at_index(p)] * square(rate[at_index(p)]);
    }
    if (e.assembly) {
      sc.add_gradient(gradient_, *e.assembly);
      for (int p = 0; p < sc.patch_count(); ++p)
        for (int k = sc.patch_begin(p); k < sc.patch_begin(p + 1); ++k)
          e.assembly->add_gradient(sc.patch_point(k),
                                   patch_vector_[at_index(k)] *
                                       (patch_coefficient_[at_index(p)] * rate[at_index(p)]));
      if (e.assembly->wants_hessian())
        sc.add_tangent(tangent_, patch_coefficient_, patch_vector_, *e.points, *e.assembly);
    }
    return {energy, energy};
  }

 private:
  Mat3d shape(int t) const {
    Mat3d b;
    for (int i = 0; i < 9; ++i)
      b[i] = s_->shape[at_index((t / kLanes * 9 + i) * kLanes + t % kLanes)];
    return b;
  }
  static Vec3d gradient(const Mat3d& B, int a) {
    return a > 0 ? column(B, a - 1) : -(column(B, 0) + column(B, 1) + column(B, 2));
  }
  Mat3d deformation(int t, const std::vector<Vec3d>& x) const {
    const int* c = s_->corner.data() + 4 * t;
    const Vec3d& x0 = x[at_index(c[0])];
    return columns(x[at_index(c[1])] - x0, x[at_index(c[2])] - x0, x[at_index(c[3])] - x0) *
           transpose(shape(t));
  }

  std::shared_ptr<const SoftElements> s_;
  TetSlots tangent_, gradient_;
  std::vector<double> patch_coefficient_;
  std::vector<Vec3d> patch_vector_;
};

}  // namespace

std::unique_ptr<Term> make_damping_term(std::shared_ptr<const SoftElements> elements) {
  return std::make_unique<DampingTerm>(std::move(elements));
}

}  // namespace haptos
