// Prescribed and affine bodies, half-spaces and pairs of a scene file.
#include "haptos/base/text/text.h"
#include "haptos/files/scene/scene_file_fields.h"

namespace haptos::scene_file {
namespace {

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

void read_if(const Value& v, const char* key, const char* unit, double low, double high,
             double& out) {
  if (const auto x = v.find(key)) out = x->number(unit, low, high);
}

void read_parts(Reading& r, const Value& v, PrescribedBody& b) {
  if (only_one(v, {"mesh", "shape"}) == "mesh") {
    b.surface = read_surface_file(r, *v.find("mesh"));
  } else if (const Value shape = *v.find("shape"); !shape.is_scalar() || shape.text() != "none") {
    b.surface = read_shape(r, shape);
  }
  if (v.find("pose") && v.find("trajectory"))
    v.fail("", "must not have both \"pose\" and \"trajectory\"",
           "a body that moves has a trajectory, one that rests a pose");
  if (const auto pose = v.find("pose")) b.trajectory.push_back({0, read_pose(*pose)});
  if (const auto trajectory = v.find("trajectory")) b.trajectory = read_trajectory(*trajectory);
}

void read_parts(Reading& r, const Value& v, AffineBody& b) {
  b.surface = only_one(v, {"mesh", "shape"}) == "mesh" ? read_surface_file(r, *v.find("mesh"))
                                                       : read_shape(r, *v.find("shape"));
}

Vec3d read_direction(const Value& v) {
  const Vec3d n = v.vector("");
  const double length = norm(n);
  if (!(length > 1e-12 && length < 1e12))
    v.fail("length " + to_text(length), "must have a direction", "for example [0, 0, 1]");
  return n * (1 / length);
}

namespace {

double read_limit(const Value& v, const char* unit, double none) {
  return v.is_scalar() && v.text() == "none" ? none : v.number(unit, -1e6, 1e6);
}

// Of what a hinge or a slider leaves free.
void read_axis(const Value& v, Constraint& c) {
  for (const char* key : {"limits", "stiffness", "reference", "damping", "friction", "motor"})
    if (const auto given = v.find(key); given && !c.has_axis())
      given->fail("", "is of the kinds hinge and slider only", "leave it out, or give the kind");
  const char* unit = c.turns() ? "rad" : "m";
  if (const auto limits = v.find("limits")) {
    limits->list(2, 2);
    c.lower = read_limit(limits->item(0), unit, c.lower);
    c.upper = read_limit(limits->item(1), unit, c.upper);
  }
  if (const auto reference = v.find("reference")) c.reference = reference->number(unit, -1e6, 1e6);
  const auto motor = v.find("motor");
  if (!motor) return;
  motor->keys({"kp", "kd", "ki", "integral_limit", "effort", "position", "velocity"});
  ConstraintMotor& m = c.motor.emplace();
  read_gains(*motor, c.turns(), m);
  read_if(*motor, "velocity", c.turns() ? "rad/s" : "m/s", -limits::kFastest, limits::kFastest,
          m.velocity);
  if (const auto position = motor->find("position")) m.position = position->number(unit, -1e6, 1e6);
}

}  // namespace

void read_parts(Reading& r, const Value& v, Constraint& c) {
  const Value bodies = v.at("bodies", "name one or two, for example bodies: [crate, arm/hand]");
  for (std::size_t i = 0, n = bodies.list(1, 2); i < n; ++i) {
    (i == 0 ? c.a : c.b) = bodies.item(i).text();
    r.references.push_back({bodies.item(i), bodies.item(i).text(), true});
  }
  if (const auto other = v.find("other")) c.other = read_pose(*other);
  read_axis(v, c);
}

void read_parts(Reading& r, const Value& v, SceneCamera& c) {
  const auto frame = v.find("frame");
  if (!frame) return;
  c.frame = frame->text();
  r.references.push_back({*frame, c.frame, true});
}

PairOptions read_pair(Reading& r, const Value& v) {
  demand_keys<PairOptions>(v);
  PairOptions p;
  const Value bodies = v.at("bodies", "name the two bodies, for example bodies: [gel, sphere]");
  bodies.list(2, 2);
  p.a = bodies.item(0).text();
  p.b = bodies.item(1).text();
  r.references.push_back({bodies.item(0), p.a, false});
  r.references.push_back({bodies.item(1), p.b, false});
  read_fields(r, v, p);
  return p;
}

}  // namespace haptos::scene_file
