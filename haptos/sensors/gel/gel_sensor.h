// A tactile sensor compiled: what its coat at rest, its camera and its markers make, once for all
// environments. Immutable. What it reads of a run: sensors/gel/gel_reading.h.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "haptos/scene/tactile/tactile_sensor.h"
#include "haptos/sensors/field/contact_field.h"
#include "haptos/sensors/optics/photometric.h"
#include "haptos/sensors/optics/printed_dots.h"
#include "haptos/sensors/optics/rgb_table.h"
#include "haptos/sensors/tactile/contours.h"
#include "haptos/sensors/tactile/depth.h"
#include "haptos/sensors/tactile/markers.h"

namespace haptos {

/// What turns a surface into colours.
using ColourModel = std::variant<PhotometricModel, RgbTable>;

class GelSensor {
 public:
  /// @param vertices  of the soft body's mesh as simulated, at rest, in its own frame [m]
  /// @param coat      triangles into them
  /// @throws InputError for a camera, markers, colours or numbers that cannot be used
  GelSensor(TactileSensor spec, std::span<const Vec3d> vertices, std::span<const Vec3i> coat);

  const TactileSensor& spec() const { return spec_; }
  const Mat3d& turn() const { return turn_; }               ///< of the gel frame in the mesh's
  const std::vector<Vec3d>& rest() const { return rest_; }  ///< vertices, gel frame [m]
  const std::vector<Vec3i>& coat() const { return coat_; }
  const DepthSensor& depth() const { return depth_; }
  const ContourSmoother& contours() const { return contours_; }
  /// Markers where the grid says; null without a grid.
  const MarkerSensor* markers() const { return markers_.get(); }
  /// Their dots in the colours; null without colours or ink.
  const PrintedDots* dots() const { return dots_.get(); }
  /// The same of markers that were printed elsewhere.
  std::unique_ptr<const PrintedDots> dots_of(const MarkerSensor& markers) const;
  /// Markers where they were printed with this noise.
  /// @throws InputError for one that lies beside the coat
  MarkerSensor printed(const TactileNoise& noise, std::uint64_t key) const;
  /// The contact field, smoothed over the size of the elements.
  const ContactFieldSensor& field() const { return field_; }
  /// One for each background; none without colours.
  const std::vector<ColourModel>& colours() const { return colours_; }
  /// Metres per pixel that noise of the depth under the colours goes by.
  double colour_pitch() const;

  /// Of this sensor's noise, from the key of a run of an environment, mix_keys(seed, env).
  std::uint64_t noise_key(std::uint64_t run) const;

 private:
  TactileSensor spec_;
  Mat3d turn_;
  std::vector<Vec3d> rest_;
  std::vector<Vec3i> coat_;
  DepthSensor depth_;
  ContourSmoother contours_;
  std::unique_ptr<const MarkerSensor> markers_;
  std::unique_ptr<const PrintedDots> dots_;
  ContactFieldSensor field_;
  std::vector<ColourModel> colours_;
  std::uint64_t name_key_ = 0;
};

/// x seen from a frame with these axes: R^T (x - origin).
inline Vec3d in_frame(const Mat3d& turn, const Vec3d& x) {
  // As a row times a matrix, which is the order of a product with R^T.
  Vec3d y;
  for (int j = 0; j < 3; ++j)
    y[j] = fma(x[2], turn(2, j), fma(x[1], turn(1, j), x[0] * turn(0, j)));
  return y;
}

}  // namespace haptos
