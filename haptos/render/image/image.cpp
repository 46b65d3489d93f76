#include "haptos/render/image/image.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "haptos/base/text/error.h"

namespace haptos {

Image::Image(int w, int h, Color fill) : width(w), height(h) {
  if (w < 1 || h < 1 || w > 16384 || h > 16384) {
    Diagnostic d;
    d.element = "image size";
    d.value = std::to_string(w) + " x " + std::to_string(h);
    d.rule = "must lie in 1 .. 16384 both ways";
    d.remedy = "give the width and the height in pixels";
    throw InputError(std::move(d));
  }
  const auto byte = [](float v) { return nearest_byte(std::clamp(v, 0.0f, 1.0f) * 255.0f); };
  const std::uint8_t c[3] = {byte(fill.r), byte(fill.g), byte(fill.b)};
  rgb.resize(3 * static_cast<std::size_t>(w) * static_cast<std::size_t>(h));
  for (std::size_t i = 0; i < rgb.size(); ++i) rgb[i] = c[i % 3];
}

float linear_from_srgb(float v) {
  return v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f);
}

float srgb_from_linear(float v) {
  return v <= 0.0031308f ? 12.92f * v : 1.055f * std::pow(v, 1 / 2.4f) - 0.055f;
}

void paste(Image& image, const Image& source, int row, int col) {
  const int first = std::max(0, -col), last = std::min(source.width, image.width - col);
  if (first >= last) return;
  for (int r = std::max(0, -row); r < source.height && row + r < image.height; ++r)
    std::copy(source.at(r, first), source.at(r, first) + 3 * (last - first),
              image.at(row + r, col + first));
}

void write_ppm(const Image& image, const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"),
                                                             &std::fclose);
  const bool ok =
      file && std::fprintf(file.get(), "P6\n%d %d\n255\n", image.width, image.height) > 0 &&
      std::fwrite(image.rgb.data(), 1, image.rgb.size(), file.get()) == image.rgb.size() &&
      std::fflush(file.get()) == 0;
  if (!ok) {
    Diagnostic d;
    d.file = path;
    d.element = "image";
    d.rule = "must be writable";
    d.remedy = "check that the folder exists and has room";
    throw InputError(std::move(d));
  }
}

}  // namespace haptos
