// Where the points of prescribed bodies, affine bodies and links are.
#include "haptos/base/math/index.h"
#include "haptos/sim/workspace.h"

namespace haptos {

Pose pose_at(const std::vector<Keyframe>& t, double time) {
  if (t.empty()) return {};
  if (time <= t.front().time) return t.front().pose;
  for (std::size_t i = 1; i < t.size(); ++i)
    if (time < t[i].time)
      return interpolate(t[i - 1].pose, t[i].pose,
                         (time - t[i - 1].time) / (t[i].time - t[i - 1].time));
  return t.back().pose;
}

void place_prescribed(const PrescribedPoints& p, const PathState& path, std::vector<Vec3d>& x) {
  if (!path.bent.empty()) {
    for (std::size_t i = 0; i < p.points.size(); ++i) x[at_index(p.points[i])] = path.bent[i];
    return;
  }
  const Mat3d R = to_matrix(path.to.q);
  for (std::size_t i = 0; i < p.points.size(); ++i)
    x[at_index(p.points[i])] = R * p.local[i] + path.to.p;
}

void place_link(const State& state, const Workspace& w, const RobotParts& robot,
                const LinkParts& link, std::size_t first, std::vector<Vec3d>& x) {
  if (first == link.points.size()) return;
  const bool still = w.points.driven(link.points[first]);
  const double* frame = still ? nullptr : robot.body->carrier_frame(state, link.link);
  for (std::size_t k = first; k < link.points.size(); ++k) {
    const auto p = at_index(link.points[k]);
    x[p] = still ? w.points.x_start[p] : AffineFrame::place(frame, link.local[k]);
  }
}

void place_stiff(const State& state, const Workspace& w, std::vector<Vec3d>& x,
                 bool link_surfaces) {
  for (std::size_t i = 0; i < w.prescribed.size(); ++i)
    place_prescribed(w.prescribed[i], state.paths[i], x);
  for (const AffineParts& a : w.affine)
    for (std::size_t k = 0; k < a.points.size(); ++k)
      x[at_index(a.points[k])] =
          AffineFrame::place(state.q.data() + a.frame->slots().first_q, a.frame->local()[k]);
  for (const RobotParts& r : w.robots)
    for (const LinkParts& l : r.links)
      place_link(state, w, r, l, link_surfaces ? 0 : l.first_glued, x);
}

}  // namespace haptos
