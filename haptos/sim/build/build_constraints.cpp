// Constraints between bodies of a scene: the frames of both sides, where they are at the start.
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/sim/build/build_robots.h"
#include "haptos/sim/build/sides.h"
#include "haptos/sim/model/control_slots.h"
#include "haptos/sim/model/model.h"
#include "haptos/sim/workspace.h"

namespace haptos {

Side side_of(const Model& model, const Workspace& w, const std::string& name) {
  if (name.empty()) return {};
  for (std::size_t i = 0; i < w.affine.size(); ++i)
    if (model.scene.affine[i].name == name)
      return {std::make_shared<LinkOf<AffineFrame>>(w.affine[i].frame), {}};
  for (std::size_t i = 0; i < w.prescribed.size(); ++i)
    if (model.scene.prescribed[i].name == name) return {w.prescribed[i].frame, {}};
  const LinkName at = find_link(model.scene, name);
  const RobotModel& robot = model.robots[at_index(at.robot)];
  const TreeLink& place = robot.tree->links[at_index(at.link)];
  if (place.body < 0) return {nullptr, place.pose};
  return {std::make_shared<LinkOf<Articulation>>(w.robots[at_index(at.robot)].body, at.link,
                                                 robot.first_body + at.link),
          {}};
}

namespace {

FreeAxisOptions axis_of(const Constraint& c) {
  FreeAxisOptions o{c.lower, c.upper, c.stiffness, c.reference, c.damping, c.friction, {}};
  if (const auto& m = c.motor)
    o.motor = MotorGains{m->kp, m->kd, m->effort, m->ki, m->integral_limit};
  return o;
}

Pose start_of(const Scene& scene, const std::string& name) {
  return name.empty() ? Pose{} : start_pose(scene, name);
}

std::unique_ptr<LoopClosureTerm> make_constraint(const Model& model, const Workspace& w,
                                                 const Constraint& c) {
  const Pose start_a = start_of(model.scene, c.a), start_b = start_of(model.scene, c.b);
  const Pose meets = compose(start_a, c.pose);
  const Side a = side_of(model, w, c.a), b = side_of(model, w, c.b);
  const auto frame = [](const Side& s, const Pose& local) {
    return LinkFrame(s.link, s.link ? local : compose(s.still, local));
  };
  const Pose local_b =
      c.other ? *c.other : Pose{to_local(start_b, meets.p), conjugate(start_b.q) * meets.q};
  const LinkFrame fa = frame(a, c.pose), fb = frame(b, local_b);
  const LinkPoint pa{fa.link, fa.local.p}, pb{fb.link, fb.local.p};
  switch (static_cast<ConstraintKind>(c.kind)) {
    case ConstraintKind::kWeld:
      return std::make_unique<WeldClosure>(fa, fb);
    case ConstraintKind::kHinge:
      return std::make_unique<WeldClosure>(fa, fb, WeldClosure::Free::kTurn, axis_of(c));
    case ConstraintKind::kSlider:
      return std::make_unique<WeldClosure>(fa, fb, WeldClosure::Free::kShift, axis_of(c));
    case ConstraintKind::kBall:
      return std::make_unique<BallClosure>(pa, pb);
    case ConstraintKind::kDistance:
      break;
  }
  const double apart = norm(meets.p - start_b * local_b.p);
  return std::make_unique<DistanceClosure>(pa, pb, c.distance > 0 ? c.distance : apart);
}

}  // namespace

void add_constraints(const Model& model, Workspace& w) {
  for (const Constraint& c : model.scene.constraints) {
    std::unique_ptr<LoopClosureTerm> term = make_constraint(model, w, c);
    w.constraints.push_back({term.get(), nullptr, axis_slot(model, w.constraints.size())});
    if (c.has_axis()) w.constraints.back().weld = static_cast<WeldClosure*>(term.get());
    w.terms.push_back(std::move(term));
  }
}

void set_initial_axes(const Model& model, const Workspace& w, double* controls) {
  for (std::size_t i = 0; i < w.constraints.size(); ++i) {
    const Constraint& c = model.scene.constraints[i];
    const ConstraintParts& parts = w.constraints[i];
    if (!parts.weld) continue;
    double* m = controls + parts.slots;
    m[kAxisNear] = parts.weld->coordinate(start_of(model.scene, c.a), start_of(model.scene, c.b),
                                          c.starts_near());
    if (c.motor) {
      m[0] = c.motor->position.value_or(m[kAxisNear]), m[1] = c.motor->velocity;
      m[4] = c.motor->kp, m[5] = c.motor->kd, m[6] = c.motor->ki;
    }
  }
}

void apply_axes(const State& state, Workspace& w) {
  for (const ConstraintParts& c : w.constraints) {
    if (!c.weld) continue;
    const double* m = state.controls.data() + c.slots;
    FreeAxis& axis = *c.weld->axis();
    axis.near = m[kAxisNear];
    if (Motor* motor = axis.motor()) tell_motor(m, *motor);
  }
}

void keep_axes(const Workspace& w, State& state) {
  for (const ConstraintParts& c : w.constraints) {
    if (!c.weld) continue;
    double* m = state.controls.data() + c.slots;
    const FreeAxis& axis = *c.weld->axis();
    m[kAxisNear] = axis.near;
    if (const Motor* motor = axis.motor()) m[3] = motor->integral;
  }
}

}  // namespace haptos
