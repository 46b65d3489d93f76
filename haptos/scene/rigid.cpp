#include "haptos/scene/rigid.h"

#include <cmath>

#include "haptos/base/text/error.h"
#include "haptos/base/text/options.h"
#include "haptos/geometry/shape/shape_moments.h"

namespace haptos {

Robot rigid_robot(const std::string& name, std::vector<RobotShape> shapes, const RigidMass& mass,
                  JointKind base) {
  const std::string element = "rigid body \"" + name + "\"";
  const auto positive = [&](const char* what, double v, const char* unit) {
    if (!(v > 0) || !std::isfinite(v))
      throw InputError({"", 0, 0, element + " " + what, internal::format_number(v) + " " + unit,
                        "must be finite and greater than 0", std::string("give it in ") + unit});
  };
  if (shapes.empty())
    throw InputError({"", 0, 0, element, "", "needs a shape", "give one or several"});
  if (mass.mass == 0)
    positive("density", mass.density, "kg/m3");
  else
    positive("mass", mass.mass, "kg");
  Moments sum;
  for (const RobotShape& s : shapes)
    if (const auto m = shape_moments(s.shape, mass.mass > 0 ? 1.0 : mass.density)) {
      const Moments placed = moved(*m, s.frame);
      sum.mass += placed.mass;
      sum.first += placed.first;
      sum.second += placed.second;
    }
  Robot r;
  r.name = name;
  RobotLink link;
  link.name = name;
  if (sum.mass > 0) {
    if (mass.mass > 0) {
      const double scale = mass.mass / sum.mass;
      sum = {mass.mass, sum.first * scale, sum.second * scale};
    }
    link.mass = sum.mass;
    link.centre = sum.centre();
    link.inertia = sum.inertia();
  } else if (base != JointKind::kFixed) {
    throw InputError({"", 0, 0, element, "", "moves, but encloses no volume with its shapes",
                      "give a shape with a volume, or fix the body to the world"});
  }
  link.collisions = std::move(shapes);
  r.links.push_back(std::move(link));
  RobotJoint j;
  j.name = name + " base";
  j.kind = base;
  r.joints.push_back(j);
  return r;
}

RobotBody rigid_body(RobotContact contact, std::vector<RobotShape> shapes, const RigidSpec& rigid) {
  RobotBody b;
  static_cast<RobotContact&>(b) = std::move(contact);
  b.robot = rigid_robot(b.name, std::move(shapes), {rigid.mass, rigid.density},
                        rigid.fixed ? JointKind::kFixed : JointKind::kFree);
  const Vec3d &u = rigid.velocity, &w = rigid.angular_velocity;
  if (squared_norm(u) + squared_norm(w) == 0) return b;
  if (rigid.fixed)
    throw InputError({"", 0, 0, "rigid body \"" + b.name + "\"", "",
                      "is fixed and cannot have a velocity", "remove one of the two"});
  b.velocity = {u[0], u[1], u[2], w[0], w[1], w[2]};
  return b;
}

}  // namespace haptos
