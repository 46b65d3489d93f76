#include "haptos/contact/mortar/mortar_friction.h"

#include <algorithm>
#include <map>

#include "haptos/contact/barrier/barrier_law.h"
#include "haptos/contact/friction/walls.h"

namespace haptos {
namespace {

std::size_t at_index(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

constexpr std::int64_t kMortar = kMortarKind * kFeatureKind;

// What a sample leaves at a lattice point.
struct Part {
  int point;      // of the lattice
  double weight;  // its share of the sample
  int patch, sample;
};

// Force on the slave [N].
Vec3d force_of(const MortarPatch& p, const MortarSample& s, double support) {
  const double side = p.kind == PatchKind::kSlaveEdge ? -1 : 1;
  return p.m * (side * s.scale * barrier(s.gap, support).first);
}

// The cell of the master that a patch touches.
int master_cell(const MortarPatch& p, const ContactSurface& master) {
  if (p.kind == PatchKind::kFace) return p.probe_id;
  if (p.kind == PatchKind::kSlaveEdge) return p.base_id;
  const auto t = master.topology.edge_triangles[p.probe_id];
  return t.empty() ? master.loose_of_edge(p.probe_id) : t[0];
}

SlaveLattice::Share share_of(const MortarPatch& p, const MortarSample& s,
                             const ContactSurface& slave, const SlaveLattice& lattice) {
  if (p.kind != PatchKind::kSlaveEdge) return lattice.share(p.base_id, s.base[1], s.base[2]);
  const int t = slave.topology.edge_triangles[p.probe_id][0];
  const Vec3i& c = slave.triangles[at_index(t)];
  double place[3] = {0, 0, 0};
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 3; ++k)
      if (slave.point[at_index(c[k])] == p.probe[i]) place[k] += s.probe[i];
  return lattice.share(t, place[1], place[2]);
}

// All parts, those of a lattice point after each other.
std::vector<Part> parts_of(const MortarSides& sides, const SlaveLattice& lattice,
                           const MortarSamples& samples) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < samples.patches.size(); ++i) {
    const MortarPatch& p = samples.patches[i];
    for (int k = p.first; k < p.end; ++k) {
      const SlaveLattice::Share to =
          share_of(p, samples.samples[at_index(k)], *sides.slave, lattice);
      for (int c = 0; c < 3; ++c)
        if (to.weight[c] > 0) parts.push_back({to.point[c], to.weight[c], static_cast<int>(i), k});
    }
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.point < b.point; });
  return parts;
}

}  // namespace

void mortar_friction(const MortarSides& sides, const SlaveLattice& lattice,
                     const MortarSamples& samples, double stiffness,
                     std::vector<FrictionContact>& out) {
  const std::vector<Part> parts = parts_of(sides, lattice, samples);
  std::vector<Vec3d> pressing;
  for (std::size_t first = 0, end = 0; first < parts.size(); first = end) {
    pressing.clear();
    Wall all;
    double spring = 0;
    for (; end < parts.size() && parts[end].point == parts[first].point; ++end) {
      const Part& q = parts[end];
      const MortarSample& s = samples.samples[at_index(q.sample)];
      pressing.push_back(force_of(samples.patches[at_index(q.patch)], s, sides.support) * q.weight);
      all.force += pressing.back();
      spring += s.scale * q.weight;
      if (squared_norm(pressing.back()) > squared_norm(pressing[all.strongest]))
        all.strongest = end - first;
    }
    if (!(spring > 0) || !(norm(all.force) > 0)) continue;
    std::vector<Wall> walls = {all};
    if (!one_wall(pressing, all.force)) walls = find_walls(pressing);
    FrictionContact c;
    c.key.env = sides.slave->env;
    c.key.body_a = sides.slave->body;
    c.key.body_b = sides.master->body;
    c.key.feature_a = kMortar + parts[first].point;
    c.walls = true;
    c.a = lattice.points()[at_index(parts[first].point)].at;
    c.edge = c.a.count == 2 ? c.a.weight[1] : 0;
    c.stiffness = stiffness * spring;
    for (const Wall& w : walls) {
      const Part& part = parts[first + w.strongest];
      c.normal_force = norm(w.force);
      if (!(c.normal_force > 0)) continue;
      c.normal = w.force * (1 / c.normal_force);
      c.depth = sides.support - samples.samples[at_index(part.sample)].gap;
      c.triangle = master_cell(samples.patches[at_index(part.patch)], *sides.master);
      out.push_back(c);
    }
  }
}

void spread_friction(const MortarSides& sides, const SlaveLattice& lattice,
                     const MortarSamples& samples, const AnchoredFriction& friction,
                     std::vector<ContactPoint>& records) {
  struct Pull {
    Vec3d force = Vec3d::zero();
    bool sticks = false;
  };
  std::map<int, Pull> pulls;  // by lattice point
  for (const FrictionForce& f : friction.forces()) {
    Pull& p = pulls[static_cast<int>(f.key.feature_a - kMortar)];
    p.force += f.force;
    p.sticks = p.sticks || f.sticking;
  }
  const std::vector<Part> parts = parts_of(sides, lattice, samples);
  std::vector<double> most(records.size(),
                           0.0);  // weight of the point that tells whether it sticks
  for (std::size_t first = 0, end = 0; first < parts.size(); first = end) {
    const auto found = pulls.find(parts[first].point);
    double sum = 0;
    for (; end < parts.size() && parts[end].point == parts[first].point; ++end)
      sum += parts[end].weight * records[at_index(parts[end].sample)].normal_force;
    if (found == pulls.end() || !(sum > 0)) continue;
    for (std::size_t i = first; i < end; ++i) {
      ContactPoint& r = records[at_index(parts[i].sample)];
      const Vec3d force = found->second.force * (parts[i].weight * r.normal_force / sum);
      r.tangential_force += force;
      r.force += force;
      if (parts[i].weight <= most[at_index(parts[i].sample)]) continue;
      most[at_index(parts[i].sample)] = parts[i].weight;
      r.sticking = found->second.sticks;
      r.friction = friction.coefficient(r.sticking);
    }
  }
}

}  // namespace haptos
