#include "haptos/scene/spec.h"

namespace haptos {

const std::vector<Option<SimOptions>>& OptionsOf<SimOptions>::table() {
  using O = SimOptions;
  static const std::vector<Option<O>> t = {
      {"dt", "s", &O::dt, 1e-7, 10, "time step, for example 0.01"},
      {"integrator", "", &O::integrator, 0, 2, "how a step follows from the last",
       "implicit_euler bdf2 quasi_static"},
      {"pseudo_step", "s", &O::pseudo_step, 1e-6, 1e3,
       "quasi_static: time that a body free of contact accelerates in a pass"},
      {"gravity_x", "m/s2", &O::gravity_x, -1e3, 1e3, "gravity along x"},
      {"gravity_y", "m/s2", &O::gravity_y, -1e3, 1e3, "gravity along y"},
      {"gravity_z", "m/s2", &O::gravity_z, -1e3, 1e3, "gravity along z, -9.81 on Earth"},
      {"threads", "", &O::threads, 0, 4096, "number of threads; 0 takes one per core"},
      {"seed", "", &O::seed, 0, 2147483647, "of the noise of sensors"},
      {"strict", "", &O::strict, 0, 1, "switch that turns a scene's warnings into an error"},
  };
  return t;
}

}  // namespace haptos
