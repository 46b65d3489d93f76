// A tactile sensor as a person describes it: a camera under the coat of a soft body, markers on the
// coat, colours, noise, and how often and how late it is read. What it measures:
// sensors/gel/gel_sensor.h; in words: docs/sensors/tactile.md.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "haptos/base/math/rotation.h"
#include "haptos/scene/tactile/colours.h"
#include "haptos/scene/tactile/noise.h"
#include "haptos/scene/tactile/tactile_camera.h"

namespace haptos {

/// A grid of markers centred on the gel's origin, row 0 at the top (largest y), column 0 at the
/// left (smallest x).
struct MarkerGrid {
  int rows = 7, cols = 9;
  double pitch_x = 2e-3, pitch_y = 2e-3;  ///< distance of neighbours [m]
  double offset_x = 0, offset_y = 0;      ///< centre of the grid in the gel frame [m]
  double radius = 0;                      ///< of the dots that colours show [m]; 0: they show none
  double ink = 0.2;  ///< part of the light that a dot reflects, 0 (black) to 1 (not seen)
};

struct TactileSensor {
  std::string name;
  std::string body;  ///< soft body whose coat it sees
  /// Gel frame in the frame of the body's mesh: origin at the rest top centre, +z out of the gel.
  /// It moves with what the body is glued to first.
  Pose frame;
  TactileCamera camera;
  std::optional<MarkerGrid> markers;
  std::shared_ptr<const TactileColours> colours;  ///< null: none
  TactileNoise noise;
  double rate = 0;   ///< samples per second [Hz]; 0: at every step
  double delay = 0;  ///< from sample to reader [s]

  /// Whether readers see a sample of the past, which the state then holds.
  bool sampled() const { return rate > 0 || delay > 0; }
};

/// Numbers that can be checked without the body.
/// @throws InputError naming the sensor and the number
void check_tactile_sensor(const TactileSensor& sensor);

}  // namespace haptos
