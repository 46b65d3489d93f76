#include "haptos/sim/gels.h"

#include <algorithm>
#include <functional>

#include "haptos/base/math/index.h"
#include "haptos/base/text/options.h"
#include "haptos/base/text/refuse.h"
#include "haptos/base/text/text.h"
#include "haptos/contact/frozen/coat/coat_sampler.h"
#include "haptos/sim/workspace.h"

namespace haptos {
namespace {

constexpr int kHead = 13;     // step, rotation, origin
constexpr int kPerNode = 10;  // position, force, way to the other surface, area

// Most that a sensor's samples may take of a state: 128 MiB.
constexpr double kMostNumbers = 1 << 24;

int soft_body_of(const Scene& scene, const TactileSensor& s) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < scene.soft.size(); ++i) {
    if (scene.soft[i].name == s.body) return static_cast<int>(i);
    names.push_back(scene.soft[i].name);
  }
  const std::string near = nearest_name(s.body, names);
  refuse("sensor \"" + s.name + "\" body", "\"" + s.body + "\"", "names no soft body",
         near.empty() ? "add the soft body first" : "did you mean \"" + near + "\"?");
}

// What touches a layer, from the forces that its state keeps.
void coat_contact(const State& state, GelContacts contacts, const SoftParts& soft,
                  const GelModel& m, GelSample& out) {
  const std::size_t n = out.nodes.size();
  out.contact.force.assign(n, Vec3d::zero());
  out.contact.to_surface.assign(n, Vec3d::zero());
  out.contact.area.assign(n, 0.0);
  if (contacts == GelContacts::kNone) return;
  const CoatForces f = coat_forces(state.history, soft.body);
  for (std::size_t k = 0; k < f.node.size(); ++k) {
    const std::size_t i = at_index(f.node[k]), v = at_index(soft.coat->vertex[i]);
    out.contact.force[v] = in_frame(m.sensor->turn(), f.force[k]);
    out.contact.area[v] = soft.coat->area[i];
  }
}

Vec3d take3(const double*& p) {
  const Vec3d v{{p[0], p[1], p[2]}};
  p += 3;
  return v;
}

}  // namespace

void compile_gels(const Scene& scene, Model& model) {
  for (std::size_t i = 0; i < scene.tactile.size(); ++i) {
    const TactileSensor& s = scene.tactile[i];
    for (std::size_t k = 0; k < i; ++k)
      if (scene.tactile[k].name == s.name)
        refuse("sensor \"" + s.name + "\"", "", "has the name of another sensor",
               "give it another name");
    GelModel m;
    m.soft = soft_body_of(scene, s);
    check_tactile_sensor(s);
    const SoftModel& soft = model.soft[at_index(m.soft)];
    const std::vector<Glue>& glue = scene.soft[at_index(m.soft)].glue;
    if (!glue.empty()) m.carrier = glue.front().body;
    m.sensor = std::make_shared<const GelSensor>(s, soft.rest.vertices, soft.coat);
    if (s.sampled()) {
      const double between =
          s.rate > 0 ? std::max(scene.sim.dt, 1 / s.rate - scene.sim.dt) : scene.sim.dt;
      const double numbers =
          (s.delay / between + 4) * kPerNode * static_cast<double>(soft.surface_vertex.size());
      if (!(numbers < kMostNumbers))
        refuse("sensor \"" + s.name + "\" delay", to_text(s.delay),
               "would keep " + to_text(numbers * 8 / 1048576) +
                   " MiB of samples in the state, of at "
                   "most 128",
               "shorten the delay, or lower the rate");
    }
    model.gels.push_back(std::move(m));
  }
}

SensorSignal gel_signal(const Model& model, int sensor) {
  const GelModel& m = model.gels[at_index(sensor)];
  const std::size_t nodes = model.soft[at_index(m.soft)].surface_vertex.size();
  SensorSignal s;
  s.name = m.sensor->spec().name;
  s.width = kHead + kPerNode * static_cast<int>(nodes);
  s.rate = m.sensor->spec().rate;
  s.delay = m.sensor->spec().delay;
  return s;
}

namespace {

// How what is fixed to a body moves, by where it is; none of bodies whose motion is given.
std::function<Vec3d(const Vec3d&)> carrier_motion(const Model& model, const State& state,
                                                  const Workspace& w, const std::string& name) {
  if (const LinkName found = find_link(model.scene, name); found.robot >= 0) {
    const Articulation* body = w.robots[at_index(found.robot)].body;
    if (!body) return {};
    const double* q = state.q.data() + body->slots().first_q;
    const Vec3d origin = body->link_pose(q, found.link).p;
    const SpatialMotion<double> m =
        body->link_velocity(q, state.z.data() + body->slots().first_scalar, found.link);
    return [=](const Vec3d& x) { return m.linear + cross(m.angular, x - origin); };
  }
  for (const AffineParts& a : w.affine) {
    const AffineFrame* frame = a.frame;
    if (model.body_names[at_index(frame->slots().body)] != name) continue;
    const double* z = state.z.data() + frame->slots().first_scalar;
    if (const auto& guide = frame->spec().guide)
      return [v = z[0] * *guide](const Vec3d&) { return v; };
    return [=](const Vec3d& x) { return AffineFrame::place(z, to_local(frame->spec().pose, x)); };
  }
  return {};
}

}  // namespace

void start_with_carriers(const Model& model, const Workspace& w, State& state) {
  for (std::size_t i = 0; i < w.soft.size(); ++i) {
    const SoftBody& spec = model.scene.soft[i];
    if (spec.glue.empty() || squared_norm(spec.velocity) > 0) continue;
    const auto motion = carrier_motion(model, state, w, spec.glue.front().body);
    if (!motion) continue;
    const BodySlots& slots = w.soft[i].nodes->slots();
    const double* x = state.q.data() + slots.first_q;
    double* v = state.z.data() + slots.first_scalar;
    const std::size_t end = 3 * w.soft[i].nodes->block_sizes().size();
    for (std::size_t k = 0; k < end; k += 3) {
      const Vec3d u = motion({{x[k], x[k + 1], x[k + 2]}});
      std::copy_n(u.a, 3, v + k);
    }
  }
}

void place_gels(const Model& model, const State& state, Workspace& w) {
  for (std::size_t i = 0; i < model.gels.size(); ++i) {
    const GelModel& m = model.gels[i];
    const Pose& body = model.scene.soft[at_index(m.soft)].pose;
    GelSensing& g = w.sensing.gels[i];
    const Mat3d turn = to_matrix(body.q);
    g.turn = turn * m.sensor->turn();
    g.origin = turn * m.sensor->spec().frame.p + body.p;
    if (!m.carrier.empty()) g.carrier = carrier_pose(model, state, w, m.carrier);
  }
}

void sample_gel(const Model& model, const State& state, const Workspace& w, int sensor,
                GelContacts contacts, GelSample& out) {
  const GelModel& m = model.gels[at_index(sensor)];
  const GelSensing& g = w.sensing.gels[at_index(sensor)];
  out.turn = g.turn, out.origin = g.origin;
  if (!m.carrier.empty()) {
    const Pose now = carrier_pose(model, state, w, m.carrier);
    const Mat3d moved = to_matrix(now.q) * transpose(to_matrix(g.carrier.q));
    out.turn = moved * g.turn;
    out.origin = moved * (g.origin - g.carrier.p) + now.p;
  }
  out.time = state.time;
  out.step = state.step;
  out.key = m.sensor->noise_key(state.sensors.key);
  const SoftParts& soft = w.soft[at_index(m.soft)];
  soft_positions(state, w, soft, out.nodes);
  for (Vec3d& x : out.nodes) x = in_frame(out.turn, x - out.origin);
  if (contacts == GelContacts::kUnasked) return;
  if (soft.coat) return coat_contact(state, contacts, soft, m, out);
  std::span<const ContactPoint> records = w.contacts;
  if (contacts == GelContacts::kNone) records = {};
  out.contact = nodal_contact(records, soft.body, soft.points);
  for (Vec3d& f : out.contact.force) f = in_frame(out.turn, f);
  for (Vec3d& d : out.contact.to_surface) d = in_frame(out.turn, d);
}

void pack_gel(const Model& model, int sensor, const GelSample& sample, std::vector<double>& out) {
  const SoftModel& soft = model.soft[at_index(model.gels[at_index(sensor)].soft)];
  out.clear();
  out.push_back(static_cast<double>(sample.step));
  out.insert(out.end(), sample.turn.a, sample.turn.a + 9);
  out.insert(out.end(), sample.origin.a, sample.origin.a + 3);
  for (const int v : soft.surface_vertex) {
    const std::size_t i = at_index(v);
    for (const Vec3d* x :
         {&sample.nodes[i], &sample.contact.force[i], &sample.contact.to_surface[i]})
      out.insert(out.end(), x->a, x->a + 3);
    out.push_back(sample.contact.area[i]);
  }
}

void read_gel(const Model& model, const State& state, const Workspace& w, int sensor,
              const GelAsk& ask, GelSample& out) {
  const GelSensing& g = w.sensing.gels[at_index(sensor)];
  if (g.signal < 0 || ask.now) {
    sample_gel(model, state, w, sensor, ask.contact ? GelContacts::kLast : GelContacts::kUnasked,
               out);
    return;
  }
  const GelModel& m = model.gels[at_index(sensor)];
  const SoftModel& soft = model.soft[at_index(m.soft)];
  const SensorReading r = w.sensing.pipeline.read(g.signal, state.sensors);
  const double* p = r.values.data();
  out.time = r.time;
  out.step = static_cast<std::int64_t>(*p++);
  out.key = m.sensor->noise_key(state.sensors.key);
  for (double& a : out.turn.a) a = *p++;
  out.origin = take3(p);
  const std::size_t n = soft.rest.vertices.size();
  out.nodes = m.sensor->rest();
  out.contact.force.assign(n, Vec3d::zero());
  out.contact.to_surface.assign(n, Vec3d::zero());
  out.contact.area.assign(n, 0.0);
  for (const int v : soft.surface_vertex) {
    const std::size_t i = at_index(v);
    out.nodes[i] = take3(p);
    out.contact.force[i] = take3(p);
    out.contact.to_surface[i] = take3(p);
    out.contact.area[i] = *p++;
  }
}

}  // namespace haptos
