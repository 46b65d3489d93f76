// Bodies of material points on a grid that is too coarse for them; and those, with soft bodies in
// frozen contact, that may touch what they have no contact with.
#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/base/text/text.h"
#include "haptos/bodies/particles/particle_law.h"
#include "haptos/geometry/shape/shape_bounds.h"
#include "haptos/sim/doubts/doubts.h"
#include "haptos/sim/model/pair_models.h"
#include "haptos/sim/model/pairs.h"

namespace haptos {
namespace {

// Points in a cell below which some nodes have hardly any mass (docs/contact/material_points.md).
constexpr double kFew = 4;
// Cells across the thinnest side below which a body has no shape of its own on the grid.
constexpr double kThin = 2;

template <class B>
std::string named(const B& b) {
  return "\"" + printable(b.name) + "\"";
}
std::string kind(const MaterialPoints&) {
  return "material points touch soft ones in frozen contact,";
}
std::string kind(const SoftBody&) {
  return "soft bodies in frozen contact touch each other, material points,";
}

// Sentences of two bodies that may touch and do not.
template <class B>
void doubt_pair(const Scene& scene, const B& a, const std::string& b, const char* remedy,
                std::vector<std::string>& out) {
  if (!may_touch(scene, a.name, b)) return;
  out.push_back(named(a) + " and \"" + printable(b) + "\" pass through each other: " + kind(a) +
                " rigid bodies, robots, half-spaces and prescribed bodies only; " + remedy +
                ", or switch their contact off in pairs.");
}

// Bodies of which a surface has no inside, and so no distances that points could touch by.
std::vector<std::string> without_inside(const Model& model) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < model.scene.prescribed.size(); ++i)
    if (!model.scene.prescribed[i].surface.empty() && !model.prescribed_fields[i])
      all.push_back(model.scene.prescribed[i].name);
  for (const RobotModel& r : model.robots)
    for (std::size_t l = 0; l < r.fields.size(); ++l)
      if (std::any_of(r.fields[l].begin(), r.fields[l].end(), [](const auto& f) { return !f; }))
        all.push_back(model.body_names[at_index(r.first_body) + l]);
  return all;
}

// What a body has no contact with for want of an inside.
template <class B>
void doubt_open(const Scene& scene, const B& b, const std::vector<std::string>& open,
                std::vector<std::string>& out) {
  for (const std::string& name : open)
    if (may_touch(scene, b.name, name))
      out.push_back(named(b) + " passes through \"" + printable(name) +
                    "\", of which a shape has no inside that its points could touch; close its "
                    "mesh, or switch their contact off in pairs.");
}

void doubt_frozen(const Scene& scene, const std::vector<std::string>& open,
                  std::vector<std::string>& out) {
  for (std::size_t i = 0; i < scene.soft.size(); ++i) {
    const SoftBody& b = scene.soft[i];
    if (!b.is_frozen()) continue;
    for (const SoftBody& s : scene.soft)
      if (!s.is_frozen())
        doubt_pair(scene, b, s.name, "give both the same word as contact, live or frozen", out);
    for (const AffineBody& s : scene.affine)
      doubt_pair(scene, b, s.name, "make it a rigid body, or give contact: live", out);
    doubt_open(scene, b, open, out);
  }
}

}  // namespace

void doubt_points(const Model& model, std::vector<std::string>& out) {
  const Scene& scene = model.scene;
  const auto& all = scene.material_points;
  if (!touches_by_points(scene)) return;
  const std::vector<std::string> open = without_inside(model);
  doubt_frozen(scene, open, out);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const MaterialPoints& b = all[i];
    if (b.points_per_cell < kFew)
      out.push_back("Body of material points " + named(b) + " has " + to_text(b.points_per_cell) +
                    " points in a cell: with fewer than 4 some nodes have hardly any mass, and "
                    "steps take long; 8 are enough.");
    const bool liquid = b.law == static_cast<int>(ParticleLaw::kLiquid);
    if (liquid && b.yield_stress > 0)
      out.push_back("Body of material points " + named(b) +
                    " is a liquid, which has no yield stress: leave one of the two out.");
    if (!liquid && b.sound_speed > 0)
      out.push_back("Body of material points " + named(b) +
                    " has a sound_speed, which counts for liquids only: give law: liquid, or leave "
                    "it out.");
    const Vec3d size = shape_bounds(b.shape.shape).extent();
    const double thin = std::min({size[0], size[1], size[2]});
    if (thin < kThin * b.cell)
      out.push_back("Body of material points " + named(b) + " is " + to_text(thin / b.cell) +
                    " cells thick: below two it has no shape of its own; take a cell of " +
                    to_text(0.5 * thin) + " m or less.");
    for (const SoftBody& s : scene.soft)
      if (!s.is_frozen()) doubt_pair(scene, b, s.name, "give it contact: frozen", out);
    for (const AffineBody& s : scene.affine)
      doubt_pair(scene, b, s.name, "make it a rigid body", out);
    doubt_open(scene, b, open, out);
  }
}

}  // namespace haptos
