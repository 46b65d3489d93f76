// From model to workspace: the one plain list from entries to bodies, points and terms.
#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/bodies/elastic/damping.h"
#include "haptos/bodies/elastic/inversion_barrier.h"
#include "haptos/bodies/joints/joint_terms.h"
#include "haptos/bodies/particles/particle_terms.h"
#include "haptos/bodies/stiff/rigid_body.h"
#include "haptos/sim/build/build_robots.h"
#include "haptos/sim/model/control_slots.h"
#include "haptos/sim/model/held_body.h"
#include "haptos/sim/model/pairs.h"
#include "haptos/sim/model/shared_parts.h"
#include "haptos/sim/workspace.h"

namespace haptos {
namespace {

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

// Gives a body that was just added its unknowns, all free.
template <class B>
B* own(Workspace& w, Layout& layout, std::vector<char>& fixed, std::unique_ptr<B> body) {
  layout.add(*body);
  fixed.resize(at_index(layout.scalars), 0);
  B* p = body.get();
  w.bodies.push_back(std::move(body));
  return p;
}

void add_prescribed(const Model& model, const PrescribedBody& spec, Workspace& w) {
  PrescribedPoints p;
  p.body = body_number(model, spec.name);
  p.frame = std::make_shared<PathLink>(p.body, 0);
  const Pose start = pose_at(spec.trajectory, 0);
  for (const Vec3d& x : spec.surface.vertices) {
    p.points.push_back(w.points.add_driven(p.body, 0, start * x));
    p.local.push_back(x);
    p.glued_mass.push_back(0);
  }
  if (!spec.surface.empty())
    p.surface = add_surface(model, spec.surface, p.points, p.body, true, w);
  for (const PrescribedPoints& other : w.prescribed)
    p.passes.push_back(!may_touch(model.scene, spec.name, model.body_names[at_index(other.body)]));
  w.prescribed.push_back(std::move(p));
}

template <class B>
int index_of(const std::vector<B>& bodies, const std::string& name) {
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (bodies[i].name == name) return static_cast<int>(i);
  return -1;
}

// The point of a vertex at x that a soft body has glued to `holder`, and of mass `mass`.
int add_glued(const Model& model, const std::string& holder, int body, const Vec3d& x, double mass,
              Workspace& w) {
  const Scene& scene = model.scene;
  if (const LinkName link = find_link(scene, holder); link.robot >= 0) {
    const auto r = at_index(link.robot);
    return add_glued_to_link(model.robots[r], link.link, body, x, mass, w.robots[r], w);
  }
  const int i = index_of(scene.prescribed, holder);
  if (i < 0) {
    AffineParts& a = w.affine[at_index(index_of(scene.affine, holder))];
    a.points.push_back(a.frame->add_point(w.points, to_local(a.frame->spec().pose, x)));
    a.glued_mass.push_back(mass);
    return a.points.back();
  }
  PrescribedPoints& p = w.prescribed[at_index(i)];
  p.points.push_back(w.points.add_driven(body, 0, x));
  p.local.push_back(to_local(pose_at(scene.prescribed[at_index(i)].trajectory, 0), x));
  p.glued_mass.push_back(mass);
  return p.points.back();
}

// Moments of an affine body with the masses that soft bodies have glued to it.
Moments with_glued(const Model& model, std::size_t index) {
  const AffineBody& spec = model.scene.affine[index];
  Moments m = model.affine_moments[index];
  for (std::size_t i = 0; i < model.soft.size(); ++i) {
    const SoftBody& soft = model.scene.soft[i];
    const SoftModel& mesh = model.soft[i];
    if (std::none_of(soft.glue.begin(), soft.glue.end(),
                     [&](const Glue& g) { return g.body == spec.name; }))
      continue;
    const std::vector<double> mass = lumped_mass(mesh.rest, soft.material.density);
    for (std::size_t v = 0; v < mesh.start.size(); ++v)
      if (mesh.glued_to[v] >= 0 && soft.glue[at_index(mesh.glued_to[v])].body == spec.name)
        m.add(mass[v], to_local(spec.pose, mesh.start[v]));
  }
  return m;
}

void add_affine(const Model& model, std::size_t index, Workspace& w, Layout& layout,
                std::vector<char>& fixed) {
  const AffineBody& spec = model.scene.affine[index];
  AffineFrameSpec f;
  f.own = model.affine_moments[index];
  f.moments = with_glued(model, index);
  f.volume = solid_moments(spec.surface, 1.0).mass;
  f.stiffness = spec.stiffness;
  f.pose = spec.pose;
  f.velocity = spec.velocity;
  f.angular_velocity = spec.angular_velocity;
  if (spec.guide) f.guide = *spec.guide * (1 / norm(*spec.guide));
  f.weightless = !spec.gravity;
  AffineParts a;
  a.frame = own(w, layout, fixed,
                std::make_unique<AffineFrame>(layout.take(body_number(model, spec.name)), f));
  if (!spec.guide) w.terms.push_back(make_orthogonality_term(a.frame));
  for (const Vec3d& x : spec.surface.vertices) a.points.push_back(a.frame->add_point(w.points, x));
  a.glued_mass.assign(a.points.size(), 0.0);
  a.surface = add_surface(model, spec.surface, a.points, a.frame->slots().body, false, w);
  a.mass_factor = mass_slot(model, spec.name);
  w.affine.push_back(std::move(a));
}

void add_soft(const Model& model, std::size_t index, Workspace& w, Layout& layout,
              std::vector<char>& fixed) {
  const SoftBody& spec = model.scene.soft[index];
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
    s.points.push_back(
        add_glued(model, spec.glue[at_index(g)].body, s.body, m.start[v], mass[v], w));
  }
  auto nodes = std::make_unique<SoftNodes>(slots, s.points, driven, mass, m.start, spec.velocity,
                                           spec.material.mass_damping, spec.acceleration);
  layout.add(*nodes);
  s.nodes = nodes.get();
  w.bodies.push_back(std::move(nodes));

  std::vector<int> surface_points;
  for (int v : m.surface_vertex) surface_points.push_back(s.points[at_index(v)]);
  s.surface = add_surface(model, m.surface, std::move(surface_points), s.body, false, w);
  if (model.coats[index]) {
    s.coat = model.coats[index];
    s.frame = RigidPoints(s.points, m.rest.vertices);
  }
  if (spec.is_frozen()) {
    std::vector<char> path;  // what an affine body or a link carries moves by contact too
    for (const int p : s.surface->point) path.push_back(w.points.driven(p));
    s.cloud = std::make_unique<SoftCloud>(m.surface, s.surface->point, path);
  }
  w.soft.push_back(std::move(s));
}

void add_load(Workspace& w, int body, std::unique_ptr<LoadTerm> term) {
  w.load_terms.push_back({body, term.get()});
  w.terms.push_back(std::move(term));
}

void add_loads(const SoftBody& spec, const SoftModel& m, const SoftParts& s, Workspace& w) {
  if (!spec.forces.empty()) add_load(w, s.body, make_force_term(m, spec.forces, s.points));
  for (std::size_t i = 0; i < spec.pressures.size(); ++i) {
    std::vector<Vec3i> triangles = m.pressures[i];
    for (Vec3i& t : triangles)
      for (int k = 0; k < 3; ++k) t[k] = s.points[at_index(t[k])];
    add_load(w, s.body, make_pressure_term(std::move(triangles), spec.pressures[i].pressure));
  }
}

void add_soft_terms(const Model& model, std::size_t i, Workspace& w) {
  const SoftBody& spec = model.scene.soft[i];
  SoftParts& s = w.soft[i];
  s.factor = soft_slot(model, i), s.mass_factor = mass_slot(model, spec.name);
  if (s.coat) return;
  // Elements number points consecutively from the first: a body's points are added in order.
  s.elements = model.shared->elements.get(i, [&] {
    return std::make_shared<SoftElements>(w.points, model.soft[i], s.points.front(), spec.material);
  });
  s.moduli = std::make_shared<Lame>(s.elements->lame_parameters);
  const auto law = static_cast<ElasticLaw>(spec.material.law);
  w.terms.push_back(make_elastic_term(s.elements, law, s.moduli));
  if (spec.is_frozen())
    s.nodes->set_stiffness(stiffness_diagonal(*s.elements, *s.moduli));
  else
    s.nodes->set_slowest(*model.shared->slowest.get(i, [&] {
      return std::make_shared<double>(slowest_mode(spec, model.soft[i], model.scene.solver));
    }));
  if (model.soft[i].patch_size > 1) w.terms.push_back(make_inversion_barrier(s.elements, s.moduli));
  add_loads(spec, model.soft[i], s, w);
  if (spec.material.stiffness_damping > 0)
    w.terms.push_back(make_damping_term(s.elements, s.moduli));
}

// Ten times what a liquid may reach: its speed at the start, and what it has after falling its own
// height. Pressures of such speeds change its volume by 1 %.
double sound_speed(const Scene& scene, const MaterialPoints& b, const ParticleSeed& s) {
  if (b.sound_speed > 0) return b.sound_speed;
  const Vec3d gravity = scene.sim.gravity();
  double low = 1e300, high = -1e300;
  for (const Vec3d& x : s.x) {
    low = std::min(low, dot(gravity, x));
    high = std::max(high, dot(gravity, x));
  }
  constexpr double kLeast = 0.1;  // [m/s]
  return 10 * std::max(kLeast, norm(b.velocity) + sqrt(2 * (high - low)));
}

ParticleSeed particle_seed(const Model& model, std::size_t i) {
  const MaterialPoints& b = model.scene.material_points[i];
  const ParticleModel& filled = model.particles[i];
  ParticleSeed s;
  s.body = body_number(model, b.name);
  s.material.law = static_cast<ParticleLaw>(b.law);
  s.material.lame = lame(b.young, b.poisson);
  s.material.viscosity = b.viscosity;
  // In plain tension the deviator of a stress s is sqrt(2/3) s.
  s.material.yield = std::sqrt(2.0 / 3.0) * b.yield_stress;
  s.material.published = b.return_mapping == 1;
  s.density = b.density, s.volume = filled.volume, s.x = filled.points;
  for (const Vec3d& x : s.x) s.centre += x * (1 / static_cast<double>(s.x.size()));
  s.velocity = b.velocity, s.angular_velocity = b.angular_velocity;
  s.material.bulk = b.density * square(sound_speed(model.scene, b, s)) / 7;
  return s;
}

// Bodies that name one grid share it.
void add_material_points(const Model& model, Workspace& w, Layout& layout,
                         std::vector<char>& fixed) {
  const auto& all = model.scene.material_points;
  w.particles.resize(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (w.particles[i].grid) continue;
    std::vector<ParticleSeed> seeds;
    std::vector<std::size_t> of;
    for (std::size_t j = i; j < all.size(); ++j) {
      if (j != i && (all[i].grid.empty() || all[j].grid != all[i].grid)) continue;
      seeds.push_back(particle_seed(model, j));
      of.push_back(j);
    }
    const bool viscous = std::any_of(
        seeds.begin(), seeds.end(), [](const ParticleSeed& s) { return s.material.viscosity > 0; });
    ParticleGrid* grid = own(w, layout, fixed,
                             std::make_unique<ParticleGrid>(layout.take(seeds.front().body),
                                                            all[i].cell, std::move(seeds)));
    for (std::size_t k = 0; k < of.size(); ++k) {
      ParticleParts& p = w.particles[of[k]];
      p.grid = grid, p.seed = static_cast<int>(k), p.factors = material_slot(model, of[k]);
    }
    for (auto& term : make_particle_energies(*grid)) w.terms.push_back(std::move(term));
    if (viscous) w.terms.push_back(make_particle_viscosity(*grid));
  }
}

void add_robot(const Model& model, std::size_t index, Workspace& w, Layout& layout,
               std::vector<char>& fixed) {
  const RobotBody& spec = model.scene.robots[index];
  const RobotModel& robot = model.robots[index];
  RobotParts parts;
  parts.controls = robot.controls;
  parts.played = robot.played;
  if (robot.tree->v_count > 0) {
    std::vector<int> carriers;
    for (const int link : robot.carriers)
      if (robot.tree->links[at_index(link)].body >= 0) carriers.push_back(link);
    parts.body =
        own(w, layout, fixed,
            std::make_unique<Articulation>(
                layout.take(robot.first_body),
                ArticulationSpec{spec.name, robot.tree, robot.position, robot.velocity, carriers}));
    for (std::size_t i = 0; i < robot.robot.links.size(); ++i)
      parts.body->loads.push_back({static_cast<int>(i), robot.robot.links[i].centre});
  }
  add_link_points(model, spec, robot, parts, w);
  w.robots.push_back(std::move(parts));
}

}  // namespace

std::shared_ptr<const ContactSurface> add_surface(const Model& model, const TriMesh& mesh,
                                                  std::vector<int> points, int body, bool driven,
                                                  Workspace& w, int part) {
  return model.shared->surfaces.get(w.surface_count++, [&] {
    auto s = std::make_shared<ContactSurface>(mesh, std::move(points), body, 0, driven);
    s->part = part;
    return s;
  });
}

int body_number(const Model& model, const std::string& name) {
  const auto& all = model.body_names;
  return static_cast<int>(std::find(all.begin(), all.end(), name) - all.begin());
}

std::unique_ptr<Workspace> build(const Model& model) {
  const Scene& scene = model.scene;
  auto w = std::make_unique<Workspace>();
  Layout layout;
  std::vector<char> fixed;
  for (const PrescribedBody& p : scene.prescribed) add_prescribed(model, p, *w);
  for (std::size_t i = 0; i < scene.affine.size(); ++i) add_affine(model, i, *w, layout, fixed);
  for (std::size_t i = 0; i < scene.robots.size(); ++i) add_robot(model, i, *w, layout, fixed);
  for (std::size_t i = 0; i < scene.soft.size(); ++i) add_soft(model, i, *w, layout, fixed);
  add_material_points(model, *w, layout, fixed);
  for (std::size_t i = 0; i < scene.soft.size(); ++i) add_soft_terms(model, i, *w);
  for (std::size_t i = 0; i < scene.robots.size(); ++i)
    if (w->robots[i].body) add_joint_terms(model.robots[i], w->robots[i], *w);
  add_constraints(model, *w);
  build_sensing(model, *w);
  add_contacts(model, *w);
  w->points.finish_permanent();
  std::vector<Term*> terms;
  for (const auto& t : w->terms) terms.push_back(t.get());
  w->state_q = layout.q;
  w->state_z = layout.scalars;
  w->own_blocks = static_cast<int>(layout.sizes.size());
  w->own_mass = layout.mass;
  w->objective.set_solver(scene.solver);
  std::vector<const Retraction*> retractions;
  for (const AffineParts& a : w->affine)
    if (!a.frame->spec().guide) retractions.push_back(a.frame);
  w->objective.build(layout.sizes, fixed, &w->points, terms, retractions);
  return w;
}

State initial_state(const Model& model, Workspace& w) {
  const Scene& scene = model.scene;
  State s;
  s.q.assign(at_index(w.state_q), 0.0);
  s.z.assign(at_index(w.state_z), 0.0);
  for (const auto& b : w.bodies) b->initialize(s);
  start_with_carriers(model, w, s);
  for (const PrescribedBody& p : scene.prescribed) {
    PathState path;
    path.from = path.to = pose_at(p.trajectory, 0);
    s.paths.push_back(path);
    s.targets.emplace_back();
  }
  for (const AffineBody& b : scene.affine)
    for (const Vec3d& v : {b.force, b.torque}) s.wrenches.insert(s.wrenches.end(), v.a, v.a + 3);
  s.controls = blank_controls(model);
  for (std::size_t i = 0; i < model.robots.size(); ++i)
    set_initial_controls(model.robots[i], w.robots[i], s.controls.data());
  set_initial_axes(model, w, s.controls.data());
  place_gels(model, s, w);
  start_sensing(model, scene.sim.seed, s, w);
  return s;
}

}  // namespace haptos
