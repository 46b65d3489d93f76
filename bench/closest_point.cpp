// The nearest point of a surface of a million triangles to points near it, on one thread. Where
// Embree 3 is installed, also its time for the same points (rtcPointQuery, single precision).
// Arguments: 0: points anywhere, in any order, what they need is seldom in a cache; 1: a grid on a
// sixteenth of the surface, line by line, as sampling a distance field asks.
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>
#include <vector>

#include "haptos/geometry/query/closest.h"
#include "haptos/geometry/tree/surface_tree.h"
#include "tests/unit/layer_cases.h"

#ifdef HAPTOS_BENCH_EMBREE
#include <embree3/rtcore.h>
#endif

namespace haptos {
namespace {

constexpr int kPoints = 1 << 16;
constexpr double kNear = 2.5e-3;  // [m]

const TriMesh& hills() {
  static const TriMesh mesh = cut_grid(707, 707, 0.3, 7, true, [&](double u, double v) {
    return Vec3d{{u, v, 0.02 * std::sin(20 * u) * std::sin(17 * v)}};
  });
  return mesh;
}

std::vector<Vec3d> points(bool grid) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> any(0, 1);
  std::vector<Vec3d> p;
  for (int i = 0; i < kPoints; ++i) {
    const double u = grid ? 0.25 + (i % 256) / 1024.0 : any(random);
    const double v = grid ? 0.25 + (i / 256) / 1024.0 : any(random);
    p.push_back(
        {{u, v, 0.02 * std::sin(20 * u) * std::sin(17 * v) + kNear * (2 * any(random) - 1)}});
  }
  return p;
}

void nearest(benchmark::State& state) {
  static const SurfaceTree tree(hills());
  const std::vector<Vec3d> p = points(state.range(0) != 0);
  double sum = 0;
  for (auto _ : state)
    for (const Vec3d& x : p) sum += tree.nearest(x).squared_distance;
  benchmark::DoNotOptimize(sum);
  state.counters["ns"] =
      benchmark::Counter(1e-9 * static_cast<double>(state.iterations()) * kPoints,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(nearest)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

#ifdef HAPTOS_BENCH_EMBREE
struct Query {
  const TriMesh* mesh;
  Vec3<float> p;
  float squared;
};

bool look(RTCPointQueryFunctionArguments* args) {
  auto& q = *static_cast<Query*>(args->userPtr);
  const Vec3i& t = q.mesh->triangles[args->primID];
  Vec3<float> x[3];
  for (int i = 0; i < 3; ++i)
    for (int d = 0; d < 3; ++d)
      x[i][d] = static_cast<float>(q.mesh->vertices[static_cast<std::size_t>(t[i])][d]);
  const TriangleClosest<float> best = closest_on_triangle(q.p, x[0], x[1], x[2]);
  const float found =
      squared_norm(q.p - (best.beta[0] * x[0] + best.beta[1] * x[1] + best.beta[2] * x[2]));
  if (!(found < q.squared)) return false;
  q.squared = found;
  args->query->radius = std::sqrt(found);
  return true;
}

// The counter is the largest difference of a distance from ours [nm].
void embree_nearest(benchmark::State& state) {
  const TriMesh& mesh = hills();
  const RTCDevice device = rtcNewDevice("threads=1");
  const RTCScene scene = rtcNewScene(device);
  const RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
  auto* vertices = static_cast<float*>(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0,
                                                               RTC_FORMAT_FLOAT3, 3 * sizeof(float),
                                                               mesh.vertices.size()));
  auto* triangles = static_cast<unsigned*>(
      rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                              3 * sizeof(unsigned), mesh.triangles.size()));
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
    for (int k = 0; k < 3; ++k) vertices[3 * v + k] = static_cast<float>(mesh.vertices[v][k]);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (int k = 0; k < 3; ++k) triangles[3 * t + k] = static_cast<unsigned>(mesh.triangles[t][k]);
  rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_HIGH);
  rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_HIGH);
  rtcCommitGeometry(geometry);
  rtcAttachGeometry(scene, geometry);
  rtcCommitScene(scene);
  const std::vector<Vec3d> p = points(state.range(0) != 0);
  std::vector<float> found(p.size());
  for (auto _ : state)
    for (std::size_t i = 0; i < p.size(); ++i) {
      Query q{&mesh, {}, std::numeric_limits<float>::infinity()};
      for (int k = 0; k < 3; ++k) q.p[k] = static_cast<float>(p[i][k]);
      RTCPointQuery query{q.p[0], q.p[1], q.p[2], 0, q.squared};
      RTCPointQueryContext context;
      rtcInitPointQueryContext(&context);
      rtcPointQuery(scene, &query, &context, look, &q);
      found[i] = q.squared;
    }
  const SurfaceTree tree(mesh);
  double worst = 0;
  for (std::size_t i = 0; i < p.size(); ++i)
    worst = std::max(worst, std::abs(std::sqrt(tree.nearest(p[i]).squared_distance) -
                                     std::sqrt(static_cast<double>(found[i]))));
  state.counters["ns"] =
      benchmark::Counter(1e-9 * static_cast<double>(state.iterations()) * kPoints,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["differs_nm"] = 1e9 * worst;
  rtcReleaseGeometry(geometry);
  rtcReleaseScene(scene);
  rtcReleaseDevice(device);
}
BENCHMARK(embree_nearest)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
#endif

}  // namespace
}  // namespace haptos
