// Bodies of material points on a grid that is too coarse for them, or in each other; and those,
// with soft bodies in frozen contact, that may touch what they have no contact with.
#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/base/text/text.h"
#include "haptos/bodies/particles/particle_law.h"
#include "haptos/geometry/fill/parting.h"
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
  return "material points touch each other, soft ones in frozen contact,";
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

// How far two bodies of points are in each other where the run starts [m].
double overlap(const ParticleModel& a, const ParticleModel& b, double cell) {
  const auto box_of = [](const ParticleModel& m) {
    Aabb box;
    for (const Vec3d& x : m.points) box.merge(x);
    return box;
  };
  const Aabb box_a = box_of(a), box_b = box_of(b);
  if (!box_a.overlaps(box_b, 0)) return 0;
  PartingPoints parting;
  parting.begin(2 * cell);
  const auto add = [&](int side, const ParticleModel& m, const Aabb& other) {
    parting.add_near(side, other, static_cast<int>(m.points.size()), std::cbrt(m.volume),
                     [&](int i) { return m.points[at_index(i)]; });
  };
  add(0, a, box_b), add(1, b, box_a);
  parting.sort();
  double deepest = 0;
  Parting p;
  for (const Vec3d& x : a.points) {
    if (!box_b.contains(x)) continue;
    parting.look(x, 0);
    if (parting.find(p)) deepest = std::max(deepest, -p.distance);
  }
  return deepest;
}

// Bodies on grids of their own that start in each other by more than half a cell.
void doubt_overlap(const Model& model, std::size_t i, std::size_t j,
                   std::vector<std::string>& out) {
  const MaterialPoints &a = model.scene.material_points[i], &b = model.scene.material_points[j];
  if ((!a.grid.empty() && a.grid == b.grid) || !may_touch(model.scene, a.name, b.name)) return;
  const double cell = std::max(a.cell, b.cell);
  const double deep = overlap(model.particles[i], model.particles[j], cell);
  if (deep > 0.5 * cell)
    out.push_back("Bodies of material points " + named(a) + " and " + named(b) +
                  " are in each other where the run starts, by " +
                  to_text(std::round(deep * 1e4) / 10) +
                  " mm or more: they are pushed apart; move one, or give both "
                  "the same word as grid, so that they stick.");
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
    for (std::size_t j = 0; j < i; ++j) doubt_overlap(model, j, i, out);
    for (const SoftBody& s : scene.soft)
      if (!s.is_frozen()) doubt_pair(scene, b, s.name, "give it contact: frozen", out);
    for (const AffineBody& s : scene.affine)
      doubt_pair(scene, b, s.name, "make it a rigid body", out);
    doubt_open(scene, b, open, out);
  }
}

}  // namespace haptos
