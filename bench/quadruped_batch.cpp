// Steps of the quadruped of scenes/robots: 18 unknowns, 12 motors, four feet on the ground,
// 2 ms. Run from the checkout.
//
// Usage: bench_quadruped_batch        argument: environments. items_per_second: steps of one
// environment a second on all cores that run, by wall time; cpu: the same by CPU time of this
// thread, so it says steps a second per core where there is one environment
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>

#include "haptos/files/urdf/urdf.h"
#include "haptos/sim/batch/batch.h"

namespace haptos {
namespace {

Scene quadruped() {
  UrdfOptions options;
  options.base = RobotBase::kFloating;
  RobotBody dog;
  dog.name = "dog";
  dog.robot = read_urdf("scenes/robots/quadruped.urdf", options);
  dog.pose.p = {{0, 0, 0.303}};
  dog.friction = 0.8;
  for (RobotJoint& j : dog.robot.joints) {
    if (j.kind != JointKind::kRevolute) continue;
    if (j.name.find("pitch") != std::string::npos) j.position = {0.785};
    if (j.name.find("knee") != std::string::npos) j.position = {-1.57};
    dog.robot.motors.push_back({"", j.name, 150, 4, 40});
  }
  Scene s;
  s.sim.dt = 2e-3;
  s.half_spaces.push_back({"ground", {}, "", {{0, 0, 1}}, 0});
  s.robots.push_back(dog);
  return s;
}

// Every environment shifts its weight in its own rhythm.
void step(benchmark::State& state, int threads) {
  const int envs = static_cast<int>(state.range(0));
  Scene scene = quadruped();
  scene.sim.threads = threads;
  Batch batch(scene, envs);
  double time = 0, iterations = 0;
  const auto advance = [&] {
    time += 2e-3;
    for (int k = 0; k < envs; ++k) {
      RobotView dog = batch.env(k).robot("dog");
      for (int m = 0; m < dog.motor_count(); m += 3)
        dog.set_command(m, {0.1 * std::sin(6 * time + 0.1 * k), 0, 0});
    }
    for (const StepReport& r : batch.step()) {
      iterations += r.newton.iterations;
      if (r.status() != 0) state.SkipWithError("a step did not converge");
    }
  };
  for (int n = 0; n < 100; ++n) advance();
  iterations = 0;
  for (auto _ : state) advance();
  const double steps = static_cast<double>(state.iterations()) * envs;
  state.SetItemsProcessed(static_cast<std::int64_t>(steps));
  state.counters["iterations"] = iterations / steps;
}
void one_thread(benchmark::State& state) { step(state, 1); }
void all_threads(benchmark::State& state) { step(state, 0); }
BENCHMARK(one_thread)->Arg(1)->Arg(16)->Arg(256)->Unit(benchmark::kMicrosecond);
BENCHMARK(all_threads)->Arg(16)->Arg(256)->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace
}  // namespace haptos
