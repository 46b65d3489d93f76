// Time of the contact set of boundary-layer contact, and of making soups.
// Two rough tubes of 19,700 triangles (radius 39 mm, 97 mm long, rough by .15 mm, like a scanned
// mug) lie crosswise and side by side, 1 mm into each other's layers; one stands on a square; a
// cube of 12 triangles lies on a floor of 320,000.
#include <benchmark/benchmark.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "haptos/base/math/rotation.h"
#include "haptos/geometry/layer/layer_contacts.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/geometry/soup/soup_kept.h"
#include "tests/unit/layer_cases.h"

namespace haptos {
namespace {

constexpr double kWidth = 2.5e-3;

TriMesh rough_tube() {
  constexpr double kTurn = 2 * std::numbers::pi;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(0, 1);
  struct Wave {
    double n, k, phase, size;
  };
  std::vector<Wave> waves(64);
  double sum = 0;
  for (Wave& w : waves) {
    const double length = 4e-3 + 20e-3 * any(random), turn = kTurn * any(random);
    w.n = std::round(kTurn * 39e-3 / length * std::cos(turn));
    w.k = kTurn / length * std::sin(turn);
    w.phase = kTurn * any(random), w.size = length;
    sum += 0.5 * length * length;
  }
  return cut_grid(157, 63, 0.3, 7, true, [&](double u, double v) {
    const double angle = kTurn * u, z = 97e-3 * (v - 0.5);
    double r = 39e-3;
    for (const Wave& w : waves)
      r += 0.15e-3 / std::sqrt(sum) * w.size * std::sin(w.n * angle + w.k * z + w.phase);
    return Vec3d{{r * std::cos(angle), r * std::sin(angle), z}};
  });
}

void find(benchmark::State& state, const TriMesh& a, const TriMesh& b, const Pose& pose) {
  const TriangleSoup sa(a), sb(b);
  LayerContacts contacts;
  std::vector<ContactSample> samples;
  for (auto _ : state) {
    samples.clear();
    contacts.find({&sa, pose, kWidth}, {&sb, {}, kWidth}, 1e-5, samples);
    benchmark::DoNotOptimize(samples.data());
  }
  state.counters["samples"] = static_cast<double>(samples.size());
}

void tube_on_tube(benchmark::State& state) {
  const TriMesh tube = rough_tube();
  const Quat q = rotation_by({{0, std::numbers::pi / 2, 0}});
  find(state, tube, tube, {{{0, 78e-3 + 2 * kWidth - 1e-3, 0}}, q});
}
BENCHMARK(tube_on_tube)->Unit(benchmark::kMillisecond);

void tube_beside_tube(benchmark::State& state) {
  const TriMesh tube = rough_tube();
  find(state, tube, tube, {{{0, 78e-3 + 2 * kWidth - 1e-3, 0}}, rotation_by({{0, 0, 1}})});
}
BENCHMARK(tube_beside_tube)->Unit(benchmark::kMillisecond);

void tube_on_square(benchmark::State& state) {
  find(state, rough_tube(), cut_plate(1, 1, 1, 0.3, 7),
       {{{0, 0, 48.5e-3 + 2 * kWidth - 1e-3}}, {}});
}
BENCHMARK(tube_on_square)->Unit(benchmark::kMillisecond);

void cube_on_floor(benchmark::State& state) {
  find(state, box({{0.1, 0.1, 0.1}}), cut_plate(1, 1, 400, 0.3, 7),
       {{{0, 0, 0.05 + 2 * kWidth - 1e-3}}, rotation_by({{0, 0, 0.3}})});
}
BENCHMARK(cube_on_floor)->Unit(benchmark::kMillisecond);

TriMesh hills(int n) {
  return cut_grid(n, n, 0.3, 7, true, [&](double u, double v) {
    return Vec3d{{u, v, 0.02 * std::sin(20 * u) * std::sin(17 * v)}};
  });
}

void make_soup(benchmark::State& state) {
  const TriMesh mesh = hills(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    const TriangleSoup soup(mesh);
    benchmark::DoNotOptimize(soup.area());
  }
  state.counters["triangles"] = static_cast<double>(mesh.triangles.size());
}
BENCHMARK(make_soup)->Arg(100)->Arg(707)->Unit(benchmark::kMillisecond);

// As a scene's second start has it: from the cache folder.
void read_soup(benchmark::State& state) {
  const TriMesh mesh = hills(static_cast<int>(state.range(0)));
  kept_soup(mesh);
  for (auto _ : state) benchmark::DoNotOptimize(kept_soup(mesh)->area());
  state.counters["triangles"] = static_cast<double>(mesh.triangles.size());
}
BENCHMARK(read_soup)->Arg(707)->Unit(benchmark::kMillisecond)->UseRealTime();

void make_tree(benchmark::State& state) {
  const TriMesh mesh = hills(static_cast<int>(state.range(0)));
  std::vector<Aabb> boxes;
  for (const Vec3i& t : mesh.triangles)
    boxes.push_back(Aabb::of(mesh.vertices[at_index(t[0])], mesh.vertices[at_index(t[1])],
                             mesh.vertices[at_index(t[2])]));
  for (auto _ : state) {
    const WideTree tree(boxes);
    benchmark::DoNotOptimize(tree.size());
  }
  state.counters["boxes"] = static_cast<double>(boxes.size());
}
BENCHMARK(make_tree)->Arg(707)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace haptos
