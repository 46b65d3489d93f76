// Time to make the force image and the contact field of a coat that a ball presses, 320 x 240.
#include "haptos/sensors/field/force_image.h"

#include <benchmark/benchmark.h>

#include <cmath>

namespace haptos {
namespace {

struct Pressed {
  std::vector<Vec3d> rest, now;
  std::vector<Vec3i> coat;
  NodalContact contact;
};

// A coat of 25 x 20 mm in nx x ny quads, under a ball over 2.3 mm about the middle.
Pressed pressed(int nx, int ny) {
  Pressed p;
  for (int j = 0; j <= ny; ++j)
    for (int i = 0; i <= nx; ++i) {
      const double skew = 0.1 * std::sin(3.0 * i + 5.0 * j) / nx;
      p.rest.push_back({{25e-3 * (static_cast<double>(i) / nx - 0.5 + skew),
                         20e-3 * (static_cast<double>(j) / ny - 0.5 + skew), 0}});
    }
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      const int a = j * (nx + 1) + i, b = a + 1, d = a + nx + 1, e = d + 1;
      p.coat.push_back({{a, b, e}});
      p.coat.push_back({{a, e, d}});
    }
  p.now = p.rest;
  for (Vec3d& x : p.now) x[2] = -1e-3 * std::exp(-(x[0] * x[0] + x[1] * x[1]) / 8e-6);
  p.contact.force.assign(p.rest.size(), Vec3d::zero());
  p.contact.area.assign(p.rest.size(), 0.0);
  p.contact.to_surface.assign(p.rest.size(), Vec3d::zero());
  const double cell = 25e-3 * 20e-3 / (nx * ny);
  for (std::size_t v = 0; v < p.rest.size(); ++v) {
    const double r2 = (p.rest[v][0] * p.rest[v][0] + p.rest[v][1] * p.rest[v][1]) / 5.3e-6;
    if (r2 >= 1) continue;
    p.contact.force[v] = {{0.2e5 * cell * std::sqrt(1 - r2), 0, -1e5 * cell * std::sqrt(1 - r2)}};
    p.contact.area[v] = cell;
  }
  return p;
}

TactileCamera camera(bool pinhole) {
  return pinhole ? TactileCamera::pinhole(320, 240, 340, 0.0216)
                 : TactileCamera::orthographic(320, 240, 6.34e-5);
}

/// Arguments: quads across, quads along, pinhole (0 or 1), bins across, bins along.
void force_bins(benchmark::State& state) {
  const Pressed p = pressed(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
  const ContactFieldSensor sensor(p.rest, p.coat);
  const ContactField field = sensor.measure(p.now, p.contact);
  for (auto _ : state) {
    const ForceImage image =
        force_image(camera(state.range(2) != 0), sensor.coat(), field,
                    static_cast<int>(state.range(3)), static_cast<int>(state.range(4)));
    benchmark::DoNotOptimize(image.force.data());
  }
}
BENCHMARK(force_bins)
    ->ArgNames({"nx", "ny", "pinhole", "bins_x", "bins_y"})
    ->Args({72, 60, 0, 320, 240})
    ->Args({72, 60, 1, 320, 240})
    ->Args({72, 60, 0, 32, 24})
    ->Args({35, 28, 0, 320, 240})
    ->Unit(benchmark::kMicrosecond);

/// Arguments: quads across, quads along.
void contact_field(benchmark::State& state) {
  const Pressed p = pressed(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
  const ContactFieldSensor sensor(p.rest, p.coat);
  for (auto _ : state) {
    const ContactField field = sensor.measure(p.now, p.contact);
    benchmark::DoNotOptimize(field.pressure.data());
  }
}
BENCHMARK(contact_field)->Args({72, 60})->Args({35, 28})->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace haptos
