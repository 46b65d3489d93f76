// A patch of mortar contact: a base triangle and the part of a probe, a triangle or an edge of the
// other surface, that lies over it, with the samples of a quadrature of that part.
//
// The gap is measured along the base's unit normal n, from the base to the probe. At a sample that
// is held on the slave surface (base and probe triangles) or on the edge (base and probe edge)
//
//   dg = m . (dx_probe - dx_base) - g m_t . dn,     m_t = m - n
//
// with dx of the material points that meet, m = n for an edge, m = n_p / (n_p . n) for a triangle
// of normal n_p: where it is tilted, a point that moves aside meets another height. So forces act
// along the probe's normal and are those of the energy, momentum and angular momentum balance.
//
//   E = sum_k w_k B(g_k),     dE = sum_k w_k B'(g_k) dg_k
//
// Weights w (stiffness times rest area) and places of samples follow the overlap, which moves with
// the surfaces; where the samples' sum is the integral, its derivative by them is nothing, since g
// is continuous where overlaps meet and B is zero where they end. What is left is the error of the
// quadrature.
//
// Hessian: sum_k w_k B'' dg dg^T, and of B' d2g all but terms of the order of g over the size of a
// triangle; with `project` the first sum alone, which is positive semi-definite.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "haptos/contact/record.h"
#include "haptos/potential/term.h"

namespace haptos {

enum class PatchKind : std::uint8_t {
  kFace,        ///< base: slave triangle, probe: master triangle
  kMasterEdge,  ///< base: slave triangle, probe: master edge
  kSlaveEdge,   ///< base: master triangle, probe: slave edge
};

/// The first kind of feature (record.h) that is mortar's; barrier's come before.
inline constexpr std::int64_t kMortarKind = 8;

struct MortarSample {
  double base[3];    ///< weights of the base's corners
  double probe[3];   ///< weights of the probe's corners
  double gap = 0;    ///< [m]
  double scale = 0;  ///< stiffness times area [N/m]
  double area = 0;   ///< rest area of a face, [m2]; 0 on an edge
};

struct MortarPatch {
  PatchKind kind = PatchKind::kFace;
  int base[3], probe[3];  ///< points
  int probe_count = 3;
  int base_id = -1, probe_id = -1;  ///< triangle; triangle or edge
  Vec3d n, m;
  double twice_area = 0;   ///< of the base [m2]
  int first = 0, end = 0;  ///< its samples
};

/// Energy of a patch; with an assembly also gradient and Hessian.
Energy evaluate_patch(const MortarPatch& patch, std::span<const MortarSample> samples,
                      double support, const Points& points, Assembly* assembly, bool project);

/// The contact record of a sample: force on the slave. `k` numbers the samples of the patch.
ContactPoint record_sample(const MortarPatch& patch, const MortarSample& sample, int k,
                           double support, const Points& points);

/// The sample's point of the slave, and of the master.
WeightedPoint slave_point(const MortarPatch& patch, const MortarSample& sample);
WeightedPoint master_point(const MortarPatch& patch, const MortarSample& sample);

}  // namespace haptos
