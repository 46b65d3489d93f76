#include "haptos/contact/live/mortar/mortar_friction.h"

#include <algorithm>

#include "haptos/base/borrowed.h"
#include "haptos/base/math/index.h"
#include "haptos/contact/friction/walls.h"

namespace haptos {
namespace {

constexpr std::int64_t kMortar = kMortarKind * kFeatureKind;

// What a press leaves at a lattice point.
struct Part {
  int point;      // of the lattice
  double weight;  // its share of the press
  int press;
};

// All parts, those of a lattice point after each other.
std::vector<Part> parts_of(const SlaveLattice& lattice, const std::vector<MortarPress>& presses) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < presses.size(); ++i) {
    const MortarPress& p = presses[i];
    const SlaveLattice::Share to = lattice.share(p.slave_triangle, p.u, p.v);
    for (int c = 0; c < 3; ++c)
      if (to.weight[c] > 0) parts.push_back({to.point[c], to.weight[c], static_cast<int>(i)});
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.point < b.point; });
  return parts;
}

}  // namespace

void mortar_friction(const MortarSides& sides, const SlaveLattice& lattice,
                     const std::vector<MortarPress>& presses, double stiffness,
                     std::vector<FrictionContact>& out) {
  const std::vector<Part> parts = parts_of(lattice, presses);
  Borrowed<std::vector<Vec3d>> forces;
  Borrowed<std::vector<Wall>> found;
  std::vector<Vec3d>& pressing = *forces;
  std::vector<Wall>& walls = *found;
  for (std::size_t first = 0, end = 0; first < parts.size(); first = end) {
    pressing.clear();
    Wall all;
    double spring = 0;
    for (; end < parts.size() && parts[end].point == parts[first].point; ++end) {
      const Part& q = parts[end];
      const MortarPress& p = presses[at_index(q.press)];
      pressing.push_back(p.force * q.weight);
      all.force += pressing.back();
      spring += p.scale * q.weight;
      if (squared_norm(pressing.back()) > squared_norm(pressing[all.strongest]))
        all.strongest = end - first;
    }
    if (!(spring > 0) || !(norm(all.force) > 0)) continue;
    walls.assign(1, all);
    if (!one_wall(pressing, all.force)) find_walls(pressing, walls);
    FrictionContact c;
    c.key.env = sides.slave->env;
    c.key.body_a = sides.slave->body;
    c.key.body_b = sides.master->body;
    c.key.part_a = sides.slave->part;
    c.key.part_b = sides.master->part;
    c.key.feature_a = kMortar + parts[first].point;
    c.walls = true;
    c.a = lattice.points()[at_index(parts[first].point)].at;
    c.edge = c.a.count == 2 ? c.a.weight[1] : 0;
    c.stiffness = stiffness * spring;
    for (const Wall& w : walls) {
      const MortarPress& p = presses[at_index(parts[first + w.strongest].press)];
      c.normal_force = norm(w.force);
      if (!(c.normal_force > 0)) continue;
      c.normal = w.force * (1 / c.normal_force);
      c.depth = sides.support - p.gap;
      c.triangle = p.master_cell;
      out.push_back(c);
    }
  }
}

void spread_friction(const SlaveLattice& lattice, const std::vector<MortarPress>& presses,
                     const AnchoredFriction& friction, std::vector<ContactPoint>& records) {
  struct Pull {
    int point;
    Vec3d force = Vec3d::zero();
    bool sticks = false;
  };
  // By lattice point, rising, as mortar_friction() made them; walls of a point after each other.
  std::vector<Pull> pulls;
  for (const FrictionForce& f : friction.forces()) {
    const int point = static_cast<int>(f.key.feature_a - kMortar);
    if (pulls.empty() || pulls.back().point != point) pulls.push_back({point});
    pulls.back().force += f.force;
    pulls.back().sticks = pulls.back().sticks || f.sticking;
  }
  const std::vector<Part> parts = parts_of(lattice, presses);
  std::vector<double> most(records.size(),
                           0.0);  // weight of the point that tells whether it sticks
  for (std::size_t first = 0, end = 0; first < parts.size(); first = end) {
    const auto found = std::ranges::lower_bound(pulls, parts[first].point, {}, &Pull::point);
    double sum = 0;
    for (; end < parts.size() && parts[end].point == parts[first].point; ++end)
      sum += parts[end].weight * records[at_index(parts[end].press)].normal_force;
    if (found == pulls.end() || found->point != parts[first].point || !(sum > 0)) continue;
    for (std::size_t i = first; i < end; ++i) {
      ContactPoint& r = records[at_index(parts[i].press)];
      const Vec3d force = found->force * (parts[i].weight * r.normal_force / sum);
      r.tangential_force += force;
      r.force += force;
      if (parts[i].weight <= most[at_index(parts[i].press)]) continue;
      most[at_index(parts[i].press)] = parts[i].weight;
      r.sticking = found->sticks;
      r.friction = friction.coefficient(r.sticking);
    }
  }
}

}  // namespace haptos
