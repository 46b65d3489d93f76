// Time of distances, their derivatives and the time of impact, per pair, one pair at a time and
// eight pairs in the lanes of a pack. Pairs are near contact: gaps of up to a fifth of the edge.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "haptos/base/math/lanes.h"
#include "haptos/geometry/query/advancement.h"
#include "haptos/geometry/query/ccd.h"

namespace haptos {
namespace {

using Pack8 = Pack<double, 8>;
constexpr int kPairs = 1024;  // 200 kB of points: inside the second-level cache

template <class T>
struct Pair {
  Vec3<T> x0[4], x1[4];
};

/// A point over a triangle, or two edges that cross, 1 mm edges, moving by up to twice the gap.
std::vector<Pair<double>> near_pairs(bool edges) {
  std::mt19937 rng(1);
  std::uniform_real_distribution<double> u(-1, 1);
  std::vector<Pair<double>> pairs(kPairs);
  for (auto& p : pairs) {
    const double gap = 1e-3 * (0.11 + 0.09 * u(rng));
    const auto noise = [&](double s) { return Vec3d{{s * u(rng), s * u(rng), s * u(rng)}}; };
    if (edges) {
      p.x0[0] = Vec3d{{-5e-4, 0, gap}} + noise(2e-4);
      p.x0[1] = Vec3d{{5e-4, 0, gap}} + noise(2e-4);
      p.x0[2] = Vec3d{{0, -5e-4, 0}} + noise(2e-4);
      p.x0[3] = Vec3d{{0, 5e-4, 0}} + noise(2e-4);
    } else {
      p.x0[0] = Vec3d{{3e-4, 3e-4, gap}} + noise(5e-4);
      p.x0[1] = Vec3d{{0, 0, 0}} + noise(2e-4);
      p.x0[2] = Vec3d{{1e-3, 0, 0}} + noise(2e-4);
      p.x0[3] = Vec3d{{0, 1e-3, 0}} + noise(2e-4);
    }
    for (int i = 0; i < 4; ++i) p.x1[i] = p.x0[i] + noise(1e-4);
  }
  return pairs;
}

template <class T>
std::vector<Pair<T>> packed(const std::vector<Pair<double>>& pairs) {
  if constexpr (std::is_same_v<T, double>) {
    return pairs;
  } else {
    constexpr int n = ScalarTraits<T>::kLanes;
    std::vector<Pair<T>> out(pairs.size() / n);
    for (size_t k = 0; k < out.size() * n; ++k)
      for (int i = 0; i < 12; ++i) {
        out[k / n].x0[i / 3][i % 3].set(k % n, pairs[k].x0[i / 3][i % 3]);
        out[k / n].x1[i / 3][i % 3].set(k % n, pairs[k].x1[i / 3][i % 3]);
      }
    return out;
  }
}

template <class T, bool kEdges>
Stencil<T> stencil(const Vec3<T> (&x)[4]) {
  if constexpr (kEdges)
    return edge_edge_stencil(x[0], x[1], x[2], x[3]);
  else
    return point_triangle_stencil(x[0], x[1], x[2], x[3]);
}

struct Gradient {
  template <class T, bool kEdges>
  static void run(const Pair<T>& p, Vec<T, 145>& out) {
    const Stencil<T> st = stencil<T, kEdges>(p.x0);
    const Vec<T, 12> g = distance_gradient(st);
    for (int i = 0; i < 12; ++i) out[i] = g[i];
    out[144] = st.d;
  }
};

struct Hessian {
  template <class T, bool kEdges>
  static void run(const Pair<T>& p, Vec<T, 145>& out) {
    const Stencil<T> st = stencil<T, kEdges>(p.x0);
    const auto h = distance_hessian(st, p.x0[0], p.x0[1], p.x0[2], p.x0[3]);
    for (int i = 0; i < 144; ++i) out[i] = h[i];
    out[144] = st.d;
  }
};

struct Impact {
  template <class T, bool kEdges>
  static void run(const Pair<T>& p, Vec<T, 145>& out) {
    if constexpr (kEdges)
      out[144] = time_of_impact(moving_edge_edge(p.x0, p.x1), T(0.1), T(0), T(1), 100);
    else
      out[144] = time_of_impact(moving_point_triangle(p.x0, p.x1), T(0.1), T(0), T(1), 100);
  }
};

/// ns per pair of kernel `Kernel`, reported as the counter `ns_per_pair`.
template <class Kernel, class T, bool kEdges>
void per_pair(benchmark::State& state) {
  const auto pairs = packed<T>(near_pairs(kEdges));
  Vec<T, 145> out;
  for (auto _ : state)
    for (const auto& p : pairs) {
      Kernel::template run<T, kEdges>(p, out);
      benchmark::DoNotOptimize(out);
    }
  state.counters["ns_per_pair"] = benchmark::Counter(
      1e-9 * kPairs, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK(per_pair<Gradient, double, false>)->Name("point_triangle/gradient/scalar");
BENCHMARK(per_pair<Gradient, Pack8, false>)->Name("point_triangle/gradient/pack8");
BENCHMARK(per_pair<Gradient, double, true>)->Name("edge_edge/gradient/scalar");
BENCHMARK(per_pair<Gradient, Pack8, true>)->Name("edge_edge/gradient/pack8");
BENCHMARK(per_pair<Hessian, double, false>)->Name("point_triangle/hessian/scalar");
BENCHMARK(per_pair<Hessian, Pack8, false>)->Name("point_triangle/hessian/pack8");
BENCHMARK(per_pair<Hessian, double, true>)->Name("edge_edge/hessian/scalar");
BENCHMARK(per_pair<Hessian, Pack8, true>)->Name("edge_edge/hessian/pack8");
BENCHMARK(per_pair<Impact, double, false>)->Name("point_triangle/impact/scalar");
BENCHMARK(per_pair<Impact, Pack8, false>)->Name("point_triangle/impact/pack8");
BENCHMARK(per_pair<Impact, double, true>)->Name("edge_edge/impact/scalar");
BENCHMARK(per_pair<Impact, Pack8, true>)->Name("edge_edge/impact/pack8");

}  // namespace
}  // namespace haptos
