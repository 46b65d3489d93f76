// Soft bodies of tetrahedra: the element and its compiled data.
//
// Element. A body's tetrahedra come in patches. With patches of one this is the linear tetrahedron,
// which locks as Poisson's ratio nears 1/2. The default is the composite element: every given
// tetrahedron is split into eight, each has its own F for the shear part, and the volumetric part
// sees the volume ratio of the whole patch,
//
//   E = sum_patches [ sum_{t in patch} V_t psi_shear(F_t) + V U(Jbar) ],  Jbar = sum_t V_t J_t / V.
//
// One constraint per 30 (on average 4.2 unshared) displacements of a patch leaves it free to change
// shape at constant volume (the P1-iso-P2 / P0 pair; the "modified" 10-node tetrahedra of commercial
// codes rest on the same idea). All geometry stays linear: contact, inversion checks and pictures see
// plain triangles and tetrahedra, and a uniform pressure on the surface is carried exactly.
// docs/laws/elements.md shows its convergence.
#pragma once

#include <memory>

#include "haptos/dynamics/elastic_laws.h"
#include "haptos/dynamics/tet_scatter.h"
#include "haptos/geometry/mesh.h"
#include "haptos/model/material.h"

namespace haptos {

/// Rest data of a soft body's tetrahedra in lanes of eight; padded lanes repeat the last one with
/// volume 0.
struct SoftElements {
  SoftElements(const Points& points, const TetMesh& rest, int first_point, int patch_size,
               const Material& material);

  TetScatter scatter;
  int tet_count = 0, group_count = 0;
  Material material;
  Lame lame_parameters;
  std::vector<double> shape;         ///< B per group: 9 x 8
  std::vector<double> volume;        ///< rest volume per padded tet [m3]
  std::vector<double> patch_volume;  ///< [m3], (patches)
  std::vector<int> corner;           ///< point of corner a of padded tet t: [4 t + a]
  std::vector<double> node_mass;     ///< lumped, per vertex of the rest mesh [kg]
};

/// Lumped masses, a quarter of each tetrahedron per corner [kg], (V).
std::vector<double> lumped_mass(const TetMesh& mesh, double density);

}  // namespace haptos
