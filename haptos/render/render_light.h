// Soft shadows from one distant light, and ambient occlusion from the picture's own depth.
#pragma once

#include <optional>
#include <vector>

#include "haptos/render/render_view.h"

namespace haptos::internal {

/// Depth of the scene seen from the light. Penumbras widen with the distance from the blocker
/// (R. Fernando 2005, "Percentage-closer soft shadows").
class ShadowMap {
 public:
  /// `light`: unit vector towards the light. `lo`, `hi`: box that holds every caster.
  /// `size`: of the map, each way [pixel].
  ShadowMap(const FaceList& list, const Vec3d& lo, const Vec3d& hi, const Vec3d& light,
            const std::optional<ClipPlane>& clip, int size);

  /// The part of the key light that reaches x, 0 .. 1; n is the surface's unit normal there.
  double lit(const Vec3d& x, const Vec3d& n) const;
  /// Path length of the light inside `surface` before it reaches x, as a part of the box's
  /// diagonal; 1 where something else stands in the way.
  double thickness(const Vec3d& x, int surface) const;

 private:
  float at(int row, int col) const {
    return key_[static_cast<std::size_t>(row) * static_cast<std::size_t>(size_) +
                static_cast<std::size_t>(col)];
  }
  double passed(double col, double row, float key) const;

  int size_;
  View view_;
  double texel_ = 1, diagonal_ = 1;
  std::vector<float> key_;
  std::vector<int> surface_;
};

/// Where each pixel's centre looks: position and normal, for the ambient occlusion.
struct PixelGeometry {
  int width = 0, height = 0;
  std::vector<Vec3f> position, normal;  ///< relative to `origin`
  std::vector<float> depth;             ///< along the view, infinite where nothing is seen
  Vec3d origin;
};

PixelGeometry pixel_geometry(const FaceList& list, const View& view, int width, int height,
                             const std::optional<ClipPlane>& clip,
                             const std::optional<double>& ground, const Vec3d& centre,
                             double ground_radius);

/// The open part of the sky above each pixel, 0 .. 1, blurred along the surface. `radius` is the
/// reach of the occlusion in scene units.
std::vector<float> ambient_occlusion(const PixelGeometry& g, const View& view, double radius);

}  // namespace haptos::internal
