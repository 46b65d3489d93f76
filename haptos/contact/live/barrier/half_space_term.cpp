// Barrier contact of a soft surface with a half-space: the gap of a point is n . x - offset,
// linear, so vertices alone decide where the surface is closest, and the step cap is exact.
//
// A vertex stands for a third of the triangles around it. Of a stiff body only as much of them
// counts as faces the half-space at the start of the step: walls carry nothing beside a flat end.
#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/contact/live/barrier/barrier_term.h"
#include "haptos/contact/live/pairs/affine_pairs.h"
#include "haptos/contact/live/pairs/barrier_law.h"
#include "haptos/geometry/query/ccd.h"

namespace haptos {

namespace {

class HalfSpaceTerm final : public ContactTerm {
 public:
  HalfSpaceTerm(const ContactSurface* soft, const Vec3d& n, double offset, int body,
                const LiveSetup& s)
      : ContactTerm(s.friction), soft_(*soft), n_(n), offset_(offset), body_(body), setup_(s) {}

  const char* name() const override { return "barrier half-space"; }
  TermKind kind() const override { return TermKind::kPosition; }
  bool frozen() const override { return false; }
  TermReport report() const override { return {load_, smallest_gap_}; }

  void fit_supports(const std::vector<Vec3d>& x) override {
    double least = 2 * setup_.support;
    for (const int p : soft_.point) least = std::min(least, gap(x[at_index(p)]));
    setup_.fit_support(least);
  }

  void prepare(const StepContext& c) override {
    if (is_stiff(soft_, *c.points)) facing_areas(c.points->x_start);
    if (!friction_.active()) return;
    refresh(*c.points, Sampling::kAnew);
    begin_friction(c);
  }

  bool refresh(const Points& points, Sampling) override {
    active_.clear();
    smallest_gap_ = 1e300;
    load_ = 0;
    for (int v = 0; v < static_cast<int>(soft_.point.size()); ++v) {
      const double g = gap(soft_.position(points.x, v));
      if (!(g < setup_.support)) continue;
      active_.push_back(v);
      smallest_gap_ = std::min(smallest_gap_, g);
      load_ -= scale(v) * barrier(g, setup_.support).first;
    }
    return false;
  }

  Energy evaluate(const Evaluation& e) override {
    Energy total = friction_.evaluate(e);
    for (int v : active_) {
      const int p = soft_.point[at_index(v)];
      const BarrierValue<double> b = barrier(gap(e.points->x[at_index(p)]), setup_.support);
      const double k = scale(v);
      total += {k * b.value, k * b.value};
      if (!e.assembly) continue;
      e.assembly->add_gradient(p, n_ * (k * b.first));
      if (e.assembly->wants_hessian())
        e.assembly->add_hessian(p, p, outer(n_, n_) * (k * b.second));
    }
    return total;
  }

  double max_step(const Points& points, const std::vector<Vec3d>& dx, double limit) override {
    double a = 1.0;
    for (int p : soft_.point) {
      const Vec3d& x = points.x[at_index(p)];
      a = std::min(a, accd_point_plane(x, x + limit * dx[at_index(p)], n_, offset_));
    }
    return a * limit;
  }

  void commit(const StepContext& context, const Points& points) override {
    contacts_.clear();
    for (int v : active_) {
      const int p = soft_.point[at_index(v)];
      ContactPoint c;
      c.env = soft_.env;
      c.body_a = soft_.body;
      c.body_b = body_;
      c.surface_a = soft_.part;
      c.feature_a = v;
      c.feature_b = 0;
      c.point_a.count = 1;
      c.point_a.point[0] = p;
      c.point_a.weight[0] = 1;
      c.gap = gap(points.x[at_index(p)]);
      c.p = points.x[at_index(p)] - n_ * (0.5 * c.gap);
      c.n = n_;
      c.area = area(v);
      c.normal_force = -scale(v) * barrier(c.gap, setup_.support).first;
      c.force = n_ * c.normal_force;
      const Vec3d& u = points.u[at_index(p)];
      c.slip = u - n_ * dot(u, n_);
      contacts_.push_back(c);
    }
    if (!friction_.active()) return;
    end_friction(context, points);
    for (const FrictionForce& f : friction_.forces())
      add_friction(f, 1, friction_.coefficient(f.sticking), contacts_[f.record]);
  }

 protected:
  void friction_contacts(const Points& points, std::vector<FrictionContact>& out) const override {
    for (std::size_t i = 0; i < active_.size(); ++i) {
      const int v = active_[i];
      const int p = soft_.point[at_index(v)];
      FrictionContact c;
      c.key = {soft_.env, soft_.body, body_, soft_.part, 0, v, 0};
      c.a = single(p);
      const double g = gap(points.x[at_index(p)]);
      c.normal = n_;
      c.normal_force = -scale(v) * barrier(g, setup_.support).first;
      c.stiffness = setup_.tangential * scale(v);
      c.depth = setup_.support - g;
      c.record = i;
      out.push_back(c);
    }
  }

 private:
  double gap(const Vec3d& x) const { return dot(n_, x) - offset_; }
  double area(int v) const {
    return area_.empty() ? soft_.rest.vertex_area[at_index(v)] : area_[at_index(v)];
  }
  double scale(int v) const { return setup_.stiffness * area(v); }

  void facing_areas(const std::vector<Vec3d>& x) {
    area_.resize(soft_.point.size());
    for (std::size_t v = 0; v < area_.size(); ++v)
      area_[v] = kLeastFacing * soft_.rest.vertex_area[v];
    for (const Vec3i& c : soft_.triangles) {
      const Vec3d& p = soft_.position(x, c[0]);
      const Vec3d twice = cross(soft_.position(x, c[1]) - p, soft_.position(x, c[2]) - p);
      const double facing = std::max(-dot(twice, n_), 0.0) / 6;
      for (int k = 0; k < 3; ++k) area_[at_index(c[k])] += facing;
    }
  }

  const ContactSurface& soft_;
  Vec3d n_;
  double offset_;
  int body_;
  LiveSetup setup_;
  std::vector<int> active_;
  std::vector<double> area_;  // of each vertex of a stiff body, as it faces the half-space [m2]
  double smallest_gap_ = 1e300, load_ = 0;
};

}  // namespace

std::unique_ptr<ContactTerm> make_half_space_term(const ContactSurface* soft, const Vec3d& normal,
                                                  double offset, int body, const LiveSetup& setup) {
  return std::make_unique<HalfSpaceTerm>(soft, normal, offset, body, setup);
}

}  // namespace haptos
