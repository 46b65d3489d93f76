// Tactile sensors of a scene file, single ones and sets on robots: each a soft body, its pad, and a
// sensor of the same name that sees it.
#include <algorithm>
#include <limits>

#include "haptos/base/text/text.h"
#include "haptos/files/scene/scene_file_fields.h"
#include "haptos/geometry/mesh/mesh_check.h"
#include "haptos/geometry/shape/shape_properties.h"
#include "haptos/geometry/tree/surface_distance.h"
#include "haptos/sim/model/model.h"
#include "haptos/sim/model/robots.h"

namespace haptos::scene_file {
namespace {

// A name, or a file of this kind as found.
std::string name_or_file(const Reading& r, const Value& name) {
  std::string text = name.text();
  const std::string ending = std::filesystem::path(text).extension().string();
  return ending == ".yaml" || ending == ".yml" ? find_asset(r, name).string() : text;
}

void count_elements(Reading& r, const Value& v, const TetMesh& mesh, int parts_per_tet) {
  const auto elements = static_cast<std::int64_t>(mesh.tets.size()) * parts_per_tet;
  r.check_elements(v, static_cast<double>(elements));
  r.elements += elements;
}

// A name or a sensor file, or {name, folder, near, quality}.
SensorRequest read_request(const Reading& r, const Value& v) {
  SensorRequest q;
  q.root = r.root;
  if (v.is_map()) {
    v.keys({"name", "folder", "near", "quality"});
    if (const auto quality = v.find("quality")) q.quality = quality->text();
    if (const auto folder = v.find("folder")) q.folder = find_asset(r, *folder);
    if (const auto near = v.find("near")) {
      near->list(2, 2);
      for (std::size_t k = 0; k < 2; ++k)
        q.near[k] = near->item(k).number("m", -kLargestLength, kLargestLength);
    }
  }
  q.sensor = name_or_file(r, v.is_map() ? v.at("name", "name a sensor or a sensor file") : v);
  return q;
}

constexpr double kFarthest = 1e-3;  ///< of a glued base from its link [m]

// Distance of the nearest glued vertex to the link's collision shapes [m]; 0 within the box about
// one of them, and where the link has none.
double from_link(const SoftBody& b, const Pose& link_start, const RobotLink& link) {
  double nearest = std::numeric_limits<double>::infinity();
  bool any = false;
  for (const RobotShape& c : link.collisions) {
    if (c.shape.kind == ShapeKind::kHalfSpace) continue;
    any = true;
    const TriMesh mesh = shape_mesh(c.shape, std::max(c.shape.size[0] / 8, 1e-4));
    Aabb box;
    for (const Vec3d& x : mesh.vertices) box.merge(x);
    std::vector<Vec3d> base;
    for (const int v : b.glue.front().vertices) {
      const Vec3d& x = b.mesh.vertices.at(static_cast<std::size_t>(v));
      base.push_back(to_local(c.frame, to_local(link_start, b.pose * x)));
    }
    if (std::any_of(base.begin(), base.end(), [&](const Vec3d& x) { return box.contains(x); }))
      return 0;
    const std::vector<double> d = distance_to_surface(base, mesh);
    nearest = std::min(nearest, *std::min_element(d.begin(), d.end()));
  }
  return any ? nearest : 0;
}

// The sensor over a pad, with the rate and the delay that v asks for.
TactileSensor name_sensor(const Value& v, TactileSensor sensor, const std::string& name) {
  sensor.name = sensor.body = name;
  if (v.is_map()) {
    read_if(v, "rate", "1/s", 0, 1e6, sensor.rate);
    read_if(v, "delay", "s", 0, 100, sensor.delay);
  }
  located(v, [&] { check_tactile_sensor(sensor); });
  return sensor;
}

}  // namespace

SoftBody read_sensor_entry(Reading& r, const Value& v) {
  demand_keys<SoftBody>(v, {"mesh", "surface", "pad", "velocity", "held", "self_contact", "forces",
                            "pressures", "acceleration", "coat"});
  v.at("sensor", "name a sensor or a sensor file, for example sensor: gelsight-mini");
  SoftBody b = read_entry<SoftBody>(r, v);
  if (!v.find("glue") && b.glue.size() == 1)
    r.held_pads.push_back({v, b.name, b.glue.front().body});
  return b;
}

void check_held_pads(const Reading& r, const Scene& s) {
  for (const HeldPad& h : r.held_pads) {
    const LinkName name = find_link(s, h.link);
    if (name.robot < 0) continue;
    const RobotBody& robot = s.robots[static_cast<std::size_t>(name.robot)];
    const RobotLink& link = robot.robot.links[static_cast<std::size_t>(name.link)];
    const Pose start = located(h.place, [&] { return start_pose(s, h.link); });
    for (const SoftBody& b : s.soft) {
      if (b.name != h.body) continue;
      const double far = located(h.place, [&] { return from_link(b, start, link); });
      if (far <= kFarthest) continue;
      h.place.fail(
          "",
          "has its base " + to_text(far * 1e3) +
              " mm from the nearest collision "
              "shape of \"" +
              printable(h.link) + "\"; it must be within 1 mm",
          "move it by pose: position, which is that of the gel frame in the link's, or say "
          "by glue: what holds it");
    }
  }
}

SoftSource read_sensor_pad(Reading& r, const Value& v, int parts_per_tet, SoftBody& b) {
  const Value sensor = *v.find("sensor");
  if (!r.readers.sensor)
    sensor.fail("", "is read by the Python package",
                "load the scene in Python, or give the pad as pad or mesh");
  SensorRequest request = read_request(r, sensor);
  request.body = b.name;
  SensorPad pad = located(sensor, [&] {
    SensorPad made = r.readers.sensor(request);
    require_volume(made.mesh, "");
    return made;
  });
  count_elements(r, sensor, pad.mesh, parts_per_tet);
  b.material = pad.material;
  if (!v.find("friction")) b.friction = {pad.friction, pad.friction};
  r.tactile.push_back(name_sensor(v, pad.sensor, b.name));
  const auto pose = v.find("pose");
  const auto frame = pose && pose->is_map() ? pose->find("frame") : std::nullopt;
  if (!v.find("glue") && frame) {
    b.glue.push_back({frame->text(), pad.base});
  } else if (!v.find("glue")) {
    PrescribedBody mount;
    mount.name = b.name + " mount";
    const auto [it, fresh] =
        r.names.emplace(mount.name, Reading::Named{"prescribed body", v.where().line, false});
    if (!fresh)
      v.fail("\"" + printable(mount.name) + "\"",
             "is to hold this sensor, but is the name of the " + it->second.kind + " on line " +
                 std::to_string(it->second.line),
             "say what holds it: glue: [{body: \"" + printable(mount.name) + "\", where: base}]");
    b.glue.push_back({mount.name, pad.base});
    r.mounts.push_back(std::move(mount));
  }
  return {std::move(pad.mesh), true, std::move(pad.base), {}, {}, std::move(pad.coat)};
}

void read_pads(Reading& r, const Value& v, const RobotBody& robot) {
  if (!r.readers.pads)
    v.fail("", "are read by the Python package", "load the scene in Python, or leave them out");
  PadsRequest q;
  q.robot = robot.name;
  q.root = r.root;
  if (v.is_map()) {
    v.keys({"set", "folder", "rate", "delay", "model"});
    if (const auto folder = v.find("folder")) q.folder = find_asset(r, *folder);
  }
  q.set = name_or_file(r, v.is_map() ? v.at("set", "name a set of pads or its file") : v);
  LinkPads read = located(v, [&] {
    LinkPads made = r.readers.pads(q);
    for (const LinkPad& p : made.pads) require_volume(p.pad.mesh, p.name);
    return made;
  });
  const bool one_link = robot.robot.links.size() == 1;
  const std::string group = robot.name + " pads";
  r.names.emplace(group, Reading::Named{"group", v.where().line, false});
  for (LinkPad& p : read.pads) {
    const std::string name = robot.name + "/" + p.name;
    const std::string link = one_link ? robot.name : robot.name + "/" + p.link;
    // A pad may be called as its link is: what carries is the link.
    const auto [it, fresh] =
        r.names.emplace(name, Reading::Named{"soft body", v.where().line, false});
    if (!fresh && it->second.kind != "link")
      v.fail("\"" + printable(name) + "\"", "would be the name of a pad, but is another's already",
             "rename the pad in its set, or the other");
    count_elements(r, v, p.pad.mesh, 1);
    SoftBody b;
    b.name = name;
    b.group = group;
    b.mesh = std::move(p.pad.mesh);
    b.element = Element::kLinear;
    if (v.is_map())
      if (const auto model = v.find("model"))
        b.model = read_word(*model, words_of(*find_field<SoftBody>("model")));
    b.coat = std::move(p.pad.coat);
    b.material = p.pad.material;
    b.friction = {p.pad.friction, p.pad.friction};
    b.pose = p.pose;
    b.glue.push_back({link, std::move(p.pad.base)});
    r.references.push_back({v, link, true});
    r.relative.push_back({v, name, link});
    r.on_pads.push_back(name_sensor(v, p.pad.sensor, name));
    r.pads.push_back(std::move(b));
  }
  if (read.touch_robot) return;
  PairOptions apart;
  apart.a = robot.name;
  apart.b = group;
  apart.enabled = false;
  r.pairs.push_back(apart);
}

}  // namespace haptos::scene_file
