// What can be known to be wrong before a scene is compiled.
#include <algorithm>
#include <cmath>
#include <map>

#include "haptos/base/text/error.h"
#include "haptos/base/text/refuse.h"
#include "haptos/base/text/text.h"
#include "haptos/bodies/elastic/elastic_laws.h"
#include "haptos/bodies/particles/particle_law.h"
#include "haptos/bodies/stiff/rigid_body.h"
#include "haptos/geometry/mesh/mesh_check.h"
#include "haptos/scene/parts/field_rules.h"
#include "haptos/scene/scene.h"
#include "haptos/sim/build/validate_names.h"
#include "haptos/sim/model/pair_models.h"
#include "haptos/sim/model/robots.h"

namespace haptos {
namespace {

void check_length(const std::string& element, double v) {
  check_range(element, v, limits::kSmallestLength, limits::kLargestLength, "m");
}

// A mesh whose vertices are finite: where it lies and how large it is.
void check_extent(const std::string& name, const Aabb& box) {
  double size = 0, farthest = 0;
  for (int c = 0; c < 3; ++c) {
    size = std::max(size, box.hi[c] - box.lo[c]);
    farthest = std::max({farthest, std::abs(box.lo[c]), std::abs(box.hi[c])});
  }
  check_length(name + " size", size);
  check_range(name + " largest coordinate", farthest, 0, limits::kLargestLength, "m");
}

// What the table of a kind cannot say; kinds with such parts have an overload.
template <class S>
void check_parts(const Scene&, const S&) {}

// Options of one body; the error says whose.
template <class S>
void check_options_of(const std::string& name, const S& options) {
  try {
    check_options(options);
  } catch (const InputError& e) {
    Diagnostic d = e.diagnostic;
    d.element = name + ", " + d.element;
    throw InputError(d);
  }
}

void check_pose(const std::string& element, const Pose& p) { check_value({}, element, p); }

// How errors name an entry: 'affine body "crate"'.
template <class S>
std::string named(const S& entry) {
  return std::string(FieldsOf<S>::kKind) + " \"" + entry.name + "\"";
}

// Whether a name may stand on both sides of a pair.
bool touches_itself(const Scene& s, const std::string& name) {
  for (const SoftBody& b : s.soft)
    if (b.name == name) return b.self_contact;
  const auto is_body = [&](const auto& list) {
    return std::any_of(list.begin(), list.end(), [&](const auto& b) { return b.name == name; });
  };
  return !is_body(s.prescribed) && !is_body(s.affine) && !is_body(s.half_spaces) &&
         !is_body(s.material_points) && !is_body(s.robots) && find_link(s, name).robot < 0;
}

void check_pairs(const Scene& s) {
  std::map<std::pair<std::string, std::string>, int> seen;
  for (const PairOptions& p : s.pairs) {
    const std::string name = "contact pair \"" + p.a + "\" and \"" + p.b + "\"";
    if (p.a == p.b && !touches_itself(s, p.a))
      refuse(name, "", "must be two bodies, a group, or a soft body with self_contact",
             "name another one");
    if (seen[std::minmax(p.a, p.b)]++ > 0)
      refuse(name, "", "is given twice", "keep one of the two");
    check_fields(name, p);
    check_pair_model(s, p);
  }
}

// Vertices of glue and of held components belong to the body's mesh; a vertex has one holder.
void check_vertices(const SoftBody& b, const std::string& name) {
  const int count = static_cast<int>(b.mesh.vertices.size());
  const auto check = [&](const std::string& what, const std::vector<int>& vertices) {
    if (vertices.empty()) refuse(what, "", "holds no vertices", "list some or leave it out");
    for (const int v : vertices)
      if (v < 0 || v >= count)
        refuse(what, "vertex " + std::to_string(v),
               "must be from 0 to " + std::to_string(count - 1),
               "use vertex numbers of the body's own mesh");
  };
  std::map<int, const Glue*> holder;
  for (const Glue& g : b.glue) {
    check(name + ", glue", g.vertices);
    for (const int v : g.vertices) {
      const Glue* first = holder.emplace(v, &g).first->second;
      if (first->body != g.body)
        refuse(name + ", glue", "vertex " + std::to_string(v),
               "is held by \"" + first->body + "\" and by \"" + g.body + "\"",
               "glue it to one of the two");
    }
  }
  for (const HeldVertices& h : b.held) {
    check(name + ", held", h.vertices);
    if (!h.axis[0] && !h.axis[1] && !h.axis[2])
      refuse(name + ", held", "", "holds no axis", "name x, y or z");
  }
}

// Times that rise, and a value that `check` accepts at each.
template <class V, class Check>
void check_history(const std::string& what, const History<V>& h, const Check& check) {
  for (std::size_t i = 0; i < h.size(); ++i) {
    const double t = h[i].time;
    if (!std::isfinite(t) || (i > 0 && t <= h[i - 1].time))
      refuse(what + " time", internal::format_number(t) + " s",
             "must be finite and later than the one before", "sort the values by time");
    check(h[i].value);
  }
}

void check_loads(const SoftBody& b, const std::string& name) {
  const int count = static_cast<int>(b.mesh.vertices.size());
  const auto vector_within = [](const std::string& what, double limit, const std::string& unit) {
    return [what, limit, unit](const Vec3d& v) {
      for (int c = 0; c < 3; ++c) check_range(what, v[c], -limit, limit, unit);
    };
  };
  for (const NodalForce& f : b.forces) {
    const std::string what = name + ", force";
    if (f.vertices.empty()) refuse(what, "", "acts on no vertices", "list some or leave it out");
    for (const int v : f.vertices)
      if (v < 0 || v >= count)
        refuse(what, "vertex " + std::to_string(v),
               "must be from 0 to " + std::to_string(count - 1),
               "use vertex numbers of the body's own mesh");
    if (f.force.empty()) refuse(what, "", "has no value", "give three numbers in N");
    check_history(what, f.force, vector_within(what, kLargestForce, "N"));
  }
  for (const SurfacePressure& p : b.pressures) {
    const std::string what = name + ", pressure";
    for (const Vec3i& t : p.triangles)
      for (int k = 0; k < 3; ++k)
        if (t[k] < 0 || t[k] >= count)
          refuse(what, "vertex " + std::to_string(t[k]),
                 "must be from 0 to " + std::to_string(count - 1),
                 "use vertex numbers of the body's own mesh");
    if (p.pressure.empty()) refuse(what, "", "has no value", "give a number in Pa");
    check_history(what, p.pressure, [&](double v) {
      check_range(what, v, -kLargestPressure, kLargestPressure, "Pa");
    });
  }
  const std::string what = name + ", acceleration";
  check_history(what, b.acceleration, vector_within(what, kLargestAcceleration, "m/s2"));
}

void check_frozen(const Scene& s, const SoftBody& b, const std::string& name) {
  const std::string what = name + ", contact frozen";
  if (b.is_layer())
    refuse(what, "", "is not for model hydroelastic, whose coat is in frozen contact by itself",
           "leave one of the two out");
  if (b.self_contact)
    refuse(what, "", "knows no contact of a surface with itself", "leave self_contact out");
  if (s.sim.integrator == static_cast<int>(Integrator::kBdf2))
    refuse(what, "", "moves by implicit_euler or quasi_static only", "leave sim.integrator out");
}

void check_parts(const Scene& s, const SoftBody& b) {
  const std::string name = named(b);
  check_extent(name, require_volume(b.mesh, name).box);
  check_options_of(name, b.material);
  if (b.material.mooney_ratio != 0 &&
      !traits_of(static_cast<ElasticLaw>(b.material.law)).second_invariant)
    refuse(name + ", material.mooney_ratio", to_text(b.material.mooney_ratio),
           "belongs to law mooney_rivlin only", "leave it out, or choose law mooney_rivlin");
  if (b.is_frozen()) check_frozen(s, b, name);
  check_vertices(b, name);
  check_loads(b, name);
  check_pose(name + " pose", b.pose);
}

void check_parts(const Scene&, const PrescribedBody& b) {
  const std::string name = named(b);
  if (!b.surface.vertices.empty() || !b.surface.empty()) {
    Aabb box = require_contact_surface(b.surface, name).box;
    if (b.surface.points.size() == 1 && b.surface.triangles.empty() && b.surface.segments.empty())
      box = box.inflated(1);  // a point has no size
    check_extent(name, box);
  }
  for (std::size_t i = 0; i < b.trajectory.size(); ++i) {
    check_pose(name + " keyframe " + std::to_string(i), b.trajectory[i].pose);
    const double t = b.trajectory[i].time;
    if (!std::isfinite(t) || (i > 0 && t <= b.trajectory[i - 1].time))
      refuse(name + " keyframe " + std::to_string(i) + " time", internal::format_number(t) + " s",
             "must be finite and later than the one before", "sort the keyframes by time");
  }
}

void check_parts(const Scene&, const AffineBody& b) {
  const std::string name = named(b);
  if (!b.surface.only_triangles())
    refuse(name,
           std::to_string(b.surface.segments.size()) + " segments, " +
               std::to_string(b.surface.points.size()) + " points",
           "has a surface with segments or points, which only prescribed bodies can have",
           "leave them out, or make the body a prescribed one");
  const SurfaceReport report = require_contact_surface(b.surface, name);
  if (!report.outward())
    refuse(name, "", "needs a closed surface whose triangles face outward",
           "repair it, or make the body a prescribed one");
  check_extent(name, report.box);
  if (b.guide && squared_norm(b.angular_velocity) > 0)
    refuse(name + " omega", "", "cannot be had by a body on a guide", "leave it out");
  if (b.mass > 0) check_mass_properties(name, b.mass, b.inertia);
}

void check_parts(const Scene& s, const MaterialPoints& b) {
  const std::string name = named(b);
  if (s.sim.integrator != static_cast<int>(Integrator::kImplicitEuler))
    refuse(name, "", "moves by the integrator implicit_euler only", "leave sim.integrator out");
  if (b.return_mapping == 1 && b.law == static_cast<int>(ParticleLaw::kNeoHookean))
    refuse(name + " return_mapping", "published", "is of the law corotated", "leave it out");
  if (b.contact_at == 1 && b.law == static_cast<int>(ParticleLaw::kLiquid))
    refuse(name + " contact_at", "nodes", "is not of a liquid, which touches with both",
           "leave it out");
  for (const MaterialPoints& o : s.material_points)
    if (!b.grid.empty() && o.grid == b.grid && o.cell != b.cell)
      refuse(name + " cell", to_text(b.cell) + " m",
             "must be that of \"" + o.name + "\" on the same grid, " + to_text(o.cell) + " m",
             "give both one size, or grids of their own");
}

namespace {

void check_axis(const std::string& name, const Constraint& c) {
  const bool bounded = std::isfinite(c.lower) || std::isfinite(c.upper);
  for (const auto& [what, given] :
       {std::pair{" limits", bounded}, std::pair{" stiffness", c.stiffness != 0},
        std::pair{" reference", c.reference != 0}, std::pair{" damping", c.damping != 0},
        std::pair{" friction", c.friction != 0}, std::pair{" motor", c.motor.has_value()}})
    if (given && !c.has_axis())
      refuse(name + what, "", "is of the kinds hinge and slider only",
             "leave it out, or give the kind");
  const std::string unit = c.turns() ? " rad" : " m";
  if (!(c.lower <= c.upper))
    refuse(name + " limits", to_text(c.lower) + " to " + to_text(c.upper) + unit,
           "must be the lower one, then the upper one", "turn them round");
  const auto demand = [&](const std::string& what, double value, bool signs, bool endless) {
    if (std::isnan(value) || (!signs && value < 0) || (!endless && std::isinf(value)))
      refuse(name + what, to_text(value),
             endless ? "must be 0 or more"
             : signs ? "must be finite"
                     : "must be 0 or more and finite",
             c.turns() ? "give SI units, angles in rad" : "give SI units");
  };
  demand(" reference", c.reference, true, false);
  if (!c.motor) return;
  demand(" motor kp", c.motor->kp, false, false);
  demand(" motor kd", c.motor->kd, false, false);
  demand(" motor ki", c.motor->ki, false, false);
  demand(" motor integral_limit", c.motor->integral_limit, false, true);
  demand(" motor effort", c.motor->effort, false, true);
  demand(" motor position", c.motor->position.value_or(0), true, false);
  demand(" motor velocity", c.motor->velocity, true, false);
}

}  // namespace

void check_parts(const Scene& s, const Constraint& c) {
  const std::string name = named(c);
  check_axis(name, c);
  if (c.other) check_pose(name + " other", *c.other);
  if (c.a == c.b) refuse(name, "\"" + c.a + "\"", "joins a body to itself", "name another body");
  if (c.distance != 0 && c.kind != static_cast<int>(ConstraintKind::kDistance))
    refuse(name + " distance", to_text(c.distance) + " m", "is of kind distance only",
           "leave it out");
  if (c.kind == static_cast<int>(ConstraintKind::kDistance) && !c.other)
    refuse(name, "", "of kind distance needs the other point too", "give it as `other`");
  const LinkName a = find_link(s, c.a), b = find_link(s, c.b);
  const auto moves = [&](const std::string& body, const LinkName& link) {
    if (body.empty()) return false;
    if (link.robot < 0) return true;
    const Robot& robot = s.robots[static_cast<std::size_t>(link.robot)].robot;
    return robot.joints.empty() ||
           !(robot.links.size() == 1 && robot.joints[0].kind == JointKind::kFixed);
  };
  if (!moves(c.a, a) && !moves(c.b, b))
    refuse(name, "", "joins two bodies that cannot move", "name one that moves");
}

void check_parts(const Scene&, const SceneCamera& c) {
  if (!(c.near < c.far))
    refuse(named(c) + " near", to_text(c.near) + " m",
           "must be less than far, " + to_text(c.far) + " m", "move one of them");
  if (c.look_at && !(norm(*c.look_at - c.pose.p) > limits::kSmallestLength))
    refuse(named(c) + " look_at", "", "is where the camera is", "give another point");
  if (c.look_at && !(vabs(c.pose.q.w) > 1 - 1e-12))
    refuse(named(c), "", "has both a rotation and a look_at", "leave one of them out");
}

}  // namespace

void validate(const Scene& s) {
  check_options(s.sim);
  check_options(s.newton);
  check_options(s.solver);
  check_options(s.contact);
  check_options(s.point_contact);
  check_names(s);
  check_pairs(s);
  each_kind(s, [&](const auto& list) {
    for (const auto& entry : list) {
      check_fields(named(entry), entry);
      check_parts(s, entry);
    }
  });
}

}  // namespace haptos
