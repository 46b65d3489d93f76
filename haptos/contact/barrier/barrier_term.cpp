#include "haptos/contact/barrier/barrier_term.h"

#include <algorithm>
#include <cmath>

#include "haptos/contact/barrier/affine_pairs.h"
#include "haptos/contact/barrier/barrier_law.h"
#include "haptos/contact/barrier/candidates.h"
#include "haptos/contact/barrier/closest_features.h"
#include "haptos/contact/barrier/feature_weight.h"
#include "haptos/contact/barrier/pair_friction.h"
#include "haptos/contact/barrier/stencil_pair.h"

namespace haptos {
namespace {

std::size_t at_index(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

// Sharpness below this is flat: such features add nothing.
constexpr double kFlat = 1e-6;

// Weight of the flat edges and vertices of a collider that deforms: folds of a moment may let them
// meet between samples. Collision detection must not stop what no force keeps apart; as much as
// this adds a thousandth to the pressure of flat surfaces.
constexpr double kLeast = 2e-4;

// Pairs of triangles that a search for more motion than was expected may look at, per triangle.
constexpr std::size_t kMostNear = 16;
// Candidates are found again for what is left to move where the margin is this many times wider
// than that, and more than so many of them could be spared.
constexpr double kRoomy = 4;
constexpr std::size_t kFew = 256;

class BarrierTerm final : public ContactTerm {
 public:
  BarrierTerm(const ContactSurface* soft, const ContactSurface* collider, const BarrierSetup& s)
      : ContactTerm(s.friction), soft_(*soft), collider_(*collider), setup_(s) {
    samples_ = surface_samples(soft_, s.divisions);
    // A surface with itself is met from both sides: each carries half.
    if (soft == collider)
      for (SurfaceSample& q : samples_) q.area *= 0.5;
    samples_of_ = owned_samples(soft_, samples_);
    corner_area_.assign(collider_.point.size(), -1.0);
    for (std::size_t e = 0; e < soft_.topology.edges.size(); ++e) {
      double a = 0;
      for (int t : soft_.topology.edge_triangles[static_cast<int>(e)])
        a += soft_.rest.triangle_area[at_index(t)] / 3.0;
      edge_area_.push_back(a);
    }
  }

  const char* name() const override { return "barrier"; }
  TermKind kind() const override { return TermKind::kPosition; }
  bool frozen() const override { return false; }
  double load() const override { return load_; }
  double smallest_gap() const override { return smallest_gap_; }

  void prepare(const StepContext& c) override {
    std::fill(corner_area_.begin(), corner_area_.end(), -1.0);
    // Margin: how far surfaces are expected to move in this step.
    const Points& p = *c.points;
    stiff_ = both_stiff(soft_, collider_, p);
    soft_collider_ =
        !collider_.driven && std::any_of(collider_.point.begin(), collider_.point.end(),
                                         [&](int v) { return p.node(v); });
    if (soft_collider_) folded_ = edge_sharpness(collider_, p.x_start);
    expected_ =
        1.2 * c.b * relative_motion(soft_, collider_, [&](int v) { return p.u[at_index(v)]; }) +
        setup_.support;
    find(p, expected_, expected_);
    if (!friction_.active()) return;
    refresh(p);
    begin_friction(c);
  }

  void step_couplings(const Points& points, std::vector<std::array<int, 2>>& out) const override {
    if (soft_.driven || collider_.driven) return;
    if (stiff_) {
      const int i = points.block(soft_.point[0]), j = points.block(collider_.point[0]);
      if (!candidates_.point_stencils.empty() || !candidates_.edge_stencils.empty())
        out.push_back({std::max(i, j), std::min(i, j)});
      return;
    }
    candidate_couplings(candidates_, samples_, soft_, collider_, points, out);
  }

  void refresh(const Points& points) override {
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
  }

  Energy evaluate(const Evaluation& e) override {
    Energy total = friction_.evaluate(e);
    if (stiff_) {
      total += evaluate_stiff_pairs(pairs_, setup_.support, soft_, collider_, *e.points, e.assembly,
                                    e.project);
      return total;
    }
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
      if (e.assembly && e.assembly->wants_hessian()) add_rigid_target(sum, e.project, *e.assembly);
    }
    return total;
  }

  double max_step(const Points& points, const std::vector<Vec3d>& dx, double limit) override {
    const double motion = relative_motion(soft_, collider_, [&](int v) { return dx[at_index(v)]; });
    if (motion == 0) return limit;
    const double moved = relative_motion(
        soft_, collider_, [&](int v) { return points.x[at_index(v)] - x_search_[at_index(v)]; });
    if (moved + limit * motion > margin_) {
      // New candidates about the present position, for as much motion as is reasonable to search.
      find(points, std::min(std::max(limit * motion * 1.01, margin_), largest_margin(points)),
           expected_);
      limit = std::min(limit, margin_ / motion);
    } else if (const double enough = 2 * limit * motion + setup_.support;
               kRoomy * enough < margin_ &&
               candidates_.point_stencils.size() + candidates_.edge_stencils.size() > kFew) {
      find(points, enough, enough);  // most of what was near at the start no longer matters
    }
    return collide(points, dx, limit);
  }

  void commit(const StepContext& c, const Points& points) override {
    contacts_.clear();
    for (const BarrierPair& p : pairs_)
      contacts_.push_back(record_pair(p, setup_.support, points, soft_, collider_));
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
  // Candidates about the present position, for a motion of up to `margin`; or of less, but not less
  // than `least`, where that would find more pairs than a step can pay for.
  void find(const Points& points, double margin, double least) {
    x_search_ = points.x;
    std::vector<Aabb> boxes;
    boxes.reserve(at_index(collider_.cell_count()));
    for (int c = 0; c < collider_.cell_count(); ++c)
      boxes.push_back(collider_.cell_box(points.x, c));
    if (tree_.size() == 0)
      tree_.build(boxes);
    else
      tree_.refit(boxes);
    const std::size_t most = kMostNear * at_index(soft_.cell_count() + collider_.cell_count());
    while (margin > least &&
           !few_near_triangles(soft_, tree_, points.x, setup_.support + margin, most))
      margin = std::max(0.5 * margin, least);
    margin_ = margin;
    find_candidates(soft_, samples_, samples_of_, collider_, tree_, points.x,
                    setup_.support + margin, candidates_);
    for (std::size_t i = 0; i < candidates_.vertices.size(); ++i) {
      double& area = corner_area_[at_index(candidates_.vertices[i])];
      if (area < 0) area = nearest_sample_area(points, static_cast<int>(i));
    }
    sharp_edges_ = {};
    for (std::size_t i = 0; i < candidates_.edge_pairs.size(); ++i) {
      const auto& [ea, eb] = candidates_.edge_pairs[i];
      const double area = edge_pair_area(ea, eb);
      if (!(area > 0)) continue;
      sharp_edges_.pairs.push_back({ea, eb});
      sharp_edges_.stencils.push_back(candidates_.edge_stencils[i]);
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
    const Vec3d& p = collider_.position(points.x, candidates_.vertices[at_index(i)]);
    double best = 1e300, area = 0;
    for (int t : candidates_.vertex_triangles[i]) {
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

  double largest_margin(const Points& points) const {
    Aabb box;
    for (int v : soft_.point) box.merge(points.x[at_index(v)]);
    return std::max(0.1 * norm(box.extent()), 10 * setup_.support);
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
    for (int s = 0; s < candidates_.sample_cells.size(); ++s) {
      const auto near = candidates_.sample_cells[s];
      if (near.empty()) continue;
      const SurfaceSample& sample = samples_[at_index(s)];
      seen_.clear();
      closest_features(collider_, points.x, at(points.x, sample.at), near, setup_.support, seen_);
      add_seen(collider_, sample.at, s, sample.area, true);
    }
  }

  void collect_corners(const Points& points) {
    for (std::size_t i = 0; i < candidates_.vertices.size(); ++i) {
      const int v = candidates_.vertices[i];
      const double sharpness = collider_.rest.vertex_sharpness[at_index(v)];
      if (sharpness < kFlat && !soft_collider_) continue;
      seen_.clear();
      closest_features(soft_, points.x, collider_.position(points.x, v),
                       candidates_.vertex_triangles[static_cast<int>(i)], setup_.support, seen_);
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
      return at_least(edge_weight(sharpness, spacing, setup_.support)) * edge_area_[at_index(e)];
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

  // Every pair keeps a gap within the support, where a contact that is new to the term carries
  // force but not much of it, and at least a quarter of what there was.
  double collide(const Points& points, const std::vector<Vec3d>& dx, double limit) const {
    const double share =
        std::min(stencil_step_cap(StencilShape::kPointTriangle, candidates_.point_stencils,
                                  points.x, dx, limit, setup_.support),
                 stencil_step_cap(StencilShape::kEdgeEdge, candidates_.edge_stencils, points.x, dx,
                                  limit, setup_.support));
    return share * limit;
  }

  const ContactSurface& soft_;
  const ContactSurface& collider_;
  BarrierSetup setup_;
  std::vector<SurfaceSample> samples_;
  IndexLists samples_of_;
  std::vector<double> edge_area_, corner_area_;
  std::vector<double> folded_;  // sharpness of the edges of a collider that deforms
  bool soft_collider_ = false;  // it deforms
  Bvh tree_;
  BarrierCandidates candidates_;
  // The candidate pairs of edges that carry energy, with the area they stand for.
  struct SharpEdges {
    std::vector<std::array<int, 2>> pairs;
    std::vector<StencilPoints> stencils;
    std::vector<double> area;
  } sharp_edges_;
  std::vector<double> edge_distance_;
  bool stiff_ = false;                // two stiff bodies: faster sums
  double expected_ = 0, margin_ = 0;  // motion that the step was expected to make, and may make
  std::vector<Vec3d> x_search_;
  std::vector<SeenFeature> seen_;
  std::vector<BarrierPair> pairs_;
  double smallest_gap_ = 1e300, load_ = 0;
};

}  // namespace

std::unique_ptr<ContactTerm> make_barrier_term(const ContactSurface* soft,
                                               const ContactSurface* collider,
                                               const BarrierSetup& setup) {
  return std::make_unique<BarrierTerm>(soft, collider, setup);
}

int suggested_divisions(const ContactSurface& soft, const ContactSurface& collider) {
  // Medians: a few large triangles away from the contact must not decide.
  if (collider.rest_length.empty()) return 1;  // points alone
  auto median_edge = [](std::vector<double> l) {
    const auto middle = l.begin() + static_cast<std::ptrdiff_t>(l.size() / 2);
    std::nth_element(l.begin(), middle, l.end());
    return *middle;
  };
  const double n =
      std::ceil(median_edge(soft.rest_length) / median_edge(collider.rest_length) - 0.25);
  return std::clamp(static_cast<int>(n), 1, 4);
}

}  // namespace haptos
