// Two boxes by the fifteen separating axes.
//
//   gap along L = |p . L| - sum_k (half_a[k] |a_k . L| + half_b[k] |b_k . L|)
//
// L: the six face normals and the nine cross products of edges. Where all gaps are negative the
// largest is the depth, exactly. Source: Gottschalk, Lin and Manocha, OBBTree, 1996.
// Axes of nearly parallel edges carry round-off of eps / sine, and are taken only when they are
// better than a face by more than that.
#include "haptos/geometry/collide/pairs.h"
#include "haptos/geometry/query/closest.h"

namespace haptos::detail {
namespace {

struct Axis {
  double gap = -1e300;
  Vec3d n{{0, 0, 1}};  // from b to a
  int i = -1, j = -1;  // axes of a and of b; one of them -1: a face
};

// Vertex of a box extreme along d (box frame).
int corner(const Vec3d& d) { return (d[0] > 0 ? 1 : 0) | (d[1] > 0 ? 2 : 0) | (d[2] > 0 ? 4 : 0); }

}  // namespace

Witness box_witness(const CorePair& pair, double limit) {
  const Vec3d &ha = pair.a->size, &hb = pair.b->size, &p = pair.p;
  const Mat3d& r = pair.r;
  const double scale = pair.a->extent + pair.b->extent;
  Mat3d q;
  for (int k = 0; k < 9; ++k) q[k] = vabs(r[k]);
  Axis best;
  const double bias = 1e-12 * scale;
  const auto take = [&](double s, double reach, const Vec3d& n, int i, int j, double better) {
    const double gap = vabs(s) - reach;
    if (gap > best.gap + better) best = {gap, s > 0 ? -n : n, i, j};
  };
  for (int i = 0; i < 3; ++i) {
    Vec3d n = Vec3d::zero();
    n[i] = 1;
    take(p[i], ha[i] + q(i, 0) * hb[0] + q(i, 1) * hb[1] + q(i, 2) * hb[2], n, i, -1, bias);
  }
  const Vec3d pb = transpose(r) * p;
  for (int j = 0; j < 3; ++j)
    take(pb[j], hb[j] + q(0, j) * ha[0] + q(1, j) * ha[1] + q(2, j) * ha[2], column(r, j), -1, j,
         bias);
  Witness out;
  if (best.gap > limit) {
    out.beyond = true;
    return out;
  }
  const double face = best.gap;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      Vec3d e = Vec3d::zero();
      e[i] = 1;
      const Vec3d m = cross(e, column(r, j));
      const double sine = norm(m);
      if (!(sine > 1e-7)) continue;
      const Vec3d n = m * (1 / sine);
      double reach = 0;
      for (int k = 0; k < 3; ++k) reach += ha[k] * vabs(n[k]) + hb[k] * vabs(dot(n, column(r, k)));
      const double s = dot(p, n);
      if (vabs(s) - reach > face + bias + 1e-15 * scale / sine) take(s, reach, n, i, j, bias);
    }
  if (best.gap > limit) {
    out.beyond = true;
    return out;
  }
  if (best.gap > 0) return signed_distance(pair, limit);
  out.distance = best.gap;
  out.n = best.n;
  const Vec3d nb = transpose(r) * best.n;
  out.vertex_a = corner(-best.n), out.vertex_b = corner(nb);
  const Vec3d va = pair.a->polytope.vertices[out.vertex_a];
  const Vec3d vb = r * pair.b->polytope.vertices[out.vertex_b] + p;
  out.feature_a = feature_id(ShapeFeature::kVertex, out.vertex_a);
  out.feature_b = feature_id(ShapeFeature::kVertex, out.vertex_b);
  if (best.i < 0 || best.j < 0) {
    // Along a face of b the vertex of a is the deep one, and the other way round.
    out.a = best.j < 0 ? vb + best.n * best.gap : va;
    out.b = out.a - best.n * best.gap;
    return out;
  }
  // The two edges: their nearest points as lines.
  Vec3d ea = Vec3d::zero();
  ea[best.i] = ha[best.i];
  const Vec3d eb = column(r, best.j) * hb[best.j];
  Vec3d ca = va, cb = vb;
  ca[best.i] = 0;
  cb = vb - eb * (out.vertex_b >> best.j & 1 ? 1.0 : -1.0);
  const auto c = closest_on_segments(ca - ea, ca + ea, cb - eb, cb + eb);
  out.a = ca + ea * (2 * c.s - 1);
  out.b = cb + eb * (2 * c.t - 1);
  out.feature_a = edge_id(out.vertex_a, out.vertex_a ^ (1 << best.i));
  out.feature_b = edge_id(out.vertex_b, out.vertex_b ^ (1 << best.j));
  return out;
}

}  // namespace haptos::detail
