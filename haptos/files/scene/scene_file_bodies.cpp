// Prescribed bodies, half-spaces and pairs of a scene file.
#include "haptos/base/text/text.h"
#include "haptos/files/scene/scene_file_parts.h"

namespace haptos::scene_file {
namespace {

constexpr double kFastest = 1e6;  // [m/s] and [rad/s]

std::vector<Keyframe> read_trajectory(const Value& v) {
  std::vector<Keyframe> all;
  const std::size_t n = v.list(1, 100'000);
  for (std::size_t i = 0; i < n; ++i) {
    const Value k = v.item(i);
    k.keys({"time", "position", "rotation"});
    Keyframe frame;
    const Value time = k.at("time", "write for example time: 0.5 s");
    frame.time = time.number("s", -1e9, 1e9);
    if (i > 0 && frame.time <= all.back().time)
      time.fail(to_text(frame.time) + " s",
                "must be later than " + to_text(all.back().time) + " s, the time before it",
                "sort the keyframes by time");
    frame.pose.p = read_position(k.at("position", "write for example position: [0, 0, 5 mm]"));
    if (const auto rotation = k.find("rotation")) frame.pose.q = read_rotation(*rotation);
    all.push_back(frame);
  }
  return all;
}

}  // namespace

Vec3d read_rates(const Value& v, const char* unit) {
  v.list(3, 3);
  Vec3d w{};
  for (int k = 0; k < 3; ++k)
    w[k] = v.item(static_cast<std::size_t>(k)).number(unit, -kFastest, kFastest);
  return w;
}

void read_if(const Value& v, const char* key, const char* unit, double low, double high,
             double& out) {
  if (const auto x = v.find(key)) out = x->number(unit, low, high);
}

PrescribedBody read_prescribed(Reading& r, const Value& v) {
  v.keys({"name", "mesh", "shape", "pose", "trajectory", "friction", "layer"});
  PrescribedBody b;
  b.name = read_name(r, v, "prescribed body");
  if (only_one(v, {"mesh", "shape"}) == "mesh") {
    b.surface = read_surface_file(r, *v.find("mesh"));
  } else if (const Value shape = *v.find("shape"); !shape.is_scalar() || shape.text() != "none") {
    b.surface = read_shape(r, shape);
  }
  read_friction(v, b.friction);
  b.layer = read_layer(r, v);
  if (v.find("pose") && v.find("trajectory"))
    v.fail("", "must not have both \"pose\" and \"trajectory\"",
           "a body that moves has a trajectory, one that rests a pose");
  if (const auto pose = v.find("pose")) b.trajectory.push_back({0, read_pose(*pose)});
  if (const auto trajectory = v.find("trajectory")) b.trajectory = read_trajectory(*trajectory);
  return b;
}

Vec3d read_direction(const Value& v) {
  const Vec3d n = v.vector("");
  const double length = norm(n);
  if (!(length > 1e-12 && length < 1e12))
    v.fail("length " + to_text(length), "must have a direction", "for example [0, 0, 1]");
  return n * (1 / length);
}

HalfSpace read_half_space(Reading& r, const Value& v) {
  v.keys({"name", "normal", "offset", "friction", "layer"});
  HalfSpace h;
  h.name = read_name(r, v, "half-space");
  if (const auto normal = v.find("normal")) h.normal = read_direction(*normal);
  read_if(v, "offset", "m", -kLargestLength, kLargestLength, h.offset);
  read_friction(v, h.friction);
  h.layer = read_layer(r, v);
  return h;
}

PairOptions read_pair(Reading& r, const Value& v) {
  v.keys({"bodies", "enabled", "model", "stiffness", "support", "friction"});
  PairOptions p;
  const Value bodies = v.at("bodies", "name the two bodies, for example bodies: [gel, sphere]");
  bodies.list(2, 2);
  p.a = bodies.item(0).text();
  p.b = bodies.item(1).text();
  r.references.push_back({bodies.item(0), p.a, false});
  r.references.push_back({bodies.item(1), p.b, false});
  if (const auto enabled = v.find("enabled")) p.enabled = enabled->boolean();
  read_if(v, "stiffness", "Pa/m", 0, 1e16, p.stiffness);
  read_if(v, "support", "m", 1e-9, 1, p.support);
  if (const auto model = v.find("model"))
    p.model = static_cast<int>(read_word(*model, {"barrier", "mortar"}));
  read_friction(v, p.friction);
  return p;
}

}  // namespace haptos::scene_file
