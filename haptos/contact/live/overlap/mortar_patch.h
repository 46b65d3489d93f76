// A patch of mortar contact: a triangle of the slave, the base, and the part of a triangle of the
// master, the probe, that lies over it, with the samples of a quadrature of that part.
//
// The gap is measured along the base's unit normal n, from the base to the probe. At a sample that
// is held on the base
//
//   dg = m . (dx_probe - dx_base) - g m_t . dn,     m_t = m - n,     m = n_p / (n_p . n)
//
// with dx of the material points that meet, n_p the probe's normal: where it is tilted, a point
// that moves aside meets another height. So forces act along the probe's normal and are those of
// the energy, momentum and angular momentum balance.
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

#include <span>
#include <vector>

#include "haptos/system/term.h"

namespace haptos {

struct MortarSample {
  double base[3];    ///< weights of the base's corners
  double probe[3];   ///< weights of the probe's corners
  double gap = 0;    ///< [m]
  double scale = 0;  ///< stiffness times area [N/m]
  double area = 0;   ///< at rest [m2]
  double least = 0;  ///< gap below which B goes on as its parabola there [m]
};

struct MortarPatch {
  int base[3], probe[3];            ///< points
  int base_id = -1, probe_id = -1;  ///< triangles
  Vec3d fall;  ///< slopes by which the surface falls away beyond the probe's edges, against corners
  Vec3d n, m;
  double twice_area = 0;   ///< of the base [m2]
  int first = 0, end = 0;  ///< its samples
};

/// Energy of a patch; with an assembly also gradient and Hessian.
Energy evaluate_patch(const MortarPatch& patch, std::span<const MortarSample> samples,
                      double support, const Points& points, Assembly* assembly, bool project);

}  // namespace haptos
