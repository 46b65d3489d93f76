// A soft body compiled: refined mesh, surface, what is glued and held.
#pragma once

#include <vector>

#include "haptos/scene/spec.h"

namespace haptos {

/// A vertex's part of a nodal force; the parts of a force add up to 1.
struct ForceShare {
  int vertex = 0;
  double weight = 0;
};

struct SoftModel {
  TetMesh rest;                     ///< refined, in the body's frame [m]
  std::vector<Vec4i> given_tets;    ///< tetrahedra as given, vertices of `rest`
  int patch_size = 1;               ///< tetrahedra of `rest` per given one: 8 t .. 8 t + 7, or t
  Pose pose;                        ///< of that frame at the start
  std::vector<Vec3d> start;         ///< world positions at the start (V)
  std::vector<int> glued_to;        ///< index into SoftBody::glue, or -1 (V)
  std::vector<char> held;           ///< bits 1, 2, 4 for x, y, z (V)
  TriMesh surface;                  ///< boundary, rest positions in the body's frame
  std::vector<int> surface_vertex;  ///< vertex of `rest` of each surface vertex
  std::vector<Vec3i> coat;  ///< sensing triangles, vertices of `rest`, refined like the mesh
  std::vector<std::vector<ForceShare>> forces;  ///< per entry of SoftBody::forces
  std::vector<std::vector<Vec3i>> pressures;    ///< per entry: vertices of `rest`, outward, refined
};

/// @throws InputError when the mesh cannot be used; the message names the body.
SoftModel compile_soft(const SoftBody& body);

}  // namespace haptos
