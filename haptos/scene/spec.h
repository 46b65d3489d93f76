// What a person describes, entry by entry. Editable until the scene is compiled
// (sim/model/model.h).
#pragma once

#include <vector>

#include "haptos/base/text/options.h"
#include "haptos/scene/kinds/affine_body.h"
#include "haptos/scene/kinds/camera.h"
#include "haptos/scene/kinds/constraint.h"
#include "haptos/scene/kinds/half_space.h"
#include "haptos/scene/kinds/material_points.h"
#include "haptos/scene/kinds/pair.h"
#include "haptos/scene/kinds/prescribed_body.h"
#include "haptos/scene/kinds/rigid_body.h"
#include "haptos/scene/kinds/robot_body.h"
#include "haptos/scene/kinds/soft_body.h"

namespace haptos {

/// How a step follows from the last; see bodies/body.h.
enum class Integrator : std::uint8_t { kImplicitEuler, kBdf2, kQuasiStatic };

constexpr double kMostGravity = 1e3;  ///< along an axis [m/s2]

struct SimOptions {
  double dt = 0.01;
  int integrator = 0;  ///< an Integrator
  double pseudo_step = 0.1;
  double gravity_x = 0, gravity_y = 0, gravity_z = -9.81;
  Vec3d gravity() const { return {{gravity_x, gravity_y, gravity_z}}; }  ///< [m/s2]
  int threads = 0;
  int seed = 0;
  bool strict = false;
};

template <>
struct OptionsOf<SimOptions> {
  static constexpr const char* kName = "sim";
  static const std::vector<Option<SimOptions>>& table() {
    using O = SimOptions;
    static const std::vector<Option<O>> t = {
        {"dt", "s", &O::dt, 1e-7, 10, "time step, for example 0.01"},
        {"integrator", "", &O::integrator, 0, 2, "how a step follows from the last",
         "implicit_euler bdf2 quasi_static"},
        {"pseudo_step", "s", &O::pseudo_step, 1e-6, 1e3,
         "quasi_static: time that a body free of contact accelerates in a pass"},
        {"gravity_x", "m/s2", &O::gravity_x, -kMostGravity, kMostGravity, "gravity along x"},
        {"gravity_y", "m/s2", &O::gravity_y, -kMostGravity, kMostGravity, "gravity along y"},
        {"gravity_z", "m/s2", &O::gravity_z, -kMostGravity, kMostGravity,
         "gravity along z, -9.81 on Earth"},
        {"threads", "", &O::threads, 0, 4096, "number of threads; 0 takes one per core"},
        {"seed", "", &O::seed, 0, 2147483647, "of the noise of sensors"},
        {"strict", "", &O::strict, 0, 1, "switch that turns a scene's warnings into an error"},
    };
    return t;
  }
};

}  // namespace haptos
