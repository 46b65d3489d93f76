// Findings about single links: inertia by itself, inertia against geometry, shapes.
#include <algorithm>
#include <cmath>

#include "haptos/base/text/text.h"
#include "haptos/geometry/mesh/mesh_check.h"
#include "haptos/geometry/shape/shape_bounds.h"
#include "haptos/geometry/shape/shape_moments.h"
#include "haptos/scene/robot/robot_check_detail.h"

namespace haptos::robot_check {

namespace {

// A largest moment above the sum of the others by more than this part of itself is no body's; less
// is how rounded numbers look, and remarked on beyond the last digits.
constexpr double kImpossible = 0.01, kRounded = 1e-6;
// Collision shapes are rough, so the body may reach this much farther than they do.
constexpr double kReach = 1.5;
constexpr double kOutside = 0.1;      // of the box's diagonal, for the centre of mass
constexpr double kHeaviest = 22.6e3;  // [kg/m3], osmium
constexpr std::int64_t kManyPoints = 5000;

std::string number(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", v);
  return text;
}

// Of everything with an end that the link shows or touches with, in its frame.
Aabb link_box(const RobotLink& link) {
  Aabb box;
  for (const auto* list : {&link.collisions, &link.visuals})
    for (const RobotShape& s : *list)
      if (s.shape.kind != ShapeKind::kHalfSpace) box.merge(shape_bounds(s.shape, s.frame));
  return box;
}

double distance_to_box(const Aabb& box, const Vec3d& x) {
  Vec3d d{{0, 0, 0}};
  for (int k = 0; k < 3; ++k) d[k] = std::max({box.lo[k] - x[k], 0.0, x[k] - box.hi[k]});
  return norm(d);
}

void check_shape(const RobotLink& link, const RobotShape& s, std::size_t index,
                 std::vector<RobotFinding>& out) {
  const std::string element = link_name(link) + ", collision " + std::to_string(index);
  const auto say = [&](Severity severity, std::string sentence) {
    out.push_back({severity, element, std::move(sentence)});
  };
  const bool is_mesh = s.shape.kind == ShapeKind::kMesh || s.shape.kind == ShapeKind::kHull;
  if (!is_mesh) return;
  if (!s.shape.mesh || s.shape.mesh->empty()) {
    say(Severity::kError, "Its mesh is not there: \"" + printable(s.file) + "\".");
    return;
  }
  if (s.shape.kind == ShapeKind::kHull) {
    if (const auto n = static_cast<std::int64_t>(s.shape.mesh->vertices.size()); n > kManyPoints)
      say(Severity::kNote, "The hull is taken of " + std::to_string(n) +
                               " points; a simpler mesh would read faster.");
    return;
  }
  if (s.shape.mesh->triangles.empty()) return;
  const SurfaceReport r = check_surface(*s.shape.mesh, {.self_intersection = false});
  std::vector<std::string> findings = r.findings();
  constexpr std::size_t kShown = 3;
  for (std::size_t k = 0; k < std::min(findings.size(), kShown); ++k)
    say(Severity::kWarning, findings[k]);
}

}  // namespace

std::optional<RobotFinding> check_inertia(const RobotLink& link, bool* impossible) {
  const auto say = [&](Severity s, std::string sentence) {
    if (impossible && s == Severity::kError) *impossible = true;
    return RobotFinding{s, link_name(link), std::move(sentence)};
  };
  bool finite = std::isfinite(link.mass);
  for (int k = 0; k < 3; ++k) finite = finite && std::isfinite(link.centre[k]);
  for (int k = 0; k < 9; ++k) finite = finite && std::isfinite(link.inertia[k]);
  if (!finite) return say(Severity::kError, "Its mass, centre or inertia is not finite.");
  if (link.mass < 0)
    return say(Severity::kError,
               "Its mass is " + number(link.mass) + " kg and must not be negative.");
  const Mat3d& i = link.inertia;
  double largest = 0;
  for (int k = 0; k < 9; ++k) largest = std::max(largest, std::fabs(i[k]));
  if (largest == 0)
    return link.mass == 0
               ? std::nullopt
               : std::optional(say(Severity::kWarning, "It has a mass of " + number(link.mass) +
                                                           " kg and no inertia, as a point has."));
  const double skew = std::max(
      {std::fabs(i(0, 1) - i(1, 0)), std::fabs(i(0, 2) - i(2, 0)), std::fabs(i(1, 2) - i(2, 1))});
  if (skew > 1e-9 * largest)
    return say(Severity::kError, "Its tensor of inertia is not symmetric: entries differ by " +
                                     number(skew) + " kg m2.");
  const Vec3d p = principal_moments(i);
  const std::string moments = "Its principal moments of inertia are " + show(p) + " kg m2";
  if (p[0] < -kRounded * p[2])
    return say(Severity::kError, moments + ", and none may be negative.");
  if (p[0] <= 0) return say(Severity::kWarning, moments + ", and the smallest should be above 0.");
  const double over = (p[2] - p[0] - p[1]) / p[2];
  if (over > kRounded) {
    if (impossible && over > kImpossible) *impossible = true;
    return say(Severity::kWarning,
               moments +
                   ", which breaks the triangle inequality: the largest must not exceed the "
                   "sum of the other two, " +
                   number(p[0] + p[1]) +
                   (over > kImpossible ? "; no body has these." : "; the numbers may be rounded."));
  }
  if (link.mass == 0) return say(Severity::kWarning, "It has inertia and no mass.");
  return std::nullopt;
}

void check_geometry(const RobotLink& link, std::vector<RobotFinding>& out) {
  for (std::size_t k = 0; k < link.collisions.size(); ++k)
    check_shape(link, link.collisions[k], k, out);
  const Aabb box = link_box(link);
  if (box.is_empty() || !(link.mass > 0)) return;
  const auto warn = [&](std::string sentence) {
    out.push_back({Severity::kWarning, link_name(link), std::move(sentence)});
  };
  const double diagonal = norm(box.hi - box.lo);
  const double away = distance_to_box(box, link.centre);
  if (away > kOutside * diagonal)
    warn("Its centre of mass (" + show(link.centre) + ") m lies " + number(away) +
         " m outside its geometry, which is " + number(diagonal) + " m across.");
  double reach = 0;
  for (int c = 0; c < 8; ++c) {
    const Vec3d corner{{c & 1 ? box.hi[0] : box.lo[0], c & 2 ? box.hi[1] : box.lo[1],
                        c & 4 ? box.hi[2] : box.lo[2]}};
    reach = std::max(reach, norm(corner - link.centre));
  }
  const double largest = principal_moments(link.inertia)[2];
  if (largest > link.mass * kReach * kReach * reach * reach)
    warn("Its largest moment of inertia, " + number(largest) + " kg m2, asks for mass " +
         number(std::sqrt(largest / link.mass)) +
         " m from the centre of mass, and its geometry reaches " + number(reach) +
         " m; is it in other units?");
  const Vec3d side = box.hi - box.lo;
  const double volume = side[0] * side[1] * side[2];
  if (volume > 0 && link.mass > kHeaviest * volume)
    warn("Its mass of " + number(link.mass) + " kg in a box of " + number(volume) +
         " m3 is denser than any metal.");
}

}  // namespace haptos::robot_check
