#include "haptos/files/urdf/urdf.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/text/text.h"
#include "haptos/files/urdf/urdf_reader.h"

namespace haptos {

namespace {

using urdf::in_quotes;
using urdf::Reader;

void read_inertial(Reader& r, const xml::Element& e, const std::string& of_link, RobotLink& link) {
  const std::string what = of_link + ", inertial";
  r.known(e, what, {}, {"origin", "mass", "inertia"}, {"origin", "mass", "inertia"});
  const Pose frame = r.origin(e, what);
  const xml::Element& mass = r.need_child(e, "mass", what, "give <mass value=\"...\"/> in kg");
  r.known(mass, what, {"value"});
  const xml::Attribute& value = r.need(mass, "value", what, "give the mass in kg");
  link.mass = r.number(value, what + ", mass", 0, 1e12);
  link.centre = frame.p;
  const xml::Element& inertia = r.need_child(
      e, "inertia", what, "give ixx, ixy, ixz, iyy, iyz, izz about the centre of mass in kg m2");
  r.known(inertia, what, {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"});
  const std::string of = what + ", inertia";
  constexpr double kMost = 1e18;
  // Negative ones are read: check_robot() says what is wrong with the tensor as a whole.
  const auto diagonal = [&](const char* name) {
    return r.number(r.need(inertia, name, what, "give it in kg m2"), of, -kMost, kMost);
  };
  const auto product = [&](const char* name) {
    return r.number_or(inertia, name, of, -kMost, kMost, 0);
  };
  const double xx = diagonal("ixx"), yy = diagonal("iyy"), zz = diagonal("izz");
  const double xy = product("ixy"), xz = product("ixz"), yz = product("iyz");
  const Mat3d tensor{{xx, xy, xz, xy, yy, yz, xz, yz, zz}};
  const bool turned = frame.q.x != 0 || frame.q.y != 0 || frame.q.z != 0;
  const Mat3d turn = to_matrix(frame.q);
  const Mat3d t = turned ? turn * tensor * transpose(turn) : tensor;
  link.inertia = (t + transpose(t)) * 0.5;
}

urdf::LinkEntry read_link(Reader& r, const xml::Element& e) {
  urdf::LinkEntry entry;
  entry.line = e.line;
  entry.link.name = r.name(e, "name", "a link");
  const std::string what = "link " + in_quotes(entry.link.name);
  r.known(e, what, {"name", "type"}, {"inertial", "visual", "collision", "contact"},
          {"inertial", "contact"});
  if (const xml::Element* inertial = e.child("inertial"))
    read_inertial(r, *inertial, what, entry.link);
  for (const xml::Element* c : e.children)
    if (c->name == "visual" || c->name == "collision")
      r.read_shape(*c, what, c->name == "visual", entry.link);
  if (const xml::Element* contact = e.child("contact")) r.read_contact(*contact, what, entry.link);
  return entry;
}

const char* remedy_for(const std::string& root) {
  if (root == "mujoco") return "this is MJCF; read it as .xml with the MJCF reader";
  if (root == "sdf") return "this is SDF; convert it to URDF";
  if (root == "COLLADA") return "this is a mesh; a robot names it from a <mesh>";
  return "give a URDF file";
}

// Joints whose bound was left at 0 by an exporter, said in one sentence.
void warn_of_zero_effort(Reader& r) {
  std::string list;
  int count = 0, line = 0;
  for (const urdf::JointEntry& j : r.joints) {
    if (q_size(j.joint.kind) != 1 || j.joint.effort != 0) continue;
    if (count == 0) line = j.line;
    if (count++ < 4) list += (list.empty() ? "" : ", ") + in_quotes(j.joint.name);
  }
  if (count > 0)
    r.warn(line, "the effort of " + std::to_string(count) + (count == 1 ? " joint" : " joints") +
                     " is 0, so their motors can do nothing: " + list +
                     (count > 4 ? " and others." : "."));
}

}  // namespace

Robot parse_urdf(std::string_view text, const std::string& name,
                 const std::filesystem::path& folder, const UrdfOptions& options) {
  const xml::Document document(text, name, options.xml);
  const xml::Element& root = document.root();
  Reader r(name, folder, options);
  if (root.name != "robot")
    r.fail(root.line, "<" + printable(root.name) + ">", "", "a URDF file holds one <robot>",
           remedy_for(root.name));
  r.known(root, "the robot", {"name", "version"},
          {"link", "joint", "material", "transmission", "gazebo", "ros2_control", "sensor",
           "loop_joint", "mujoco", "group", "plugin"});
  Robot robot;
  if (const xml::Attribute* n = root.find("name")) robot.name = r.text(*n, "the robot");
  for (const xml::Element* e : root.children)
    if (e->name == "material") r.read_material(*e);
  for (const xml::Element* e : root.children) {
    if (e->name == "link") r.links.push_back(read_link(r, *e));
    if (e->name == "joint") r.joints.push_back(urdf::read_joint(r, *e));
    if (e->name == "sensor" || e->name == "loop_joint")
      r.warn(e->line, "<" + e->name + "> is not read and is left out.");
  }
  r.resolve_materials();
  warn_of_zero_effort(r);
  urdf::build_tree(r, robot);
  robot.warnings = r.take_warnings();
  return robot;
}

Robot read_urdf(const std::filesystem::path& path, const UrdfOptions& options) {
  std::filesystem::path folder = path.parent_path();
  if (folder.empty()) folder = ".";
  if (path.extension() == ".xacro")
    return parse_urdf(run_xacro(path, options), path.string() + " (expanded)", folder, options);
  return parse_urdf(read_regular_file(path, options.xml.max_bytes), path.string(), folder, options);
}

}  // namespace haptos
