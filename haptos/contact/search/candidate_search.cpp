#include "haptos/contact/search/candidate_search.h"

#include <algorithm>

#include "haptos/base/borrowed.h"
#include "haptos/base/math/index.h"

namespace haptos {
namespace {

// Pairs of triangles that a search for more motion than was expected may look at, per triangle.
constexpr std::size_t kMostNear = 16;
// Candidates are found again for what is left to move where the margin is this many times wider
// than that, and more than so many of them could be spared.
constexpr double kRoomy = 4;
// Pairs of triangles that a search for a motion of many times the surface's size may find: so many,
// or one per triangle.
constexpr std::size_t kFarNear = 1024;
constexpr std::size_t kFew = 256;

}  // namespace

void CandidateSearch::begin(const StepContext& c) {
  const Points& p = *c.points;
  expected_ =
      1.2 * c.b * relative_motion(a_, b_, [&](int v) { return p.u[at_index(v)]; }) + support_;
  find(p, expected_, least_margin(p));
}

// What a search is always made for [m]: a part of the surface's size.
double CandidateSearch::least_margin(const Points& points) const {
  Aabb box;
  for (int v : a_.point) box.merge(points.x[at_index(v)]);
  return std::max(0.1 * norm(box.extent()), 10 * support_);
}

double CandidateSearch::max_step(const Points& points, const std::vector<Vec3d>& dx, double limit,
                                 bool& found) {
  found = false;
  const double motion = relative_motion(a_, b_, [&](int v) { return dx[at_index(v)]; });
  if (motion == 0) return limit;
  const double moved = relative_motion(
      a_, b_, [&](int v) { return points.x[at_index(v)] - x_search_[at_index(v)]; });
  if (moved + limit * motion > margin_) {
    // New candidates about the present position, for as much motion as is reasonable to search.
    find(points, affordable_margin(points, std::max(limit * motion * 1.01, margin_)), expected_);
    found = true;
    limit = std::min(limit, margin_ / motion);
  } else if (const double enough = 2 * limit * motion + support_;
             kRoomy * enough < margin_ &&
             candidates_.point_stencils.size() + candidates_.edge_stencils.size() > kFew) {
    find(points, enough, enough);  // most of what was near at the start no longer matters
    found = true;
  }
  const double share =
      std::min(stencil_step_cap(StencilShape::kPointTriangle, candidates_.point_stencils, points.x,
                                dx, limit, support_),
               stencil_step_cap(StencilShape::kEdgeEdge, candidates_.edge_stencils, points.x, dx,
                                limit, support_));
  return share * limit;
}

// Candidates about the present position, for a motion of up to `margin`; or of less, but not less
// than `least`, where that would find more pairs than a step can pay for.
void CandidateSearch::find(const Points& points, double margin, double least) {
  x_search_ = points.x;
  Borrowed<std::vector<Aabb>> room;
  std::vector<Aabb>& boxes = *room;
  boxes.clear();
  boxes.reserve(at_index(b_.cell_count()));
  for (int c = 0; c < b_.cell_count(); ++c) boxes.push_back(b_.cell_box(points.x, c));
  if (tree_.size() == 0)
    tree_.build(boxes);
  else
    tree_.refit(boxes);
  const std::size_t most = kMostNear * at_index(a_.cell_count() + b_.cell_count());
  while (margin > least && !few_near_triangles(a_, tree_, points.x, look_ + margin, most))
    margin = std::max(0.5 * margin, least);
  margin_ = margin;
  find_candidates(a_, samples_, samples_of_, b_, tree_, points.x, look_ + margin, faces_,
                  candidates_);
}

// The margin that is wanted, or what is left of it by halves until it holds hardly any pairs; but
// never less than a part of the surface's size. What flies alone flies on in one iteration.
double CandidateSearch::affordable_margin(const Points& points, double wanted) const {
  const double always = least_margin(points);
  const std::size_t most = std::max(kFarNear, at_index(a_.cell_count() + b_.cell_count()));
  while (wanted > always && !few_near_triangles(a_, tree_, points.x, look_ + wanted, most))
    wanted = std::max(0.5 * wanted, always);
  return wanted;
}

}  // namespace haptos
