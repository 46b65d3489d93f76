// The RGB image of a tactile sensor by near-field photometric shading.
//
// The camera and the lights are inside the gel and see the coat from below: v = -n is the coat's
// inward normal at its point p = (x, y, z_rest - depth) of the gel frame.
//   L_c = ambient_c (1 + n_z) / 2
//       + sum over lights  colour_c f (k_d max(0, v.l) + k_s [v.l > 0] max(0, r.e)^alpha)
// with l the unit vector from p to the light, r = 2 (v.l) v - l its mirror image, e the unit vector
// to the camera, and f = (|s| / |s - p|)^2 for a point light at s, 1 for a directional one. The
// colour of a light is thus what a matte patch shows that faces it at the distance of the gel's
// origin [grey value]. The ambient light comes evenly from below.
//   image = clamp(background + L - L_rest, 0, 255)          (haptos/sensors/optics/rgb.h)
// Without a background image it is L_rest itself. Sources: Lambert's and Phong's laws; subtracting
// the flat response follows Wang et al., TACTO, 2022. Float32; same bits for any number of threads.
// Limits: no shadows, no light from the coat back onto itself, no refraction, white specularity.
#pragma once

#include <vector>

#include "haptos/scene/tactile/colours.h"
#include "haptos/sensors/optics/rgb.h"

namespace haptos {

class PhotometricModel {
 public:
  /// @param background (height, width, 3) grey values, or empty
  /// @throws InputError on sizes that do not fit and on lights inside the coat
  PhotometricModel(const TactileCamera& camera, const LightRig& rig,
                   std::vector<float> background = {}, const RestSurface& rest = {});

  /// The image of a surface; `out` is resized to (height, width, 3), grey values in 0..255.
  void render(const SurfaceImage& surface, std::vector<float>& out) const;
  /// The same as bytes.
  void render(const SurfaceImage& surface, std::vector<std::uint8_t>& out) const;
  /// L itself, not clamped, without background; what a fit of the lights compares.
  void shade(const SurfaceImage& surface, std::vector<float>& out) const;

  const std::vector<float>& background() const { return background_; }
  const TactileCamera& camera() const { return camera_; }
  const LightRig& rig() const { return rig_; }

 private:
  /// Shades every row, and then hands on where its values begin.
  template <class Then>
  void each_row(const SurfaceImage& s, std::vector<float>& out, const Then& then) const;
  void shade_row(int row, const float* depth, const float* normal, float* out) const;
  std::size_t pixels() const;

  TactileCamera camera_;
  LightRig rig_;
  std::vector<float> slope_;       // of the rays of a central camera, (2, height, width)
  std::vector<float> rest_z_;      // (height, width); empty: 0
  std::vector<float> rest_light_;  // L at rest, (height, width, 3)
  std::vector<float> background_;
};

}  // namespace haptos
