// What is odd about a scene but can be simulated.
#include <algorithm>
#include <cmath>

#include "haptos/base/text/refuse.h"
#include "haptos/base/text/text.h"
#include "haptos/bodies/elastic/elastic_laws.h"
#include "haptos/geometry/mesh/mesh_check.h"
#include "haptos/geometry/mesh/mesh_edit.h"
#include "haptos/geometry/shape/shape_bounds.h"
#include "haptos/sim/coats/coats.h"
#include "haptos/sim/doubts/doubts.h"

namespace haptos {
namespace {

// Lengths outside are most often a slip of units: 1 micrometre to 10 kilometres.
constexpr double kSmallest = 1e-6, kLargest = 1e4;
// A turn of this [rad] alone gives the linear law strains of a thousandth.
constexpr double kLinearTurn = 0.05;

void check_size(const std::string& name, double size, std::vector<std::string>& out) {
  if (size >= kSmallest && size <= kLargest) return;
  out.push_back(name + " is " + to_text(size) + " m in size: lengths from " + to_text(kSmallest) +
                " to " + to_text(kLargest) + " m are usual, so check its unit.");
}

double extent(const std::vector<Vec3d>& vertices) {
  const Vec3d e = bounding_box(vertices).extent();
  return std::max({e[0], e[1], e[2]});
}

// How far a body turns from its first pose [rad].
double largest_turn(const PrescribedBody& b) {
  double cosine = 1;
  for (const Keyframe& k : b.trajectory) {
    const Quat &p = k.pose.q, &q = b.trajectory.front().pose.q;
    cosine = std::min(cosine, std::abs(p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z));
  }
  return 2 * std::acos(cosine);
}

void check_soft(const Scene& scene, const SoftBody& b, std::vector<std::string>& out) {
  const std::string name = "Soft body \"" + printable(b.name) + "\"";
  check_size(name, extent(b.mesh.vertices), out);
  const auto law = static_cast<ElasticLaw>(b.material.law);
  if (law == ElasticLaw::kMooneyRivlin && b.material.mooney_ratio == 0)
    out.push_back(name + " has law mooney_rivlin with mooney_ratio 0, which is log_neo_hookean.");
  if (traits_of(law).rotation_invariant) return;
  for (const Glue& g : b.glue)
    for (const PrescribedBody& p : scene.prescribed)
      if (p.name == g.body && largest_turn(p) > kLinearTurn)
        out.push_back(name + " has the linear law, which knows no finite rotation, but \"" +
                      printable(p.name) + "\", which it is glued to, turns.");
}

// What the reader of a robot's file left out or mended: often much, seldom of weight, so one line.
void tell_notes(const std::string& name, const std::vector<std::string>& notes,
                std::vector<std::string>& out) {
  if (notes.empty()) return;
  std::string line = name + ": " + notes.front();
  if (notes.size() > 1) {
    if (line.ends_with('.')) line.pop_back();
    line += notes.size() == 2 ? "; and another note"
                              : "; and " + std::to_string(notes.size() - 1) + " more notes";
    line += " on its file: haptos check FILE and robot.warnings list all.";
  }
  out.push_back(std::move(line));
}

void add_doubts(const Scene& scene, std::vector<std::string>& out) {
  doubt_friction(scene, out);
  doubt_sizes(scene, out);
  doubt_quaternions(scene, out);
  doubt_steps(scene, out);
  doubt_layers(scene, out);
  doubt_constraints(scene, out);
}

// What a model tells that the scene alone does not.
void add_model_doubts(const Model& model, std::vector<std::string>& out) {
  doubt_robots(model, out);
  doubt_openings(model, out);
  if (model.scene.sim.integrator != static_cast<int>(Integrator::kQuasiStatic))
    doubt_constraint_motors(model, out);
  doubt_swings(model, out);
  doubt_overlaps(model, out);
  doubt_meetings(model, out);
  doubt_points(model, out);
  doubt_cameras(model.scene, out);
  doubt_shrinks(model, out);
  doubt_fields(model, out);
  doubt_coats(model, out);
  doubt_passages(model, out);
}

}  // namespace

std::vector<std::string> find_warnings(const Scene& scene) {
  std::vector<std::string> out = scene.warnings;
  for (const SoftBody& b : scene.soft) check_soft(scene, b, out);
  for (const PrescribedBody& b : scene.prescribed) {
    if (b.surface.empty()) continue;
    const std::string name = "Prescribed body \"" + printable(b.name) + "\"";
    if (!b.surface.triangles.empty() || !b.surface.segments.empty() || b.surface.points.size() > 1)
      check_size(name, extent(b.surface.vertices), out);
    const SurfaceReport report = check_surface(b.surface, {.self_intersection = false});
    for (const std::string& f : report.findings())
      out.push_back(std::string(name).append(": ").append(f));
  }
  for (const AffineBody& b : scene.affine)
    check_size("Affine body \"" + printable(b.name) + "\"", extent(b.surface.vertices), out);
  for (const RobotBody& r : scene.robots) {
    const std::string name = "Robot \"" + printable(r.name) + "\"";
    tell_notes(name, r.robot.warnings, out);
    for (const RobotLink& l : r.robot.links)
      for (const RobotShape& s : l.collisions) {
        const Vec3d e = shape_bounds(s.shape).extent();
        const double size = std::max({e[0], e[1], e[2]});
        if (std::isfinite(size) && size >= 0)
          check_size(name + ", link \"" + printable(l.name) + "\"", size, out);
      }
  }
  add_doubts(scene, out);
  return out;
}

std::vector<std::string> find_warnings(const Model& model) {
  std::vector<std::string> out = find_warnings(model.scene);
  for (const RobotModel& r : model.robots)
    out.insert(out.end(), r.warnings.begin(), r.warnings.end());
  add_model_doubts(model, out);
  return out;
}

std::vector<std::string> find_doubts(const Model& model) {
  std::vector<std::string> out;
  add_doubts(model.scene, out);
  add_model_doubts(model, out);
  return out;
}

void require_no_doubts(const std::vector<std::string>& warnings) {
  if (warnings.empty()) return;
  const std::size_t more = warnings.size() - 1;
  std::string first = warnings.front();
  if (first.ends_with('.')) first.pop_back();
  refuse("the scene", "",
         "has " + (more ? std::to_string(more + 1) + " warnings" : std::string("a warning")) +
             " and sim.strict is set: " + first,
         more ? "mend it, then the others, or leave sim.strict out"
              : "mend it, or leave sim.strict out");
}

}  // namespace haptos
