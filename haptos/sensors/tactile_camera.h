// The camera inside a tactile gel: how a point of the gel frame meets the image.
//
// Gel frame: origin at the rest top centre, +z out of the gel towards the object. The image shows
// the coat as seen from outside: x grows to the right, y grows upwards, rows run down. (A real
// camera looks along +z from inside and sees the mirror image of it.)
//   orthographic  col = (W-1)/2 + x / p                row = (H-1)/2 - y / p
//   pinhole       col = cx + fx x / (z + D)            row = cy - fy y / (z + D)
// p is the pixel pitch; the pinhole stands at (0, 0, -D).
#pragma once

#include "haptos/base/math.h"

namespace haptos {

struct TactileCamera {
  enum class Kind { kOrthographic, kPinhole };
  Kind kind = Kind::kOrthographic;
  int width = 320, height = 240;  ///< [pixel]
  double pitch = 6.34e-5;         ///< orthographic: pixel pitch [m]
  double fx = 340, fy = 340;      ///< pinhole: focal lengths [pixel]
  double cx = 159.5, cy = 119.5;  ///< pinhole: principal point (col, row) [pixel]
  double distance = 0.02;         ///< pinhole: D, from the camera to the rest top [m]

  static TactileCamera orthographic(int width, int height, double pitch) {
    TactileCamera c;
    c.width = width, c.height = height, c.pitch = pitch;
    return c;
  }
  /// A pinhole whose axis meets the centre of the image; square pixels.
  static TactileCamera pinhole(int width, int height, double focal, double distance) {
    TactileCamera c;
    c.kind = Kind::kPinhole;
    c.width = width, c.height = height, c.fx = c.fy = focal, c.distance = distance;
    c.cx = 0.5 * (width - 1), c.cy = 0.5 * (height - 1);
    return c;
  }

  /// The image point (column, row) [pixel] of a point of the gel frame [m]; a point beside or
  /// behind a pinhole (z + D <= 0) has none, and gives not-a-number.
  Vec2d project(const Vec3d& p) const {
    if (kind == Kind::kOrthographic)
      return {{0.5 * (width - 1) + p[0] / pitch, 0.5 * (height - 1) - p[1] / pitch}};
    const double w = p[2] + distance;
    if (!(w > 0))
      return {{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()}};
    return {{cx + fx * p[0] / w, cy - fy * p[1] / w}};
  }
  /// Metres on the rest top plane per pixel.
  double pitch_at_rest() const { return kind == Kind::kOrthographic ? pitch : distance / fx; }

  /// Throws InputError when a size, pitch, focal length or distance cannot be used.
  void check() const;
};

}  // namespace haptos
