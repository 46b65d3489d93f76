#include "haptos/sensors/gel/gel_reading.h"

#include "haptos/sensors/optics/tactile_noise.h"

namespace haptos {
namespace {

void render(const ColourModel& model, const DepthImage& image, auto& out) {
  std::visit([&](const auto& m) { m.render(image, out); }, model);
}

}  // namespace

void read_surface(const GelSensor& sensor, const TactileNoise& noise, const GelSample& sample,
                  const GelLook& look, GelScratch& scratch) {
  const std::vector<Vec3d>* nodes = &sample.nodes;
  if (look.compensated) {
    scratch.moved = sample.nodes;
    for (std::size_t v = 0; v < scratch.moved.size(); ++v)
      scratch.moved[v] += sample.contact.to_surface[v];
    nodes = &scratch.moved;
  }
  DepthImage& image = scratch.image;
  const bool noisy = noise.on_surface() && !look.clean;
  sensor.depth().measure(*nodes, look.normals || noisy, image, scratch.depth);
  if (!look.raw) sensor.contours().smooth(image);
  if (noisy)
    add_surface_noise(noise, sample.key, sample.step, sensor.spec().camera.pitch_at_rest(), image);
}

void read_colours(const GelSensor& sensor, const TactileNoise& noise, const GelSample& sample,
                  const PrintedDots* dots, bool clean, std::vector<std::uint8_t>& out,
                  GelScratch& scratch) {
  read_surface(sensor, noise, sample, {.clean = true}, scratch);
  const std::vector<ColourModel>& models = sensor.colours();
  if (!clean && noise.on_surface())
    add_surface_noise(noise, sample.key, sample.step, sensor.colour_pitch(), scratch.image);
  const ColourModel& model = clean ? models.front() : models[sample.key % models.size()];
  const bool noisy = !clean && noise.on_image();
  if (!noisy && !dots) {
    render(model, scratch.image, out);
    return;
  }
  std::vector<float> grey;
  render(model, scratch.image, grey);
  if (dots) dots->print(sample.nodes, grey);
  if (noisy) add_image_noise(noise, sample.key, sample.step, grey);
  to_bytes(grey, out);
}

void read_markers(const MarkerSensor& printed, const TactileNoise& noise, const GelSample& sample,
                  bool clean, GelMarkers& out) {
  MarkerReading& seen = out.seen;
  printed.measure(sample.nodes, seen, true);
  const std::size_t n = seen.pixel.size();
  out.lost.assign(n, 0);
  if (!clean && (noise.jitter != 0 || noise.loss != 0)) {
    const std::vector<Vec2d> exact = seen.pixel;
    std::vector<std::uint8_t> kept(n, 1);
    add_marker_noise(noise, sample.key, sample.step, seen.pixel, kept);
    for (std::size_t i = 0; i < n; ++i) {
      seen.pixel_flow[i] += seen.pixel[i] - exact[i];
      out.lost[i] = kept[i] == 0;
    }
  }
  out.undistorted.resize(n);
  for (std::size_t i = 0; i < n; ++i)
    out.undistorted[i] = printed.camera().undistort(seen.pixel[i]);
}

}  // namespace haptos
