// Lengths that were meant in another unit, and quaternions in another order.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "haptos/base/text/text.h"
#include "haptos/geometry/shape/shape_bounds.h"
#include "haptos/sim/doubts/doubts.h"
#include "haptos/sim/model/pairs.h"

namespace haptos {
namespace {

// Who takes m for mm is off by 1000, and things that touch a gel are a fiftieth to ten times as
// large as it: what is a hundred times as large, or a thousandth, is off by a unit.
constexpr double kMuchLarger = 100, kMuchSmaller = 1e-3;
// Sizes [m] that find_warnings() doubts by themselves.
constexpr double kSmallest = 1e-6, kLargest = 1e4;
// What moves freely is smaller than this [m] where robots touch it.
constexpr double kLargeMover = 10;

struct Sized {
  std::string title, name;
  double size;
  bool moves;
};

double size_of(const std::vector<Vec3d>& vertices) {
  Aabb box;
  for (const Vec3d& v : vertices) box.merge(v);
  return largest_side(box);
}

std::vector<Sized> sized_bodies(const Scene& s) {
  std::vector<Sized> all;
  const auto title = [](const char* kind, const std::string& name) {
    return std::string(kind) + " \"" + printable(name) + "\"";
  };
  for (const auto& b : s.soft)
    all.push_back({title("Soft body", b.name), b.name, size_of(b.mesh.vertices), true});
  for (const auto& b : s.affine)
    all.push_back({title("Affine body", b.name), b.name, size_of(b.surface.vertices), true});
  for (const auto& b : s.prescribed)
    if (!b.surface.triangles.empty())
      all.push_back({title("Prescribed body", b.name), b.name, size_of(b.surface.vertices), false});
  for (const auto& b : s.robots) {
    if (b.robot.links.size() != 1) continue;
    Aabb box;
    for (const RobotShape& c : b.robot.links[0].collisions)
      if (c.shape.kind != ShapeKind::kHalfSpace) box.merge(shape_bounds(c.shape, c.frame));
    const bool moves = std::any_of(b.robot.joints.begin(), b.robot.joints.end(),
                                   [](const auto& j) { return j.kind != JointKind::kFixed; });
    all.push_back({title("Rigid body", b.name), b.name, largest_side(box), moves});
  }
  return all;
}

bool order_is_odd(const Quat& q) {
  // No turn as 0 0 0 1, or a turn about x or y, both of which have w 0 and half turns as w x y z.
  return q.w == 0 && q.z > 0 && (q.x == 0 || q.y == 0);
}

}  // namespace

double largest_side(const Aabb& box) {
  if (box.is_empty()) return 0;
  const Vec3d e = box.extent();
  const double size = std::max({e[0], e[1], e[2]});
  return std::isfinite(size) ? size : 0;
}

std::string length_text(double metres) {
  const double size = std::abs(metres);
  const bool micro = size < 1e-4, milli = size < 1;
  char text[40];
  std::snprintf(text, sizeof text, "%.4g %s",
                metres * (micro   ? 1e6
                          : milli ? 1e3
                                  : 1),
                micro   ? "um"
                : milli ? "mm"
                        : "m");
  return text;
}

std::string unit_hint(const std::string& a, double size_a, const std::string& b, double size_b) {
  const bool first = size_a > size_b;
  const double large = first ? size_a : size_b, small = first ? size_b : size_a;
  if (!(small > 0) || large < kMuchLarger * small) return "";
  return "\"" + printable(first ? a : b) + "\" is " + length_text(large) + " in size and \"" +
         printable(first ? b : a) + "\" " + length_text(small) +
         ": lengths are in m, so if mm were meant give " + length_text(large * 1e-3) +
         ", and files in mm a scale of 0.001";
}

void doubt_sizes(const Scene& scene, std::vector<std::string>& out) {
  const std::vector<Sized> all = sized_bodies(scene);
  const std::size_t soft = scene.soft.size();  // they come first
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Sized& b = all[i];
    if (!(b.size >= kSmallest && b.size <= kLargest)) continue;  // said of it alone
    const Sized* gel = nullptr;
    for (std::size_t k = 0; k < soft && !gel; ++k)
      if (k != i && all[k].size > 0 &&
          (b.size >= kMuchLarger * all[k].size ||
           (i >= soft && b.size <= kMuchSmaller * all[k].size)) &&
          may_touch(scene, all[k].name, b.name))
        gel = &all[k];
    if (gel) {
      const bool large = b.size > gel->size;
      out.push_back(b.title + " is " + length_text(b.size) + " in size and \"" +
                    printable(gel->name) + "\", which it may touch, " + length_text(gel->size) +
                    ": lengths are in m, so if mm were meant give " +
                    length_text(b.size * (large ? 1e-3 : 1e3)) + ", and files " +
                    (large ? "in mm a scale of 0.001." : "in m no scale."));
    } else if (b.moves && b.size >= kLargeMover) {
      out.push_back(b.title + " moves freely and is " + length_text(b.size) +
                    " in size: lengths are in m, so if mm were meant give " +
                    length_text(b.size * 1e-3) + ", and files in mm a scale of 0.001.");
    }
  }
}

void doubt_quaternions(const Scene& scene, std::vector<std::string>& out) {
  const auto look = [&](const char* kind, const std::string& name, const Quat& q) {
    if (!order_is_odd(q)) return;
    const std::string given =
        to_text(q.w) + ", " + to_text(q.x) + ", " + to_text(q.y) + ", " + to_text(q.z);
    const bool none = q.x == 0 && q.y == 0;
    out.push_back(std::string(kind) + " \"" + printable(name) + "\" starts with the quaternion " +
                  given + ", which as w x y z is a half turn" +
                  (none ? " about z" : " about an axis askew") + " and as x y z w " +
                  (none ? "no turn" : "a turn about one axis") +
                  ": quaternions are w x y z; if the half turn is meant, write it as 0, " +
                  to_text(-q.x + 0.0) + ", " + to_text(-q.y + 0.0) + ", " + to_text(-q.z) + ".");
  };
  for (const SoftBody& b : scene.soft) {
    // Where it is glued to a link its pose was made, not given.
    const bool made = std::any_of(b.glue.begin(), b.glue.end(), [&](const Glue& g) {
      return find_link(scene, g.body).robot >= 0;
    });
    if (!made) look("Soft body", b.name, b.pose.q);
  }
  for (const AffineBody& b : scene.affine) look("Affine body", b.name, b.pose.q);
  for (const PrescribedBody& b : scene.prescribed)
    if (!b.trajectory.empty()) look("Prescribed body", b.name, b.trajectory.front().pose.q);
  for (const RobotBody& b : scene.robots)
    look(b.robot.links.size() == 1 ? "Rigid body" : "Robot", b.name, b.pose.q);
}

}  // namespace haptos
