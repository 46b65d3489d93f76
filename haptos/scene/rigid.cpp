#include "haptos/scene/rigid.h"

#include <cmath>
#include <optional>

#include "haptos/base/text/error.h"
#include "haptos/base/text/options.h"
#include "haptos/geometry/mesh/mesh_edit.h"
#include "haptos/geometry/shape/shape_moments.h"

namespace haptos {
namespace {

// One kilogram for each square metre of the surface of a mesh; nothing for what has no mesh.
std::optional<Moments> sheet_moments(const Shape& shape) {
  if (shape.kind != ShapeKind::kMesh || !shape.mesh) return std::nullopt;
  Moments sum;
  for (const Vec3i& t : shape.mesh->triangles) {
    const auto x = [&](int k) { return shape.mesh->vertices[static_cast<std::size_t>(t[k])]; };
    const double area = 0.5 * norm(cross(x(1) - x(0), x(2) - x(0)));
    // Exact for what varies quadratically: thirds at the middles of the edges.
    for (int k = 0; k < 3; ++k) sum.add(area / 3, 0.5 * (x(k) + x((k + 1) % 3)));
  }
  if (!(sum.mass > 0)) return std::nullopt;
  return sum;
}

// Of a cloud of points its hull. Of a mesh that is not closed as it stands: once its vertices are
// joined and its triangles turned, else of its convex hull, which `warnings` then tells.
std::optional<Moments> mended_moments(const Shape& shape, double density,
                                      const std::string& element,
                                      std::vector<std::string>& warnings) {
  if (shape.kind != ShapeKind::kMesh || !shape.mesh) return std::nullopt;
  Shape mended = shape;
  if (shape.mesh->triangles.empty()) {
    mended.kind = ShapeKind::kHull;
    return shape_moments(mended, density);
  }
  TriMesh mesh = *shape.mesh;
  Aabb box = bounding_box(mesh.vertices);
  weld(mesh, 1e-9 * norm(box.extent()));
  remove_duplicate_triangles(mesh);
  remove_degenerate(mesh);
  orient(mesh);
  mended.mesh = std::make_shared<const TriMesh>(mesh);
  if (const auto m = shape_moments(mended, density)) return m;
  warnings.push_back(element +
                     ": its mesh is not closed, so mass and inertia are those of its convex hull; "
                     "for a thin sheet set `shell`.");
  mended.kind = ShapeKind::kHull;
  return shape_moments(mended, density);
}

}  // namespace

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
  if (mass.shell && mass.mass == 0)
    throw InputError(
        {"", 0, 0, element + " mass", "0", "must be given for a shell", "give it in kg"});
  Moments sum;
  Robot r;
  const double density = mass.mass > 0 ? 1.0 : mass.density;
  for (const RobotShape& s : shapes) {
    auto m = mass.shell ? sheet_moments(s.shape) : shape_moments(s.shape, density);
    if (!m && !mass.shell && base != JointKind::kFixed)
      m = mended_moments(s.shape, density, "Rigid body \"" + name + "\"", r.warnings);
    if (!m) continue;
    const Moments placed = moved(*m, s.frame);
    sum.mass += placed.mass;
    sum.first += placed.first;
    sum.second += placed.second;
  }
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
  for (RobotShape& s : shapes) s.sheet = s.sheet || mass.shell;
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
  b.robot = rigid_robot(b.name, std::move(shapes), {rigid.mass, rigid.density, rigid.shell},
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
