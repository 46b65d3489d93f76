#include "haptos/sensors/gel/gel_sensor.h"

#include "haptos/base/hash.h"
#include "haptos/base/math/random.h"
#include "haptos/sensors/optics/tactile_noise.h"

namespace haptos {
namespace {

std::vector<Vec3d> at_rest(const TactileSensor& s, const Mat3d& turn,
                           std::span<const Vec3d> vertices) {
  std::vector<Vec3d> x;
  x.reserve(vertices.size());
  for (const Vec3d& v : vertices) x.push_back(in_frame(turn, v - s.frame.p));
  return x;
}

std::vector<ColourModel> colour_models(const TactileSensor& s, const DepthSensor& depth,
                                       std::span<const Vec3d> rest) {
  std::vector<ColourModel> all;
  if (!s.colours) return all;
  const TactileColours& c = *s.colours;
  const RestSurface surface{depth.rest_height(), depth.measure(rest).normal};
  for (const std::vector<float>& background : c.backgrounds)
    if (c.kind == TactileColours::Kind::kLights)
      all.emplace_back(PhotometricModel(s.camera, c.rig, background, surface));
    else
      all.emplace_back(RgbTable(s.camera.width, s.camera.height, c.bins, c.coefficients, background,
                                c.smoothing, c.shadow, {{}, surface.normal}));
  return all;
}

}  // namespace

GelSensor::GelSensor(TactileSensor spec, std::span<const Vec3d> vertices,
                     std::span<const Vec3i> coat)
    : spec_(std::move(spec)),
      turn_(to_matrix(spec_.frame.q)),
      rest_(at_rest(spec_, turn_, vertices)),
      coat_(coat.begin(), coat.end()),
      depth_(spec_.camera, rest_, coat_),
      contours_(spec_.camera, rest_, coat_),
      markers_(spec_.markers
                   ? std::make_unique<MarkerSensor>(spec_.camera, rest_, coat_, *spec_.markers)
                   : nullptr),
      dots_(markers_ ? dots_of(*markers_) : nullptr),
      field_(rest_, coat_),
      colours_(colour_models(spec_, depth_, rest_)) {
  Hash h;
  h.add(spec_.name.data(), spec_.name.size());
  name_key_ = h.value();
}

MarkerSensor GelSensor::printed(const TactileNoise& noise, std::uint64_t key) const {
  return {spec_.camera, rest_, coat_, printed_markers(noise, key, *spec_.markers)};
}

std::unique_ptr<const PrintedDots> GelSensor::dots_of(const MarkerSensor& markers) const {
  const MarkerGrid& grid = *spec_.markers;
  if (!spec_.colours || grid.radius == 0) return nullptr;
  return std::make_unique<PrintedDots>(markers, rest_, coat_, grid.radius, grid.ink);
}

double GelSensor::colour_pitch() const {
  const bool given = spec_.colours && spec_.colours->pitch > 0;
  return given ? spec_.colours->pitch : spec_.camera.pitch_at_rest();
}

std::uint64_t GelSensor::noise_key(std::uint64_t run) const { return mix_keys(run, name_key_); }

}  // namespace haptos
