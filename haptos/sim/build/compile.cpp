#include "haptos/sim/model/model.h"

#include <algorithm>

#include "haptos/base/hash.h"
#include "haptos/base/text/refuse.h"
#include "haptos/bodies/elastic/soft_element.h"
#include "haptos/geometry/fill/fill_points.h"
#include "haptos/geometry/pressure/tet_pressure.h"
#include "haptos/scene/parts/field_rules.h"
#include "haptos/sim/coats/coats.h"
#include "haptos/sim/doubts/doubts.h"
#include "haptos/sim/gels.h"
#include "haptos/sim/model/pair_models.h"
#include "haptos/sim/model/pairs.h"
#include "haptos/sim/model/pressed_inside.h"
#include "haptos/sim/model/shared_parts.h"
#include "haptos/sim/sensing.h"
#include "haptos/sim/workspace.h"

namespace haptos {
namespace {

template <class S>
void hash_options(Hash& h, const S& s) {
  for (const Option<S>& o : OptionsOf<S>::table()) h.add(o.get(s));
}

void add_positions(Hash& h, const std::vector<Vec3d>& x) {
  for (const Vec3d& v : x)
    for (int c = 0; c < 3; ++c) h.add(v[c]);
}

Moments moments_of(const AffineBody& b) {
  return b.mass > 0 ? moments_from(b.mass, b.centre, b.inertia)
                    : solid_moments(b.surface, b.density);
}

// Per robot, the mass of every vertex that is glued to one of its links.
std::vector<std::vector<GluedMass>> glued_to_robots(const Scene& scene,
                                                    const std::vector<SoftModel>& soft) {
  std::vector<std::vector<GluedMass>> all(scene.robots.size());
  for (std::size_t i = 0; i < soft.size(); ++i) {
    const std::vector<Glue>& glue = scene.soft[i].glue;
    std::vector<LinkName> link;
    link.reserve(glue.size());
    for (const Glue& g : glue) link.push_back(find_link(scene, g.body));
    const std::vector<double> mass = lumped_mass(soft[i].rest, scene.soft[i].material.density);
    for (std::size_t v = 0; v < mass.size(); ++v)
      if (const int g = soft[i].glued_to[v]; g >= 0)
        if (const LinkName l = link[static_cast<std::size_t>(g)]; l.robot >= 0)
          all[static_cast<std::size_t>(l.robot)].push_back({l.link, mass[v], soft[i].start[v]});
  }
  return all;
}

// Whether there are bodies in live contact that may touch a link.
bool meets_live(const Scene& scene, const std::string& link) {
  const auto meets = [&](const auto& list) {
    return std::any_of(list.begin(), list.end(),
                       [&](const auto& b) { return may_touch(scene, link, b.name); });
  };
  const bool soft = std::any_of(scene.soft.begin(), scene.soft.end(), [&](const SoftBody& b) {
    return !b.is_layer() && !b.is_frozen() && may_touch(scene, link, b.name);
  });
  return soft || meets(scene.affine) ||
         std::any_of(scene.prescribed.begin(), scene.prescribed.end(), [&](const auto& b) {
           return !b.surface.empty() && may_touch(scene, link, b.name);
         });
}

void add_robot(Hash& h, const RobotModel& r) {
  for (const TreeBody& b : r.tree->bodies) {
    h.add(static_cast<std::uint64_t>(b.kind));
    h.add(static_cast<std::uint64_t>(b.parent) + 1);
    h.add(b.mass);
    add_positions(h, {b.position, b.centre, column(b.directions, 0), column(b.directions, 1),
                      column(b.directions, 2)});
    for (double v :
         {b.inertia.xx, b.inertia.xy, b.inertia.xz, b.inertia.yy, b.inertia.yz, b.inertia.zz})
      h.add(v);
  }
  h.add(r.tree->armature);
  for (const auto& link : r.surfaces)
    for (const TriMesh& s : link) add_positions(h, s.vertices);
  for (const auto* list : {&r.motor_pulls, &r.tendon_pulls})
    for (const JointPulls& pulls : *list)
      for (const JointPull& p : pulls) {
        h.add(static_cast<std::uint64_t>(p.joint));
        if (p.weight != 1) h.add(p.weight);
      }
  for (int i = 0; i < r.sensors->size(); ++i) {
    const Sensor& s = r.sensors->sensor(i);
    h.add(s.name.data(), s.name.size());
    h.add(static_cast<std::uint64_t>(s.kind));
    h.add(s.rate);
    h.add(s.delay);
  }
}

std::uint64_t hash_of(const Model& m) {
  Hash h;
  for (const std::string& n : m.body_names) h.add(n.data(), n.size());
  for (std::size_t i = 0; i < m.soft.size(); ++i) {
    hash_options(h, m.scene.soft[i].material);
    add_positions(h, m.soft[i].rest.vertices);
    h.add(m.soft[i].rest.tets.data(), m.soft[i].rest.tets.size() * sizeof(Vec4i));
    h.add(m.soft[i].glued_to.data(), m.soft[i].glued_to.size() * sizeof(int));
    h.add(m.soft[i].held.data(), m.soft[i].held.size());
    if (m.coats[i]) h.add(m.coats[i]->matrix.data(), m.coats[i]->matrix.size() * sizeof(float));
  }
  for (const PrescribedBody& b : m.scene.prescribed) {
    add_positions(h, b.surface.vertices);
    h.add(b.surface.segments.data(), b.surface.segments.size() * sizeof(Vec2i));
    h.add(b.surface.points.data(), b.surface.points.size() * sizeof(int));
  }
  for (std::size_t i = 0; i < m.particles.size(); ++i) {
    hash_fields(h, m.scene.material_points[i]);
    h.add(m.scene.material_points[i].grid.data(), m.scene.material_points[i].grid.size());
    h.add(m.particles[i].volume);
    add_positions(h, m.particles[i].points);
  }
  for (std::size_t i = 0; i < m.scene.affine.size(); ++i) {
    const Moments& k = m.affine_moments[i];
    add_positions(h, m.scene.affine[i].surface.vertices);
    hash_fields(h, m.scene.affine[i]);
    h.add(k.mass);
    add_positions(h, {k.first});
    for (int c = 0; c < 9; ++c) h.add(k.second[c]);
  }
  for (const RobotModel& r : m.robots) add_robot(h, r);
  for (const Constraint& c : m.scene.constraints) {
    for (const std::string* s : {&c.a, &c.b}) h.add(s->data(), s->size());
    hash_fields(h, c);
    if (c.other) add_value(h, *c.other);
  }
  for (const TactileSensor& s : m.scene.tactile) {
    if (!s.sampled()) continue;  // the state holds no samples of it
    h.add(s.name.data(), s.name.size());
    h.add(s.body.data(), s.body.size());
    add_positions(h, {s.frame.p});
    for (const double q : {s.frame.q.w, s.frame.q.x, s.frame.q.y, s.frame.q.z}) h.add(q);
    h.add(s.rate);
    h.add(s.delay);
  }
  return h.value();
}

std::shared_ptr<const DistanceField> field_of(const PrescribedBody& b) {
  if (b.surface.triangles.empty() && !(b.hydroelastic.modulus() > 0)) return nullptr;
  Shape shape;
  shape.kind = ShapeKind::kMesh;
  shape.mesh = std::make_shared<const TriMesh>(b.surface);
  return field_inside(shape, b.field_resolution, b.hydroelastic,
                      "prescribed body \"" + b.name + "\"");
}

// Of a soft body that touches by a pressure inside its tetrahedra, else null.
std::shared_ptr<const RestDepth> rest_depth(const SoftBody& b, const SoftModel& m) {
  constexpr int kResolution = 96;
  if (!b.has_pressure()) return nullptr;
  Shape shape;
  shape.kind = ShapeKind::kMesh;
  shape.mesh = std::make_shared<const TriMesh>(m.surface);
  const std::string element = std::string(FieldsOf<SoftBody>::kKind) + " \"" + b.name + "\"";
  return std::make_shared<RestDepth>(m.rest,
                                     std::make_shared<DistanceField>(shape, kResolution, element));
}

ParticleModel fill(const MaterialPoints& b) {
  const double cell = b.cell * b.cell * b.cell;
  const Filling f =
      fill_points(b.shape.shape, b.points_per_cell / cell, static_cast<Fill>(b.seeding),
                  static_cast<std::uint64_t>(b.seed),
                  std::string(FieldsOf<MaterialPoints>::kKind) + " \"" + b.name + "\"");
  const Pose pose = compose(b.pose, b.shape.frame);
  ParticleModel m;
  m.points.reserve(f.points.size());
  for (const Vec3d& x : f.points) m.points.push_back(pose * x);
  m.volume = f.volume / static_cast<double>(f.points.size());
  return m;
}

// Names of an entry in contact records: its own, the links' of a robot, none of what is no body.
template <class S>
void add_body_names(const S& entry, std::vector<std::string>& names) {
  if constexpr (IsBody<S>) names.push_back(entry.name);
}

void add_body_names(const RobotBody& robot, std::vector<std::string>& names) {
  const std::vector<std::string> links = link_body_names(robot);
  names.insert(names.end(), links.begin(), links.end());
}

}  // namespace

std::shared_ptr<const Model> compile(Scene scene) {
  validate(scene);
  auto m = std::make_shared<Model>();
  m->shared = std::make_shared<SharedParts>();
  each_kind(scene, [&](const auto& list) {
    for (const auto& b : list) add_body_names(b, m->body_names);
  });
  for (const SoftBody& b : scene.soft) {
    m->soft.push_back(compile_soft(b));
    m->soft_depths.push_back(rest_depth(b, m->soft.back()));
  }
  const bool coats = compile_coats(scene, *m);
  const std::vector<std::vector<GluedMass>> glued = glued_to_robots(scene, m->soft);
  const FrozenNeeds frozen{widest_layer(scene) > 0,
                           coats || largest_hydroelastic(scene) > 0 || touches_by_points(scene)};
  if (frozen.fields)
    for (const PrescribedBody& b : scene.prescribed) m->prescribed_fields.push_back(field_of(b));
  for (std::size_t i = 0; i < scene.robots.size(); ++i) {
    const RobotBody& b = scene.robots[i];
    const int first_control = m->robots.empty() ? 0 : m->robots.back().controls.end();
    const std::vector<std::string> names = link_body_names(b);
    const int first_body = names.empty() ? 0 : body_number(*m, names.front());
    const bool live = std::any_of(names.begin(), names.end(),
                                  [&](const std::string& n) { return meets_live(scene, n); });
    m->robots.push_back(compile_robot(b, first_body, first_control, glued[i], live, frozen));
  }
  compile_gels(scene, *m);
  for (const MaterialPoints& b : scene.material_points) m->particles.push_back(fill(b));
  for (const AffineBody& b : scene.affine) m->affine_moments.push_back(moments_of(b));
  m->scene = std::move(scene);
  compile_sensors(m->scene, *m);  // taxels look at shapes and pressures
  m->hash = hash_of(*m);
  if (m->scene.sim.strict) require_no_doubts(find_doubts(*m));
  return m;
}

Pose start_pose(const Scene& scene, const std::string& body) {
  for (const PrescribedBody& b : scene.prescribed)
    if (b.name == body) return pose_at(b.trajectory, 0);
  for (const AffineBody& b : scene.affine)
    if (b.name == body) return b.pose;
  const LinkName link = find_link(scene, body);
  if (link.robot < 0)
    refuse("\"" + body + "\"", "",
           "is neither a prescribed body nor an affine body nor a link of this scene",
           "add it first; a link is named \"robot/link\"");
  return start_poses(scene.robots[static_cast<std::size_t>(link.robot)])
      .at(static_cast<std::size_t>(link.link));
}

}  // namespace haptos
