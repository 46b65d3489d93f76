// One step through the house: min_z Phi(z), then q <- q (+) h z. docs/step.md narrates it. A step
// that does not settle is tried again in parts (sim/step_parts.cpp).
#include <algorithm>
#include <chrono>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/base/text/status.h"
#include "haptos/sim/model/control_slots.h"
#include "haptos/sim/workspace.h"

namespace haptos {
namespace {

// Whether a step needs the one before the last.
bool keeps_the_last(const Scene& scene) {
  return scene.sim.integrator == static_cast<int>(Integrator::kBdf2);
}

BodyStep body_step(const Scene& scene, const StepPart& part, const State& state, Workspace& w) {
  BodyStep s;
  s.h = part.h;
  s.time = part.pass > 0 ? part.end - part.h : state.time;
  s.b = s.h;
  if (keeps_the_last(scene) && !state.q_before.empty() && state.last_dt == s.h) {
    s.b = s.h * 2 / 3;
    s.w = 1.0 / 3;
  } else if (scene.sim.integrator == static_cast<int>(Integrator::kQuasiStatic)) {
    s.momentum = false;
    // Passes of robots begin small, as steps of dynamics: what falls is seen before it is through.
    const double most = rests_in_parts(scene) ? std::ldexp(s.h, std::min(part.pass, 60)) : 1e300;
    s.s = square(s.h / std::min(scene.sim.pseudo_step, most));
  }
  s.gravity = gravity_of(scene, state);
  s.points = &w.points;
  s.mass = &w.objective.inertia().mass;
  s.z_free = &w.objective.inertia().z_free;
  s.length = &w.objective.inertia().length;
  s.held = &w.objective.inertia().held;
  s.held->clear();
  s.z_past = &w.objective.inertia().z_past;
  s.z_hold = &w.objective.inertia().z_hold;
  s.z_start = &w.z_start;
  return s;
}

// Room for the unknowns that bodies have in this step alone.
void lay_out(const State& state, Workspace& w) {
  StepSlots next{w.own_blocks, w.state_z, w.own_mass};
  for (const auto& b : w.bodies) {
    b->set_step_slots(next);
    const int n = b->step_blocks(state);
    next.first_block += n, next.first_scalar += 3 * n, next.first_mass += 9 * n;
  }
  w.objective.set_step_blocks(next.first_block - w.own_blocks);
  w.z_start = state.z;
  w.z_start.resize(at_index(next.first_scalar), 0.0);
  w.objective.inertia().z_past = w.z_start;
}

// Sends prescribed points along straight paths to where their bodies should be at the end of the
// step.
void set_paths(const Scene& scene, const State& state, const BodyStep& step, const StepPart& part,
               Workspace& w) {
  for (std::size_t i = 0; i < w.prescribed.size(); ++i) {
    PrescribedPoints& p = w.prescribed[i];
    const PathState& last = state.paths[i];
    p.stopped = false;
    place_prescribed(p, last, w.points.x_start);
    const std::optional<Pose>& target = state.targets[i];
    p.next = !target               ? pose_at(scene.prescribed[i].trajectory, part.end)
             : part.of_path == 1.0 ? *target
                                   : interpolate(last.to, *target, part.of_path);
    p.frame->start = last.to, p.frame->end = p.next;
    PathState end;
    end.to = p.next;
    place_prescribed(p, end, w.points.x_target);
    // Velocity on the last path, for the inertia of glued vertices and the integrator's base.
    p.u_start.assign(p.points.size(), Vec3d::zero());
    const Mat3d R = to_matrix(last.from.q);
    if (state.last_dt > 0)
      for (std::size_t k = 0; k < p.points.size(); ++k)
        p.u_start[k] = (w.points.x_start[at_index(p.points[k])] - (R * p.local[k] + last.from.p)) *
                       (1.0 / state.last_dt);
    for (std::size_t k = 0; k < p.points.size(); ++k) {
      const auto q = at_index(p.points[k]);
      w.points.x_base[q] = w.points.x_start[q];
      if (step.w != 0) w.points.x_base[q] += (step.w * state.last_dt) * p.u_start[k];
    }
  }
}

// Of the inertia without its factor s: compliances are those of dynamics in statics too; for
// impulses over h.
void invert_mass(const BodyStep& step, Workspace& w) {
  const Objective& f = w.objective;
  std::vector<double>& r = w.inverse_mass;
  r.clear();
  std::size_t o = 0;
  for (int b = 0; b < f.pattern().block_count(); ++b) {
    const auto n = at_index(f.pattern().size(b));
    for (std::size_t i = 0; i < n; ++i) r.push_back(f.inertia().mass[o + i * n + i]);
    o += n * n;
  }
  for (const auto& b : w.bodies) b->add_stiffness(step.b, r);
  const double s = step.s * step.b / step.h;
  for (double& m : r) m = s / m;
}

// Keeps where prescribed bodies got to; returns the largest distance to a target.
double keep_paths(double s, State& state, const Workspace& w) {
  double missed = 0;
  for (std::size_t i = 0; i < w.prescribed.size(); ++i) {
    const PrescribedPoints& p = w.prescribed[i];
    if (p.stopped) {
      state.paths[i].from = state.paths[i].to;
      missed = std::max(missed, norm(p.next.p - state.paths[i].to.p));
      continue;
    }
    PathState next;
    next.from = state.paths[i].to;
    next.to = p.next;
    next.s = s;
    for (std::size_t k = 0; s < 1.0 && k < p.points.size(); ++k) {
      const auto q = at_index(p.points[k]);
      next.bent.push_back(w.points.x[q]);
      missed = std::max(missed, norm(w.points.x_target[q] - w.points.x[q]));
    }
    if (s < 1.0) next.to = interpolate(next.from, next.to, s);
    state.paths[i] = std::move(next);
  }
  return missed;
}

void gather_contacts(Workspace& w) {
  w.contacts.clear();
  w.history.clear();
  for (const ContactTerm* t : w.contact_terms) {
    t->add_contacts(w.contacts);
    t->remember(w.history);
  }
}

// Tells trees which of their links contact acts on.
void hold_touched(Workspace& w) {
  for (std::size_t r = 0; r < w.robots.size(); ++r) {
    Articulation* body = w.robots[r].body;
    if (!body) continue;
    const int first = w.sensing.first_body[r];
    const int links = static_cast<int>(body->tree().links.size());
    for (const ContactPoint& c : w.contacts)
      for (const int k : {c.body_a - first, c.body_b - first})
        if (k >= 0 && k < links) body->hold(k);
  }
}

bool finite(const std::vector<double>& z) {
  return std::all_of(z.begin(), z.end(), [](double v) { return std::isfinite(v); });
}

// Beyond it [m/s, rad/s] nothing that is simulated here moves: bounds before numbers overflow.
constexpr double kFastest = 1e6;

// Of the unknowns that are there in every step, and of material points where it starts: a node at
// the very end of their splines may be fast, and moves none of them.
bool runs_away(const std::vector<double>& z, const State& state, const Workspace& w) {
  const auto fast = [](double v) { return std::abs(v) > kFastest; };
  return std::any_of(z.begin(), z.begin() + w.state_z, fast) ||
         std::any_of(state.z.begin(), state.z.end(), fast) ||
         std::any_of(w.particles.begin(), w.particles.end(), [&](const ParticleParts& p) {
           return p.seed == 0 && fast(p.grid->largest_speed(state));
         });
}

}  // namespace

StepReport step_part(const Scene& scene, const StepPart& part, State& state, Workspace& w) {
  const auto clock = std::chrono::steady_clock::now();
  StepReport report;

  // 1. Where everything is, where prescribed bodies go, and how the rest would move freely.
  w.points.begin_step();
  BodyStep bodies = body_step(scene, part, state, w);
  apply_factors(scene, state, w);
  lay_out(state, w);
  apply_controls(scene, part.end, state, w);
  apply_axes(state, w);
  for (const auto& b : w.bodies) b->begin_step(state, bodies);
  w.objective.hold_still(w.z_start);
  set_paths(scene, state, bodies, part, w);
  const bool collided = stop_colliding_prescribed(w);

  // 2. Lagged data, candidates and constants of every term.
  invert_mass(bodies, w);
  StepContext context{bodies.time,
                      bodies.h,
                      bodies.b,
                      &w.points,
                      &w.z_start,
                      &w.inverse_mass,
                      state.step,
                      &state.history,
                      bodies.w,
                      !bodies.momentum,
                      rests_in_parts(scene),
                      bodies.h / std::sqrt(bodies.s),
                      &w.objective.inertia().z_free};
  w.points.x = w.points.x_start;
  w.objective.begin_step(context);
  w.objective.prepare();

  // 3. The minimisation.
  w.z = w.z_start;
  for (const AffineParts& a : w.affine) a.frame->first_guess(bodies, w.z);
  report.newton = minimise(w.objective, scene.newton, w.z);
  if (collided) report.newton.status |= kPrescribedCollision;
  w.point_impulse = w.objective.assembly().point_gradient();

  // 4. q <- q (+) h z, and what the step leaves behind; a step gone wrong leaves the state alone.
  if (!finite(w.z)) report.newton.status |= kNonFinite;
  if (runs_away(w.z, state, w)) report.newton.status |= kRunaway;
  for (const ContactTerm* t : w.contact_terms) {
    const TermReport r = t->report();
    report.crossed += r.crossed, report.crossing += r.crossing;
    report.past_middle += r.past_middle, report.merged += r.merged;
  }
  if (report.crossed > 0) report.newton.status |= kCoresCross;
  if (report.past_middle > 0) report.newton.status |= kPastMiddle;
  // A pass of statics that leaves something on its way is followed by another.
  const std::uint32_t bad = report.newton.status & ~(rests_in_parts(scene) ? kNoEquilibrium : 0u);
  const bool refuse = (bad & (kNonFinite | kRunaway | part.refused)) ||
                      (part.refused && report.crossing > 0) || (scene.newton.strict && bad != 0);
  if (!refuse) {
    for (const auto& t : w.terms) t->commit(context, w.points);
    gather_contacts(w);
    hold_touched(w);
    keep_controls(w, state);
    keep_axes(w, state);
    if (keeps_the_last(scene)) state.q_before = state.q, state.z_before = state.z;
    bodies.path = report.newton.path;
    for (const auto& b : w.bodies) b->advance(w.z, bodies, state);
    w.b = bodies.b;
    report.missed = keep_paths(report.newton.path, state, w);
    std::swap(state.history, w.history);
    state.time = part.end;
    state.last_dt = bodies.h;
    ++state.step;
    report.time = state.time;
    measure(scene, state, w, report);
  }

  // 5. The report.
  report.step = state.step;
  report.time = state.time;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - clock).count();
  return report;
}

}  // namespace haptos
