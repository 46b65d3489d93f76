// One step of a scene: in one part, or in as many as it takes.
//
// A step that turns a prescribed body far is taken in parts from the start, since within a part its
// points go along chords; so is one in which a material point would go farther than a cell. A step
// that does not settle (Newton or lagged friction; most of all where bodies hit each other), or in
// which triangles with boundary layers would cross, is taken again in two parts, then in four, up
// to 2^newton.max_cuts. What a step leaves behind is a function of the state it starts from: the
// next one is tried whole again.
//
// In quasi-statics with robots each part goes on in passes until forces balance.
#include <algorithm>
#include <cmath>

#include "haptos/base/text/status.h"
#include "haptos/sim/workspace.h"

namespace haptos {
namespace {

constexpr std::uint32_t kUnsettled = kNotConverged | kLineSearchStalled | kLagged;
// What leaves the state where it was.
constexpr std::uint32_t kLost = kNonFinite | kRunaway;
// Turn of a prescribed body within a part: chords come no nearer to its axis than cos(pi / 4) of
// their radius.
constexpr double kLargestTurn = M_PI / 2;
// Of a step, for fast material points.
constexpr double kMostParts = 256;

double turn_between(const Quat& a, const Quat& b) {
  const Quat d = conjugate(a) * b;
  const double v = std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
  return 2 * std::atan2(v, std::abs(d.w));
}

int parts_for_turns(const Scene& scene, const State& state, const Workspace& w) {
  double turn = 0;
  for (std::size_t i = 0; i < w.prescribed.size(); ++i) {
    const auto& target = state.targets[i];
    const Pose next =
        target ? *target : pose_at(scene.prescribed[i].trajectory, state.time + scene.sim.dt);
    turn = std::max(turn, turn_between(state.paths[i].to.q, next.q));
  }
  return std::max(1, static_cast<int>(std::ceil(turn / kLargestTurn * (1 - 1e-9))));
}

// In a part points go no farther than a cell: their weights are those of where they start.
int parts_for_points(const Scene& scene, const State& state, const Workspace& w) {
  double cells = 0;
  for (const ParticleParts& p : w.particles)
    if (p.seed == 0) cells = std::max(cells, p.grid->largest_speed(state) / p.grid->cell());
  const double parts = std::ceil(scene.sim.dt * cells * (1 - 1e-9));
  return static_cast<int>(std::clamp(parts, 1.0, kMostParts));
}

void add(const StepReport& part, StepReport& all) {
  NewtonReport n = part.newton;
  n.iterations += all.newton.iterations;
  n.line_search_steps += all.newton.line_search_steps;
  n.lag_passes += all.newton.lag_passes;
  n.projected += all.newton.projected;
  n.linear_iterations += all.newton.linear_iterations;
  const double seconds = all.seconds + part.seconds;
  const int parts = all.parts + 1, crossing = all.crossing + part.crossing;
  all = part;
  all.newton = n;
  all.seconds = seconds;
  all.parts = parts;
  all.crossing = crossing;
}

// A part of a step, and in statics with robots the passes after it, each from where the one before
// arrived.
StepReport part_to_rest(const Scene& scene, StepPart part, State& state, Workspace& w) {
  StepReport report = step_part(scene, part, state, w);
  if (!rests_in_parts(scene)) return report;
  part.of_path = 1;
  while (part.pass++ < scene.newton.max_lag_passes && report.status() == kNoEquilibrium) {
    const int passes = report.newton.lag_passes, parts = report.parts;
    add(step_part(scene, part, state, w), report);
    report.newton.lag_passes = passes + 1;
    report.parts = parts;
  }
  return report;
}

}  // namespace

bool rests_in_parts(const Scene& scene) {
  return scene.sim.integrator == static_cast<int>(Integrator::kQuasiStatic) &&
         !scene.robots.empty();
}

StepReport step(const Scene& scene, State& state, Workspace& w) {
  const double start = state.time, dt = scene.sim.dt;
  const std::int64_t steps = state.step;
  State before;  // a part that is refused leaves the state alone, but not those ahead of it
  const int first = std::max(parts_for_turns(scene, state, w), parts_for_points(scene, state, w));
  const int most = first << scene.newton.max_cuts;
  StepReport tried;  // what was spent on tries that did not settle
  for (int parts = first;; parts *= 2) {
    StepReport report = tried;
    report.parts = report.crossed = report.crossing = report.past_middle = report.merged = 0;
    std::uint32_t status = 0;
    double gap = 1e300;
    const bool goes_on = parts > 1 || rests_in_parts(scene);  // from where a part has led
    if (goes_on) before = state;
    for (int k = 1; k <= parts; ++k) {
      StepPart part;
      part.h = parts == 1 ? dt : dt / parts;
      part.end = k == parts ? start + dt : start + dt * k / parts;
      part.of_path = 1.0 / (parts - k + 1);
      part.refused = parts < most ? kUnsettled : 0;
      add(part_to_rest(scene, part, state, w), report);
      status |= report.status();
      gap = std::min(gap, report.newton.smallest_gap);
      if (status & (part.refused | kLost)) break;
      if (part.refused && report.crossing > 0) break;
    }
    report.newton.status = status;
    report.newton.smallest_gap = gap;
    const bool unsettled = (status & kUnsettled) || report.crossing > 0;
    const bool again = parts < most && unsettled && !(status & kLost);
    if (goes_on && (again || (status & kLost) || (scene.newton.strict && status != 0)))
      state = before;
    if (again) {
      tried = report;
      continue;
    }
    if (!(status & kLost) && state.step > steps) {
      // Parts are no steps, neither to what began to touch in one of them.
      for (auto& [key, memory] : state.history)
        memory.first_step = std::min(memory.first_step, steps);
      state.step = steps + 1;
      sense(scene, state, w);
    }
    report.step = state.step;
    report.time = state.time;
    return report;
  }
}

}  // namespace haptos
