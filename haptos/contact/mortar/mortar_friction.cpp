#include "haptos/contact/mortar/mortar_friction.h"

#include <algorithm>

#include "haptos/contact/barrier/barrier_law.h"
#include "haptos/contact/friction/walls.h"

namespace haptos {
namespace {

std::size_t at_index(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

constexpr std::int64_t kMortar = std::int64_t(8) << 40;  // beside the kinds of barrier pairs

// A part of the force on a lattice point.
struct Part {
  int point;      // of the lattice
  Vec3d force;    // on the slave [N]
  double spring;  // stiffness times area [N/m]
  double gap;
  int cell;             // of the master
  WeightedPoint other;  // the master's point
};

class Gatherer {
 public:
  Gatherer(const MortarSides& sides, const SlaveLattice& lattice, const Points& points)
      : slave_(*sides.slave),
        master_(*sides.master),
        support_(sides.support),
        lattice_(lattice),
        points_(points) {}

  void add(const MortarPatch& p, std::span<const MortarSample> samples) {
    int cell = p.kind == PatchKind::kSlaveEdge ? p.base_id : p.probe_id;
    if (p.kind == PatchKind::kMasterEdge) cell = cell_of_edge(master_, p.probe_id);
    for (int k = p.first; k < p.end; ++k) {
      const MortarSample& s = samples[at_index(k)];
      const double side = p.kind == PatchKind::kSlaveEdge ? -1 : 1;
      const Vec3d force = p.m * (side * s.scale * barrier(s.gap, support_).first);
      if (p.kind != PatchKind::kSlaveEdge)
        share(p.base_id, s.base[1], s.base[2], force, s, cell, master_point(p, s));
      else
        on_slave(slave_point(p, s), slave_.topology.edge_triangles[p.probe_id], force, s, cell,
                 master_point(p, s));
    }
  }

  std::vector<Part>& parts() {
    std::stable_sort(parts_.begin(), parts_.end(),
                     [](const Part& a, const Part& b) { return a.point < b.point; });
    return parts_;
  }

 private:
  static int cell_of_edge(const ContactSurface& s, int e) {
    const auto t = s.topology.edge_triangles[e];
    return t.empty() ? s.loose_of_edge(e) : t[0];
  }
  // A point of the slave that is given by its vertices, on the first of some triangles.
  void on_slave(const WeightedPoint& w, std::span<const int> triangles, const Vec3d& force,
                const MortarSample& s, int cell, const WeightedPoint& other) {
    if (triangles.empty()) return;
    const Vec3i& c = slave_.triangles[at_index(triangles[0])];
    double place[3] = {0, 0, 0};
    for (int i = 0; i < w.count; ++i)
      for (int k = 0; k < 3; ++k)
        if (slave_.point[at_index(c[k])] == w.point[i]) place[k] += w.weight[i];
    share(triangles[0], place[1], place[2], force, s, cell, other);
  }

  void share(int triangle, double u, double v, const Vec3d& force, const MortarSample& s, int cell,
             const WeightedPoint& other) {
    const SlaveLattice::Share to = lattice_.share(triangle, u, v);
    for (int k = 0; k < 3; ++k)
      if (to.weight[k] > 0)
        parts_.push_back(
            {to.point[k], force * to.weight[k], s.scale * to.weight[k], s.gap, cell, other});
  }

  const ContactSurface &slave_, &master_;
  double support_;
  const SlaveLattice& lattice_;
  const Points& points_;
  std::vector<Part> parts_;
};

}  // namespace

std::int64_t lattice_point(const FeaturePair& key) { return key.feature_a - kMortar; }

void mortar_friction(const MortarSides& sides, const SlaveLattice& lattice,
                     const MortarSamples& samples, double stiffness, const Points& points,
                     std::vector<FrictionContact>& out, std::vector<ContactPoint>& records) {
  Gatherer gatherer(sides, lattice, points);
  for (const MortarPatch& p : samples.patches) gatherer.add(p, samples.samples);
  const std::vector<Part>& parts = gatherer.parts();
  std::vector<Vec3d> pressing;
  for (std::size_t first = 0, end = 0; first < parts.size(); first = end) {
    pressing.clear();
    Wall all;
    double spring = 0;
    for (; end < parts.size() && parts[end].point == parts[first].point; ++end) {
      pressing.push_back(parts[end].force);
      all.force += parts[end].force;
      spring += parts[end].spring;
      if (squared_norm(parts[end].force) > squared_norm(pressing[all.strongest]))
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
      c.depth = sides.support - part.gap;
      c.triangle = part.cell;
      c.record = records.size();
      out.push_back(c);
      ContactPoint r;
      r.env = sides.slave->env;
      r.body_a = sides.slave->body;
      r.body_b = sides.master->body;
      constexpr std::int64_t kFriction = std::int64_t(16) << 40;
      r.feature_a = kFriction + part.point;
      r.feature_b = part.cell;
      r.point_a = c.a;
      r.point_b = part.other;
      r.p = at(points.x, c.a);
      r.n = c.normal;
      r.gap = part.gap;
      const Vec3d slip = at(points.u, r.point_a) - at(points.u, r.point_b);
      r.slip = slip - r.n * dot(slip, r.n);
      records.push_back(r);
    }
  }
}

}  // namespace haptos
