// The RGB image of a tactile sensor by polynomial tables, in the layout of Taxim.
//
// For each bin of the surface's gradient there is a polynomial of the pixel (column x, row y):
//   L_c = w . (x^2, y^2, xy, x, y, 1)        w = table[c][magnitude bin][direction bin]
// The gradient g is that of the depth over columns and rows (of the normal: g_x = n_x / n_z,
// g_y = -n_y / n_z), less that of the coat at rest. With n bins each way
//   magnitude bin = floor(atan|g| / (pi/2 / (n-1)))
//   direction bin = floor((atan2(g_y, g_x) + pi) / (2 pi / (n-1)))
// Under a ball the direction points from the pixel to the centre of contact.
//   image = clamp(background + L - L_flat, 0, 255)          (haptos/sensors/optics/rgb.h)
// L_flat is the mean polynomial of magnitude bin 0, over directions; a gradient within that bin
// counts as flat, so that it shows exactly the background. Bins that are not a number are filled
// from the nearest bin that is, directions being periodic.
//
// Shadows: from each pixel on the rim of contact (deeper than a threshold beside one that is not)
// rays run outward, against the gradient, in a fan, one pixel of `step` at a time. The table
//   shadow[c][direction][depth][step]        change of grey value, at most 0
// gives what a pixel then shows at most above its background; it is composed by minimum, blurred,
// and lowers the image where it is darker. The depth is the deepest pixel's within reach of the
// rim, found by walking from it up the gradient. Source of layout and method: Si and Yuan, Taxim,
// 2022. Float32, no libm in the kernel; the same bits for any number of threads.
#pragma once

#include <vector>

#include "haptos/scene/tactile/colours.h"
#include "haptos/sensors/optics/rgb.h"

namespace haptos {

class RgbTable {
 public:
  /// @param coefficients (3, bins, bins, 6): colour, magnitude, direction, polynomial
  /// @param background (height, width, 3) grey values
  /// @param smoothing standard deviation of a blur of the change [pixel]; 0: none
  /// @throws InputError on sizes that do not fit, infinities, or a colour without any bin
  RgbTable(int width, int height, int bins, std::vector<float> coefficients,
           std::vector<float> background, double smoothing = 0, const ShadowTable& shadow = {},
           const RestSurface& rest = {});

  /// The image of a surface; `out` is resized to (height, width, 3).
  void render(const SurfaceImage& surface, std::vector<std::uint8_t>& out) const;
  void render(const SurfaceImage& surface, std::vector<float>& out) const;

  int width() const { return width_; }
  int height() const { return height_; }
  int bins() const { return bins_; }
  /// As given, with the bins filled.
  const std::vector<float>& coefficients() const { return coefficients_; }
  const std::vector<float>& background() const { return background_; }
  int filled() const { return filled_; }  ///< bins that were not a number, all colours

 private:
  template <class Out, bool kRest, bool kBackground>
  void render_row(std::ptrdiff_t row, const SurfaceImage& surface, Out* out) const;
  template <class Out, bool kBackground>
  void render_rows(const SurfaceImage& surface, Out* out) const;
  void compose(const SurfaceImage& surface, std::vector<float>& out) const;
  void cast_shadows(const SurfaceImage& surface, std::vector<float>& change) const;
  void fill();
  void pack();

  int width_, height_, bins_, filled_ = 0;
  std::vector<float> coefficients_, background_;
  std::vector<std::uint8_t> background_bytes_;
  double smoothing_;
  ShadowTable shadow_;
  std::vector<float> padded_;  // the background, readable beyond its end
  std::vector<float> column_;  // per column u u u u 0 0 0 0
  // A bin less the flat response; see pack(). Aligned so that it meets two cache lines, not three.
  struct alignas(32) Bin {
    float value[24];
  };
  std::vector<Bin> packed_;
  std::vector<float> rest_;  // gradient at rest, (2, height, width); empty: 0
  float flat_limit_ = 0;     // |g|^2 below it is flat
};

}  // namespace haptos
