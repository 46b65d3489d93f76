// Time of the distance of two triangles, per pair: one pair at a time, in the lanes of packs, and
// by the kernels of closest.h on every corner and every pair of edges, which find no crossing.
// Pairs are near contact: gaps from nothing to the length of an edge, faces at any angle up to 45
// degrees, so that all kinds of closest features occur and some pairs straddle.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "haptos/base/math/lanes.h"
#include "haptos/geometry/query/closest.h"
#include "haptos/geometry/query/triangle_distance.h"

namespace haptos {
namespace {

using Pack4 = Pack<double, 4>;
using Pack8 = Pack<double, 8>;
constexpr int kPairs = 1024;  // 150 kB: inside the second-level cache

template <class T>
struct Pair {
  Vec3<T> a[3], b[3];
};

template <class T>
void set_lane(T& x, int lane, double value) {
  if constexpr (ScalarTraits<T>::kLanes == 1)
    x = value;
  else
    x.set(lane, value);
}

template <class T>
std::vector<Pair<T>> near_pairs() {
  std::mt19937 rng(1);
  std::uniform_real_distribution<double> u(-1, 1);
  constexpr int n = ScalarTraits<T>::kLanes;
  std::vector<Pair<T>> pairs(kPairs / n);
  for (int k = 0; k < kPairs; ++k) {
    Pair<T>& p = pairs[static_cast<std::size_t>(k / n)];
    for (int i = 0; i < 3; ++i)
      for (int c = 0; c < 3; ++c) {
        set_lane(p.a[i][c], k % n, 1e-3 * (c == 2 ? 0.3 * u(rng) : u(rng)));
        set_lane(p.b[i][c], k % n, 1e-3 * (c == 2 ? 0.8 + 0.3 * u(rng) : u(rng)));
      }
  }
  return pairs;
}

struct Whole {
  template <class T>
  static void run(const Pair<T>& p) {
    TriangleDistance<T> r = triangle_distance(p.a, p.b);
    benchmark::DoNotOptimize(r);
  }
};

struct PartByPart {
  template <class T>
  static void run(const Pair<T>& p) {
    T least(1e300);
    HAPTOS_UNROLL
    for (int k = 0; k < 3; ++k) {
      const Vec3<T> a = closest_on_triangle(p.a[k], p.b[0], p.b[1], p.b[2]).beta;
      const Vec3<T> b = closest_on_triangle(p.b[k], p.a[0], p.a[1], p.a[2]).beta;
      least = vmin(least, squared_norm(p.a[k] - p.b[0] * a[0] - p.b[1] * a[1] - p.b[2] * a[2]));
      least = vmin(least, squared_norm(p.b[k] - p.a[0] * b[0] - p.a[1] * b[1] - p.a[2] * b[2]));
      HAPTOS_UNROLL
      for (int j = 0; j < 3; ++j) {
        const Vec3<T> x = p.a[k], e = p.a[(k + 1) % 3] - x, y = p.b[j], f = p.b[(j + 1) % 3] - y;
        const SegmentsClosest<T> c = closest_on_segments(x, x + e, y, y + f);
        least = vmin(least, squared_norm(x + e * c.s - y - f * c.t));
      }
    }
    benchmark::DoNotOptimize(least);
  }
};

/// ns per pair, reported as the counter `ns_per_pair`.
template <class Kernel, class T>
void per_pair(benchmark::State& state) {
  const auto pairs = near_pairs<T>();
  for (auto _ : state)
    for (const auto& p : pairs) Kernel::run(p);
  state.counters["ns_per_pair"] = benchmark::Counter(
      1e-9 * kPairs, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK(per_pair<Whole, double>)->Name("triangle_distance/scalar");
BENCHMARK(per_pair<Whole, Pack4>)->Name("triangle_distance/pack4");
BENCHMARK(per_pair<Whole, Pack8>)->Name("triangle_distance/pack8");
BENCHMARK(per_pair<PartByPart, double>)->Name("part_by_part/scalar");
BENCHMARK(per_pair<PartByPart, Pack4>)->Name("part_by_part/pack4");
BENCHMARK(per_pair<PartByPart, Pack8>)->Name("part_by_part/pack8");

}  // namespace
}  // namespace haptos
