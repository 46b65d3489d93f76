#include "haptos/geometry/mass_properties.h"

namespace haptos {

Mat3d Moments::inertia() const {
  const Vec3d c = centre();
  const Mat3d s = second - outer(c, c) * mass;
  return Mat3d::identity() * (s(0, 0) + s(1, 1) + s(2, 2)) - s;
}

void Moments::add(double point_mass, const Vec3d& x) {
  mass += point_mass;
  first += point_mass * x;
  second += outer(x, x) * point_mass;
}

Moments solid_moments(const TriMesh& surface, double density) {
  Moments m;
  if (surface.vertices.empty()) return m;
  // About a vertex, so that a small body far from the origin keeps its digits.
  const Vec3d o = surface.vertices[0];
  for (const Vec3i& t : surface.triangles) {
    const Vec3d a = surface.vertices[static_cast<std::size_t>(t[0])] - o,
                b = surface.vertices[static_cast<std::size_t>(t[1])] - o,
                c = surface.vertices[static_cast<std::size_t>(t[2])] - o, s = a + b + c;
    const double mass = density * dot(a, cross(b, c)) / 6;
    m.mass += mass;
    m.first += s * (mass / 4);
    m.second += (outer(s, s) + outer(a, a) + outer(b, b) + outer(c, c)) * (mass / 20);
  }
  m.second += outer(m.first, o) + outer(o, m.first) + outer(o, o) * m.mass;
  m.first += o * m.mass;
  return m;
}

Moments moments_from(double mass, const Vec3d& centre, const Mat3d& inertia) {
  Moments m;
  m.mass = mass;
  m.first = centre * mass;
  const double half_trace = 0.5 * (inertia(0, 0) + inertia(1, 1) + inertia(2, 2));
  m.second = Mat3d::identity() * half_trace - inertia + outer(centre, centre) * mass;
  return m;
}

}  // namespace haptos
