// What a step reports beside the solver's own figures, and the wrenches on bodies.
#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/base/text/refuse.h"
#include "haptos/bodies/elastic/elastic.h"
#include "haptos/contact/frozen/coat/coat_sampler.h"
#include "haptos/sim/model/control_slots.h"
#include "haptos/sim/workspace.h"

namespace haptos {
namespace {

void add(Wrench& w, const Vec3d& force, const Vec3d& at, const Vec3d& about) {
  w.force += force;
  w.torque += cross(at - about, force);
}

const PrescribedPoints* find_prescribed(const Workspace& w, int body) {
  for (const PrescribedPoints& p : w.prescribed)
    if (p.body == body) return &p;
  return nullptr;
}

// The acceleration of a free point in the last step of h; links have a step of their own.
Vec3d free_acceleration(const Workspace& w, int point, double h) {
  if (w.objective.proximal() || w.points.driven(point)) return Vec3d::zero();
  const Vec3d past = w.objective.velocity_of(point, w.objective.inertia().z_past);
  return (w.points.u[at_index(point)] - past) * (1.0 / (w.points.carried(point) ? h : w.b));
}

// The same of a point on a path, whose velocity was u_start on the path before.
Vec3d path_acceleration(const Workspace& w, int point, const Vec3d& u_start, double h) {
  if (w.objective.proximal()) return Vec3d::zero();
  const auto p = at_index(point);
  return ((w.points.x[p] - w.points.x_start[p]) * (1.0 / h) - u_start) * (1.0 / h);
}

// Rate of change of an affine body's momentum less its weight and its applied load. With the
// columns c_j of q (c_0 the origin) and their accelerations a_j, x = sum X_j c_j with X_0 = 1, so
// sums over the mass are sums over its moments, int X_i X_j dm.
void add_inertia(const AffineFrame& f, const State& state, const Workspace& w, const Vec3d& g,
                 const Vec3d& about, Wrench& r) {
  const Moments& own = f.spec().own;
  const double* q = state.q.data() + f.slots().first_q;
  double rate[12], past[12];
  f.rates(w.z.data() + f.slots().first_scalar, rate);
  f.rates(w.objective.inertia().z_past.data() + f.slots().first_scalar, past);
  const double per_step = w.objective.proximal() ? 0.0 : 1.0 / w.b;
  Vec3d x[4], a[4];
  for (int j = 0; j < 4; ++j)
    for (int c = 0; c < 3; ++c) {
      x[j][c] = q[3 * j + c];
      a[j][c] = (rate[3 * j + c] - past[3 * j + c]) * per_step;
    }
  x[0] = x[0] - about;
  if (!f.spec().weightless) a[0] = a[0] - g;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      const double m = i == 0 && j == 0 ? own.mass
                       : i == 0         ? own.first[j - 1]
                       : j == 0         ? own.first[i - 1]
                                        : own.second(i - 1, j - 1);
      if (i == 0) r.force += a[j] * m;
      r.torque += cross(x[i], a[j]) * m;
    }
  add(r, -f.force, AffineFrame::place(q, own.centre()), about);
  r.torque -= f.torque;
}

// Gravity and a soft body's own body force per mass at a time [m/s2].
Vec3d pull_on(const Scene& scene, const State& state, const Workspace& w, int body, double time) {
  Vec3d g = gravity_of(scene, state);
  for (std::size_t i = 0; i < w.soft.size(); ++i)
    if (w.soft[i].body == body) g += value_at(scene.soft[i].acceleration, time);
  return g;
}

}  // namespace

void measure(const Scene& scene, const State& state, Workspace& w, StepReport& report) {
  report.smallest_volume_ratio = w.soft.empty() ? 1.0 : 1e300;
  for (const SoftParts& s : w.soft) {
    const Vec3d pull = pull_on(scene, state, w, s.body, report.time);
    for (std::size_t v = 0; v < s.points.size(); ++v) {
      const auto p = at_index(s.points[v]);
      const double m = s.nodes->mass()[v];
      if (!w.objective.proximal()) report.kinetic += 0.5 * m * squared_norm(w.points.u[p]);
      report.potential -= m * dot(pull, w.points.x[p]);
    }
    if (s.coat) continue;
    report.smallest_volume_ratio =
        std::min(report.smallest_volume_ratio, smallest_volume_ratio(*s.elements, w.points.x));
  }
  const Vec3d g = gravity_of(scene, state);
  for (const AffineParts& a : w.affine) {
    const AffineFrame& f = *a.frame;
    if (!w.objective.proximal()) report.kinetic += f.kinetic_energy(state);
    if (f.spec().weightless) continue;
    report.potential -=
        dot(g, AffineFrame::place(state.q.data() + f.slots().first_q, f.spec().own.centre())) *
        f.spec().own.mass;
  }
  for (const ParticleParts& p : w.particles)
    if (p.seed == 0) {
      report.kinetic += p.grid->kinetic_energy(state);
      report.potential += p.grid->weight_energy(state, g);
    }
  for (const RobotParts& r : w.robots) {
    if (!r.body) continue;
    const BodySlots& s = r.body->slots();
    const MechanicalEnergy e =
        r.body->energy(state.q.data() + s.first_q, state.z.data() + s.first_scalar, g);
    if (!w.objective.proximal()) report.kinetic += e.kinetic;
    report.potential += e.potential;
  }
  Evaluation e;
  e.points = &w.points;
  e.z = &w.z;
  for (const auto& t : w.terms)
    if (t->kind() == TermKind::kPosition && t->report().conservative)
      report.potential += t->evaluate(e).value;
}

Wrench Sim::reaction(const std::string& name, const Vec3d& about) const {
  Wrench r;
  const int body = body_id(name);
  if (state_.last_dt == 0) return r;
  std::vector<ConstraintForce> joined;
  for (const ConstraintParts& c : work_->constraints) c.term->add_forces(joined);
  for (const ConstraintForce& f : joined)
    if (f.body == body) add(r, f.force, f.x, about), r.torque += f.moment;
  if (work_->point_impulse.empty()) return r;
  // Terms push the point by -gradient / b; a glued vertex also hands on its weight less inertia.
  auto add_point = [&](int point, const Vec3d& a, double glued_mass) {
    const auto q = at_index(point);
    const Vec3d g = pull_on(scene(), state_, *work_, work_->points.body(point), state_.time);
    const Vec3d f = work_->point_impulse[q] * (-1.0 / work_->b) + (g - a) * glued_mass;
    add(r, f, work_->points.x[q], about);
  };
  if (const PrescribedPoints* p = find_prescribed(*work_, body))
    for (std::size_t k = 0; k < p->points.size(); ++k)
      add_point(p->points[k],
                path_acceleration(*work_, p->points[k], p->u_start[k], state_.last_dt),
                p->glued_mass[k]);
  for (const AffineParts& a : work_->affine)
    for (std::size_t k = 0; a.frame->slots().body == body && k < a.points.size(); ++k)
      add_point(
          a.points[k],
          work_->objective.proximal() ? Vec3d::zero() : a.frame->acceleration(a.frame->local()[k]),
          a.glued_mass[k]);
  for (const RobotParts& robot : work_->robots)
    for (const LinkParts& l : robot.links)
      for (std::size_t k = 0; l.body == body && k < l.points.size(); ++k)
        add_point(l.points[k], free_acceleration(*work_, l.points[k], state_.last_dt),
                  l.glued_mass[k]);
  return r;
}

Wrench Sim::contact_wrench(const std::string& name, const Vec3d& about) const {
  Wrench r;
  // Of a robot its links, which have numbers one after the other.
  const auto& robots = model_->robots;
  const auto robot = std::find_if(robots.begin(), robots.end(),
                                  [&](const RobotModel& m) { return m.name == name; });
  const int first = robot != robots.end() ? robot->first_body : body_id(name);
  const int end = first + (robot != robots.end() ? static_cast<int>(robot->robot.links.size()) : 1);
  const auto of = [&](int body) { return body >= first && body < end; };
  for (const ContactPoint& c : work_->contacts) {
    if (of(c.body_a)) add(r, c.force, c.p, about);
    if (of(c.body_b)) add(r, -c.force, c.p, about);
  }
  return r;
}

NodalContact Sim::nodal_contact(const std::string& soft) const {
  const int body = body_id(soft);
  for (const SoftParts& s : work_->soft)
    if (s.body == body) return haptos::nodal_contact(work_->contacts, body, s.points);
  return {};
}

SoftStress Sim::soft_stress(const std::string& soft) const {
  const std::vector<Vec3d> x = soft_positions(soft);
  const int body = body_id(soft);
  for (const SoftParts& s : work_->soft)
    if (s.body == body) {
      if (s.coat)
        refuse("soft body \"" + soft + "\"", "", "is a layer, of which only the coat is known",
               "take model: elastic for stress inside");
      return cauchy_stress(*s.elements, *s.moduli, soft_model(soft), x);
    }
  return {};
}

Wrench Sim::load_wrench(const std::string& name, const Vec3d& about) const {
  Wrench r;
  const int body = body_id(name);
  if (state_.last_dt == 0) return r;
  std::vector<Vec3d> forces(work_->points.x.size(), Vec3d::zero());
  for (const LoadOn& l : work_->load_terms)
    if (l.body == body) l.term->add_forces(work_->points, forces);
  for (std::size_t p = 0; p < forces.size(); ++p) add(r, forces[p], work_->points.x[p], about);
  return r;
}

Wrench Sim::inertia_wrench(const std::string& name, const Vec3d& about) const {
  Wrench r;
  const int body = body_id(name);
  const Vec3d g = pull_on(scene(), state_, *work_, body, state_.time);
  if (state_.last_dt == 0) return r;
  for (const AffineParts& a : work_->affine)
    if (a.frame->slots().body == body) add_inertia(*a.frame, state_, *work_, g, about, r);
  for (const SoftParts& s : work_->soft) {
    if (s.body != body) continue;
    std::vector<Vec3d> a(s.points.size(), Vec3d::zero());
    for (std::size_t v = 0; v < s.points.size(); ++v)
      if (!work_->points.driven(s.points[v]))
        a[v] = free_acceleration(*work_, s.points[v], state_.last_dt);
    // Glued vertices are points of the bodies that carry them.
    std::vector<std::size_t> vertex_of(work_->points.x.size(), s.points.size());
    for (std::size_t v = 0; v < s.points.size(); ++v) vertex_of[at_index(s.points[v])] = v;
    for (const PrescribedPoints& p : work_->prescribed)
      for (std::size_t k = 0; k < p.points.size(); ++k)
        if (const std::size_t v = vertex_of[at_index(p.points[k])];
            p.glued_mass[k] > 0 && v < s.points.size())
          a[v] = path_acceleration(*work_, p.points[k], p.u_start[k], state_.last_dt);
    for (std::size_t v = 0; v < s.points.size(); ++v) {
      const auto q = at_index(s.points[v]);
      add(r, (a[v] - g) * s.nodes->mass()[v], work_->points.x[q], about);
    }
  }
  return r;
}

// Moves the coat of a layer by what presses on it; x are the points of what carries it.
static void dent(const State& state, const SoftParts& soft, const std::vector<Vec3d>& x,
                 std::vector<Vec3d>& out) {
  const std::vector<Vec3d> u = coat_displacement(state.history, soft.body, *soft.coat);
  if (u.empty()) return;
  const Mat3d turn = to_matrix(soft.frame.pose(x).q);
  for (std::size_t i = 0; i < u.size(); ++i) out[at_index(soft.coat->vertex[i])] += turn * u[i];
}

void soft_positions(const State& state, const Workspace& w, const SoftParts& soft,
                    std::vector<Vec3d>& out) {
  std::vector<Vec3d> all(at_index(w.points.size()), Vec3d::zero());
  place_stiff(state, w, all, false);
  out.resize(soft.points.size());
  const double* q = state.q.data() + soft.nodes->slots().first_q;
  for (std::size_t v = 0; v < soft.points.size(); ++v) {
    if (soft.nodes->driven()[v]) {
      out[v] = all[at_index(soft.points[v])];
      continue;
    }
    out[v] = {{q[0], q[1], q[2]}};
    q += 3;
  }
  if (soft.coat) dent(state, soft, all, out);
}

Pose carrier_pose(const Model& model, const State& state, const Workspace& w,
                  const std::string& name) {
  const Scene& scene = model.scene;
  for (std::size_t i = 0; i < scene.prescribed.size(); ++i)
    if (scene.prescribed[i].name == name) return state.paths[i].to;
  const LinkName link = find_link(scene, name);
  if (link.robot < 0) {
    for (std::size_t i = 0; i < scene.affine.size(); ++i)
      if (scene.affine[i].name == name) return w.affine[i].frame->pose(state);
    refuse("\"" + name + "\"", "", "carries nothing in this scene",
           "name a prescribed body, an affine body or a link");
  }
  const RobotModel& robot = model.robots[at_index(link.robot)];
  const Articulation* body = w.robots[at_index(link.robot)].body;
  const TreeLink& place = robot.tree->links[at_index(link.link)];
  if (place.body < 0) return place.pose;
  for (const int carrier : robot.carriers)
    if (carrier == link.link)
      return AffineFrame::nearest_pose(body->carrier_frame(state, link.link));
  const auto x = body->link_pose(state.q.data() + body->slots().first_q, link.link);
  return {x.p, quaternion(x.r)};
}

}  // namespace haptos
