#include "haptos/contact/search/stencil_list.h"

#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/base/math/lanes.h"
#include "haptos/base/parallel.h"
#include "haptos/geometry/query/advancement.h"
#include "haptos/geometry/query/ccd.h"

namespace haptos {
namespace {

constexpr int kLanes = 8;
constexpr int kChunk = 256;       // stencils worth handing to a thread
constexpr double kLost = 1e-290;  // more than a square of a length loses where it underflows
using Lane = Pack<double, kLanes>;

template <bool kEdges, class T>
Stencil<T> closest(const Vec3<T> (&x)[4]) {
  if constexpr (kEdges)
    return edge_edge_stencil(x[0], x[1], x[2], x[3]);
  else
    return point_triangle_stencil(x[0], x[1], x[2], x[3]);
}

template <bool kEdges, class T>
auto moving(const Vec3<T> (&x0)[4], const Vec3<T> (&x1)[4]) {
  if constexpr (kEdges)
    return moving_edge_edge(x0, x1);
  else
    return moving_point_triangle(x0, x1);
}

void set_lane(Vec3<Lane> (&to)[4], int lane, int corner, const Vec3d& from) {
  for (int c = 0; c < 3; ++c) to[corner][c].set(lane, from[c]);
}

// The closest pairs of n stencils whose corner k is corner(i, k), a pack at a time. Lanes beyond n
// repeat the last.
template <bool kEdges, class Corner, class Use>
void lane_stencils(std::ptrdiff_t n, const Corner& corner, const Use& use) {
  Vec3<Lane> x[4];
  for (std::ptrdiff_t i = 0; i < n; i += kLanes) {
    for (int l = 0; l < kLanes; ++l)
      for (int k = 0; k < 4; ++k) set_lane(x, l, k, corner(std::min(i + l, n - 1), k));
    use(i, x, closest<kEdges>(x));
  }
}

void take_lanes(const Lane& from, std::ptrdiff_t i, std::ptrdiff_t n, double* to) {
  for (int l = 0; l < kLanes && i + l < n; ++l) to[i + l] = from[l];
}

template <class Corner>
void all_distances(StencilShape shape, std::ptrdiff_t n, const Corner& corner, double* distance) {
  for_each((n + kChunk - 1) / kChunk,
           [&](std::ptrdiff_t chunk) {
             const std::ptrdiff_t begin = chunk * kChunk,
                                  count = std::min<std::ptrdiff_t>(kChunk, n - begin);
             const auto of = [&](std::ptrdiff_t i, int k) -> const Vec3d& {
               return corner(begin + i, k);
             };
             const auto take = [&](std::ptrdiff_t i, const auto&, const Stencil<Lane>& s) {
               take_lanes(s.d, i, count, distance + begin);
             };
             if (shape == StencilShape::kEdgeEdge)
               lane_stencils<true>(count, of, take);
             else
               lane_stencils<false>(count, of, take);
           },
           1);
}

// The stencils of one chunk: distances first, then the queries of those that may come too close.
template <bool kEdges>
double chunk_cap(std::span<const StencilPoints> stencils, const std::vector<Vec3d>& x,
                 const std::vector<Vec3d>& dx, double limit, double support) {
  const auto n = static_cast<std::ptrdiff_t>(stencils.size());
  double gap[kChunk], proven[kChunk];
  lane_stencils<kEdges>(
      n,
      [&](std::ptrdiff_t i, int k) -> const Vec3d& {
        return x[at_index(stencils[at_index(i)][at_index(k)])];
      },
      [&](std::ptrdiff_t i, const Vec3<Lane>(&corners)[4], const Stencil<Lane>& s) {
        take_lanes(s.d, i, n, gap);
        take_lanes(proven_distance(moving<kEdges>(corners, corners), s.n), i, n, proven);
      });
  int pending[kChunk];
  double slack[kChunk];
  int count = 0;
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    const StencilPoints& s = stencils[at_index(i)];
    double motion[4];
    for (int k = 0; k < 4; ++k) motion[k] = squared_norm(dx[at_index(s[at_index(k)])]) + kLost;
    constexpr int kSplit = kEdges ? 2 : 1;
    double first = 0, second = 0;
    for (int k = 0; k < 4; ++k)
      (k < kSplit ? first : second) = std::max(k < kSplit ? first : second, motion[k]);
    const double leave = std::min(0.25 * gap[i], 0.5 * support);
    if (proven[i] - limit * (sqrt(first) + sqrt(second)) > leave) continue;
    slack[count] = gap[i] > 0 ? leave / gap[i] : AccdOptions().slack;
    pending[count++] = static_cast<int>(i);
  }
  double cap = 1;
  for (int i = 0; i < count; i += kLanes) {
    Vec3<Lane> x0[4], x1[4];
    Lane share(0);
    for (int l = 0; l < kLanes; ++l) {
      const int j = std::min(i + l, count - 1);
      const StencilPoints& s = stencils[at_index(pending[j])];
      share.set(l, slack[j]);
      for (int k = 0; k < 4; ++k) {
        const std::size_t p = at_index(s[at_index(k)]);
        set_lane(x0, l, k, x[p]);
        set_lane(x1, l, k, x[p] + limit * dx[p]);
      }
    }
    const AccdOptions o;
    const Lane t = time_of_impact(moving<kEdges>(x0, x1), share, Lane(o.min_separation),
                                  Lane(o.t_max), o.max_iterations);
    for (int l = 0; l < kLanes; ++l) cap = std::min(cap, t[l]);
  }
  return cap;
}

}  // namespace

void stencil_distances(StencilShape shape, std::span<const StencilPoints> stencils,
                       const std::vector<Vec3d>& x, double* distance) {
  all_distances(
      shape, static_cast<std::ptrdiff_t>(stencils.size()),
      [&](std::ptrdiff_t i, int k) -> const Vec3d& {
        return x[at_index(stencils[at_index(i)][at_index(k)])];
      },
      distance);
}

void stencil_distances(StencilShape shape, std::span<const std::array<Vec3d, 4>> corners,
                       double* distance) {
  all_distances(
      shape, static_cast<std::ptrdiff_t>(corners.size()),
      [&](std::ptrdiff_t i, int k) -> const Vec3d& { return corners[at_index(i)][at_index(k)]; },
      distance);
}

double stencil_step_cap(StencilShape shape, std::span<const StencilPoints> stencils,
                        const std::vector<Vec3d>& x, const std::vector<Vec3d>& dx, double limit,
                        double support) {
  const auto n = static_cast<std::ptrdiff_t>(stencils.size());
  return reduce_min((n + kChunk - 1) / kChunk, 1.0,
                    [&](std::ptrdiff_t chunk) {
                      const auto part = stencils.subspan(
                          at_index(chunk * kChunk),
                          at_index(std::min<std::ptrdiff_t>(kChunk, n - chunk * kChunk)));
                      return shape == StencilShape::kEdgeEdge
                                 ? chunk_cap<true>(part, x, dx, limit, support)
                                 : chunk_cap<false>(part, x, dx, limit, support);
                    },
                    1);
}

}  // namespace haptos
