#include "haptos/geometry/mesh/mass_properties.h"

#include <algorithm>
#include <cmath>

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

Vec3d principal_moments(const Mat3d& inertia) {
  // Cyclic Jacobi: each turn zeroes one off-diagonal entry; a dozen sweeps leave nothing.
  Mat3d a = 0.5 * (inertia + transpose(inertia));
  for (int sweep = 0; sweep < 12; ++sweep)
    for (int p = 0; p < 2; ++p)
      for (int q = p + 1; q < 3; ++q) {
        if (a(p, q) == 0 || !std::isfinite(a(p, q))) continue;
        const double d = 0.5 * (a(q, q) - a(p, p)) / a(p, q);
        const double t = (d < 0 ? -1.0 : 1.0) / (vabs(d) + sqrt(1.0 + d * d));
        const double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
        Mat3d turn = Mat3d::identity();
        turn(p, p) = turn(q, q) = c, turn(p, q) = s, turn(q, p) = -s;
        a = transpose(turn) * a * turn;
        a(p, q) = a(q, p) = 0;
      }
  Vec3d m{{a(0, 0), a(1, 1), a(2, 2)}};
  std::sort(m.a, m.a + 3);
  return m;
}

}  // namespace haptos
