// The elements of a soft body, and their compiled data.
//
// An element has n nodes, m points with rest gradients g_aq of its nodes, and volume V:
//
//   F_q = sum_a x_a g_aq^T,      E = V/m sum_q psi_point(F_q)  +  V U(sbar),   sbar = 1/m sum_q
//   s(F_q),
//
// with the law's measure of volume s, det F for most (bodies/elastic/elastic_laws.h).
//
// Linear tetrahedron: n = 4, m = 1. It locks as Poisson's ratio nears 1/2.
//
// Composite tetrahedron, the default: n = 10, m = 4. The given tetrahedron is split into eight,
// whose piecewise constant F is projected (least squares) on fields linear over the whole; the four
// points are those of the degree-two rule, and the volumetric part sees their mean volume ratio,
// one constraint per element. So it does not lock, converges at second order, and yet all its
// geometry is linear: contact, inversion checks and pictures see plain triangles and tetrahedra,
// and its forces are work-conjugate to the eight linear tetrahedra, so that a uniform pressure on
// its surface is carried exactly (nodal forces of a quadratic face would vanish at the corners).
// Sources: Thoutireddy et al. 2002; Ostien, Foulk, Mota, Veilleux, IJNME 107 (2016) for the
// projected gradient; the one-constraint volume after Nagtegaal, Parks, Rice 1974.
// docs/laws/elements.md.
#pragma once

#include <memory>

#include "haptos/bodies/elastic/elastic_laws.h"
#include "haptos/bodies/elastic/element_scatter.h"
#include "haptos/bodies/elastic/soft_model.h"

namespace haptos {

/// Rest data in lanes of eight elements; padded lanes repeat the last element with volume 0.
struct SoftElements {
  /// @param first_point  point of vertex 0 of model.rest; the others follow in order
  SoftElements(const Points& points, const SoftModel& model, int first_point,
               const Material& material);

  /// g of node a at point q of element e [1/m].
  Vec3d rest_gradient(int e, int q, int a) const {
    constexpr int kLanes = ElementSlots::kLanes;
    const std::ptrdiff_t group = e / kLanes, lane = e % kLanes;
    const double* g = gradient.data() + ((group * quadrature + q) * nodes + a) * 3 * kLanes + lane;
    return {{g[0], g[kLanes], g[2 * kLanes]}};
  }

  ElementScatter scatter;
  int nodes = 4, quadrature = 1;  ///< n and m
  int element_count = 0, group_count = 0;
  Material material;
  Lame lame_parameters;
  std::vector<double> gradient;    ///< g: [((group * m + q) * n + a) * 3 + c] * 8 + lane
  std::vector<double> volume;      ///< V per padded element [m3]
  std::vector<int> corner;         ///< point of node a of padded element e: [e * n + a]
  std::vector<Vec4i> tets;         ///< linear tetrahedra, points: what must not invert
  std::vector<double> tet_volume;  ///< their rest volumes [m3]
  std::vector<double> node_mass;   ///< lumped, per vertex of the rest mesh [kg]
  std::vector<Mat3d> inverse;      ///< of composite ones' tetrahedra: of their edges at rest [1/m]
};

/// Moduli that terms read at every evaluation: environments that share elements have their own.
using SharedLame = std::shared_ptr<const Lame>;
/// Those of the material.
inline SharedLame own_moduli(const std::shared_ptr<const SoftElements>& elements) {
  return {elements, &elements->lame_parameters};
}

/// Of each vertex of the rest mesh a third of the trace of its block of the stiffness at rest, of
/// the part of the law that does not lock (Poisson's ratio 0, elastic_laws.h) [N/m], (V).
std::vector<double> stiffness_diagonal(const SoftElements& elements, const Lame& moduli);

/// Lumped masses, a quarter of each tetrahedron per corner [kg], (V).
std::vector<double> lumped_mass(const TetMesh& mesh, double density);

}  // namespace haptos
