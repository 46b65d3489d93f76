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

namespace haptos {
namespace {

constexpr double kWidth = 2.5e-3;

// A grid of nu x nv cells, shifted and with diagonals at random, laid onto x(u, v).
template <class F>
TriMesh cut(int nu, int nv, double jitter, F&& x) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(-1, 1);
  TriMesh m;
  for (int j = 0; j <= nv; ++j)
    for (int i = 0; i <= nu; ++i) {
      const double a = i > 0 && i < nu ? jitter * any(random) : 0,
                   b = j > 0 && j < nv ? jitter * any(random) : 0;
      m.vertices.push_back(x((i + a) / nu, (j + b) / nv));
    }
  const auto at = [&](int i, int j) { return j * (nu + 1) + i; };
  for (int j = 0; j < nv; ++j)
    for (int i = 0; i < nu; ++i) {
      const int p = at(i, j), q = at(i + 1, j), r = at(i + 1, j + 1), s = at(i, j + 1);
      if (any(random) > 0) {
        m.triangles.push_back({{p, q, r}}), m.triangles.push_back({{p, r, s}});
      } else {
        m.triangles.push_back({{p, q, s}}), m.triangles.push_back({{q, r, s}});
      }
    }
  return m;
}

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
  return cut(157, 63, 0.3, [&](double u, double v) {
    const double angle = kTurn * u, z = 97e-3 * (v - 0.5);
    double r = 39e-3;
    for (const Wave& w : waves)
      r += 0.15e-3 / std::sqrt(sum) * w.size * std::sin(w.n * angle + w.k * z + w.phase);
    return Vec3d{{r * std::cos(angle), r * std::sin(angle), z}};
  });
}

TriMesh square(double size, int n) {
  return cut(n, n, 0.3, [&](double u, double v) {
    return Vec3d{{size * (u - 0.5), size * (v - 0.5), 0}};
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
  find(state, rough_tube(), square(1, 1), {{{0, 0, 48.5e-3 + 2 * kWidth - 1e-3}}, {}});
}
BENCHMARK(tube_on_square)->Unit(benchmark::kMillisecond);

void cube_on_floor(benchmark::State& state) {
  find(state, box({{0.1, 0.1, 0.1}}), square(1, 400),
       {{{0, 0, 0.05 + 2 * kWidth - 1e-3}}, rotation_by({{0, 0, 0.3}})});
}
BENCHMARK(cube_on_floor)->Unit(benchmark::kMillisecond);

void make_soup(benchmark::State& state) {
  const auto n = static_cast<int>(state.range(0));
  const TriMesh floor = cut(n, n, 0.3, [&](double u, double v) {
    return Vec3d{{u, v, 0.02 * std::sin(20 * u) * std::sin(17 * v)}};
  });
  for (auto _ : state) {
    const TriangleSoup soup(floor);
    benchmark::DoNotOptimize(soup.area());
  }
  state.counters["triangles"] = 2.0 * n * n;
}
BENCHMARK(make_soup)->Arg(100)->Arg(707)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace haptos
