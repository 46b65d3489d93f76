// Noise of a tactile sensor's images and markers: how much of what. Everything is off by default.
// What each number does: sensors/optics/tactile_noise.h.
#pragma once

namespace haptos {

struct TactileNoise {
  int morphology = 0;      ///< largest width [pixel], 0 or an odd number
  double blur = 0;         ///< largest standard deviation [pixel]
  double texture = 0;      ///< [m]
  double rgb = 0;          ///< [grey value]
  double gain = 1;         ///< of all colours
  double gain_std = 0;     ///< drawn once for each colour
  double offset = 0;       ///< [grey value]
  double offset_std = 0;   ///< [grey value], drawn once for each colour
  double jitter = 0;       ///< [pixel]
  double loss = 0;         ///< probability
  double interval = 0;     ///< part of the pitch
  double fabrication = 0;  ///< [m]
  double rotation = 0;     ///< [rad]
  double translation = 0;  ///< [m]

  /// Whether depth and normals have noise; grey values; the places where markers are printed.
  bool on_surface() const { return morphology > 0 || blur > 0 || texture > 0; }
  bool on_image() const {
    return rgb != 0 || gain != 1 || gain_std != 0 || offset != 0 || offset_std != 0;
  }
  bool on_prints() const {
    return interval != 0 || fabrication != 0 || rotation != 0 || translation != 0;
  }
  bool operator==(const TactileNoise&) const = default;
  /// Throws InputError on a number that cannot be used.
  void check() const;
};

}  // namespace haptos
