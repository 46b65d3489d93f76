#include "haptos/contact/frozen/coat/coat_notes.h"

#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/contact/frozen/notes.h"

namespace haptos {
namespace {

FeaturePair key_of(int pad, Note kind, int feature) {
  FeaturePair key;
  key.body_a = key.body_b = pad;
  key.part_a = key.part_b = kind;
  key.feature_a = feature;
  return key;
}

// All of one kind that a pad notes.
template <class F>
void each_note(const ContactHistory& history, int pad, Note kind, const F& f) {
  for (auto it = history.lower_bound(key_of(pad, kind, 0)); it != history.end(); ++it) {
    const FeaturePair& k = it->first;
    if (k.body_a != pad || k.body_b != pad || k.part_a != kind || k.part_b != kind) break;
    f(k, it->second);
  }
}

}  // namespace

void read_pressure(const ContactHistory& history, int pad, std::vector<double>& pressed) {
  each_note(history, pad, kCoatProbe, [&](const FeaturePair& k, const ContactMemory& m) {
    pressed[at_index(static_cast<int>(k.feature_a))] = m.normal_force;
  });
}

CoatForces coat_forces(const ContactHistory& history, int pad) {
  CoatForces found;
  each_note(history, pad, kCoatForce, [&](const FeaturePair& k, const ContactMemory& m) {
    if (k.feature_b == 1) {
      if (found.node.empty()) return;
      found.friction.back() = m.anchor;
      found.stiffer.back() = std::max(m.edge, 1.0);
      return;
    }
    found.node.push_back(static_cast<int>(k.feature_a));
    found.force.push_back(m.anchor);
    found.friction.push_back(Vec3d::zero());
    found.slips.push_back(m.slipping != 0);
    found.stiffer.push_back(1);
  });
  return found;
}

std::vector<Vec3d> CoatForces::bending() const {
  std::vector<Vec3d> all;
  for (std::size_t k = 0; k < node.size(); ++k)
    all.push_back(friction[k] + (1 / stiffer[k]) * (force[k] - friction[k]));
  return all;
}

// A node goes on with the probe that it is where that gives way beyond nodes.
std::vector<Vec3d> coat_displacement(const ContactHistory& history, int pad,
                                     const CoatCompliance& coat) {
  std::vector<Vec3d> u;
  const CoatForces f = coat_forces(history, pad);
  if (f.node.empty()) return u;
  coat.displace(f.node, f.bending(), u);
  std::vector<double> pressed(coat.probe.size(), 0.0), beyond;
  read_pressure(history, pad, pressed);
  coat.beyond_nodes(pressed, beyond);
  for (std::size_t i = 0; i < u.size(); ++i) u[i] -= beyond[i] * coat.normal[i];
  return u;
}

void CoatNotes::add_node(int pad, int node, const Vec3d& force, const Vec3d& friction, bool slips,
                         double stiffer) {
  FeaturePair key = key_of(pad, kCoatForce, node);
  ContactMemory memory;
  memory.normal_force = norm(force - friction);
  memory.slipping = slips ? 1 : 0;
  memory.anchor = force;
  all_.emplace_back(key, memory);
  key.feature_b = 1;
  memory.anchor = friction;
  memory.edge = stiffer;
  all_.emplace_back(key, memory);
}

void CoatNotes::add_pressure(int pad, const std::vector<double>& pressed) {
  for (std::size_t p = 0; p < pressed.size(); ++p) {
    if (!(pressed[p] > 0)) continue;
    ContactMemory memory;
    memory.normal_force = pressed[p];
    all_.emplace_back(key_of(pad, kCoatProbe, static_cast<int>(p)), memory);
  }
}

void CoatNotes::remember(ContactHistory& next) const {
  for (const auto& [key, memory] : all_) next.insert_or_assign(key, memory);
}

}  // namespace haptos
