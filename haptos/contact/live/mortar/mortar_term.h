// Live mortar contact of two surfaces: the pressure of a slave surface as an integral over itself.
//
//   E = kappa int_slave B(g(X)) dA  +  edges and corners that faces do not carry
//
// g(X) is the gap from the slave's point X along the normal of its triangle to the master. The
// integral is taken exactly where the two meshes overlap (overlap.h), by Gauss points on every
// overlap, so a uniform pressure is transmitted exactly through meshes that do not match.
//
//   faces    slave triangle x master triangle, areas at rest             kappa w_k B(g_k)
//   edges    points along edges and corners of either surface that        kappa w_p A_p B(d_p)
//            stand out, against the closest features of the other
//            (edge_points.h)
//
// Samples, their weights and exposures are taken anew at every iterate, and held through its search
// (Sampling::kKept), where gaps, normals and places on the other surface follow. Crossing edges are
// left to mortar_shell().
//
// Step cap: as barrier contact, continuous collision detection on every pair of features, sampled
// or not; and no gap of a sample whose place stays on its triangle shrinks by more than nine tenths
// along the linear change of gaps. So no surface is cut, whatever the samples see.
//
// Friction is anchored at points of the slave that do not move with the overlaps (surface_samples),
// each with its share of the normal force of the samples around it.
//
// Reference: IsaacIPC and the geometric mortar contact potential, 2026 (face, edge and point
// samples, normals of the slave); docs/contact/mortar.md for what differs.
#pragma once

#include <memory>

#include "haptos/contact/live/barrier/barrier_term.h"

namespace haptos {

/// The soft surface is the slave; neither may be the other.
std::unique_ptr<ContactTerm> make_mortar_term(const ContactSurface* slave,
                                              const ContactSurface* master, const LiveSetup& setup);

/// Barrier contact of a quarter of the support and as much pressure, to stand behind a mortar
/// term: whatever comes so near that samples see too little of it meets the barrier there.
LiveSetup mortar_shell(const LiveSetup& mortar);

}  // namespace haptos
