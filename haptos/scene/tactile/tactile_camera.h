// The camera inside a tactile gel: how a point of the gel frame meets the image.
//
// Gel frame: origin at the rest top centre, +z out of the gel towards the object. The image shows
// the coat as seen from outside: x grows to the right, y grows upwards, rows run down. (A real
// camera looks along +z from inside and sees the mirror image of it.)
//   orthographic  col = (W-1)/2 + x / p                row = (H-1)/2 - y / p
//   pinhole       col = cx + fx a g(r)                 row = cy - fy b g(r)
//   fisheye       the same with g(r) = atan(r) / r, so that a ray at the angle theta from the axis
//                 lies f theta from the principal point
// with the slopes a = x / (z + D), b = y / (z + D), r^2 = a^2 + b^2. p is the pixel pitch; camera
// and lens stand at (0, 0, -D). A pinhole has Brown's radial distortion g = 1 + k1 r^2 + k2 r^4,
// which is 1 by default.
// Limits: rays at 90 degrees and more from the axis are not seen. Where r g(r) stops growing the
// polynomial says nothing any more: such points have no image.
#pragma once

#include "haptos/base/math/math.h"

namespace haptos {

struct TactileCamera {
  enum class Kind { kOrthographic, kPinhole, kFisheye };
  Kind kind = Kind::kOrthographic;
  int width = 320, height = 240;  ///< [pixel]
  double pitch = 6.34e-5;         ///< orthographic: pixel pitch [m]
  double fx = 340, fy = 340;      ///< focal lengths [pixel]
  double cx = 159.5, cy = 119.5;  ///< principal point (col, row) [pixel]
  double distance = 0.02;         ///< D, from the camera to the rest top [m]
  double k1 = 0, k2 = 0;          ///< pinhole: radial distortion

  static TactileCamera orthographic(int width, int height, double pitch) {
    TactileCamera c;
    c.width = width, c.height = height, c.pitch = pitch;
    return c;
  }
  /// A pinhole whose axis meets the centre of the image; square pixels.
  static TactileCamera pinhole(int width, int height, double focal, double distance, double k1 = 0,
                               double k2 = 0) {
    TactileCamera c;
    c.kind = Kind::kPinhole;
    c.width = width, c.height = height, c.fx = c.fy = focal, c.distance = distance;
    c.cx = 0.5 * (width - 1), c.cy = 0.5 * (height - 1);
    c.k1 = k1, c.k2 = k2;
    return c;
  }
  /// The same with the lens of a fisheye, `focal` pixels per radian.
  static TactileCamera fisheye(int width, int height, double focal, double distance) {
    TactileCamera c = pinhole(width, height, focal, distance);
    c.kind = Kind::kFisheye;
    return c;
  }

  /// Whether rays meet in a point.
  bool central() const { return kind != Kind::kOrthographic; }
  /// Whether straight lines have images that are not straight.
  bool distorted() const {
    return kind == Kind::kFisheye || (kind == Kind::kPinhole && (k1 != 0 || k2 != 0));
  }

  /// The image point (column, row) [pixel] of a point of the gel frame [m]; a point beside or
  /// behind a central camera (z + D <= 0) has none, and gives not-a-number.
  Vec2d project(const Vec3d& p) const {
    if (!central()) return {{0.5 * (width - 1) + p[0] / pitch, 0.5 * (height - 1) - p[1] / pitch}};
    const double w = p[2] + distance;
    if (!(w > 0))
      return {{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()}};
    if (distorted()) return project_slopes({{p[0] / w, p[1] / w}});
    return {{cx + fx * p[0] / w, cy - fy * p[1] / w}};
  }
  /// The image point of the ray with slopes (a, b) of a central camera.
  Vec2d project_slopes(const Vec2d& slopes) const;
  /// The slopes of the ray through an image point of a central camera; not-a-number where none is.
  Vec2d slopes(const Vec2d& pixel) const;
  /// The point at height z of the gel frame that is seen at an image point [m].
  Vec3d point_at(const Vec2d& pixel, double z) const;
  /// Where an image point would be without distortion: in a pinhole of the same focal lengths and
  /// principal point; itself under parallel rays.
  Vec2d undistort(const Vec2d& pixel) const;

  /// Metres on the rest top plane per pixel, at the principal point.
  double pitch_at_rest() const { return central() ? distance / fx : pitch; }

  /// Throws InputError when a size, pitch, focal length or distance cannot be used.
  void check() const;
};

}  // namespace haptos
