// A depth image without the ripple of the mesh, by averaging along the contours of the dent.
//
// Beside an edge that is sharper than its elements the coat stands up and down from vertex to
// vertex, with the period of the mesh: two given elements, four spacings h of the coat's vertices.
// Where the edge runs across the lines of the mesh its triangles cut it in steps. The mean over a
// period is right (docs/sensors/tactile.md, Contours). So depth and normal of a pixel are filtered
// along the contour through it,
//
//   d'(p) = (1 - w) d(p) + w integral k(s) d(p(s)) ds,    k = 2 box - box * box,
//   dp/ds = t(p), the direction in which the dent changes least,
//
// with a box as wide as the period P = 4 h. k has no wave of the period and of its overtones, and
// it keeps what changes along the contour as a cubic does. t and w come from the tensor of the
// image's slope g, sum over the neighbourhood (a Gaussian of .5 P) of g g^T with eigenvalues
// a >= b: t is the second eigenvector, and
//
//   w = S((a - b) / (a + b)) a^2 / (a^2 + g0^4),   g0 = 0.05
//
// with the smooth step S(c) = 3 c^2 - 2 c^3 that rises from 0 at .4 to 1 at .9,
// so nothing happens where the dent has no direction (under a pole, at a corner) or no slope, nor
// where the contour leaves the coat. A coat at rest stays exactly what it is, and a mesh as fine as
// the pixels is left alone.
#pragma once

#include <span>
#include <vector>

#include "haptos/sensors/tactile/depth.h"

namespace haptos {

class ContourSmoother {
 public:
  /// @param rest    the gel's nodes at rest, gel frame [m]; @param coat  triangles into them
  /// @param camera  whose images it smooths
  ContourSmoother(const TactileCamera& camera, std::span<const Vec3d> rest,
                  std::span<const Vec3i> coat);

  /// Replaces depth and, where the image has them, normals. The image must be the camera's.
  void smooth(DepthImage& image) const;

  /// P of each pixel, float32 [pixel], (height, width).
  const std::vector<float>& period() const { return period_; }

 private:
  int width_ = 0, height_ = 0;
  int reach_ = 0;  ///< of the box blur whose three passes make the neighbourhood [pixel]
  std::vector<float> period_;
};

}  // namespace haptos
