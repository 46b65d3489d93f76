// Whether a state belongs to a model: sizes first, then what would index or scale something of it.
#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/base/text/error.h"
#include "haptos/base/text/options.h"
#include "haptos/base/text/refuse.h"
#include "haptos/sim/model/control_slots.h"
#include "haptos/sim/workspace.h"

namespace haptos {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& value,
                         const std::string& rule) {
  haptos::refuse(what, value, rule, "take it from a run of the same scene");
}

bool sizes_fit(const Model& model, const Workspace& w, const State& s) {
  const auto fits = [](const std::vector<double>& before, const std::vector<double>& now) {
    return before.empty() || before.size() == now.size();
  };
  return s.q.size() == at_index(w.state_q) && s.z.size() == at_index(w.state_z) &&
         s.paths.size() == w.prescribed.size() && s.targets.size() == w.prescribed.size() &&
         s.wrenches.size() == 6 * w.affine.size() && s.controls.size() == control_count(model) &&
         w.sensing.pipeline.fits(s.sensors) && fits(s.q_before, s.q) && fits(s.z_before, s.z) &&
         s.q_before.empty() == s.z_before.empty();
}

// Of a path that contact stopped, every point; of another one none.
void check_path(const std::string& name, const PrescribedPoints& p, const PathState& path) {
  const std::size_t points = path.s < 1 ? p.points.size() : 0;
  if (path.bent.size() != points)
    refuse("path of \"" + name + "\" in the state", std::to_string(path.bent.size()) + " points",
           "must have " + std::to_string(points));
}

void check_quaternions(const RobotModel& m, const RobotParts& r, const std::vector<double>& q) {
  if (!r.body || q.empty()) return;
  for (const TreeBody& b : m.tree->bodies) {
    if (b.kind != JointKind::kBall && b.kind != JointKind::kFree) continue;
    const double* w = q.data() + r.body->slots().first_q + b.first_q + q_size(b.kind) - 4;
    const double n = std::sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3]);
    if (!(std::abs(n - 1) < 1e-6))
      refuse("quaternion of \"" + m.name + "\" in the state", internal::format_number(n),
             "must have length 1");
  }
}

// The ranges that RobotView holds to.
void check_controls(const RobotModel& m, const std::vector<double>& c) {
  const auto within = [&](const char* what, int at, double low, double high) {
    const double v = c[at_index(at)];
    if (!(v >= low && v <= high))
      refuse(
          std::string(what) + " of \"" + m.name + "\" in the state", internal::format_number(v),
          "must be from " + internal::format_number(low) + " to " + internal::format_number(high));
  };
  const ControlSlots& s = m.controls;
  for (int k = 0; k < s.motors; ++k)
    for (int gain = 4; gain < 7; ++gain)
      within("a gain", s.motor(k) + gain, 0, std::numeric_limits<double>::max());
  for (int b = 0; b < s.bodies; ++b)
    within("a factor of mass", s.mass(b), 1 / kMostMassFactor, kMostMassFactor);
  within("the factor of friction", s.friction(), 0, kMostFrictionFactor);
}

void check_materials(const Model& model, const std::vector<double>& c) {
  const std::size_t first = material_slot(model, 0), soft = soft_slot(model, 0);
  for (std::size_t k = first; k < soft; ++k) {
    const ParticleFactor& f = kParticleFactors[(k - first) % kParticleFactorCount];
    if (!(c[k] >= f.least && c[k] <= kMostParticleFactor))
      refuse("a factor of " + std::string(f.name) + " in the state", internal::format_number(c[k]),
             "must be from " + internal::format_number(f.least) + " to " +
                 internal::format_number(kMostParticleFactor));
  }
  const std::size_t friction = first_friction_slot(model), mass = first_mass_slot(model);
  const auto within = [&](const char* what, std::size_t from, std::size_t to, double least,
                          double most) {
    for (std::size_t k = from; k < to; ++k)
      if (!(c[k] >= least && c[k] <= most))
        refuse("a factor of " + std::string(what) + " in the state", internal::format_number(c[k]),
               "must be from " + internal::format_number(least) + " to " +
                   internal::format_number(most));
  };
  within("stiffness", soft, friction, 1 / kMostSoftFactor, kMostSoftFactor);
  within("friction", friction, mass, 0, kMostFrictionFactor);
  within("mass", mass, axis_slot(model, 0), 1 / kMostMassFactor, kMostMassFactor);
}

void check_axes(const Model& model, const std::vector<double>& c) {
  for (std::size_t k = 0; k < model.scene.constraints.size(); ++k)
    for (int gain = 4; gain < kMotorSlots; ++gain)
      if (const double v = c[axis_slot(model, k) + at_index(gain)]; !(v >= 0) || std::isinf(v))
        refuse("a gain of \"" + model.scene.constraints[k].name + "\" in the state",
               internal::format_number(v), "must be 0 or more and finite");
}

void check_gravity(const double* g) {
  if (g[0] != 0 && g[0] != 1)
    refuse("mark of gravity in the state", internal::format_number(g[0]), "must be 0 or 1");
  for (int k = 1; k < kGravitySlots; ++k)
    if (!(vabs(g[k]) <= kMostGravity))
      refuse("gravity in the state", internal::format_number(g[k]),
             "must be from -" + internal::format_number(kMostGravity) + " to " +
                 internal::format_number(kMostGravity) + " m/s2");
}

// Of each body, how many surfaces it has and how many cells the largest of them.
struct SurfaceCount {
  int surfaces = 1, cells = 0;
};
std::vector<SurfaceCount> count_surfaces(const Model& model, const Workspace& w) {
  std::vector<SurfaceCount> all(model.body_names.size());
  const auto add = [&](const std::shared_ptr<const ContactSurface>& s) {
    if (!s || s->body < 0) return;
    SurfaceCount& c = all.at(at_index(s->body));
    c.surfaces = std::max(c.surfaces, s->part + 1);
    c.cells = std::max(c.cells, s->cell_count());
  };
  for (const SoftParts& s : w.soft) add(s.surface);
  for (const AffineParts& s : w.affine) add(s.surface);
  for (const PrescribedPoints& s : w.prescribed) add(s.surface);
  for (const RobotParts& r : w.robots)
    for (const LinkParts& l : r.links)
      for (const auto& s : l.surfaces) add(s);
  return all;
}

void check_history(const Model& model, const Workspace& w, const ContactHistory& history) {
  if (history.empty()) return;
  const std::vector<SurfaceCount> count = count_surfaces(model, w);
  const auto below = [](const char* what, int n, std::size_t most) {
    if (n >= 0 && at_index(n) >= most)
      refuse(std::string(what) + " of the state's contact history", std::to_string(n),
             "must be below " + std::to_string(most));
  };
  for (const auto& [key, memory] : history) {
    int cells = 0;
    for (const auto& [body, part] :
         {std::pair(key.body_a, key.part_a), std::pair(key.body_b, key.part_b)}) {
      below("a body", body, count.size());
      const SurfaceCount c = body < 0 ? SurfaceCount() : count[at_index(body)];
      below("a surface", part, at_index(c.surfaces));
      cells = std::max(cells, c.cells);
    }
    below("a triangle", memory.triangle, at_index(cells));
  }
}

}  // namespace

void check_fits(const Model& model, const Workspace& w, const State& s) {
  if (!sizes_fit(model, w, s)) refuse("state", "", "has other sizes than this model");
  for (std::size_t i = 0; i < w.prescribed.size(); ++i)
    check_path(model.scene.prescribed[i].name, w.prescribed[i], s.paths[i]);
  for (std::size_t i = 0; i < w.robots.size(); ++i) {
    check_quaternions(model.robots[i], w.robots[i], s.q);
    check_quaternions(model.robots[i], w.robots[i], s.q_before);
    check_controls(model.robots[i], s.controls);
  }
  check_materials(model, s.controls);
  check_axes(model, s.controls);
  check_gravity(s.controls.data() + s.controls.size() - kGravitySlots);
  check_history(model, w, s.history);
}

}  // namespace haptos
