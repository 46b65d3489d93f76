// Constraints between bodies of a scene: the frames of both sides, where they are at the start.
#include "haptos/base/math/index.h"
#include "haptos/sim/build/sides.h"
#include "haptos/sim/model/model.h"
#include "haptos/sim/workspace.h"

namespace haptos {

Side side_of(const Model& model, const Workspace& w, const std::string& name) {
  if (name.empty()) return {};
  for (std::size_t i = 0; i < w.affine.size(); ++i)
    if (model.scene.affine[i].name == name)
      return {std::make_shared<LinkOf<AffineFrame>>(w.affine[i].frame), {}};
  const LinkName at = find_link(model.scene, name);
  const RobotModel& robot = model.robots[at_index(at.robot)];
  const TreeLink& place = robot.tree->links[at_index(at.link)];
  if (place.body < 0) return {nullptr, place.pose};
  return {std::make_shared<LinkOf<Articulation>>(w.robots[at_index(at.robot)].body, at.link,
                                                 robot.first_body + at.link),
          {}};
}

namespace {

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
      return std::make_unique<WeldClosure>(fa, fb, WeldClosure::Free::kTurn);
    case ConstraintKind::kSlider:
      return std::make_unique<WeldClosure>(fa, fb, WeldClosure::Free::kShift);
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
    w.constraints.push_back(term.get());
    w.terms.push_back(std::move(term));
  }
}

}  // namespace haptos
