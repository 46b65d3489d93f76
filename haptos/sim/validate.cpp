// What can be known to be wrong before a scene is compiled.
#include <cmath>
#include <map>

#include "haptos/base/error.h"
#include "haptos/geometry/mesh_check.h"
#include "haptos/sim/scene.h"

namespace haptos {
namespace {

[[noreturn]] void refuse(const std::string& element, const std::string& value,
                         const std::string& rule, const std::string& remedy) {
  Diagnostic d;
  d.element = element;
  d.value = value;
  d.rule = rule;
  d.remedy = remedy;
  throw InputError(d);
}

void check_finite(const std::string& element, const Vec3d& v) {
  for (int c = 0; c < 3; ++c)
    if (!std::isfinite(v[c]))
      refuse(element, internal::format_number(v[c]), "must be finite", "give three numbers");
}

void check_pose(const std::string& element, const Pose& p) {
  check_finite(element + " position", p.p);
  const double n = p.q.w * p.q.w + p.q.x * p.q.x + p.q.y * p.q.y + p.q.z * p.q.z;
  if (!(std::abs(n - 1) < 1e-6))
    refuse(element + " quaternion", internal::format_number(p.q.w) + " " +
               internal::format_number(p.q.x) + " " + internal::format_number(p.q.y) + " " +
               internal::format_number(p.q.z),
           "must have length 1 (w x y z)", "no turn is 1 0 0 0");
}

void check_positive(const std::string& element, double v, const std::string& unit) {
  if (!(v > 0) || !std::isfinite(v))
    refuse(element, internal::format_number(v) + " " + unit, "must be greater than 0",
           "give it in " + unit);
}

void check_names(const Scene& s) {
  std::map<std::string, std::string> seen;
  auto add = [&](const std::string& kind, const std::string& name) {
    if (name.empty()) refuse(kind, "\"\"", "needs a name", "add a name");
    const auto [it, fresh] = seen.emplace(name, kind);
    if (!fresh)
      refuse(kind + " \"" + name + "\"", "", "has the name of a " + it->second + " of this scene",
             "give every body a name of its own");
  };
  for (const auto& b : s.soft) add("soft body", b.name);
  for (const auto& b : s.prescribed) add("prescribed body", b.name);
  for (const auto& b : s.half_spaces) add("half-space", b.name);
  for (const auto& b : s.spheres) add("sphere", b.name);
  for (const auto& b : s.pendulums) add("pendulum", b.name);
  std::vector<std::string> names;
  for (const auto& [name, kind] : seen) names.push_back(name);
  auto must_exist = [&](const std::string& where, const std::string& name) {
    if (seen.count(name)) return;
    const std::string near = nearest_name(name, names);
    std::string remedy = near.empty() ? "known names are" : "did you mean \"" + near + "\"?";
    if (near.empty())
      for (const std::string& n : names) remedy += " \"" + n + "\"";
    refuse(where, "\"" + name + "\"", "names no body of this scene", remedy);
  };
  for (const PairOptions& p : s.pairs) {
    must_exist("contact pair", p.a);
    must_exist("contact pair", p.b);
  }
  for (const auto& b : s.soft)
    for (const Glue& g : b.glue) {
      must_exist("soft body \"" + b.name + "\", glue", g.body);
      if (seen[g.body] != "prescribed body")
        refuse("soft body \"" + b.name + "\", glue", "\"" + g.body + "\"",
               "must be a prescribed body, not a " + seen[g.body],
               "glue to a prescribed body (it may be one without a surface)");
    }
}

void check_soft(const SoftBody& b) {
  const std::string name = "soft body \"" + b.name + "\"";
  require_volume(b.mesh, name);
  check_options(b.material);
  check_pose(name + " pose", b.pose);
  check_finite(name + " velocity", b.velocity);
}

void check_prescribed(const PrescribedBody& b) {
  const std::string name = "prescribed body \"" + b.name + "\"";
  if (!b.surface.triangles.empty()) require_contact_surface(b.surface, name);
  for (std::size_t i = 0; i < b.trajectory.size(); ++i) {
    check_pose(name + " keyframe " + std::to_string(i), b.trajectory[i].pose);
    const double t = b.trajectory[i].time;
    if (!std::isfinite(t) || (i > 0 && t <= b.trajectory[i - 1].time))
      refuse(name + " keyframe " + std::to_string(i) + " time",
             internal::format_number(t) + " s", "must be finite and later than the one before",
             "sort the keyframes by time");
  }
}

}  // namespace

void validate(const Scene& s) {
  check_options(s.sim);
  check_options(s.newton);
  check_options(s.contact);
  check_names(s);
  for (const SoftBody& b : s.soft) check_soft(b);
  for (const PrescribedBody& b : s.prescribed) check_prescribed(b);
  for (const HalfSpace& h : s.half_spaces) {
    check_finite("half-space \"" + h.name + "\" normal", h.normal);
    if (std::abs(norm(h.normal) - 1) > 1e-9)
      refuse("half-space \"" + h.name + "\" normal",
             "length " + internal::format_number(norm(h.normal)), "must have length 1",
             "divide it by its length");
    if (!std::isfinite(h.offset))
      refuse("half-space \"" + h.name + "\" offset", internal::format_number(h.offset),
             "must be finite", "give it in m");
  }
  for (const RigidSphere& b : s.spheres) {
    const std::string name = "sphere \"" + b.name + "\"";
    check_positive(name + " radius", b.radius, "m");
    check_positive(name + " mass", b.mass, "kg");
    check_positive(name + " stiffness", b.stiffness, "N/m");
    if (!(b.friction >= 0) || !std::isfinite(b.friction))
      refuse(name + " friction", internal::format_number(b.friction), "must be 0 or more",
             "for example 0.5");
    if (!(b.dissipation >= 0) || !std::isfinite(b.dissipation))
      refuse(name + " dissipation", internal::format_number(b.dissipation) + " s",
             "must be 0 or more", "for example 0.01");
    check_pose(name + " pose", b.pose);
    check_finite(name + " velocity", b.velocity);
    check_finite(name + " omega", b.omega);
  }
  for (const Pendulum& p : s.pendulums) {
    const std::string name = "pendulum \"" + p.name + "\"";
    for (int k = 0; k < 2; ++k) {
      check_positive(name + " length", p.length[k], "m");
      check_positive(name + " mass", p.mass[k], "kg");
      if (!std::isfinite(p.angle[k]) || !std::isfinite(p.rate[k]))
        refuse(name + " start", "", "angles and rates must be finite", "give them in rad and rad/s");
    }
    if (!(p.damping >= 0) || !std::isfinite(p.damping))
      refuse(name + " damping", internal::format_number(p.damping) + " N m s", "must be 0 or more",
             "for example 0");
  }
}

}  // namespace haptos
