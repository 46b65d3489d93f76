// Of the depth sensor: the parts of triangles that a distorted camera draws, and what is read from
// an image.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "haptos/sensors/tactile/depth.h"

namespace haptos {

// A distorted camera bends the image of an edge: its triangles are drawn in parts whose edges bend
// by less than kBend. One number for all, so that neighbours fit.
int DepthSensor::divisions_for(std::span<const Vec3d> rest) const {
  constexpr double kBend = 0.02;  // [pixel]
  constexpr double kMost = 16;
  double bend = 0;
  for (const Vec3i& t : triangles_)
    for (int k = 0; k < 3; ++k) {
      Vec2d slopes[2], image[2];
      for (int e = 0; e < 2; ++e) {
        const Vec3d& p =
            rest[static_cast<std::size_t>(used_[static_cast<std::size_t>(t[(k + e) % 3])])];
        const double w = p[2] + camera_.distance;
        slopes[e] = {{p[0] / w, p[1] / w}};
        image[e] = camera_.project(p);
      }
      const Vec2d middle = camera_.project_slopes((slopes[0] + slopes[1]) * 0.5);
      if (!(middle[0] > -1 && middle[0] < camera_.width)) continue;
      if (!(middle[1] > -1 && middle[1] < camera_.height)) continue;
      const double off = norm(middle - (image[0] + image[1]) * 0.5);
      if (off > bend) bend = off;
    }
  return static_cast<int>(std::min(kMost, std::ceil(std::sqrt(bend / kBend))));
}

void DepthSensor::split(int n) {
  if (n < 2) return;
  whole_ = std::move(triangles_);
  triangles_.clear();
  // A point of an edge is the same for both its triangles: by its ends and its place between them.
  std::map<std::array<int, 3>, int> of_edge;
  const auto add = [&](const Vec3i& corner, const Vec3d& weight) {
    split_.push_back({corner, weight});
    return static_cast<int>(used_.size() + split_.size()) - 1;
  };
  const auto on_edge = [&](int a, int b, int i) {  // i n-ths of the way from a to b
    if (i == 0) return a;
    if (i == n) return b;
    if (a > b) {
      std::swap(a, b);
      i = n - i;
    }
    const auto [at, fresh] = of_edge.try_emplace({a, b, i}, 0);
    const double w = static_cast<double>(i) / n;
    if (fresh) at->second = add({{a, b, b}}, {{1 - w, w, 0}});
    return at->second;
  };
  std::vector<int> number;  // of the points (i, j) with i + j <= n, row after row
  for (const Vec3i& t : whole_) {
    number.clear();
    for (int i = 0; i <= n; ++i)
      for (int j = 0; j <= n - i; ++j) {
        if (j == 0)
          number.push_back(on_edge(t[0], t[1], i));
        else if (i == 0)
          number.push_back(on_edge(t[0], t[2], j));
        else if (i + j == n)
          number.push_back(on_edge(t[1], t[2], j));
        else
          number.push_back(add(t, Vec3d{{static_cast<double>(n - i - j), static_cast<double>(i),
                                         static_cast<double>(j)}} *
                                      (1.0 / n)));
      }
    const auto at = [&](int i, int j) {
      const int k = i * (n + 1) - i * (i - 1) / 2 + j;
      return number[static_cast<std::size_t>(k)];
    };
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n - i; ++j) {
        triangles_.push_back({{at(i, j), at(i + 1, j), at(i, j + 1)}});
        if (i + j + 1 < n) triangles_.push_back({{at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)}});
      }
  }
}

std::vector<std::uint8_t> contact_mask(const DepthImage& image, double threshold) {
  std::vector<std::uint8_t> mask(image.depth.size());
  const float limit = static_cast<float>(threshold);
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = image.depth[i] > limit;
  return mask;
}

std::vector<Vec3d> image_points(const TactileCamera& camera, const DepthImage& image,
                                std::span<const float> rest_height) {
  std::vector<Vec3d> points;
  points.reserve(image.depth.size());
  for (int row = 0; row < image.height; ++row)
    for (int col = 0; col < image.width; ++col) {
      const std::size_t k = points.size();
      const double z = static_cast<double>(rest_height[k]) - static_cast<double>(image.depth[k]);
      points.push_back(
          z == z ? camera.point_at({{static_cast<double>(col), static_cast<double>(row)}}, z)
                 : Vec3d{{z, z, z}});
    }
  return points;
}

double contact_area(const DepthImage& image, double threshold) {
  const float limit = static_cast<float>(threshold);
  const auto count =
      std::count_if(image.depth.begin(), image.depth.end(), [limit](float d) { return d > limit; });
  return static_cast<double>(count) * image.pitch * image.pitch;
}

}  // namespace haptos
