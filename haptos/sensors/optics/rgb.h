// What the RGB models of a tactile sensor share: the surface they read and the image they write.
//
//   image = clamp(background + L(surface) - L(surface at rest), 0, 255)
// L is the model's light on the coat, computed at rest by the same kernel, so that an undeformed
// coat gives exactly the background. Pixels where the camera sees no coat (depth or normal is not
// a number) show the background. Images are float32 in grey values, (height, width, 3), red first,
// row-major, top row first, as seen from outside (haptos/scene/tactile/tactile_camera.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "haptos/sensors/tactile/depth.h"

namespace haptos {

inline constexpr int kMostRgbPixels = 1 << 26;  ///< of one image

/// Depth [m], (height, width), and unit outward normals, (3, height, width), gel frame.
struct SurfaceImage {
  int width = 0, height = 0;
  std::span<const float> depth;
  std::span<const float> normal;

  SurfaceImage() = default;
  SurfaceImage(int w, int h, std::span<const float> d, std::span<const float> n)
      : width(w), height(h), depth(d), normal(n) {}
  // NOLINTNEXTLINE(google-explicit-constructor): what a DepthSensor measures is what is read here.
  SurfaceImage(const DepthImage& i)
      : width(i.width), height(i.height), depth(i.depth), normal(i.normal) {}
};

/// The coat at rest, for pads that are not flat. Empty: z = 0, normal along +z.
struct RestSurface {
  std::vector<float> height;  ///< [m], (height, width)
  std::vector<float> normal;  ///< (3, height, width)
};

/// Throws InputError where sizes do not fit, or a background is outside 0..255.
void check_surface(const SurfaceImage& surface, int width, int height);
void check_rest(const RestSurface& rest, int width, int height);
void check_background(std::span<const float> background, int width, int height);

/// Grey values as bytes: rounded to nearest, cut at 0 and 255.
void to_bytes(std::span<const float> image, std::vector<std::uint8_t>& out);

/// Gaussian blur with standard deviation `sigma` [pixel], cut at 3 sigma, edges repeated.
/// `image` is (height, width, channels). The same bits for any number of threads.
void gaussian_blur(std::vector<float>& image, int width, int height, int channels, double sigma);

/// Unit normals (3, height, width) of the surface z = -depth by central differences, one-sided at
/// the border and beside pixels that are not a number; `pitch`: metres per pixel.
std::vector<float> normals_from_depth(std::span<const float> depth, int width, int height,
                                      double pitch);

}  // namespace haptos
