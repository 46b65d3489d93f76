// How the coat of a tactile pad gives way: the displacement of each of its nodes per force on each
// of them, of a pad that is linear and without inertia. Made once by static condensation of the
// pad's finite elements (sim/coats/condense.h), kept with the sensor, read by contact of coats
// (contact/frozen/coat/coat_sampler.h), sensors and pictures. Everything is in the frame of the
// pad's mesh.
//
// The force on node i is a pressure that falls linearly from it to its neighbours: with the hat
// function phi_i of the coat's triangles, f_i spread as phi_i / integral(phi_i). What a node moves
// by is the mean over the same hat, so that force and displacement are work-conjugate and the
// matrix is symmetric.
//
// Under pressure a pad gets stiffer: the more it is confined the more of it is squeezed, not moved
// aside. Between walls its law gives P(e) = M e (1 + c e) at the strain e. Contact takes the
// pressure of a node to be q (1 + c q / M), with q that of the linear pad, which is M e where it is
// confined and small against M where it is not.
//
// The hats are kept as weights on probes: the nodes, and the middles of the triangles' edges. Where
// a body touches, probes press, which are half as far apart as nodes. A probe hands its force to
// its nodes in equal parts, and moves as they do,
//
//   W C W^T + near,   W_ia: the part of node a in probe i,
//
// and what a force on one probe does beyond that is kept for those around it
// (sim/coats/coat_near.h). Where another surface is, is asked twice as densely again, on looks.
#pragma once

#include <cstddef>
#include <vector>

#include "haptos/base/math/math.h"

namespace haptos {

class CoatCompliance {
 public:
  struct Probe {
    int a = 0, b = 0;  ///< nodes that it lies midway between; a node itself has both the same
  };
  struct Part {
    int probe = 0;
    double weight = 0;
  };

  struct Near {
    int probe = 0;
    float give = 0;  ///< along the normals of both, beyond that of their nodes [m/N]
  };

  int nodes() const { return static_cast<int>(rest.size()); }

  /// The block of the displacement of node i by the force on node j [m/N].
  Mat3d give(int i, int j) const {
    Mat3d m;
    const std::size_t row = 3 * rest.size();
    const float* p = matrix.data() + 3 * static_cast<std::size_t>(i) * row + 3 * std::size_t(j);
    for (int r = 0; r < 3; ++r, p += row)
      for (int c = 0; c < 3; ++c) m(r, c) = p[c];
    return m;
  }

  /// Displacements under forces on some nodes [N], into out (nodes) [m].
  void displace(const std::vector<int>& pressed, const std::vector<Vec3d>& force,
                std::vector<Vec3d>& out) const;

  /// The same on those nodes alone, in their order.
  std::vector<Vec3d> displace_pressed(const std::vector<int>& pressed,
                                      const std::vector<Vec3d>& force) const;

  /// How far each probe gives way beyond its nodes under forces on all probes [N], into out [m].
  void beyond_nodes(const std::vector<double>& pressed, std::vector<double>& out) const;

  std::vector<Vec3d> rest;      ///< nodes of the coat [m]
  std::vector<Vec3d> normal;    ///< of the coat at rest, unit, outward
  std::vector<double> area;     ///< integral of the hat [m2]
  std::vector<int> vertex;      ///< of the pad's mesh, of each node
  std::vector<Probe> probe;     ///< the nodes first, in order
  std::vector<int> first_part;  ///< (nodes + 1), into part
  std::vector<Part> part;       ///< of each hat; weights add up to 1
  std::vector<Probe> look;      ///< the probes first, then what is midway between two of them
  std::vector<int> first_look;  ///< (probes + 1), into look_part
  std::vector<Part> look_part;  ///< of the hat of each probe, a quarter of a node's; on looks
  std::vector<float> matrix;    ///< row-major, (3 nodes)^2 [m/N]
  std::vector<float> own;       ///< of each probe what a force spread over its hat moves it
                                ///< by, of a half space [m/N]
  std::vector<int> first_near;  ///< (probes + 1), into near
  std::vector<Near> near;       ///< of each probe those around it, rising
  double confined = 1;          ///< M [Pa]
  double stiffening = 0;        ///< c
  double thickness = 0;         ///< mean distance of the coat from the glue [m]

  template <class F>
  void each_part(F& f) {
    f(rest), f(normal), f(area), f(vertex), f(probe), f(first_part), f(part), f(look),
        f(first_look), f(look_part), f(matrix), f(own), f(first_near), f(near), f(confined),
        f(stiffening), f(thickness);
  }
};

}  // namespace haptos
