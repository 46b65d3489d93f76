// The energy of a scene where it starts, with what contacts that are already closed hold.
//
// Watch::initial_energy() has motion and gravity only. A scene whose bodies start within the
// support of each other has more than that, and gives it up in its first step: measured from motion
// and gravity alone, an arch of 25 stones seemed to gain 8e-5 of its energy, where it loses 3e-4.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "haptos/sim/sim.h"
#include "tests/scenes/watch.h"

namespace haptos::test {

/// Kinetic and potential energy at the start [J]: those after a step too short to move anything.
inline double energy_with_contacts(Scene scene, double dt = 1e-7) {
  scene.sim.dt = dt;
  const StepReport r = Sim(scene).step();
  return r.kinetic + r.potential;
}

/// Watches that no energy is gained: at no time above the start by more than `share` of it, and in
/// no step by more than `step_share`.
class NoGain {
 public:
  NoGain(const Scene& scene, Watch& watch, double share, double step_share)
      : start_(energy_with_contacts(scene)),
        allowed_(share * std::abs(start_)),
        allowed_in_a_step_(step_share * std::abs(start_)),
        watch_(watch) {
    watch_.energy = start_;
    watch_.largest_rise = -1e300;
  }
  void check(const char* name) const {
    const double above = watch_.highest_energy + watch_.initial_energy() - start_;
    std::printf("FIGURE %s.above_start = %.2e J (at most %.2e)\n", name, above, allowed_);
    std::printf("FIGURE %s.rise_in_a_step = %.2e J (at most %.2e)\n", name, watch_.largest_rise,
                allowed_in_a_step_);
    EXPECT_LE(above, allowed_);
    EXPECT_LE(watch_.largest_rise, allowed_in_a_step_);
  }

 private:
  double start_, allowed_, allowed_in_a_step_;
  Watch& watch_;
};

}  // namespace haptos::test
