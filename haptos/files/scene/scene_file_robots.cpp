// Robots and rigid bodies of a scene file.
#include <algorithm>

#include "haptos/base/text/text.h"
#include "haptos/files/scene/scene_file_fields.h"
#include "haptos/files/urdf/srdf.h"
#include "haptos/files/urdf/urdf.h"
#include "haptos/scene/rigid.h"
#include "haptos/scene/robot/mimic_start.h"
#include "haptos/sim/model/robots.h"

namespace haptos::scene_file {
namespace {

const RobotJoint& find_joint(const Robot& robot, const Value& place, const std::string& name) {
  std::vector<std::string> known;
  for (const RobotJoint& j : robot.joints) {
    if (j.name == name) return j;
    known.push_back(j.name);
  }
  const std::string near = nearest_name(name, known);
  place.fail("\"" + printable(name) + "\"", "is no joint of this robot",
             near.empty() ? "name one of its joints"
                          : "the nearest known name is \"" + printable(near) + "\"");
}

// One number with the joint's unit, or all of a joint that has several.
std::vector<double> read_coordinates(const Value& v, JointKind kind) {
  if (kind == JointKind::kRevolute) return {v.number("rad", -1e4, 1e4)};
  if (kind == JointKind::kPrismatic) return {v.number("m", -1e4, 1e4)};
  const auto n = static_cast<std::size_t>(q_size(kind));
  if (n == 0) v.fail("", "is of a fixed joint, which has no coordinates", "leave it out");
  v.list(n, n);
  std::vector<double> q;
  for (std::size_t i = 0; i < n; ++i) q.push_back(v.item(i).number("", -1e4, 1e4));
  return q;
}

void read_start(const Value& v, Robot& robot) {
  v.map();
  std::set<std::string> given;
  for (std::size_t i = 0; i < v.node().entries.size(); ++i) {
    const Value q = v.entry(i);
    auto& j = const_cast<RobotJoint&>(find_joint(robot, q, v.node().entries[i].key));
    j.position = read_coordinates(q, j.kind);
    given.insert(j.name);
  }
  start_mimics(robot, given);
}

void read_motors(const Value& v, Robot& robot) {
  v.keys({"joints", "kp", "kd", "ki", "integral_limit", "effort"});
  std::vector<const RobotJoint*> driven;
  if (const auto joints = v.find("joints")) {
    const std::size_t n = joints->list(1, 10'000);
    for (std::size_t i = 0; i < n; ++i)
      driven.push_back(&find_joint(robot, joints->item(i), joints->item(i).text()));
  } else {
    for (const RobotJoint& j : robot.joints)
      if (v_size(j.kind) == 1 && !j.mimic) driven.push_back(&j);
  }
  for (const RobotJoint* j : driven) {
    RobotMotor m;
    m.joint = j->name;
    m.effort = j->effort;
    read_gains(v, j->kind != JointKind::kPrismatic, m);
    robot.motors.push_back(m);
  }
}

Robot read_urdf_file(Reading& r, const Value& v, const std::filesystem::path& path) {
  UrdfOptions o;
  o.search_packages = false;  // a scene opens files of its own folders only
  o.read_visuals = false;
  if (const auto base = v.find("base"))
    o.base =
        read_word(*base, {"fixed", "floating"}) == 0 ? RobotBase::kFixed : RobotBase::kFloating;
  if (const auto hulls = v.find("hulls")) o.hulls = hulls->boolean();
  if (const auto packages = v.find("packages")) {
    packages->map();
    for (std::size_t i = 0; i < packages->node().entries.size(); ++i)
      o.packages[packages->node().entries[i].key] = find_asset(r, packages->entry(i));
  }
  o.roots.push_back(r.root);
  o.read_other = r.readers.surface;
  o.meshes.max_bytes = r.limits.max_mesh_bytes;
  o.meshes.max_elements = r.limits.max_elements - r.elements;
  Robot robot = read_urdf(path, o);
  if (const auto srdf = v.find("srdf")) {
    const auto state = v.find("state");
    read_srdf(find_asset(r, *srdf), robot, state ? state->text() : "");
  }
  return robot;
}

Robot read_mjcf_file(Reading& r, const Value& v, const std::filesystem::path& path) {
  const Value file = *v.find("file");
  if (!r.readers.mjcf)
    file.fail("\"" + printable(path.filename().string()) + "\"",
              "is MJCF, which MuJoCo's compiler reads",
              "load the scene in Python with the package mujoco, or name a .urdf file");
  for (const char* key : {"base", "packages", "srdf"})
    if (const auto given = v.find(key))
      given->fail("", "is for URDF: an MJCF file says it itself", "remove it");
  MjcfRequest request{path, r.root, "", true};
  if (const auto state = v.find("state")) request.key = state->text();
  if (const auto hulls = v.find("hulls")) request.hulls = hulls->boolean();
  Robot robot = located(file, [&] { return r.readers.mjcf(request); });
  for (RobotLink& l : robot.links) l.visuals.clear();  // as of URDF
  return robot;
}

Robot read_robot_file(Reading& r, const Value& v) {
  const Value file = v.at("file", "name a .urdf or .xml file");
  const std::filesystem::path path = find_asset(r, file);
  const bool mjcf = path.extension() == ".xml" || path.extension() == ".mjcf";
  if (!mjcf && path.extension() != ".urdf")
    file.fail("\"" + printable(path.filename().string()) + "\"",
              "must be a .urdf file, or MJCF in an .xml file",
              "write the URDF once with xacro, or load other files in Python");
  Robot robot = mjcf ? read_mjcf_file(r, v, path) : read_urdf_file(r, v, path);
  for (const RobotLink& l : robot.links)
    for (const RobotShape& s : l.collisions)
      if (s.shape.mesh) r.elements += static_cast<std::int64_t>(s.shape.mesh->triangles.size());
  r.check_elements(file, 0);
  return robot;
}

// A file, or {file, interpolation, loop}; its columns are motors of the robot.
Trajectory read_motion(Reading& r, const Value& v, const Robot& robot) {
  const auto read = [&](const Value& file, Interpolation way, bool loop) {
    const std::filesystem::path path = find_asset(r, file);
    if (path.extension() != ".csv")
      file.fail("\"" + printable(path.filename().string()) + "\"", "must be a .csv file",
                "write its rows as text, or play it in Python (haptos.load_trajectory)");
    Trajectory t = read_trajectory(path, way, loop);
    located(file, [&] { motors_played(t, robot); });
    return t;
  };
  if (v.is_scalar()) return read(v, Interpolation::kLinear, false);
  v.keys({"file", "interpolation", "loop"});
  Interpolation way = Interpolation::kLinear;
  if (const auto word = v.find("interpolation"))
    if (read_word(*word, {"linear", "cubic"}) == 1) way = Interpolation::kCubic;
  const auto loop = v.find("loop");
  return read(v.at("file", "name a .csv file"), way, loop && loop->boolean());
}

std::vector<double> read_sizes(const Value& v, std::initializer_list<const char*> keys) {
  std::vector<double> sizes;
  for (const char* k : keys)
    sizes.push_back(read_length(v.at(k, std::string("write for example ") + k + ": 10 mm")));
  return sizes;
}

}  // namespace

static RobotShape read_rigid_shape(Reading& r, const Value& v) {
  v.keys({"sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "hull", "mesh", "points",
          "half_space", "pose"});
  const std::string kind = only_one(v, {"sphere", "box", "capsule", "cylinder", "cone", "ellipsoid",
                                        "hull", "mesh", "points", "half_space"});
  const Value p = *v.find(kind.c_str());
  RobotShape s;
  s.name = kind;
  if (const auto pose = v.find("pose")) s.frame = read_pose(*pose);
  const auto set = [&](ShapeKind k, const Vec3d& size) { s.shape.kind = k, s.shape.size = size; };
  if (kind == "hull" || kind == "mesh") {
    set(kind == "hull" ? ShapeKind::kHull : ShapeKind::kMesh, Vec3d::zero());
    s.shape.mesh = std::make_shared<const TriMesh>(read_surface_file(r, p));
    return s;
  }
  if (kind == "points") {
    p.keys({"file", "unit", "radius"});
    const auto radius = p.find("radius");
    set(ShapeKind::kMesh, {{radius ? read_length(*radius) : 0, 0, 0}});
    s.shape.mesh = std::make_shared<const TriMesh>(read_cloud_file(r, p));
    return s;
  }
  if (kind == "half_space") {
    p.keys({});
    set(ShapeKind::kHalfSpace, Vec3d::zero());
  } else if (kind == "sphere") {
    p.keys({"radius"});
    set(ShapeKind::kSphere, {{read_sizes(p, {"radius"})[0], 0, 0}});
  } else if (kind == "box" || kind == "ellipsoid") {
    p.keys({"size"});
    const Value size = p.at("size", "write for example size: [4 cm, 4 cm, 4 cm]");
    size.list(3, 3);
    set(kind == "box" ? ShapeKind::kBox : ShapeKind::kEllipsoid,
        {{0.5 * read_length(size.item(0)), 0.5 * read_length(size.item(1)),
          0.5 * read_length(size.item(2))}});
  } else {
    const char* along = kind == "capsule" ? "length" : "height";
    p.keys({"radius", along});
    const std::vector<double> d = read_sizes(p, {"radius", along});
    set(kind == "capsule"    ? ShapeKind::kCapsule
        : kind == "cylinder" ? ShapeKind::kCylinder
                             : ShapeKind::kCone,
        {{d[0], 0.5 * d[1], 0}});
  }
  return s;
}

// Links may be named by glue and pairs.
static void name_links(Reading& r, const Value& v, const RobotBody& b) {
  for (const std::string& name : link_body_names(b))
    r.names.insert_or_assign(
        name, Reading::Named{name == b.name ? "robot" : "link", v.where().line, true});
}

void read_parts(Reading& r, const Value& v, RobotBody& b) {
  b.robot = read_robot_file(r, v);
  read_sensors(v, b.sensors);
  if (const auto start = v.find("start")) read_start(*start, b.robot);
  if (const auto motors = v.find("motors")) {
    b.robot.motors.clear();
    if (motors->is_list())
      for (std::size_t i = 0, n = motors->list(1, 10'000); i < n; ++i)
        read_motors(motors->item(i), b.robot);
    else
      read_motors(*motors, b.robot);
  }
  if (const auto t = v.find("trajectory")) b.trajectory = read_motion(r, *t, b.robot);
  name_links(r, v, b);
  if (const auto pads = v.find("pads")) read_pads(r, *pads, b);
}

// The rest of an entry whose shapes and own fields were read.
static RobotBody rigid_entry(Reading& r, const Value& v, const std::string& name,
                             std::vector<RobotShape> shapes, const RigidSpec& rigid) {
  RobotContact contact;
  contact.name = name;
  read_fields(r, v, contact);
  read_sensors(v, contact.sensors);
  r.names[name].carries = true;
  return located(v, [&] { return rigid_body(contact, std::move(shapes), rigid); });
}

void read_parts(Reading& r, const Value& v, MaterialPoints& b) {
  b.shape = read_rigid_shape(
      r, v.at("shape", "write for example shape: {box: {size: [4 cm, 4 cm, 4 cm]}}"));
}

RobotBody read_rigid(Reading& r, const Value& v) {
  demand_keys<RigidSpec, RobotContact>(v);
  const std::string name = read_name(r, v, FieldsOf<RigidSpec>::kKind);
  std::vector<RobotShape> shapes;
  if (only_one(v, {"shape", "shapes"}) == "shape") {
    shapes.push_back(read_rigid_shape(r, *v.find("shape")));
  } else {
    const Value list = *v.find("shapes");
    for (std::size_t i = 0, n = list.list(1, 1000); i < n; ++i)
      shapes.push_back(read_rigid_shape(r, list.item(i)));
  }
  RigidSpec rigid;
  read_fields(r, v, rigid);
  return rigid_entry(r, v, name, std::move(shapes), rigid);
}

RobotBody read_sphere(Reading& r, const Value& v) {
  demand_keys<Ball, RobotContact>(v);
  Ball ball;
  const std::string name = read_name(r, v, FieldsOf<Ball>::kKind);
  v.at("radius", "write for example radius: 10 mm");
  v.at("mass", "write for example mass: 100 g");
  read_fields(r, v, ball);
  RobotShape shape;
  shape.name = "sphere";
  shape.shape.kind = ShapeKind::kSphere;
  shape.shape.size[0] = ball.radius;
  RigidSpec rigid;
  static_cast<RigidMotion&>(rigid) = ball;
  rigid.mass = ball.mass;
  return rigid_entry(r, v, name, {shape}, rigid);
}

}  // namespace haptos::scene_file
