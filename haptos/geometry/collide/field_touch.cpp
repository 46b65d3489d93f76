// When a convex shape first touches triangles on its way.
#include <cmath>

#include "haptos/geometry/collide/field.h"
#include "haptos/geometry/collide/touch.h"
#include "haptos/geometry/convex/gjk.h"

namespace haptos {
namespace {

constexpr int kMostSteps = 64;

// A triangle as a convex shape, in the frame of the other one.
struct Sheet {
  Vec3d x[3];
  Convex convex;

  Sheet() {
    static constexpr int kAroundStart[4] = {0, 1, 2, 3};
    static constexpr int kAround[3] = {0, 0, 0};
    static constexpr int kStart[2] = {0, 3};
    static constexpr int kFace[3] = {0, 1, 2};
    convex.core = Core::kPolytope;
    PolytopeView& p = convex.polytope;
    p.vertex_count = 3, p.face_count = 0;
    p.vertices = x, p.normals = x;
    p.face_start = kStart, p.face_vertices = kFace;
    p.around_start = kAroundStart, p.around = kAround;
  }
  Sheet(const Sheet&) = delete;
  void place() {
    convex.middle = (x[0] + x[1] + x[2]) * (1.0 / 3);
    convex.extent = 0;
    for (const Vec3d& y : x) convex.extent = vmax(convex.extent, norm(y - convex.middle));
  }
};

// What a convex shape sweeps, in the frame of the field.
Aabb swept(const Convex& a, const ShapePath& path_a, const ShapePath& path, double extent,
           double end) {
  constexpr int kParts = 4;
  Aabb all;
  for (int i = 0; i <= kParts; ++i) {
    const double t = end * i / kParts;
    const Pose xa = path_a.at(t), xf = path.at(t);
    const Mat3d back = transpose(to_matrix(xf.q)), r = back * to_matrix(xa.q);
    const Vec3d p = back * (xa.p - xf.p);
    for (int k = 0; k < 3; ++k) {
      Vec3d d = Vec3d::zero();
      d[k] = 1;
      int hint = 0;
      const Vec3d m = transpose(r) * d;
      all.hi[k] = vmax(all.hi[k], dot(m, support(a, m, hint)) + p[k] + a.radius);
      all.lo[k] = vmin(all.lo[k], dot(m, support(a, -m, hint)) + p[k] - a.radius);
    }
  }
  // Between two of them a point leaves its chord by an eighth of the second derivative.
  const double turn = (norm(path_a.turn) + norm(path.turn)) * end / kParts;
  const double bend =
      (norm(path_a.way - path_a.rate) + norm(path.way - path.rate)) * end * end / kParts;
  const double far = a.extent + extent + end * (norm(path_a.way) + norm(path.way));
  const double slack = (turn * turn * far + bend) / 8 + turn * bend;
  for (int k = 0; k < 3; ++k) all.lo[k] -= slack, all.hi[k] += slack;
  return all;
}

}  // namespace

bool TriangleField::first_touch(const CollisionShape& a, const ShapePath& path_a,
                                const ShapePath& path, double tolerance, double& t,
                                double end) const {
  static thread_local std::vector<int> close;
  close.clear();
  const Convex& c = a.convex();
  Aabb box = swept(c, path_a, path, extent_, end);
  for (int k = 0; k < 3; ++k) box.lo[k] -= tolerance, box.hi[k] += tolerance;
  if (!mesh_) box.hi[2] = vmax(box.hi[2], bounds_.lo[2]);
  near(box, close);
  Sheet sheet;
  double best = 2 * end;
  const double spin_a = c.extent - c.radius, spin = extent_;
  for (const int i : close) {
    const Triangle tri = triangle(i);
    const Vec3d v[3] = {vertex(tri.v[0]), vertex(tri.v[1]), vertex(tri.v[2])};
    double now = 0;
    for (int k = 0; k < kMostSteps && now < best; ++k) {
      const Pose xa = path_a.at(now), xf = path.at(now);
      const Mat3d ra = to_matrix(xa.q), back = transpose(ra), r = back * to_matrix(xf.q);
      const Vec3d p = back * (xf.p - xa.p);
      for (int j = 0; j < 3; ++j) sheet.x[j] = r * v[j] + p;
      sheet.place();
      const Vec3d m = cross(sheet.x[1] - sheet.x[0], sheet.x[2] - sheet.x[0]);
      const double area = norm(m);
      if (!(area > 1e-10 * square(sheet.convex.extent))) break;  // its neighbours are as near
      if (k == 0 && dot(m, c.middle - sheet.x[0]) < 0) break;    // from behind
      const Witness w =
          signed_distance({&c, &sheet.convex, Mat3d::identity(), Vec3d::zero()}, 1e300);
      const double d = w.distance - c.radius;
      if (d <= tolerance) {
        best = now;
        break;
      }
      const Vec3d n = ra * w.n;
      double speed = vmax(dot(n, path.speed(now) - path_a.speed(now)),
                          dot(n, path.speed(end) - path_a.speed(end)));
      speed += norm(cross(n, path_a.turn)) * spin_a + norm(cross(n, path.turn)) * spin;
      if (!(speed * (end - now) > d - 0.5 * tolerance)) break;
      now += (d - 0.5 * tolerance) / speed;
    }
  }
  t = best;
  return best <= end;
}

bool TriangleField::find_face(const Vec3d& x, double above, double near_one, Vec3d& m) const {
  static thread_local std::vector<int> close;
  close.clear();
  Aabb box;
  const double slack = 1e-6 * extent_;
  for (int k = 0; k < 3; ++k) {
    box.lo[k] = x[k] + vmin(0.0, above * m[k]) - slack;
    box.hi[k] = x[k] + vmax(0.0, above * m[k]) + slack;
  }
  near(box, close);
  double most = near_one;
  Vec3d best = m;
  for (const int i : close) {
    const Triangle t = triangle(i);
    const Vec3d a = vertex(t.v[0]);
    const Vec3d n = normalized(cross(vertex(t.v[1]) - a, vertex(t.v[2]) - a));
    if (const double c = dot(n, m); c > most) most = c, best = n;
  }
  m = best;
  return most > near_one;
}

}  // namespace haptos
