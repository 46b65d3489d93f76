// What the law suites of barrier contact share: units, points in every region of a triangle, and
// two surfaces with the whole term between them.
#pragma once

#include "haptos/contact/live/barrier/barrier_term.h"
#include "haptos/contact/live/mortar/mortar_term.h"
#include "haptos/geometry/query/distance.h"
#include "tests/laws/law_suite.h"

namespace haptos::test {

// All lengths are multiples of this [m]; the support is a fifth of it.
inline constexpr double kUnit = 1e-3;
inline constexpr double kSupport = 0.2 * kUnit;

inline const Vec3d kCorner[3] = {{{0, 0, 0}}, {{1, 0.1, 0.05}}, {{0.2, 0.9, -0.1}}};

// A point that sees the triangle's face, an edge, or a vertex, [kUnit].
inline Vec3d point_in_region(int region, double gap) {
  const Vec3d n = normalized(cross(kCorner[1] - kCorner[0], kCorner[2] - kCorner[0]));
  const Vec3d middle = (kCorner[0] + kCorner[1] + kCorner[2]) * (1.0 / 3);
  if (region == 0) return middle + gap * n;
  if (region <= 3) {
    const Vec3d &a = kCorner[region - 1], &b = kCorner[region % 3];
    const Vec3d out = normalized(cross(b - a, n));
    return 0.6 * a + 0.4 * b + (0.6 * gap) * out + (0.8 * gap) * n;
  }
  const Vec3d& v = kCorner[region - 4];
  return v + gap * normalized(normalized(v - middle) + 0.7 * n);
}

inline TriMesh triangle(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  TriMesh m;
  m.vertices = {a, b, c};
  m.triangles = {{{0, 1, 2}}};
  return m;
}

/// A soft surface and a collider surface with the whole term between them.
struct TermCase {
  LawCase law;
  std::unique_ptr<ContactSurface> soft, collider;
  std::unique_ptr<ContactTerm> term;

  TermCase(const TriMesh& s, const TriMesh& c, bool driven, double size = kUnit, int divisions = 1,
           bool mortar = false, FrictionCone friction = {}, bool convex_samples = false) {
    int block = 0;
    std::vector<int> sp, cp;
    for (const Vec3d& x : s.vertices) sp.push_back(law.points.add_node(block++, 0, 0, size * x));
    for (const Vec3d& x : c.vertices)
      cp.push_back(driven ? law.points.add_driven(1, 0, size * x)
                          : law.points.add_node(block++, 1, 0, size * x));
    law.points.finish_permanent();
    law.length = size;
    soft = std::make_unique<ContactSurface>(scaled(s, size), sp, 0, 0, false);
    collider = std::make_unique<ContactSurface>(scaled(c, size), cp, 1, 0, driven);
    LiveSetup setup;
    setup.support = 0.2 * size;
    setup.stiffness = 1e6 / size;  // a fixed modulus over the support [Pa/m]
    setup.divisions = divisions;
    setup.friction = friction;
    setup.convex_samples = convex_samples;
    term = mortar ? make_mortar_term(soft.get(), collider.get(), setup)
                  : make_barrier_term(soft.get(), collider.get(), setup);
    law.term = term.get();
    prepare();
  }
  void prepare() {
    StepContext step;
    step.points = &law.points;
    law.points.x_start = law.points.x_target = law.points.x;
    term->prepare(step);
  }
  static TriMesh scaled(TriMesh m, double size) {
    for (Vec3d& x : m.vertices) x = size * x;
    return m;
  }
};

}  // namespace haptos::test
