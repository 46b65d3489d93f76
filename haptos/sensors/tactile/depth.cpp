#include "haptos/sensors/tactile/depth.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "haptos/base/math/lanes.h"
#include "haptos/base/parallel.h"
#include "haptos/base/text/refuse.h"
#include "haptos/geometry/query/raster.h"
#include "haptos/sensors/tactile/coat.h"

namespace haptos {
namespace {

#define HAPTOS_INLINE __attribute__((always_inline))

using F8 = Pack<float, 8>;
using D4 = Pack<double, 4>;
using Float4 = VectorOf<float, 4>::type;
constexpr int kWidth = 8;
constexpr int kBandRows = 32;  // rows that are drawn and finished together
constexpr float kNone = std::numeric_limits<float>::infinity();

int band_count(const TactileCamera& c) { return (c.height + kBandRows - 1) / kBandRows; }

F8 lane_index() {
  F8 r;
  for (int i = 0; i < kWidth; ++i) r.set(i, static_cast<float>(i));
  return r;
}

Float4 rounded(D4 a) {
  VectorOf<double, 4>::type v;
  a.store(reinterpret_cast<double*>(&v));
  return __builtin_convertvector(v, Float4);
}

/// One over the length of (x, y, z) in every lane.
F8 inverse_length(F8 x, F8 y, F8 z) { return F8(1.0f) / sqrt(fma(x, x, fma(y, y, z * z))); }

}  // namespace

DepthSensor::DepthSensor(const TactileCamera& camera, std::span<const Vec3d> rest,
                         std::span<const Vec3i> coat)
    : camera_(camera), node_count_(static_cast<int>(rest.size())) {
  camera.check();
  // Rows are padded so that a block of eight may start at any pixel.
  stride_ = (static_cast<std::size_t>(camera.width) + 2 * kWidth - 1) / kWidth * kWidth;
  Coat whole(rest.size(), coat);
  used_ = std::move(whole.node);
  triangles_ = std::move(whole.triangles);
  if (camera.distorted()) split(divisions_for(rest));
  DepthScratch s;
  project(rest, s);
  sort_for_drawing(s.position);
  bin(s);
  rest_w_.resize(stride_ * static_cast<std::size_t>(camera.height));
  s.values.resize(band_floats());
  for (int b = 0; b < band_count(camera_); ++b) {
    rasterise<false>(b, s, s.values.data());
    const std::size_t first = static_cast<std::size_t>(b * kBandRows) * stride_;
    const std::size_t count = std::min(rest_w_.size() - first, kBandRows * stride_);
    std::copy_n(s.values.begin(), count, rest_w_.begin() + static_cast<std::ptrdiff_t>(first));
  }
  if (camera_.central())
    for (float& w : rest_w_) w = w == kNone ? kNone : -1.0f / w;
}

// Band by band and then from left to right, so that the pixels being written stay in the first
// cache; neighbours a few triangles apart, so that none waits for the pixels of the one before it.
void DepthSensor::sort_for_drawing(const std::vector<Vec3d>& rest) {
  struct Key {
    int band;
    double x;
    std::size_t index;
  };
  std::vector<Key> keys;
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    Vec3d centre = Vec3d::zero();
    for (int k = 0; k < 3; ++k) centre += rest[static_cast<std::size_t>(triangles_[t][k])];
    const Vec2d p = camera_.project(centre * (1.0 / 3));
    const double row = std::clamp(p[1], -1.0, camera_.height + 1.0);
    keys.push_back({p[1] == p[1] ? static_cast<int>(std::floor(row / kBandRows)) : -1, p[0], t});
  }
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
    if (a.band != b.band) return a.band < b.band;
    return a.x != b.x ? a.x < b.x : a.index < b.index;
  });
  std::vector<Vec3i> sorted;
  sorted.reserve(keys.size());
  constexpr std::size_t kGroup = 32, kApart = 4;
  for (std::size_t g = 0; g < keys.size(); g += kGroup)
    for (std::size_t start = 0; start < kApart; ++start)
      for (std::size_t k = g + start; k < std::min(g + kGroup, keys.size()); k += kApart)
        sorted.push_back(triangles_[keys[k].index]);
  triangles_ = std::move(sorted);
}

void DepthSensor::bin(DepthScratch& s) const {
  const int bands = band_count(camera_);
  const double width = camera_.width;
  s.band_begin.assign(static_cast<std::size_t>(bands) + 1, 0);
  s.range.resize(triangles_.size());
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    const DepthScratch::Vertex &a = s.vertex[static_cast<std::size_t>(triangles_[t][0])],
                               &b = s.vertex[static_cast<std::size_t>(triangles_[t][1])],
                               &c = s.vertex[static_cast<std::size_t>(triangles_[t][2])];
    const double left = std::min(a.x, std::min(b.x, c.x));
    const double right = std::max(a.x, std::max(b.x, c.x));
    // A corner that is not a number (behind a pinhole) fails the first test.
    const bool seen =
        std::isfinite(a.x + b.x + c.x + a.y + b.y + c.y) && left < width && right > -1;
    s.range[t] = {{0, -1}};
    if (!seen) continue;
    const auto row_of = [&](double y) {
      return static_cast<int>(std::clamp(y, -1.0, camera_.height + 1.0) + 1) - 1;
    };
    const int top = row_of(std::min(a.y, std::min(b.y, c.y)));
    const int bottom = row_of(std::max(a.y, std::max(b.y, c.y)));
    s.range[t] = {
        {std::max(top, 0) / kBandRows, bottom >= 0 ? std::min(bottom / kBandRows, bands - 1) : -1}};
    for (int k = s.range[t][0]; k <= s.range[t][1]; ++k)
      ++s.band_begin[static_cast<std::size_t>(k)];
  }
  int total = 0;
  for (int& n : s.band_begin) n = total += n;
  s.band.resize(static_cast<std::size_t>(total));
  // Filled from the back, which leaves each beginning in place.
  for (std::size_t t = triangles_.size(); t-- > 0;)
    for (int k = s.range[t][0]; k <= s.range[t][1]; ++k)
      s.band[static_cast<std::size_t>(--s.band_begin[static_cast<std::size_t>(k)])] =
          static_cast<int>(t);
}

// The key grows with the distance from the camera and is a plane over the image for a flat
// triangle: z itself under parallel rays, -1 / (z + D) under a pinhole, and nearly so in the parts
// that a distorted camera draws.
void DepthSensor::project(std::span<const Vec3d> nodes, DepthScratch& s) const {
  const std::size_t n = used_.size() + split_.size();
  s.position.resize(n);
  s.vertex.resize(n);
  const bool parallel = !camera_.central();
  for (std::size_t i = 0; i < used_.size(); ++i)
    s.position[i] = nodes[static_cast<std::size_t>(used_[i])];
  for (std::size_t i = 0; i < split_.size(); ++i)
    s.position[used_.size() + i] = split_[i].of(s.position);
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3d& p = s.position[i];
    const Vec2d u = camera_.project(p);
    s.vertex[i].x = u[0];
    s.vertex[i].y = u[1];
    s.vertex[i].value[0] = parallel ? p[2] : -1.0 / (p[2] + camera_.distance);
  }
}

void DepthSensor::vertex_normals(DepthScratch& s) const {
  const Vec3d zero = Vec3d::zero();
  s.sum.assign(used_.size() + split_.size(), zero);
  const Vec3d* p = s.position.data();
  Vec3d* sum = s.sum.data();
  for (const Vec3i& t : split_.empty() ? triangles_ : whole_) {
    const Vec3d n = cross(p[t[1]] - p[t[0]], p[t[2]] - p[t[0]]);
    sum[t[0]] += n;
    sum[t[1]] += n;
    sum[t[2]] += n;
  }
  if (!split_.empty()) {
    // Normals vary over a triangle as if it were not divided.
    for (std::size_t i = 0; i < used_.size(); ++i)
      if (const double length = norm(sum[i]); length > 0) sum[i] = sum[i] * (1 / length);
    for (std::size_t i = 0; i < split_.size(); ++i) sum[used_.size() + i] = split_[i].of(s.sum);
  }
  // The pinhole image of a value is a plane over the image once it is divided by the depth; the
  // positive factor drops out when the pixel's normal is normalised.
  const bool parallel = !camera_.central();
  for (std::size_t i = 0; i < s.sum.size(); ++i) {
    const double length = norm(sum[i]);
    double* value = s.vertex[i].value;
    const double scale = parallel ? 1.0 : -value[0] * camera_.distance;
    const double by = length > 0 ? scale / (split_.empty() ? length : 1.0) : 0.0;
    value[1] = sum[i][0] * by;
    value[2] = sum[i][1] * by;
    value[3] = length > 0 ? sum[i][2] * by : scale;
  }
}

template <bool kNormals>
void DepthSensor::rasterise(int band, const DepthScratch& s, float* const z) const {
  const int first = band * kBandRows, last = std::min(first + kBandRows, camera_.height);
  const std::size_t plane = kBandRows * stride_;
  std::fill_n(z, plane, kNone);
  const PixelWindow window{0, camera_.width, first, last};
  const F8 lane = lane_index();
  float *const nx = z + plane, *const ny = nx + plane, *const nz = ny + plane;
  const int end_of_band = s.band_begin[static_cast<std::size_t>(band) + 1];
  for (int i = s.band_begin[static_cast<std::size_t>(band)]; i < end_of_band; ++i) {
    const Vec3i& t = triangles_[static_cast<std::size_t>(s.band[static_cast<std::size_t>(i)])];
    const DepthScratch::Vertex* corner[3];
    ScreenTriangle tri;
    for (int k = 0; k < 3; ++k) {
      corner[k] = &s.vertex[static_cast<std::size_t>(t[k])];
      tri.x[k] = corner[k]->x;
      tri.y[k] = corner[k]->y;
    }
    tri.prepare();
    // The four values and their gradients move through one vector.
    const D4 f0 = D4::load(corner[0]->value);
    const D4 d1 = D4::load(corner[1]->value) - f0, d2 = D4::load(corner[2]->value) - f0;
    const D4 gx = fma(D4(tri.g1x), d1, D4(tri.g2x) * d2);
    const D4 gy = fma(D4(tri.g1y), d1, D4(tri.g2y) * d2);
    const D4 f00 = f0 - gx * D4(tri.x[0]) - gy * D4(tri.y[0]);  // at pixel (0, 0)
    const Float4 slope = rounded(gx);
    const F8 step_z = F8(slope[0]) * lane, step_nx = F8(slope[1]) * lane,
             step_ny = F8(slope[2]) * lane, step_nz = F8(slope[3]) * lane;
    const auto block = [&](int row, int c, int end) HAPTOS_INLINE {
      const D4 at_row = fma(gy, D4(row), f00);
      const Float4 start = rounded(fma(gx, D4(c), at_row));
      const std::size_t at =
          static_cast<std::size_t>(row - first) * stride_ + static_cast<std::size_t>(c);
      const F8 key = F8(start[0]) + step_z, old = F8::load(z + at);
      const auto nearer = (lane < F8(static_cast<float>(end - c))) & (key < old);
      select(nearer, key, old).store(z + at);
      if constexpr (kNormals) {
        select(nearer, F8(start[1]) + step_nx, F8::load(nx + at)).store(nx + at);
        select(nearer, F8(start[2]) + step_ny, F8::load(ny + at)).store(ny + at);
        select(nearer, F8(start[3]) + step_nz, F8::load(nz + at)).store(nz + at);
      }
    };
    // Most triangles are narrower than a block: no loop over columns, whose length the processor
    // could not foretell. An empty row then writes back what it read.
    const double wide = std::max(tri.x[0], std::max(tri.x[1], tri.x[2])) -
                        std::min(tri.x[0], std::min(tri.x[1], tri.x[2]));
    if (wide < kWidth - 0.01)
      scan_rows(tri.x, tri.y, window, [&](const RowSpans& s) HAPTOS_INLINE {
        for (int k = 0; k < s.count; ++k) block(s.row + k, s.begin[k], s.end[k]);
      });
    else
      scan_rows(tri.x, tri.y, window, [&](const RowSpans& s) HAPTOS_INLINE {
        for (int k = 0; k < s.count; ++k)
          for (int c = s.begin[k]; c < s.end[k]; c += kWidth) block(s.row + k, c, s.end[k]);
      });
  }
}

template <bool kNormals>
void DepthSensor::resolve(int band, const float* values, DepthImage& out) const {
  const int width = camera_.width, first = band * kBandRows;
  const int last = std::min(first + kBandRows, camera_.height);
  const bool pinhole = camera_.central();
  const F8 none(kNone), nan(std::numeric_limits<float>::quiet_NaN()), minus(-1.0f);
  const auto store = [](F8 v, float* to, int count) {
    if (count >= kWidth) return v.store(to);
    for (int i = 0; i < count; ++i) to[i] = v[i];
  };
  const std::size_t plane = kBandRows * stride_, size = out.depth.size();
  for (int row = first; row < last; ++row) {
    const float* from = values + static_cast<std::size_t>(row - first) * stride_;
    const float* rest = rest_w_.data() + static_cast<std::size_t>(row) * stride_;
    const std::size_t to = static_cast<std::size_t>(row) * static_cast<std::size_t>(width);
    float* depth = out.depth.data() + to;
    for (int c = 0; c < width; c += kWidth) {
      const int count = std::min(kWidth, width - c);
      const F8 k = F8::load(from + c), r = F8::load(rest + c);
      const auto hit = k < none;
      const F8 w = pinhole ? minus / k : k;
      store(select(hit & (r < none), r - w, nan), depth + c, count);
      if constexpr (kNormals) {
        const float* n = from + plane + c;
        const F8 x = F8::load(n), y = F8::load(n + plane), z = F8::load(n + 2 * plane);
        const F8 scale = select(hit, inverse_length(x, y, z), nan);
        float* normal = out.normal.data() + to + c;
        store(x * scale, normal, count);
        store(y * scale, normal + size, count);
        store(z * scale, normal + 2 * size, count);
      }
    }
  }
}

void DepthSensor::measure(std::span<const Vec3d> nodes, bool with_normals, DepthImage& out,
                          DepthScratch& scratch) const {
  if (static_cast<int>(nodes.size()) != node_count_)
    refuse("nodes", std::to_string(nodes.size()),
           "must be as many as at rest, " + std::to_string(node_count_),
           "pass the positions of all nodes of the gel");
  const std::size_t size =
      static_cast<std::size_t>(camera_.width) * static_cast<std::size_t>(camera_.height);
  out.width = camera_.width;
  out.height = camera_.height;
  out.pitch = camera_.pitch_at_rest();
  out.depth.resize(size);
  out.normal.resize(with_normals ? 3 * size : 0);
  project(nodes, scratch);
  if (with_normals) vertex_normals(scratch);
  bin(scratch);
  // Each worker takes every so-manyth band with a buffer of its own; no two bands share a pixel.
  const int bands = band_count(camera_), workers = std::min(thread_count(), bands);
  scratch.values.resize(static_cast<std::size_t>(workers) * band_floats());
  for_each(
      workers,
      [&](std::ptrdiff_t worker) {
        float* values = scratch.values.data() + static_cast<std::size_t>(worker) * band_floats();
        for (int b = static_cast<int>(worker); b < bands; b += workers) {
          if (with_normals) {
            rasterise<true>(b, scratch, values);
            resolve<true>(b, values, out);
          } else {
            rasterise<false>(b, scratch, values);
            resolve<false>(b, values, out);
          }
        }
      },
      1);
}

std::size_t DepthSensor::band_floats() const { return 4 * kBandRows * stride_; }

DepthImage DepthSensor::measure(std::span<const Vec3d> nodes, bool with_normals) const {
  DepthImage image;
  DepthScratch scratch;
  measure(nodes, with_normals, image, scratch);
  return image;
}

std::vector<float> DepthSensor::rest_height() const {
  const std::size_t width = static_cast<std::size_t>(camera_.width);
  std::vector<float> h(width * static_cast<std::size_t>(camera_.height));
  const float back = camera_.central() ? static_cast<float>(camera_.distance) : 0.0f;
  for (std::size_t i = 0; i < h.size(); ++i) {
    const float w = rest_w_[i / width * stride_ + i % width];
    h[i] = w < kNone ? w - back : std::numeric_limits<float>::quiet_NaN();
  }
  return h;
}

}  // namespace haptos
