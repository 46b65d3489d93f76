#include "haptos/contact/live/barrier/barrier_term.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/base/math/median.h"
#include "haptos/contact/live/barrier/closest_features.h"
#include "haptos/contact/live/barrier/facing_area.h"
#include "haptos/contact/live/barrier/feature_weight.h"
#include "haptos/contact/live/barrier/pair_friction.h"
#include "haptos/contact/live/pairs/barrier_law.h"
#include "haptos/contact/live/pairs/soft_affine_pairs.h"
#include "haptos/contact/live/pairs/stencil_pair.h"
#include "haptos/contact/search/candidate_search.h"

namespace haptos {
namespace {

// Sharpness below this is flat: such features add nothing.
constexpr double kFlat = 1e-6;

// Weight of the flat edges and vertices of a collider that deforms: folds of a moment may let them
// meet between samples. Collision detection must not stop what no force keeps apart; as much as
// this adds a thousandth to the pressure of flat surfaces.
constexpr double kLeast = 2e-4;

// The matrix has room for what comes this part of an edge nearer; what comes from farther away
// makes room when it does.
constexpr double kNear = 0.5;

class BarrierTerm final : public ContactTerm {
 public:
  BarrierTerm(const ContactSurface* soft, const ContactSurface* collider, const LiveSetup& s)
      : ContactTerm(s.friction),
        soft_(*soft),
        collider_(*collider),
        setup_(s),
        samples_(surface_samples(soft_, s.divisions)),
        search_(soft_, collider_, samples_, s.support) {
    // A surface with itself is met from both sides: each carries half.
    if (soft == collider)
      for (SurfaceSample& q : samples_) q.area *= 0.5;
    corner_area_.assign(collider_.point.size(), -1.0);
    near_ = kNear * median(soft_.rest_length);
  }

  const char* name() const override { return "barrier"; }
  TermKind kind() const override { return TermKind::kPosition; }
  bool frozen() const override { return false; }
  TermReport report() const override { return {load_, smallest_gap_}; }

  void prepare(const StepContext& c) override {
    std::fill(corner_area_.begin(), corner_area_.end(), -1.0);
    const Points& p = *c.points;
    stiff_ = both_stiff(soft_, collider_, p);
    on_affine_ = !stiff_ && soft_on_affine(soft_, collider_, p);
    if (stiff_ && facing_.empty() && is_stiff(soft_, p)) {
      std::vector<int> lattice;
      surface_samples(soft_, setup_.divisions, &lattice);
      facing_ = {soft_, samples_, lattice, setup_.divisions};
    }
    if (!facing_.empty()) sample_area_.assign(samples_.size(), -1.0);
    soft_collider_ =
        !collider_.driven && std::any_of(collider_.point.begin(), collider_.point.end(),
                                         [&](int v) { return p.node(v); });
    if (soft_collider_) folded_ = edge_sharpness(collider_, p.x_start);
    search_.begin(c);
    found(p);
    if (!friction_.active()) return;
    refresh(p, Sampling::kAnew);
    begin_friction(c);
  }

  void couplings(const Points& points, Coupled coupled,
                 std::vector<std::array<int, 2>>& out) const override {
    if (coupled == Coupled::kAlways || soft_.driven || collider_.driven) return;
    if (stiff_) {
      const int i = points.block(soft_.point[0]), j = points.block(collider_.point[0]);
      if (!search_.now().point_stencils.empty() || !search_.now().edge_stencils.empty())
        out.push_back({std::max(i, j), std::min(i, j)});
      return;
    }
    candidate_couplings(search_.now(), samples_, soft_, collider_, points, setup_.support + near_,
                        out);
  }

  bool refresh(const Points& points, Sampling) override {
    pairs_.clear();
    smallest_gap_ = 1e300;
    load_ = 0;
    collect_samples(points);
    collect_corners(points);
    collect_edges(points);
    for (const BarrierPair& p : pairs_) {
      smallest_gap_ = std::min(smallest_gap_, p.gap);
      load_ -= p.count * p.scale * barrier(p.gap, setup_.support).first;
    }
    return false;
  }

  Energy evaluate(const Evaluation& e) override {
    Energy total = friction_.evaluate(e);
    if (stiff_) {
      total += evaluate_stiff_pairs(pairs_, setup_.support, soft_, collider_, *e.points, e.assembly,
                                    e.project);
      return total;
    }
    if (on_affine_ && !e.project)
      return total +=
             evaluate_soft_affine_pairs(pairs_, setup_.support, collider_, *e.points, e.assembly);
    for (std::size_t i = 0; i < pairs_.size();) {
      const BarrierPair& p = pairs_[i];
      if (p.kind != PairKind::kSample || !p.rigid_target) {
        total += evaluate_pair(p, setup_.support, *e.points, e.assembly, e.project);
        ++i;
        continue;
      }
      RigidTarget sum;  // of all pairs of this sample, which follow each other
      for (; i < pairs_.size() && pairs_[i].kind == p.kind && pairs_[i].source_id == p.source_id;
           ++i)
        total += evaluate_pair(pairs_[i], setup_.support, *e.points, e.assembly, e.project, &sum);
      if (e.assembly && e.assembly->wants_hessian())
        add_rigid_target(sum, e.project || setup_.convex_samples, *e.assembly);
    }
    return total;
  }

  double max_step(const Points& points, const std::vector<Vec3d>& dx, double limit) override {
    bool fresh = false;
    const double step = search_.max_step(points, dx, limit, fresh);
    if (fresh) found(points);
    return step;
  }

  void commit(const StepContext& c, const Points& points) override {
    contacts_.clear();
    for (const BarrierPair& p : pairs_) {
      contacts_.push_back(record_pair(p, setup_.support, points, soft_, collider_));
      contacts_.back().area *= setup_.area_share;
    }
    if (!friction_.active()) return;
    end_friction(c, points);
    record_friction();
  }

 protected:
  void friction_contacts(const Points& points, std::vector<FrictionContact>& out) const override {
    haptos::friction_contacts(pairs_, setup_.support, setup_.tangential, points, soft_, collider_,
                              out);
  }
  const ContactSurface* anchor_surface(const FeaturePair& key) const override {
    return haptos::anchor_surface(key, soft_, collider_);
  }

 private:
  // What follows from new candidates.
  void found(const Points& points) {
    const BarrierCandidates& near = search_.now();
    for (int s = 0; !facing_.empty() && s < near.sample_cells.size(); ++s)
      if (const auto cells = near.sample_cells[s]; !cells.empty() && sample_area_[at_index(s)] < 0)
        sample_area_[at_index(s)] =
            facing_.area(points.x, s, at(points.x, samples_[at_index(s)].at), collider_, cells);
    for (std::size_t i = 0; i < near.vertices.size(); ++i) {
      double& area = corner_area_[at_index(near.vertices[i])];
      if (area < 0) area = nearest_sample_area(points, static_cast<int>(i));
    }
    sharp_edges_.clear();
    for (std::size_t i = 0; i < near.edge_pairs.size(); ++i) {
      const auto& [ea, eb] = near.edge_pairs[i];
      const double area = edge_pair_area(ea, eb);
      if (!(area > 0)) continue;
      sharp_edges_.pairs.push_back({ea, eb});
      sharp_edges_.stencils.push_back(near.edge_stencils[i]);
      sharp_edges_.area.push_back(area);
    }
  }

  // Hands friction to the records; a corner's is that on the collider.
  void record_friction() {
    for (const FrictionForce& f : friction_.forces()) {
      const double side = pairs_[f.record].kind == PairKind::kCorner ? -1 : 1;
      add_friction(f, side, friction_.coefficient(f.sticking), contacts_[f.record]);
    }
  }

  // A_v: area of the soft triangle nearest to a candidate vertex of the collider, over the
  // divisions.
  double nearest_sample_area(const Points& points, int i) const {
    const Vec3d& p = collider_.position(points.x, search_.now().vertices[at_index(i)]);
    double best = 1e300, area = 0;
    for (int t : search_.now().vertex_triangles[i]) {
      const Vec3i& c = soft_.triangles[at_index(t)];
      const Stencil<double> s =
          point_triangle_stencil(p, soft_.position(points.x, c[0]), soft_.position(points.x, c[1]),
                                 soft_.position(points.x, c[2]));
      if (s.d < best) {
        best = s.d;
        area = soft_.rest.triangle_area[at_index(t)] / setup_.divisions;
      }
    }
    return area;
  }

  void add_seen(const ContactSurface& target, const WeightedPoint& source, std::int64_t source_id,
                double area, bool source_is_soft) {
    for (const SeenFeature& f : seen_) {
      BarrierPair p;
      p.kind = source_is_soft ? PairKind::kSample : PairKind::kCorner;
      p.source = source;
      p.feature = f.kind;
      p.count = f.count;
      p.gap = f.distance;
      p.scale = setup_.stiffness * area;
      p.area = area;
      p.source_id = source_id;
      p.target_id = f.id;
      const int* v;
      if (f.kind == FeatureKind::kFace) {
        v = target.triangles[at_index(f.id)].a;
        p.target_count = 3;
      } else if (f.kind == FeatureKind::kEdge) {
        v = target.topology.edges[at_index(f.id)].a;
        p.target_count = 2;
      } else {
        v = &f.id;
        p.target_count = 1;
      }
      for (int k = 0; k < p.target_count; ++k) p.target[k] = target.point[at_index(v[k])];
      p.rigid_target = target.driven;
      pairs_.push_back(p);
    }
  }

  void collect_samples(const Points& points) {
    for (int s = 0; s < search_.now().sample_cells.size(); ++s) {
      const auto near = search_.now().sample_cells[s];
      if (near.empty()) continue;
      const SurfaceSample& sample = samples_[at_index(s)];
      seen_.clear();
      closest_features(collider_, points.x, at(points.x, sample.at), near, setup_.support, seen_);
      const double area = facing_.empty() ? sample.area : sample_area_[at_index(s)];
      add_seen(collider_, sample.at, s, area, true);
    }
  }

  void collect_corners(const Points& points) {
    for (std::size_t i = 0; i < search_.now().vertices.size(); ++i) {
      const int v = search_.now().vertices[i];
      const double sharpness = collider_.rest.vertex_sharpness[at_index(v)];
      if (sharpness < kFlat && !soft_collider_) continue;
      seen_.clear();
      closest_features(soft_, points.x, collider_.position(points.x, v),
                       search_.now().vertex_triangles[static_cast<int>(i)], setup_.support, seen_);
      const double area = corner_area_[at_index(v)];
      const double weight =
          vertex_weight(sharpness, sqrt(2 * area / setup_.divisions), setup_.support);
      add_seen(soft_, single(collider_.point[at_index(v)]), v, at_least(weight) * area, false);
    }
  }

  void collect_edges(const Points& points) {
    edge_distance_.resize(sharp_edges_.stencils.size());
    stencil_distances(StencilShape::kEdgeEdge, sharp_edges_.stencils, points.x,
                      edge_distance_.data());
    for (std::size_t i = 0; i < edge_distance_.size(); ++i) {
      if (!(edge_distance_[i] < setup_.support)) continue;
      const auto& [ea, eb] = sharp_edges_.pairs[i];
      BarrierPair p;
      p.kind = PairKind::kEdges;
      p.source.count = 2;
      for (int k = 0; k < 2; ++k) {
        p.source.point[k] = sharp_edges_.stencils[i][at_index(k)];
        p.target[k] = sharp_edges_.stencils[i][at_index(k) + 2];
      }
      p.target_count = 2;
      p.count = 1;
      p.gap = edge_distance_[i];
      p.area = sharp_edges_.area[i];
      p.scale = setup_.stiffness * p.area;
      p.source_id = ea;
      p.target_id = eb;
      p.rigid_target = collider_.driven;
      p.mollifier = edge_edge_mollifier_threshold(rest_length(soft_, points, ea),
                                                  rest_length(collider_, points, eb));
      pairs_.push_back(p);
    }
  }

  // w_e' A_e; of a surface with itself the mean of both ways.
  double edge_pair_area(int ea, int eb) const {
    const auto one_way = [&](int e, double sharpness) {
      if (sharpness < kFlat && !soft_collider_) return 0.0;
      const double spacing = soft_.rest_length[at_index(e)] / setup_.divisions;
      return at_least(edge_weight(sharpness, spacing, setup_.support)) *
             soft_.edge_area[at_index(e)];
    };
    const double area = one_way(ea, sharpness_of(eb));
    if (&soft_ != &collider_) return area;
    return 0.5 * (area + one_way(eb, sharpness_of(ea)));
  }

  // Where the step starts; of a collider that keeps its shape as at rest.
  double sharpness_of(int collider_edge) const {
    return (soft_collider_ ? folded_ : collider_.rest.edge_sharpness)[at_index(collider_edge)];
  }

  double at_least(double weight) const {
    return soft_collider_ ? std::max(weight, kLeast) : weight;
  }

  // Squared length of an edge where the step starts: constant through the step.
  static double rest_length(const ContactSurface& s, const Points& points, int e) {
    const Vec2i& v = s.topology.edges[at_index(e)];
    return squared_norm(s.position(points.x_start, v[0]) - s.position(points.x_start, v[1]));
  }

  const ContactSurface& soft_;
  const ContactSurface& collider_;
  LiveSetup setup_;
  std::vector<SurfaceSample> samples_;
  FacingArea facing_;                // of stiff bodies
  std::vector<double> sample_area_;  // of their samples, of this step [m2]
  std::vector<double> corner_area_;
  double near_ = 0;             // [m]
  std::vector<double> folded_;  // sharpness of the edges of a collider that deforms
  bool soft_collider_ = false;  // it deforms
  CandidateSearch search_;
  // The candidate pairs of edges that carry energy, with the area they stand for.
  struct SharpEdges {
    std::vector<std::array<int, 2>> pairs;
    std::vector<StencilPoints> stencils;
    std::vector<double> area;
    void clear() {
      pairs.clear();
      stencils.clear();
      area.clear();
    }
  } sharp_edges_;
  std::vector<double> edge_distance_;
  // Faster sums: of two stiff bodies, of a soft one on a stiff one.
  bool stiff_ = false, on_affine_ = false;
  std::vector<SeenFeature> seen_;
  std::vector<BarrierPair> pairs_;
  double smallest_gap_ = 1e300, load_ = 0;
};

}  // namespace

std::unique_ptr<ContactTerm> make_barrier_term(const ContactSurface* soft,
                                               const ContactSurface* collider,
                                               const LiveSetup& setup) {
  return std::make_unique<BarrierTerm>(soft, collider, setup);
}

int suggested_divisions(const ContactSurface& soft, const ContactSurface& collider) {
  // Medians: a few large triangles away from the contact must not decide.
  if (collider.rest_length.empty()) return 1;  // points alone
  const double n = std::ceil(median(soft.rest_length) / median(collider.rest_length) - 0.25);
  return std::clamp(static_cast<int>(n), 1, 4);
}

}  // namespace haptos
