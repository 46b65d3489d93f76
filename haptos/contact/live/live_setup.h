// What a live contact model needs to know of two surfaces that may touch.
#pragma once

#include <algorithm>

#include "haptos/contact/friction/anchored_friction.h"
#include "haptos/options/live_options.h"

namespace haptos {

struct LiveSetup {
  LiveModel model = LiveModel::kBarrier;
  double support = 2e-5;   ///< d [m]
  double stiffness = 1e9;  ///< kappa [Pa/m]
  int divisions = 1;       ///< of the soft triangles' edges: quadrature of the barrier, friction
  int order = 2;          ///< mortar: degree that the quadrature of an overlap is exact for, 1 to 6
  double area_share = 1;  ///< of the area of contact that its records stand for: of two passes 1/2
  /// Whether what the pairs of one sample with a rigid target add to the Hessian is made positive
  /// semi-definite in every iteration; else where all is.
  bool convex_samples = false;
  FrictionCone friction;
  double tangential = 1;  ///< stiffness of stick, per stiffness of the barrier

  /// Takes no more support than nine tenths of a gap [m], and no less than a hundredth of what it
  /// is; the pressure at a given part of it stays.
  void fit_support(double gap) { scale_support(part_for(gap)); }
  double part_for(double gap) const { return std::clamp(0.9 * gap / support, 0.01, 1.0); }
  void scale_support(double part) {
    support *= part;
    stiffness /= part;
  }
};

}  // namespace haptos
