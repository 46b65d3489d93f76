// The depth map and the normal map of a tactile gel, rasterised from its deformed coat.
//
//   depth(row, col) = z_rest - z_deformed   along the pixel's ray [m]
// Positive where the coat is pressed in, negative where it bulges out, not-a-number where the ray
// misses the coat at rest or deformed. The gel frame and the rays are those of tactile_camera.h.
// The surface is the triangle mesh itself (exact linear interpolation, perspective-correct under a
// pinhole; a distorted camera draws its triangles in parts whose edges bend by less than 0.02
// pixels); where it folds over itself the sheet nearest to the camera inside the gel is seen.
// Normals are unit, outward, interpolated between the area-weighted normals of the vertices.
// Everything upstream is float64, the images are float32. An undeformed coat reads exactly zero.
// The image is the same for any number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "haptos/geometry/mesh.h"
#include "haptos/scene/tactile/tactile_camera.h"

namespace haptos {

/// Images are row-major, top row first.
struct DepthImage {
  int width = 0, height = 0;
  double pitch = 0;           ///< metres on the rest top plane per pixel
  std::vector<float> depth;   ///< [m], (height, width)
  std::vector<float> normal;  ///< unit, gel frame, (3, height, width); empty when not asked for

  float at(int row, int col) const {
    return depth[static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
                 static_cast<std::size_t>(col)];
  }
  Vec3d normal_at(int row, int col) const {
    const std::size_t plane = depth.size();
    const std::size_t k = static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
                          static_cast<std::size_t>(col);
    return {{normal[k], normal[plane + k], normal[2 * plane + k]}};
  }
};

/// Buffers that a measurement reuses: one per thread that measures.
struct DepthScratch {
  /// A coat vertex in the image, with the values that the raster interpolates.
  struct Vertex {
    double value[4];  ///< key, then the normal over its homogeneous weight
    double x, y;      ///< [pixel]
  };
  std::vector<Vec3d> position;  ///< coat vertices, gel frame [m]
  std::vector<Vec3d> sum;       ///< area-weighted normals of the vertices
  std::vector<Vertex> vertex;
  std::vector<Vec2i> range;           ///< first and last band of each triangle
  std::vector<int> band_begin, band;  ///< triangles that meet each band of rows (compressed)
  std::vector<float> values;          ///< per worker one band: key and raw normal, rows padded
};

class DepthSensor {
 public:
  /// `rest`: the gel's nodes at rest in the gel frame [m]; `coat`: triangles into them,
  /// counter-clockwise seen from outside. Nodes that no triangle uses are ignored.
  /// Throws InputError on a camera or a triangle that cannot be used.
  DepthSensor(const TactileCamera& camera, std::span<const Vec3d> rest,
              std::span<const Vec3i> coat);

  /// Writes the depth, and the normals if asked, of the coat whose nodes are now at `nodes`
  /// (gel frame [m], as many as at rest). `out` is resized; nothing is allocated on later calls.
  void measure(std::span<const Vec3d> nodes, bool with_normals, DepthImage& out,
               DepthScratch& scratch) const;
  DepthImage measure(std::span<const Vec3d> nodes, bool with_normals = true) const;

  const TactileCamera& camera() const { return camera_; }
  /// Height of the rest coat, float32 [m], (height, width); not-a-number where there is none.
  std::vector<float> rest_height() const;

 private:
  /// A vertex that only the drawing has: a weighted sum of coat vertices.
  struct SplitVertex {
    Vec3i corner;
    Vec3d weight;
    Vec3d of(const std::vector<Vec3d>& v) const {
      return v[static_cast<std::size_t>(corner[0])] * weight[0] +
             v[static_cast<std::size_t>(corner[1])] * weight[1] +
             v[static_cast<std::size_t>(corner[2])] * weight[2];
    }
  };
  int divisions_for(std::span<const Vec3d> rest) const;
  void split(int divisions);
  void sort_for_drawing(const std::vector<Vec3d>& rest);
  void project(std::span<const Vec3d> nodes, DepthScratch& s) const;
  void vertex_normals(DepthScratch& s) const;
  void bin(DepthScratch& s) const;
  template <bool kNormals>
  void rasterise(int band, const DepthScratch& s, float* values) const;
  template <bool kNormals>
  void resolve(int band, const float* values, DepthImage& out) const;
  std::size_t band_floats() const;

  TactileCamera camera_;
  int node_count_ = 0;
  std::size_t stride_ = 0;          ///< floats per padded row
  std::vector<int> used_;           ///< nodes of the coat, in order of first use
  std::vector<SplitVertex> split_;  ///< follow used_
  std::vector<Vec3i> triangles_;    ///< into used_ and split_, in drawing order
  std::vector<Vec3i> whole_;        ///< the coat's triangles, where those drawn are parts of them
  std::vector<float> rest_w_;       ///< distance along the axis at rest, padded; inf: none
};

/// 1 where the depth exceeds `threshold` [m] (0 where there is no gel), (height, width).
std::vector<std::uint8_t> contact_mask(const DepthImage& image, double threshold = 5e-5);

/// The points of the coat that the pixels see, gel frame [m], and not-a-number where depth is.
/// @param rest_height  of the same sensor
std::vector<Vec3d> image_points(const TactileCamera& camera, const DepthImage& image,
                                std::span<const float> rest_height);

/// Area of the pixels deeper than `threshold`, on the rest top plane [m2].
double contact_area(const DepthImage& image, double threshold = 5e-5);

}  // namespace haptos
