#include "haptos/geometry/shape/shape_properties.h"

#include <cmath>

#include "haptos/base/text/error.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/geometry/shape/hull.h"

namespace haptos {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kLargest = 1e9;  // [m]

[[noreturn]] void fail(const std::string& element, const std::string& value,
                       const std::string& rule, const std::string& remedy) {
  Diagnostic d;
  d.element = element;
  d.value = value;
  d.rule = rule;
  d.remedy = remedy;
  throw InputError(d);
}

void check_size(const std::string& element, const char* what, double x, bool zero_too = false) {
  if (std::isfinite(x) && x <= kLargest && (x > 0 || (zero_too && x == 0))) return;
  fail(element + "." + what, std::to_string(x),
       zero_too ? "must be a finite number, 0 or more" : "must be a finite number greater than 0",
       "give it in metres");
}

void check_mesh(const std::string& element, const Shape& s) {
  const std::string give = "name a mesh file with vertices and triangles";
  if (!s.mesh || s.mesh->vertices.empty()) fail(element, "", "has no mesh", give);
  for (std::size_t i = 0; i < s.mesh->vertices.size(); ++i)
    for (int k = 0; k < 3; ++k)
      if (!(vabs(s.mesh->vertices[i][k]) <= kLargest))
        fail(element + ", vertex " + std::to_string(i), std::to_string(s.mesh->vertices[i][k]),
             "must be finite", "repair the mesh");
  const auto n = static_cast<int>(s.mesh->vertices.size());
  for (std::size_t t = 0; t < s.mesh->triangles.size(); ++t)
    for (int k = 0; k < 3; ++k)
      if (s.mesh->triangles[t][k] < 0 || s.mesh->triangles[t][k] >= n)
        fail(element + ", triangle " + std::to_string(t), std::to_string(s.mesh->triangles[t][k]),
             "must be the index of a vertex", "repair the mesh");
  if (s.kind == ShapeKind::kMesh && s.mesh->empty())
    fail(element, "", "has a mesh without triangles", give);
  if (s.kind == ShapeKind::kMesh && !(s.size[0] >= 0 && s.size[0] <= kLargest))
    fail(element + ", radius of its points", std::to_string(s.size[0]), "must be 0 or more",
         "give it in metres");
}

void check_field(const std::string& element, const Shape& s) {
  if (!s.field) fail(element, "", "has no heights", "give a height field");
  const HeightField& f = *s.field;
  const std::string size = std::to_string(f.rows) + " x " + std::to_string(f.columns);
  if (f.rows < 2 || f.columns < 2)
    fail(element, size, "needs at least two rows and two columns", "give more heights");
  if (static_cast<std::int64_t>(f.rows) * f.columns >= (std::int64_t{1} << 27))
    fail(element, size, "has more than 134 million heights", "give a coarser field");
  if (f.height.size() != static_cast<std::size_t>(f.rows) * static_cast<std::size_t>(f.columns))
    fail(element, std::to_string(f.height.size()), "must have rows x columns heights",
         "give " + size + " of them");
  check_size(element, "spacing x", f.spacing[0]);
  check_size(element, "spacing y", f.spacing[1]);
  for (std::size_t i = 0; i < f.height.size(); ++i)
    if (!(vabs(f.height[i]) <= kLargest))
      fail(element + ", height " + std::to_string(i), std::to_string(f.height[i]), "must be finite",
           "give it in metres");
}

// The points of a cloud, as they look.
TriMesh balls_at(const TriMesh& cloud, double radius) {
  const TriMesh ball = icosphere(radius, radius);
  TriMesh m;
  for (const int p : cloud.points) {
    const auto first = static_cast<int>(m.vertices.size());
    for (const Vec3d& x : ball.vertices)
      m.vertices.push_back(cloud.vertices[static_cast<std::size_t>(p)] + x);
    for (const Vec3i& t : ball.triangles)
      m.triangles.push_back({{t[0] + first, t[1] + first, t[2] + first}});
  }
  return m;
}

TriMesh field_mesh(const HeightField& f) {
  TriMesh m;
  double lowest = f.height[0];
  for (double h : f.height) lowest = vmin(lowest, h);
  const double x0 = -0.5 * (f.columns - 1) * f.spacing[0], y0 = -0.5 * (f.rows - 1) * f.spacing[1];
  const double floor = lowest - 0.05 * vmax(-2 * x0, -2 * y0);
  const int n = f.rows * f.columns;
  for (const bool top : {true, false})
    for (int r = 0; r < f.rows; ++r)
      for (int c = 0; c < f.columns; ++c) {
        const int sample = r * f.columns + c;
        m.vertices.push_back({{x0 + c * f.spacing[0], y0 + r * f.spacing[1],
                               top ? f.height[static_cast<std::size_t>(sample)] : floor}});
      }
  const auto quad = [&](int a, int b, int c, int d) {
    m.triangles.push_back({{a, b, c}});
    m.triangles.push_back({{a, c, d}});
  };
  for (int r = 0; r + 1 < f.rows; ++r)
    for (int c = 0; c + 1 < f.columns; ++c) {
      const int i = r * f.columns + c, j = i + f.columns;
      quad(i, i + 1, j + 1, j);
      m.triangles.push_back({{n + i, n + j + 1, n + i + 1}});
      m.triangles.push_back({{n + i, n + j, n + j + 1}});
    }
  for (int c = 0; c + 1 < f.columns; ++c) {
    const int i = c, j = (f.rows - 1) * f.columns + c;
    quad(n + i, n + i + 1, i + 1, i);
    quad(n + j + 1, n + j, j, j + 1);
  }
  for (int r = 0; r + 1 < f.rows; ++r) {
    const int i = r * f.columns, j = i + f.columns - 1;
    quad(n + i + f.columns, n + i, i, i + f.columns);
    quad(n + j, n + j + f.columns, j + f.columns, j);
  }
  return m;
}

}  // namespace

void check_shape(const Shape& s, const std::string& element) {
  switch (s.kind) {
    case ShapeKind::kSphere:
      return check_size(element, "radius", s.size[0]);
    case ShapeKind::kBox:
    case ShapeKind::kEllipsoid: {
      const char* names[2][3] = {{"half size x", "half size y", "half size z"},
                                 {"semi-axis x", "semi-axis y", "semi-axis z"}};
      for (int k = 0; k < 3; ++k)
        check_size(element, names[s.kind == ShapeKind::kEllipsoid][k], s.size[k]);
      return;
    }
    case ShapeKind::kCapsule:
      check_size(element, "radius", s.size[0]);
      return check_size(element, "half length", s.size[1], true);
    case ShapeKind::kCylinder:
    case ShapeKind::kCone:
      check_size(element, "radius", s.size[0]);
      return check_size(element, "half length", s.size[1]);
    case ShapeKind::kHalfSpace:
      return;
    case ShapeKind::kHull:
      check_mesh(element, s);
      try {
        convex_hull(s.mesh->vertices);
      } catch (const InputError& e) {
        Diagnostic d = e.diagnostic;
        d.element = element + ", " + d.element;
        throw InputError(d);
      }
      return;
    case ShapeKind::kMesh:
      return check_mesh(element, s);
    case ShapeKind::kHeightField:
      return check_field(element, s);
  }
}

TriMesh shape_mesh(const Shape& s, double facet, double half_width) {
  const double a = s.size[0], b = s.size[1];
  TriMesh m;
  switch (s.kind) {
    case ShapeKind::kSphere:
      return icosphere(a, facet);
    case ShapeKind::kBox:
      return box(s.size * 2);
    case ShapeKind::kEllipsoid: {
      const double longest = vmax(vmax(a, b), s.size[2]);
      m = icosphere(1, vmin(facet / longest, 1.0));
      for (Vec3d& x : m.vertices)
        for (int k = 0; k < 3; ++k) x[k] *= s.size[k];
      return m;
    }
    case ShapeKind::kCapsule:
      return b > 0 ? capsule(a, 2 * b, facet) : icosphere(a, facet);
    case ShapeKind::kCylinder:
      return cylinder(a, 2 * b, facet);
    case ShapeKind::kCone:
      m = cone(a, 0, 2 * b, facet);
      for (Vec3d& x : m.vertices) x[2] -= b;
      return m;
    case ShapeKind::kHalfSpace:
      m = box({{2 * half_width, 2 * half_width, 0.02 * half_width}});
      for (Vec3d& x : m.vertices) x[2] -= 0.01 * half_width;
      return m;
    case ShapeKind::kHull:
      return convex_hull(s.mesh->vertices).mesh();
    case ShapeKind::kMesh:
      return s.mesh->triangles.empty() && a > 0 ? balls_at(*s.mesh, a) : *s.mesh;
    case ShapeKind::kHeightField:
      return field_mesh(*s.field);
  }
  return m;
}

}  // namespace haptos
