#include "haptos/contact/live/overlap/mortar_samples.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "haptos/base/math/index.h"
#include "haptos/base/math/median.h"
#include "haptos/contact/live/overlap/exposure.h"
#include "haptos/contact/live/overlap/overlap.h"
#include "haptos/geometry/query/gauss_rules.h"

namespace haptos {
namespace {

// How much of a face counts that is turned by an angle of this cosine: all up to 53 degrees, none
// from 78 on. The side of a block, which now and then faces what lies beneath it by a hair, would
// push with all its height.
double turned_towards(double cosine) {
  constexpr double kFrom = 0.2, kTo = 0.6;
  return smooth_step((cosine - kFrom) / (kTo - kFrom));
}

// Part of a gap from which on the barrier of a held sample goes on as its parabola.
constexpr double kLeast = 0.1;
// The steepest that a surface counts as falling away beyond an edge; so do rims.
constexpr double kSteepest = 5;
// Part of a gap by which it may shrink in one step.
constexpr double kMostShrink = 0.9;

class Collector {
 public:
  Collector(const MortarSides& sides, const std::vector<Vec3d>& x, MortarSamples& out)
      : sides_(sides),
        slave_(*sides.slave),
        master_(*sides.master),
        x_(x),
        out_(out),
        rule_(triangle_rule(sides.order)) {}

  void triangle(int ts, std::span<const int> near) {
    const CellCorners s(slave_, ts, x_);
    const BaseFrame base(s.x[0], s.x[1], s.x[2]);
    if (!base.flat()) return;
    for (const int tm : near) {
      if (!master_.is_triangle(tm)) continue;
      const CellCorners m(master_, tm, x_);
      face(ts, tm, s, m, base);
    }
  }

 private:
  // An open master is met from both sides: from behind with its corners the other way round.
  void face(int ts, int tm, const CellCorners& s, CellCorners m, const BaseFrame& base) {
    const bool behind =
        !sides_.fall_behind.empty() && dot(cross(m.x[1] - m.x[0], m.x[2] - m.x[0]), base.n) > 0;
    if (behind) {
      std::swap(m.x[1], m.x[2]);
      std::swap(m.point[1], m.point[2]);
    }
    const Overlap o = overlap(base, m.x, sides_.support);
    if (o.count < 3) return;
    MortarPatch p;
    for (int k = 0; k < 3; ++k) {
      p.base[k] = s.point[k];
      p.probe[k] = m.point[k];
    }
    p.base_id = ts;
    p.fall = behind ? sides_.fall_behind[at_index(tm)] : sides_.fall[at_index(tm)];
    p.probe_id = tm;
    p.n = base.n;
    p.twice_area = base.twice_area;
    p.first = static_cast<int>(out_.samples.size());
    const Vec3d normal = normalized(cross(m.x[1] - m.x[0], m.x[2] - m.x[0]));
    const double facing = -dot(normal, base.n), part_of = turned_towards(facing);
    if (!(part_of > 0)) return;
    p.m = normal * (-1 / facing);
    const double area = slave_.rest.triangle_area[at_index(ts)] * part_of;
    for (int i = 2; i < o.count; ++i) {
      const OverlapCorner &a = o.corner[0], &b = o.corner[i - 1], &c = o.corner[i];
      const double part =
          area * ((b.u - a.u) * (c.v - a.v) - (c.u - a.u) * (b.v - a.v));  // twice it, of a half
      if (!(part > 0)) continue;
      for (const TriangleNode& q : rule_) {
        const auto mix = [&](double OverlapCorner::*f) {
          return q.a * a.*f + q.b * b.*f + q.c * c.*f;
        };
        const double u = mix(&OverlapCorner::u), v = mix(&OverlapCorner::v);
        const double beta = mix(&OverlapCorner::beta), beta2 = mix(&OverlapCorner::beta2);
        const double w = part * q.weight;
        out_.samples.push_back({{1 - u - v, u, v},
                                {1 - beta - beta2, beta, beta2},
                                mix(&OverlapCorner::gap),
                                sides_.stiffness * w,
                                w,
                                kLeast * mix(&OverlapCorner::gap)});
      }
    }
    p.end = static_cast<int>(out_.samples.size());
    if (p.end > p.first) out_.patches.push_back(p);
  }

  const MortarSides& sides_;
  const ContactSurface &slave_, &master_;
  const std::vector<Vec3d>& x_;
  MortarSamples& out_;
  std::span<const TriangleNode> rule_;
};

// Slopes beyond the edges of every triangle; from behind by its corners the other way round.
std::vector<Vec3d> falls(const ContactSurface& s, bool behind) {
  std::vector<Vec3d> all(s.triangles.size(), Vec3d::zero());
  for (std::size_t t = 0; t < all.size(); ++t)
    for (int k = 0; k < 3; ++k) {
      const auto e = at_index(s.topology.triangle_edges[t][k]);
      const double angle = (behind ? -1 : 1) * s.rest.edge_dihedral[e];
      const int against = (k + 2) % 3;
      all[t][behind && against > 0 ? 3 - against : against] =
          s.topology.boundary_edge[e] || angle > std::atan(kSteepest)
              ? kSteepest
              : std::max(0.0, std::tan(angle));
    }
  return all;
}

}  // namespace

MortarSides mortar_sides(const ContactSurface& slave, const ContactSurface& master, double support,
                         double stiffness, int order) {
  MortarSides s;
  s.slave = &slave;
  s.master = &master;
  s.support = support;
  s.stiffness = stiffness;
  s.order = order;
  std::vector<double> sizes;
  for (const double a : slave.rest.triangle_area) sizes.push_back(sqrt(2 * a));
  for (std::size_t v = 0; v < slave.point.size(); ++v) {
    const auto around = slave.topology.vertex_triangles[static_cast<int>(v)];
    double sum = 0;
    for (const int t : around) sum += sizes[at_index(t)];
    s.size.push_back(around.empty() ? 0 : sum / static_cast<double>(around.size()));
  }
  for (std::size_t e = 0; e < slave.edge_area.size(); ++e)
    s.breadth.push_back(slave.rest_length[e] > 0 ? slave.edge_area[e] / slave.rest_length[e] : 0);
  s.typical_size = median(sizes);
  s.slave_exposure = Exposure(slave, 0.5 * s.typical_size);
  s.master_exposure = Exposure(master, 0.5 * s.typical_size);
  s.fall = falls(master, false);
  if (!master.topology.is_closed()) s.fall_behind = falls(master, true);
  return s;
}

void collect_samples(const MortarSides& sides, const IndexLists& near, const std::vector<Vec3d>& x,
                     MortarSamples& out) {
  out.patches.clear();
  out.samples.clear();
  Collector collector(sides, x, out);
  for (int t = 0; t < near.size(); ++t)
    if (!near[t].empty()) collector.triangle(t, near[t]);
}

void follow_samples(const std::vector<Vec3d>& x, MortarSamples& s) {
  const auto corner = [&](int p) -> const Vec3d& { return x[at_index(p)]; };
  for (MortarPatch& p : s.patches) {
    const BaseFrame base(corner(p.base[0]), corner(p.base[1]), corner(p.base[2]));
    p.n = p.m = base.n;
    p.twice_area = base.twice_area;
    const BaseFrame probe(corner(p.probe[0]), corner(p.probe[1]), corner(p.probe[2]));
    const double facing = dot(probe.n, base.n);
    p.m = probe.n * (1 / facing);
    const double height[3] = {1 / norm(probe.du + probe.dv), 1 / norm(probe.du),
                              1 / norm(probe.dv)};
    for (int k = p.first; k < p.end; ++k) {
      MortarSample& q = s.samples[at_index(k)];
      const Vec3d from = base.a + (corner(p.base[1]) - base.a) * q.base[1] +
                         (corner(p.base[2]) - base.a) * q.base[2];
      q.gap = facing < 0 ? dot(p.m, probe.a - from) : std::numeric_limits<double>::infinity();
      const Vec3d to = from + base.n * q.gap - probe.a;
      q.probe[1] = dot(probe.du, to);
      q.probe[2] = dot(probe.dv, to);
      q.probe[0] = 1 - q.probe[1] - q.probe[2];
      for (int i = 0; i < 3; ++i)
        if (q.probe[i] < 0) q.gap -= p.fall[i] * q.probe[i] * height[i];
    }
  }
}

double sample_step_cap(const MortarSamples& samples, const std::vector<Vec3d>& x,
                       const std::vector<Vec3d>& dx, double limit) {
  const auto sum = [&](const int(&point)[3], const double(&weight)[3]) {
    Vec3d d = Vec3d::zero();
    for (int i = 0; i < 3; ++i) d += weight[i] * dx[at_index(point[i])];
    return d;
  };
  for (const MortarPatch& p : samples.patches)
    for (int k = p.first; k < p.end; ++k) {
      const MortarSample& s = samples.samples[at_index(k)];
      const Vec3d closer = sum(p.base, s.base) - sum(p.probe, s.probe);
      const double rate = dot(p.m, closer);
      if (!(rate * limit > kMostShrink * s.gap)) continue;
      const double t = kMostShrink * s.gap / rate;
      const BaseFrame probe(x[at_index(p.probe[0])], x[at_index(p.probe[1])],
                            x[at_index(p.probe[2])]);
      const Vec3d aside = (closer - p.n * rate) * t;
      const double u = s.probe[1] + dot(probe.du, aside), v = s.probe[2] + dot(probe.dv, aside);
      if (u >= 0 && v >= 0 && u + v <= 1) limit = t;
    }
  return limit;
}

}  // namespace haptos
