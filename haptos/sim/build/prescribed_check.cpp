// Two prescribed bodies must not pass through each other: nothing could push either aside.
#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/geometry/query/ccd.h"
#include "haptos/sim/workspace.h"

namespace haptos {
namespace {

std::vector<Aabb> swept_boxes(const ContactSurface& s, const Points& p) {
  std::vector<Aabb> boxes;
  boxes.reserve(at_index(s.cell_count()));
  for (int c = 0; c < s.cell_count(); ++c)
    boxes.push_back(s.cell_box(p.x_start, c).merge(s.cell_box(p.x_target, c)));
  return boxes;
}

Aabb swept_box(const ContactSurface& s, const Points& p) {
  Aabb box;
  for (int v : s.point) box.merge(p.x_start[at_index(v)]).merge(p.x_target[at_index(v)]);
  return box;
}

bool meet(const ContactSurface& a, const ContactSurface& b, const Points& pts) {
  if (!swept_box(a, pts).overlaps(swept_box(b, pts))) return false;
  const Bvh ta(swept_boxes(a, pts)), tb(swept_boxes(b, pts));
  const std::vector<Vec3d>&x0 = pts.x_start, &x1 = pts.x_target;
  bool hit = false;
  auto point_triangle = [&](const ContactSurface& s, int v, const ContactSurface& o, int t) {
    const Vec3i& c = o.cell(t);
    return accd_point_triangle(s.position(x0, v), o.position(x0, c[0]), o.position(x0, c[1]),
                               o.position(x0, c[2]), s.position(x1, v), o.position(x1, c[0]),
                               o.position(x1, c[1]), o.position(x1, c[2])) < 1.0;
  };
  ta.pairs(tb, 0.0, [&](int i, int j) {
    if (hit) return;
    const Vec3i &ca = a.cell(i), &cb = b.cell(j);
    for (int k = 0; k < 3 && !hit; ++k) {
      hit = point_triangle(a, ca[k], b, j) || point_triangle(b, cb[k], a, i);
      for (int m = 0; m < 3 && !hit; ++m) {
        const int p = ca[k], q = ca[(k + 1) % 3], r = cb[m], s = cb[(m + 1) % 3];
        hit = accd_edge_edge(a.position(x0, p), a.position(x0, q), b.position(x0, r),
                             b.position(x0, s), a.position(x1, p), a.position(x1, q),
                             b.position(x1, r), b.position(x1, s)) < 1.0;
      }
    }
  });
  return hit;
}

bool moves(const PrescribedPoints& p, const Points& pts) {
  return std::any_of(p.points.begin(), p.points.end(), [&](int q) {
    return squared_norm(pts.x_target[at_index(q)] - pts.x_start[at_index(q)]) > 0;
  });
}

void stay(PrescribedPoints& p, Points& pts) {
  p.stopped = true;
  p.frame->end = p.frame->start;
  for (int q : p.points) pts.x_target[at_index(q)] = pts.x_start[at_index(q)];
}

}  // namespace

bool stop_colliding_prescribed(Workspace& w) {
  bool any = false;
  for (std::size_t i = 0; i < w.prescribed.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      PrescribedPoints &a = w.prescribed[i], &b = w.prescribed[j];
      if (a.passes[j] || !a.surface || !b.surface) continue;
      if (!moves(a, w.points) && !moves(b, w.points)) continue;
      if (!meet(*a.surface, *b.surface, w.points)) continue;
      stay(a, w.points);
      stay(b, w.points);
      any = true;
    }
  return any;
}

}  // namespace haptos
