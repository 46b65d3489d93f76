#include "haptos/sim/model/robots.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/base/text/error.h"
#include "haptos/base/text/options.h"
#include "haptos/base/text/text.h"
#include "haptos/bodies/tree/tree_kinematics.h"
#include "haptos/geometry/field/distance_field.h"
#include "haptos/geometry/layer/layer_contacts.h"
#include "haptos/geometry/mesh/mass_properties.h"
#include "haptos/geometry/mesh/mesh_check.h"
#include "haptos/geometry/shape/hull.h"
#include "haptos/geometry/shape/shape_properties.h"
#include "haptos/scene/robot/robot_check.h"
#include "haptos/sim/model/pair_models.h"
#include "haptos/sim/model/pressed_inside.h"

namespace haptos {
namespace {

// Links that overlap by more than this at the start are left out of contact with each other [m].
constexpr double kOverlap = 1e-4;

// Base joints moved by the pose; a free one starts there and counts from the world's frame, so that
// its coordinates are the pose of its link.
Robot placed(const RobotBody& spec) {
  Robot r = spec.robot;
  for (RobotJoint& j : r.joints) {
    if (j.parent >= 0) continue;
    j.frame = compose(spec.pose, j.frame);
    if (j.kind != JointKind::kFree) continue;
    if (!j.position.empty() && j.position.size() != 7) continue;  // compile_tree refuses it
    Pose start;
    if (!j.position.empty()) {
      const double* q = j.position.data();
      start = {{{q[0], q[1], q[2]}}, {q[3], q[4], q[5], q[6]}};
    }
    const Pose p = compose(j.frame, start);
    j.position = {p.p[0], p.p[1], p.p[2], p.q.w, p.q.x, p.q.y, p.q.z};
    j.frame = {};
  }
  return r;
}

// Joints that move the body of link a against that of link b, or carry both: 0 or 1 connect them.
bool connected(const Tree& t, int a, int b) {
  const int i = t.links[at_index(a)].body, j = t.links[at_index(b)].body;
  const auto parent = [&](int body) { return body < 0 ? -2 : t.bodies[at_index(body)].parent; };
  return i == j || parent(i) == j || parent(j) == i;
}

void find_no_contact(const RobotBody& spec, RobotModel& m) {
  const int n = static_cast<int>(m.robot.links.size());
  const auto listed = [&](int a, int b) {
    return std::any_of(m.robot.no_contact.begin(), m.robot.no_contact.end(), [&](const auto& p) {
      return (p.first == a && p.second == b) || (p.first == b && p.second == a);
    });
  };
  std::vector<std::vector<Pose>> poses(at_index(n));
  for (int a = 0; a < n; ++a)
    for (const RobotShape& s : m.robot.links[at_index(a)].collisions)
      poses[at_index(a)].push_back(compose(m.start[at_index(a)], s.frame));
  std::vector<ContactSample> samples;
  const auto overlap = [&](int a, int b) {
    double deepest = 0;
    const auto &sa = m.shapes[at_index(a)], &sb = m.shapes[at_index(b)];
    for (std::size_t i = 0; i < sa.size(); ++i)
      for (std::size_t j = 0; j < sb.size(); ++j) {
        samples.clear();
        collide(sa[i], poses[at_index(a)][i], sb[j], poses[at_index(b)][j], 0.0, samples);
        for (const ContactSample& c : samples) deepest = std::max(deepest, -c.gap);
      }
    return deepest;
  };
  // Of two links by their layers, whose surfaces have no depth.
  LayerContacts contacts;
  const auto cross = [&](int a, int b) {
    if (m.layers.empty()) return false;
    const auto part = [&](int link, std::size_t i) {
      const RobotShape& c = m.robot.links[at_index(link)].collisions[i];
      return LayerSurface{m.layers[at_index(link)][i].soup.get(), poses[at_index(link)][i],
                          layer_of(spec, c)};
    };
    for (std::size_t i = 0; i < poses[at_index(a)].size(); ++i)
      for (std::size_t j = 0; j < poses[at_index(b)].size(); ++j) {
        const LayerSurface x = part(a, i), y = part(b, j);
        if (x.width + y.width > 0 && contacts.crosses(x, y)) return true;
      }
    return false;
  };
  std::string first;  // of the pairs that overlap, and how many more there are
  int more = -1;
  for (int b = 0; b < n; ++b)
    for (int a = 0; a < b; ++a) {
      bool never = !spec.self_contact || connected(*m.tree, a, b) || listed(a, b);
      const double depth = never ? 0 : overlap(a, b);
      if (depth > kOverlap || (!never && cross(a, b))) {
        never = true;
        if (++more == 0)
          first = "links \"" + printable(m.robot.links[at_index(a)].name) + "\" and \"" +
                  printable(m.robot.links[at_index(b)].name) + "\" " +
                  (depth > kOverlap ? "overlap by " + to_text(std::round(depth * 1e6) / 1e3) + " mm"
                                    : std::string("cross")) +
                  " at the start";
      }
      if (never) m.no_contact.push_back({a, b});
    }
  if (more >= 0)
    m.warnings.push_back("Robot \"" + printable(spec.name) + "\": " + first +
                         (more ? ", and " + std::to_string(more) + " more pairs do" : "") +
                         ", so they never touch each other.");
}

// Glued masses as masses of their links, with the tree at its start.
void add_glued(const std::vector<GluedMass>& glued, RobotModel& m) {
  for (const GluedMass& g : glued) {
    RobotLink& l = m.robot.links[at_index(g.link)];
    const Vec3d x = to_local(m.start[at_index(g.link)], g.at);
    const double all = l.mass + g.mass;
    if (!(all > 0)) continue;
    const Vec3d r = x - l.centre;  // two masses about their common centre
    const Mat3d spread = Mat3d::identity() * dot(r, r) - outer(r, r);
    l.inertia += spread * (l.mass * g.mass / all);
    l.centre += r * (g.mass / all);
    l.mass = all;
  }
  m.tree = std::make_shared<const Tree>(compile_tree(m.robot));
}

// Longest edge of the facets of a curved shape: they leave it by a five-hundredth of its radius.
double facet_of(const Shape& s) {
  double radius = s.size[0];
  if (s.kind == ShapeKind::kEllipsoid) radius = std::min({s.size[0], s.size[1], s.size[2]});
  return radius / 8;
}

std::vector<TriMesh> live_surfaces(const RobotBody& spec, const RobotLink& link, RobotModel& m) {
  std::vector<TriMesh> all;
  for (const RobotShape& c : link.collisions) {
    all.emplace_back();
    const std::string name =
        "robot \"" + spec.name + "\", link \"" + link.name + "\", collision " + printable(c.name);
    if (c.shape.kind == ShapeKind::kHalfSpace) {
      m.warnings.push_back("Of " + name +
                           ": a half-space does not touch soft, affine or "
                           "prescribed bodies.");
      continue;
    }
    TriMesh mesh = shape_mesh(c.shape, facet_of(c.shape));
    try {
      // One that faces inward would have its ridges for valleys.
      if (require_contact_surface(mesh, name).closed() && solid_moments(mesh, 1).mass < 0)
        for (Vec3i& t : mesh.triangles) std::swap(t[1], t[2]);
    } catch (const InputError& e) {
      mesh = convex_hull(mesh.vertices).mesh();
      m.warnings.push_back("Of " + name + " the convex hull touches soft, affine and prescribed " +
                           "bodies: " + e.what());
    }
    for (Vec3d& x : mesh.vertices) x = c.frame * x;
    all.back() = std::move(mesh);
  }
  return all;
}

void find_carriers(const RobotBody& spec, const std::vector<GluedMass>& glued, bool live,
                   RobotModel& m) {
  for (int i = 0; i < static_cast<int>(m.robot.links.size()); ++i) {
    m.surfaces.emplace_back();
    if (live) m.surfaces.back() = live_surfaces(spec, m.robot.links[at_index(i)], m);
    const bool carries = std::any_of(m.surfaces.back().begin(), m.surfaces.back().end(),
                                     [](const TriMesh& s) { return !s.empty(); });
    if (carries ||
        std::any_of(glued.begin(), glued.end(), [i](const GluedMass& g) { return g.link == i; }))
      m.carriers.push_back(i);
  }
}

// Robot, tree, and where everything is at the start.
RobotModel placed_model(const RobotBody& spec) {
  require_robot(spec.robot, "");
  RobotModel m;
  m.name = spec.name;
  m.pose = spec.pose;
  m.robot = placed(spec);
  m.tree = std::make_shared<const Tree>(compile_tree(m.robot));
  m.position = spec.position.empty() ? m.tree->start : spec.position;
  TreeData<double> data(*m.tree);
  forward_kinematics(*m.tree, m.position.data(), data);
  for (std::size_t i = 0; i < m.robot.links.size(); ++i) {
    const Frame<double> x = link_frame(*m.tree, data, static_cast<int>(i));
    m.start.push_back({x.p, quaternion(x.r)});
  }
  return m;
}

RobotModel compiled(const RobotBody& spec, int first_body, int first_control,
                    const std::vector<GluedMass>& glued, bool live, FrozenNeeds frozen) {
  RobotModel m = placed_model(spec);
  m.velocity = spec.velocity;
  if (m.velocity.empty()) m.velocity.assign(at_index(m.tree->v_count), 0.0);
  if (!glued.empty()) add_glued(glued, m);
  for (const RobotTendon& tendon : m.robot.tendons) {
    std::vector<JointPull> pulls;
    for (const TendonPart& p : tendon.joints) pulls.push_back({m.unknown(p.joint), p.weight});
    m.tendon_pulls.emplace_back(std::move(pulls));
  }
  for (const RobotMotor& motor : m.robot.motors) {
    const RobotTendon* tendon = m.robot.tendon(motor.joint);
    m.motor_pulls.push_back(tendon ? m.tendon_pulls[at_index(tendon - m.robot.tendons.data())]
                                   : JointPulls(m.unknown(motor.joint)));
  }
  if (spec.trajectory) m.played = motors_played(*spec.trajectory, m.robot);
  for (const RobotJoint& j : m.robot.joints)
    if (j.friction > 0 && (j.kind == JointKind::kBall || j.kind == JointKind::kFree))
      m.warnings.push_back("Robot \"" + printable(spec.name) + "\": dry friction of joint \"" +
                           printable(j.name) +
                           "\" is left out: only joints with one coordinate have it.");
  m.first_body = first_body;
  m.controls = {first_control, static_cast<int>(m.robot.motors.size()), m.tree->v_count,
                static_cast<int>(m.robot.links.size()), static_cast<int>(m.tree->bodies.size())};
  for (const RobotLink& l : m.robot.links) {
    m.shapes.emplace_back();
    if (frozen.layers) m.layers.emplace_back();
    if (frozen.fields) m.fields.emplace_back();
    for (const RobotShape& s : l.collisions) {
      const std::string element = "link \"" + l.name + "\", collision " + s.name;
      if (s.shape.mesh && s.shape.mesh->triangles.empty() && !(layer_of(spec, s) > 0))
        throw InputError({"", 0, 0, "robot \"" + spec.name + "\", " + element, "",
                          "has points and no triangles, which touch by a boundary layer only",
                          "give it a layer"});
      m.shapes.back().emplace_back(s.shape, element);
      if (frozen.layers)
        m.layers.back().push_back(layer_shape(s.shape, element, s.sheet, shrink_of(spec, s)));
      if (frozen.fields)
        m.fields.back().push_back(
            field_inside(s.shape, spec.field_resolution, hydroelastic_of(spec, s), element));
    }
  }
  find_no_contact(spec, m);
  find_carriers(spec, glued, live, m);
  return m;
}

}  // namespace

std::vector<int> motors_played(const Trajectory& trajectory, const Robot& robot) {
  std::vector<std::string> known;
  for (const RobotMotor& motor : robot.motors) known.push_back(motor.label());
  std::vector<int> motors;
  for (const std::string& name : trajectory.names()) {
    const auto it = std::find(known.begin(), known.end(), name);
    const std::string near = nearest_name(name, known);
    if (it == known.end())
      throw InputError({"", 0, 0, "trajectory column \"" + printable(name) + "\"", "",
                        "is no motor of this robot",
                        near.empty() ? "name columns after its motors, and give it some"
                                     : "did you mean \"" + near + "\"?"});
    motors.push_back(static_cast<int>(it - known.begin()));
  }
  return motors;
}

int RobotModel::unknown(const std::string& joint) const {
  std::vector<std::string> known;
  for (std::size_t j = 0; j < robot.joints.size(); ++j) {
    const RobotJoint& s = robot.joints[j];
    if (v_size(s.kind) == 1) known.push_back(s.name);
    if (s.name != joint) continue;
    if (v_size(s.kind) != 1)
      throw InputError({"", 0, 0, "joint \"" + joint + "\"", "",
                        "must have one coordinate to be driven",
                        "name a joint that turns about an "
                        "axis or slides along one"});
    return tree->bodies[at_index(tree->joint_body[j])].first_v;
  }
  const std::string near = nearest_name(joint, known);
  throw InputError({"", 0, 0, "joint \"" + joint + "\"", "", "does not exist in this robot",
                    near.empty() ? "name one of its joints" : "did you mean \"" + near + "\"?"});
}

// Does what is given; errors name the robot.
template <class Do>
static auto naming(const RobotBody& spec, const Do& f) {
  try {
    return f();
  } catch (const InputError& e) {
    Diagnostic d = e.diagnostic;
    const std::string name = "robot \"" + spec.name + "\"";
    if (d.element.find(name) == std::string::npos) d.element = name + ", " + d.element;
    throw InputError(d);
  }
}

RobotModel compile_robot(const RobotBody& spec, int first_body, int first_control,
                         const std::vector<GluedMass>& glued, bool live, FrozenNeeds frozen) {
  return naming(spec,
                [&] { return compiled(spec, first_body, first_control, glued, live, frozen); });
}

std::vector<Pose> start_poses(const RobotBody& spec) {
  return naming(spec, [&] { return placed_model(spec).start; });
}

std::vector<std::string> link_body_names(const RobotBody& spec) {
  if (spec.robot.links.size() == 1) return {spec.name};
  std::vector<std::string> names;
  for (const RobotLink& l : spec.robot.links) names.push_back(spec.name + "/" + l.name);
  return names;
}

LinkName find_link(const Scene& scene, const std::string& body) {
  for (std::size_t r = 0; r < scene.robots.size(); ++r) {
    const RobotBody& b = scene.robots[r];
    if (body.compare(0, b.name.size(), b.name) != 0) continue;
    const std::vector<std::string> names = link_body_names(b);
    const auto it = std::find(names.begin(), names.end(), body);
    if (it != names.end()) return {static_cast<int>(r), static_cast<int>(it - names.begin())};
  }
  return {};
}

bool fixed_together(const Robot& robot, int a, int b) {
  const auto root = [&](int link) {
    for (std::size_t left = robot.joints.size(); left > 0; --left) {  // even if they go in a circle
      const auto j =
          std::find_if(robot.joints.begin(), robot.joints.end(), [&](const RobotJoint& k) {
            return k.child == link && k.kind == JointKind::kFixed && k.parent >= 0;
          });
      if (j == robot.joints.end()) break;
      link = j->parent;
    }
    return link;
  };
  return root(a) == root(b);
}

}  // namespace haptos
