// Meshes and sums for tests of boundary-layer contact.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "haptos/base/math/index.h"
#include "haptos/geometry/layer/layer_contacts.h"

namespace haptos {

/// A grid of nu x nv cells laid onto x(u, v) with u and v from 0 to 1; vertices moved by up to
/// `jitter` cells, diagonals at random. Vertices of the rim move along it, or not at all.
template <class F>
TriMesh cut_grid(int nu, int nv, double jitter, unsigned seed, bool along_rim, F&& x) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any(-1, 1);
  TriMesh m;
  for (int j = 0; j <= nv; ++j)
    for (int i = 0; i <= nu; ++i) {
      const bool in_u = i > 0 && i<nu, in_v = j> 0 && j < nv;
      const double u = in_u && (in_v || along_rim) ? jitter * any(random) : 0;
      const double v = in_v && (in_u || along_rim) ? jitter * any(random) : 0;
      m.vertices.push_back(x((i + u) / nu, (j + v) / nv));
    }
  const auto at = [&](int i, int j) { return j * (nu + 1) + i; };
  for (int j = 0; j < nv; ++j)
    for (int i = 0; i < nu; ++i) {
      const int p = at(i, j), q = at(i + 1, j), r = at(i + 1, j + 1), s = at(i, j + 1);
      if (any(random) > 0) {
        m.triangles.push_back({{p, q, r}}), m.triangles.push_back({{p, r, s}});
      } else {
        m.triangles.push_back({{p, q, s}}), m.triangles.push_back({{q, r, s}});
      }
    }
  return m;
}

/// A rectangle in z = 0 of n x n cells, counter-clockwise from +z.
inline TriMesh cut_plate(double a, double b, int n, double jitter, unsigned seed,
                         bool along_rim = true) {
  return cut_grid(n, n, jitter, seed, along_rim, [&](double u, double v) {
    return Vec3d{{a * (u - 0.5), b * (v - 0.5), 0}};
  });
}

inline void append(TriMesh& m, const TriMesh& other, const Pose& pose) {
  const auto first = static_cast<int>(m.vertices.size());
  for (const Vec3d& x : other.vertices) m.vertices.push_back(pose * x);
  for (const Vec3i& t : other.triangles)
    m.triangles.push_back({{t[0] + first, t[1] + first, t[2] + first}});
}

/// A cube about the origin whose faces are cut n x n times; every coordinate exactly in its plane.
/// @param fits  whether faces share the vertices of their edges, else edges have T-junctions
inline TriMesh cut_cube(double size, int n, double jitter = 0.3, unsigned seed = 1,
                        bool fits = true) {
  TriMesh m;
  for (int face = 0; face < 6; ++face) {
    const int axis = face / 2;
    const double sign = face % 2 == 0 ? 1 : -1;
    const TriMesh plate =
        cut_plate(size, size, n, jitter, seed + static_cast<unsigned>(face), !fits);
    const auto first = static_cast<int>(m.vertices.size());
    for (const Vec3d& x : plate.vertices) {
      Vec3d y;
      y[axis] = 0.5 * sign * size;
      y[(axis + 1) % 3] = x[0];
      y[(axis + 2) % 3] = sign * x[1];
      m.vertices.push_back(y);
    }
    for (const Vec3i& t : plate.triangles)
      m.triangles.push_back({{t[0] + first, t[1] + first, t[2] + first}});
  }
  return m;
}

/// Turns some triangles over, and gives triangles, their corners and vertices in another order.
inline TriMesh shuffled(const TriMesh& given, unsigned seed, double flip = 0) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any(0, 1);
  std::vector<int> order(given.vertices.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::shuffle(order.begin(), order.end(), random);
  TriMesh m;
  m.vertices.resize(given.vertices.size());
  for (std::size_t i = 0; i < order.size(); ++i) m.vertices[at_index(order[i])] = given.vertices[i];
  for (const Vec3i& t : given.triangles) {
    const int k = static_cast<int>(any(random) * 3);
    Vec3i s{
        {order[at_index(t[k])], order[at_index(t[(k + 1) % 3])], order[at_index(t[(k + 2) % 3])]}};
    if (any(random) < flip) std::swap(s[0], s[1]);
    m.triangles.push_back(s);
  }
  std::shuffle(m.triangles.begin(), m.triangles.end(), random);
  return m;
}

/// Of the layer pressing on a with one pascal for each metre of depth.
struct LayerWrench {
  Vec3d force{{0, 0, 0}}, moment{{0, 0, 0}};  ///< about the world's origin
  double area = 0;                            ///< that touches
  Vec3d centre{{0, 0, 0}};                    ///< of pressure
  double load = 0;                            ///< sum of normal forces
};

inline LayerWrench wrench_of(const std::vector<ContactSample>& samples) {
  LayerWrench w;
  for (const ContactSample& s : samples) {
    if (s.gap >= 0) continue;
    const Vec3d p = 0.5 * (s.p_a + s.p_b), f = s.n * (-s.gap * s.area);
    w.force += f, w.moment += cross(p, f);
    w.area += s.area, w.load += norm(f);
    w.centre += p * norm(f);
  }
  if (w.load > 0) w.centre = w.centre * (1 / w.load);
  return w;
}

inline std::vector<ContactSample> layer_samples(const TriangleSoup& a, const Pose& pose_a,
                                                double width_a, const TriangleSoup& b,
                                                const Pose& pose_b, double width_b,
                                                double reach = 0) {
  LayerContacts contacts;
  std::vector<ContactSample> out;
  contacts.find({&a, pose_a, width_a}, {&b, pose_b, width_b}, reach, out);
  return out;
}

}  // namespace haptos
