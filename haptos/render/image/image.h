// An 8-bit sRGB image in memory, and the colours that go into it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace haptos {

/// A colour in sRGB, each part in 0 .. 1 as a screen shows it (not linear light).
struct Color {
  float r = 0, g = 0, b = 0;
};

/// The colour a of the way from x to y.
inline Color mix(Color x, Color y, float a) {
  return {x.r + (y.r - x.r) * a, x.g + (y.g - x.g) * a, x.b + (y.b - x.b) * a};
}

/// The byte nearest to `v`, which lies in 0 .. 255; halves go up.
inline std::uint8_t nearest_byte(float v) {
  const float up = v + 0.5f;
  return static_cast<std::uint8_t>(up);
}

/// Row-major, top row first, three bytes per pixel.
struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  ///< (height, width, 3)

  Image() = default;
  /// Throws InputError unless both sizes lie in 1 .. 16384.
  Image(int width, int height, Color fill = {1, 1, 1});

  std::uint8_t* at(int row, int col) {
    return rgb.data() + 3 * (static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
                             static_cast<std::size_t>(col));
  }
  const std::uint8_t* at(int row, int col) const { return const_cast<Image*>(this)->at(row, col); }
};

/// Linear light of an sRGB value and back; both map 0 .. 1 onto itself.
float linear_from_srgb(float v);
float srgb_from_linear(float v);

/// Copies `source` into `image` with its top left pixel at (row, col); what does not fit is cut.
void paste(Image& image, const Image& source, int row, int col);

/// Writes a binary portable pixmap (P6). Throws InputError when the file cannot be written.
void write_ppm(const Image& image, const std::string& path);

}  // namespace haptos
