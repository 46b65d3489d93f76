// Affine bodies and friction of a scene file.
#include <algorithm>

#include "haptos/base/text/text.h"
#include "haptos/files/scene/scene_file_parts.h"

namespace haptos::scene_file {
namespace {

constexpr double kStrongest = 1e12;  // [N] and [N m]
constexpr double kMostFriction = 100;

Vec3d read_load(const Value& v, const char* unit) {
  v.list(3, 3);
  Vec3d f{};
  for (int k = 0; k < 3; ++k)
    f[k] = v.item(static_cast<std::size_t>(k)).number(unit, -kStrongest, kStrongest);
  return f;
}

// Three principal moments along the axes of the body's frame, or three rows of three.
Mat3d read_inertia(const Value& v) {
  v.list(3, 3);
  Mat3d m = Mat3d::zero();
  for (int i = 0; i < 3; ++i) {
    const Value row = v.item(static_cast<std::size_t>(i));
    if (!row.is_list()) {
      m(i, i) = row.number("kg m2", 0, 1e30);
      continue;
    }
    row.list(3, 3);
    for (int j = 0; j < 3; ++j)
      m(i, j) = row.item(static_cast<std::size_t>(j)).number("kg m2", -1e30, 1e30);
  }
  return m;
}

void read_mass(const Value& v, AffineBody& b) {
  const auto mass = v.find("mass");
  if (mass && v.find("density"))
    v.fail("", "must not have both \"mass\" and \"density\"", "remove one of them");
  for (const char* key : {"centre", "inertia"})
    if (const auto x = v.find(key); x && !mass)
      x->fail("", "goes with \"mass\"", "add the mass, or remove it: the density decides");
  read_if(v, "density", "kg/m3", 1e-6, 1e9, b.density);
  if (!mass) return;
  b.mass = mass->number("kg", 1e-12, 1e12);
  if (const auto centre = v.find("centre")) b.centre = read_position(*centre);
  b.inertia = read_inertia(
      v.at("inertia", "give the moments about the centre of mass, [Ixx, Iyy, Izz] in kg m2"));
}

}  // namespace

void read_friction(const Value& v, Friction& out) {
  const auto x = v.find("friction");
  if (!x) return;
  if (!x->is_list()) {
    out.sticking = x->number("", 0, kMostFriction);
    if (out.sticking == 0) out.sliding = 0;  // said, not left out: doubts.h
    return;
  }
  x->list(2, 2);
  out.sticking = x->item(0).number("", 0, kMostFriction);
  out.sliding = x->item(1).number("", 0, kMostFriction);
  if (out.sliding > out.sticking)
    x->fail(to_text(out.sliding) + " after " + to_text(out.sticking),
            "must be [static, kinetic], the kinetic one not above the static one",
            "exchange the two, or give one number for both");
}

AffineBody read_affine(Reading& r, const Value& v) {
  v.keys({"name", "mesh", "shape", "pose", "velocity", "omega", "density", "mass", "centre",
          "inertia", "stiffness", "force", "torque", "friction", "guide", "gravity", "layer"});
  AffineBody b;
  b.name = read_name(r, v, "affine body");
  b.surface = only_one(v, {"mesh", "shape"}) == "mesh" ? read_surface_file(r, *v.find("mesh"))
                                                       : read_shape(r, *v.find("shape"));
  if (const auto pose = v.find("pose")) b.pose = read_pose(*pose);
  if (const auto velocity = v.find("velocity")) b.velocity = read_rates(*velocity, "m/s");
  if (const auto omega = v.find("omega")) b.angular_velocity = read_rates(*omega, "rad/s");
  read_mass(v, b);
  read_if(v, "stiffness", "Pa", 1, 1e14, b.stiffness);
  if (const auto force = v.find("force")) b.force = read_load(*force, "N");
  if (const auto torque = v.find("torque")) b.torque = read_load(*torque, "N m");
  if (const auto guide = v.find("guide")) b.guide = read_direction(*guide);
  if (const auto gravity = v.find("gravity")) b.gravity = gravity->boolean();
  read_friction(v, b.friction);
  b.layer = read_layer(r, v);
  return b;
}

}  // namespace haptos::scene_file
