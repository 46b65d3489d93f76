// Time to read a tactile image from a deformed coat: depth alone, and depth with normals. Where
// Embree 3 is installed, also its time for the same depth, by parallel rays in packets of eight.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>

#ifdef HAPTOS_BENCH_EMBREE
#include <embree3/rtcore.h>
#endif

#include "haptos/base/parallel.h"
#include "haptos/sensors/tactile/depth.h"
#include "haptos/sensors/tactile/markers.h"

namespace haptos {
namespace {

/// A coat of 25 x 20 mm in nx x ny quads, at rest and pressed by a ball.
struct Sheet {
  std::vector<Vec3d> rest, now;
  std::vector<Vec3i> coat;

  Sheet(int nx, int ny) {
    for (int j = 0; j <= ny; ++j)
      for (int i = 0; i <= nx; ++i) {
        const double skew = 0.1 * std::sin(3.0 * i + 5.0 * j) / nx;
        rest.push_back({{25e-3 * (static_cast<double>(i) / nx - 0.5 + skew),
                         20e-3 * (static_cast<double>(j) / ny - 0.5 + skew), 0}});
      }
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        const int a = j * (nx + 1) + i, b = a + 1, d = a + nx + 1, e = d + 1;
        coat.push_back({{a, b, e}});
        coat.push_back({{a, e, d}});
      }
    now = rest;
    for (Vec3d& p : now) p[2] = -1e-3 * std::exp(-(p[0] * p[0] + p[1] * p[1]) / 8e-6);
  }
};

/// Arguments: quads across, quads along, normals (0 or 1), pinhole (0 or 1), threads.
void depth_image(benchmark::State& state) {
  const Sheet sheet(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
  const auto& [rest, now, coat] = sheet;
  const auto camera = state.range(3) ? TactileCamera::pinhole(320, 240, 340, 0.0216)
                                     : TactileCamera::orthographic(320, 240, 6.34e-5);
  const DepthSensor sensor(camera, rest, coat);
  set_thread_count(static_cast<int>(state.range(4)));
  DepthImage image;
  DepthScratch scratch;
  for (auto _ : state) {
    sensor.measure(now, state.range(2) != 0, image, scratch);
    benchmark::DoNotOptimize(image.depth.data());
    benchmark::ClobberMemory();
  }
  set_thread_count(0);
  state.counters["triangles"] = static_cast<double>(coat.size());
}
BENCHMARK(depth_image)
    ->ArgNames({"nx", "ny", "normals", "pinhole", "threads"})
    ->Args({35, 28, 0, 0, 1})
    ->Args({35, 28, 1, 0, 1})
    ->Args({35, 28, 1, 1, 1})
    ->Args({72, 60, 0, 0, 1})
    ->Args({72, 60, 1, 0, 1})
    ->Args({35, 28, 1, 0, 2})
    ->Args({72, 60, 1, 0, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

/// Where 63 markers are, how they flowed and which way the coat looks there. Arguments: quads
/// across, quads along, 1: with what hides them.
void markers(benchmark::State& state) {
  const Sheet sheet(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
  const MarkerSensor sensor(TactileCamera::orthographic(320, 240, 6.34e-5), sheet.rest, sheet.coat,
                            MarkerGrid());
  MarkerReading reading;
  for (auto _ : state) {
    sensor.measure(sheet.now, reading, state.range(2) != 0);
    benchmark::DoNotOptimize(reading.pixel.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(markers)
    ->ArgNames({"nx", "ny", "hidden"})
    ->Args({35, 28, 0})
    ->Args({35, 28, 1})
    ->Unit(benchmark::kNanosecond);

#ifdef HAPTOS_BENCH_EMBREE
/// The same depth by Embree, one thread: vertices moved, hierarchy refitted, 320 x 240 rays. The
/// counter is the largest difference from the raster [nm].
/// Arguments: quads across, quads along, refit (0: the hierarchy is built anew).
void embree_depth(benchmark::State& state) {
  const Sheet sheet(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
  constexpr int kWidth = 320, kHeight = 240;
  constexpr double kPitch = 6.34e-5;
  constexpr float kFrom = 1e-2f;  // rays start this far below the coat at rest [m]
  const RTCDevice device = rtcNewDevice("threads=1");
  const RTCScene scene = rtcNewScene(device);
  const RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
  auto* vertices = static_cast<float*>(rtcSetNewGeometryBuffer(
      geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), sheet.now.size()));
  auto* triangles = static_cast<unsigned*>(
      rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                              3 * sizeof(unsigned), sheet.coat.size()));
  for (std::size_t t = 0; t < sheet.coat.size(); ++t)
    for (int k = 0; k < 3; ++k) triangles[3 * t + k] = static_cast<unsigned>(sheet.coat[t][k]);
  const auto move = [&] {
    for (std::size_t v = 0; v < sheet.now.size(); ++v)
      for (int k = 0; k < 3; ++k) vertices[3 * v + k] = static_cast<float>(sheet.now[v][k]);
  };
  move();
  if (state.range(2)) {
    rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_REFIT);
    rtcSetSceneFlags(scene, RTC_SCENE_FLAG_DYNAMIC);
  }
  rtcCommitGeometry(geometry);
  rtcAttachGeometry(scene, geometry);
  rtcCommitScene(scene);
  std::vector<float> depth(kWidth * kHeight);
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
  alignas(32) int valid[8];
  for (int& v : valid) v = -1;
  for (auto _ : state) {
    move();
    rtcUpdateGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0);
    rtcCommitGeometry(geometry);
    rtcCommitScene(scene);
    // Blocks of four columns and two rows.
    for (int row = 0; row < kHeight; row += 2)
      for (int col = 0; col < kWidth; col += 4) {
        RTCRayHit8 r;
        for (int k = 0; k < 8; ++k) {
          r.ray.org_x[k] = static_cast<float>((col + k % 4 - 0.5 * (kWidth - 1)) * kPitch);
          r.ray.org_y[k] = static_cast<float>((0.5 * (kHeight - 1) - row - k / 4) * kPitch);
          r.ray.org_z[k] = -kFrom;
          r.ray.dir_x[k] = r.ray.dir_y[k] = 0;
          r.ray.dir_z[k] = 1;
          r.ray.tnear[k] = 0;
          r.ray.tfar[k] = 1;
          r.ray.time[k] = 0;
          r.ray.mask[k] = ~0u;
          r.ray.flags[k] = 0;
          r.hit.geomID[k] = RTC_INVALID_GEOMETRY_ID;
          r.hit.instID[0][k] = RTC_INVALID_GEOMETRY_ID;
        }
        rtcIntersect8(valid, scene, &context, &r);
        for (int k = 0; k < 8; ++k)
          depth[static_cast<std::size_t>((row + k / 4) * kWidth + col + k % 4)] =
              kFrom - r.ray.tfar[k];
      }
    benchmark::DoNotOptimize(depth.data());
    benchmark::ClobberMemory();
  }
  const DepthSensor sensor(TactileCamera::orthographic(kWidth, kHeight, kPitch), sheet.rest,
                           sheet.coat);
  const DepthImage ours = sensor.measure(sheet.now, false);
  double worst = 0;
  for (std::size_t i = 0; i < depth.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(ours.depth[i]) - depth[i]));
  state.counters["differs_nm"] = 1e9 * worst;
  rtcReleaseGeometry(geometry);
  rtcReleaseScene(scene);
  rtcReleaseDevice(device);
}
BENCHMARK(embree_depth)
    ->ArgNames({"nx", "ny", "refit"})
    ->Args({35, 28, 1})
    ->Args({35, 28, 0})
    ->Args({72, 60, 1})
    ->Unit(benchmark::kMicrosecond);
#endif

}  // namespace
}  // namespace haptos
