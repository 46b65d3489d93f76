// From model to workspace: the one plain list from entries to bodies, points and terms.
#include <algorithm>
#include <cmath>

#include "haptos/contact/barrier/barrier_term.h"
#include "haptos/contact/point/sap_term.h"
#include "haptos/dynamics/damping.h"
#include "haptos/dynamics/inversion_barrier.h"
#include "haptos/dynamics/joint_terms.h"
#include "haptos/sim/workspace.h"

namespace haptos {
namespace {

std::size_t at_index(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

// Gives out blocks, scalars and coordinates to bodies in the order they are added.
class Layout {
 public:
  BodySlots take(int body) const {
    BodySlots s;
    s.body = body;
    s.first_block = static_cast<int>(sizes.size());
    s.first_scalar = scalars;
    s.first_q = q;
    s.first_mass = mass;
    return s;
  }
  void add(const Body& b) {
    for (int n : b.block_sizes()) {
      sizes.push_back(n);
      scalars += n;
      mass += n * n;
    }
    q += b.q_count();
  }
  std::vector<int> sizes;
  int scalars = 0, q = 0;
  std::ptrdiff_t mass = 0;
};

int body_number(const Model& model, const std::string& name) {
  const auto& all = model.body_names;
  return static_cast<int>(std::find(all.begin(), all.end(), name) - all.begin());
}

void add_prescribed(const Model& model, const PrescribedBody& spec, Workspace& w) {
  PrescribedPoints p;
  p.body = body_number(model, spec.name);
  const Pose start = pose_at(spec.trajectory, 0);
  for (const Vec3d& x : spec.surface.vertices) {
    p.points.push_back(w.points.add_driven(p.body, 0, start * x));
    p.local.push_back(x);
    p.glued_mass.push_back(0);
  }
  if (!spec.surface.triangles.empty())
    p.surface = std::make_unique<ContactSurface>(spec.surface, p.points, p.body, 0, true);
  w.prescribed.push_back(std::move(p));
}

// The prescribed body that glue entry g of a soft body names.
PrescribedPoints& glue_target(const Scene& scene, const SoftBody& spec, int g, Workspace& w) {
  for (std::size_t i = 0; i < scene.prescribed.size(); ++i)
    if (scene.prescribed[i].name == spec.glue[at_index(g)].body) return w.prescribed[i];
  return w.prescribed.front();  // validate() has checked the name
}

void add_soft(const Model& model, std::size_t index, Workspace& w, Layout& layout,
              std::vector<char>& fixed) {
  const Scene& scene = model.scene;
  const SoftBody& spec = scene.soft[index];
  const SoftModel& m = model.soft[index];
  SoftParts s;
  s.body = body_number(model, spec.name);
  const std::vector<double> mass = lumped_mass(m.rest, spec.material.density);
  const BodySlots slots = layout.take(s.body);
  std::vector<char> driven;
  int block = slots.first_block;
  for (std::size_t v = 0; v < m.start.size(); ++v) {
    const int g = m.glued_to[v];
    driven.push_back(g >= 0);
    if (g < 0) {
      s.points.push_back(w.points.add_node(block++, s.body, 0, m.start[v]));
      for (int c = 0; c < 3; ++c) fixed.push_back((m.held[v] >> c) & 1);
      continue;
    }
    PrescribedPoints& holder = glue_target(scene, spec, g, w);
    const Pose pose =
        pose_at(scene.prescribed[at_index(&holder - w.prescribed.data())].trajectory, 0);
    s.points.push_back(w.points.add_driven(s.body, 0, m.start[v]));
    holder.points.push_back(s.points.back());
    holder.local.push_back(transpose(to_matrix(pose.q)) * (m.start[v] - pose.p));
    holder.glued_mass.push_back(mass[v]);
  }
  auto nodes = std::make_unique<SoftNodes>(slots, s.points, driven, mass, m.start, spec.velocity,
                                           spec.material.mass_damping);
  layout.add(*nodes);
  s.nodes = nodes.get();
  w.bodies.push_back(std::move(nodes));

  std::vector<int> surface_points;
  for (int v : m.surface_vertex) surface_points.push_back(s.points[at_index(v)]);
  s.surface =
      std::make_unique<ContactSurface>(m.surface, std::move(surface_points), s.body, 0, false);
  w.soft.push_back(std::move(s));
}

const PairOptions* pair_options(const Scene& scene, const std::string& a, const std::string& b) {
  for (const PairOptions& p : scene.pairs)
    if ((p.a == a && p.b == b) || (p.a == b && p.b == a)) return &p;
  return nullptr;
}

BarrierSetup barrier_setup(const Scene& scene, const SoftBody& soft, const PairOptions* pair) {
  BarrierSetup s;
  s.support = scene.contact.support;
  s.stiffness = pair && pair->stiffness > 0 ? pair->stiffness
                : scene.contact.stiffness > 0
                    ? scene.contact.stiffness
                    : default_barrier_stiffness(soft.material.young, s.support);
  return s;
}

void add_contact(Workspace& w, std::unique_ptr<ContactTerm> term) {
  w.contact_terms.push_back(term.get());
  w.terms.push_back(std::move(term));
}

void add_soft_terms(const Model& model, std::size_t i, Workspace& w) {
  const Scene& scene = model.scene;
  const SoftBody& spec = scene.soft[i];
  SoftParts& s = w.soft[i];
  // Elements number points consecutively from the first: a body's points are added in order.
  s.elements =
      std::make_shared<SoftElements>(w.points, model.soft[i], s.points.front(), spec.material);
  w.terms.push_back(make_elastic_term(s.elements, static_cast<ElasticLaw>(spec.material.law)));
  if (model.soft[i].patch_size > 1)
    w.terms.push_back(make_inversion_barrier(s.elements, model.soft[i]));
  if (spec.material.stiffness_damping > 0) w.terms.push_back(make_damping_term(s.elements));

  for (std::size_t b = 0; b < scene.prescribed.size(); ++b) {
    const PrescribedPoints& p = w.prescribed[b];
    const PairOptions* pair = pair_options(scene, spec.name, scene.prescribed[b].name);
    const bool glued = std::any_of(spec.glue.begin(), spec.glue.end(), [&](const Glue& g) {
      return g.body == scene.prescribed[b].name;
    });
    if (!p.surface || glued || (pair && !pair->enabled)) continue;
    BarrierSetup setup = barrier_setup(scene, spec, pair);
    setup.divisions = scene.contact.divisions > 0 ? scene.contact.divisions
                                                  : suggested_divisions(*s.surface, *p.surface);
    add_contact(w, make_barrier_term(s.surface.get(), p.surface.get(), setup));
  }
}

// Gives a body that was just added its unknowns, all free.
template <class B>
B* own(Workspace& w, Layout& layout, std::vector<char>& fixed, std::unique_ptr<B> body) {
  layout.add(*body);
  fixed.resize(at_index(layout.scalars), 0);
  B* p = body.get();
  w.bodies.push_back(std::move(body));
  return p;
}

RigidBodySpec rigid_spec(const RigidSphere& s) {
  RigidBodySpec r;
  r.name = s.name;
  r.mass = s.mass;
  r.inertia = solid_sphere_inertia(s.mass, s.radius);
  r.pose = s.pose;
  r.velocity = s.velocity;
  r.angular_velocity = s.omega;
  return r;
}

ArticulationSpec articulation_spec(const Pendulum& p) {
  ArticulationSpec a;
  a.name = p.name;
  a.base.p = p.pivot;
  for (int k = 0; k < 2; ++k) {
    JointSpec j;
    j.name = p.name + " joint " + std::to_string(k);
    j.parent = k - 1;
    j.frame.p = {{0, 0, k == 0 ? 0.0 : -p.length[0]}};
    j.axis = {{0, 1, 0}};
    j.mass = p.mass[k];
    j.centre_of_mass = {{0, 0, -0.5 * p.length[k]}};
    j.inertia = slender_rod_inertia(p.mass[k], p.length[k]);
    j.position = p.angle[k];
    j.velocity = p.rate[k];
    a.joints.push_back(j);
  }
  return a;
}

void add_sphere_contact(const Scene& scene, const std::vector<int>& half_space_body, Workspace& w) {
  std::vector<SapPair> pairs;
  for (std::size_t i = 0; i < scene.spheres.size(); ++i) {
    const RigidSphere& s = scene.spheres[i];
    w.links.push_back(std::make_unique<LinkOf<RigidBody>>(w.spheres[i]));
    for (std::size_t h = 0; h < scene.half_spaces.size(); ++h) {
      const PairOptions* pair = pair_options(scene, s.name, scene.half_spaces[h].name);
      if (pair && !pair->enabled) continue;
      SapPair p;
      p.link = w.links.back().get();
      p.radius = s.radius;
      p.normal = scene.half_spaces[h].normal;
      p.offset = scene.half_spaces[h].offset;
      p.plane_body = half_space_body[h];
      p.law.stiffness = s.stiffness;
      p.law.relaxation_time = s.dissipation;
      p.law.friction = s.friction;
      pairs.push_back(p);
    }
  }
  if (!pairs.empty()) add_contact(w, std::make_unique<SapTerm>(std::move(pairs)));
}

}  // namespace

std::unique_ptr<Workspace> build(const Model& model) {
  const Scene& scene = model.scene;
  auto w = std::make_unique<Workspace>();
  Layout layout;
  std::vector<char> fixed;
  for (const PrescribedBody& p : scene.prescribed) add_prescribed(model, p, *w);
  for (std::size_t i = 0; i < scene.soft.size(); ++i) add_soft(model, i, *w, layout, fixed);
  for (std::size_t i = 0; i < scene.soft.size(); ++i) add_soft_terms(model, i, *w);
  for (const RigidSphere& b : scene.spheres)
    w->spheres.push_back(
        own(*w, layout, fixed,
            std::make_unique<RigidBody>(layout.take(body_number(model, b.name)), rigid_spec(b))));
  for (const Pendulum& p : scene.pendulums) {
    w->pendulums.push_back(own(*w, layout, fixed,
                               std::make_unique<Articulation>(
                                   layout.take(body_number(model, p.name)), articulation_spec(p))));
    for (int k = 0; k < 2 && p.damping > 0; ++k)
      w->terms.push_back(std::make_unique<JointDamping>(w->pendulums.back(), k, p.damping));
  }
  std::vector<int> half_space_body;
  for (const HalfSpace& h : scene.half_spaces) {
    const int body = body_number(model, h.name);
    half_space_body.push_back(body);
    for (std::size_t i = 0; i < scene.soft.size(); ++i) {
      const PairOptions* pair = pair_options(scene, scene.soft[i].name, h.name);
      if (pair && !pair->enabled) continue;
      add_contact(*w, make_half_space_term(w->soft[i].surface.get(), h.normal, h.offset, body,
                                           barrier_setup(scene, scene.soft[i], pair)));
    }
  }
  add_sphere_contact(scene, half_space_body, *w);
  w->points.finish_permanent();
  std::vector<Term*> terms;
  for (const auto& t : w->terms) terms.push_back(t.get());
  w->state_q = layout.q;
  w->state_z = layout.scalars;
  w->objective.set_solver(scene.solver);
  w->objective.build(layout.sizes, fixed, &w->points, terms);
  return w;
}

State initial_state(const Scene& scene, const Workspace& w) {
  State s;
  s.q.assign(at_index(w.state_q), 0.0);
  s.z.assign(at_index(w.state_z), 0.0);
  for (const auto& b : w.bodies) b->initialize(s);
  for (const PrescribedBody& p : scene.prescribed) {
    PathState path;
    path.from = path.to = pose_at(p.trajectory, 0);
    s.paths.push_back(path);
  }
  return s;
}

Pose pose_at(const std::vector<Keyframe>& t, double time) {
  if (t.empty()) return {};
  if (time <= t.front().time) return t.front().pose;
  for (std::size_t i = 1; i < t.size(); ++i)
    if (time < t[i].time)
      return interpolate(t[i - 1].pose, t[i].pose,
                         (time - t[i - 1].time) / (t[i].time - t[i - 1].time));
  return t.back().pose;
}

void place_prescribed(const PrescribedPoints& p, const PathState& path, std::vector<Vec3d>& x) {
  if (!path.bent.empty()) {
    for (std::size_t i = 0; i < p.points.size(); ++i) x[at_index(p.points[i])] = path.bent[i];
    return;
  }
  const Mat3d R = to_matrix(path.to.q);
  for (std::size_t i = 0; i < p.points.size(); ++i)
    x[at_index(p.points[i])] = R * p.local[i] + path.to.p;
}

}  // namespace haptos
