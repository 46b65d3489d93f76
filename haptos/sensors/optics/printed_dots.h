// The dots of a marker grid as ink on the coat, in the colours that a camera sees.
//
// Dot k is the disc |X - X_k| <= r of the coat at rest, X = (x, y) in the gel frame, so it moves,
// stretches and shears with the coat. Its part of a pixel is
//   c = clamp(1/2 + (r - |X - X_k|) / w, 0, 1),   w = sqrt|det dX/dp|
// with X interpolated over the coat's triangles at the pixel's centre p, and the pixel's light
// becomes (1 - c (1 - ink)) times what it is: ink 0 is black, 1 is not seen.
// Limits: under a perspective camera X is taken as linear over the image of a triangle (some um);
// triangles that are folded over show none, a fold does not hide dots behind it.
#pragma once

#include <span>
#include <vector>

#include "haptos/sensors/tactile/markers.h"

namespace haptos {

class PrintedDots {
 public:
  /// @param markers  where they are printed; @param rest  the gel's nodes at rest, gel frame [m]
  /// @param coat     triangles into them
  /// @param radius   of a dot [m], > 0; @param ink  part of the light that it reflects, 0 to 1
  PrintedDots(const MarkerSensor& markers, std::span<const Vec3d> rest, std::span<const Vec3i> coat,
              double radius, double ink);

  /// The part of each pixel that dots cover, (height, width), of the gel whose nodes are now there.
  void cover(std::span<const Vec3d> nodes, std::vector<float>& out) const;
  /// Darkens grey values (height, width, 3).
  void print(std::span<const Vec3d> nodes, std::vector<float>& image) const;

 private:
  /// A triangle with ink on it.
  struct Piece {
    Vec3i nodes;
    Vec2d x[3];  ///< of its corners from the dot's middle, at rest [m]
  };
  TactileCamera camera_;
  double radius_, ink_;
  std::vector<Piece> pieces_;
};

}  // namespace haptos
