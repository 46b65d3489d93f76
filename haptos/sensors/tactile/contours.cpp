#include "haptos/sensors/tactile/contours.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "haptos/base/math/lanes.h"
#include "haptos/base/parallel.h"
#include "haptos/base/text/refuse.h"
#include "haptos/sensors/tactile/coat.h"

namespace haptos {
namespace {

constexpr int kHalf = 8;         // samples of the filter on either side
constexpr double kPeriod = 4;    // of the mesh, in spacings of the coat's vertices
constexpr double kAround = 0.5;  // standard deviation of the neighbourhood, in periods
constexpr float kNoDirection = 0.4f, kDirection = 0.9f;  // (a - b) / (a + b): weights 0 and 1
constexpr float kSlope = 0.05f;  // below which a dent has no contours worth following
constexpr float kLeast = 1e-2f;  // weight below which a pixel stays as it is
constexpr float kFinest = 4;     // period that is left alone [pixel]

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Weights of samples s_k = k P / kHalf, k = -kHalf .. kHalf: 2 box - box * box by the trapezoidal
// rule.
std::array<float, 2 * kHalf + 1> filter() {
  std::array<float, 2 * kHalf + 1> w{};
  for (int k = -kHalf; k <= kHalf; ++k) {
    const double box = 2 * std::abs(k) < kHalf ? 1 : (2 * std::abs(k) == kHalf ? 0.5 : 0);
    const double hat = 1 - std::abs(k) / static_cast<double>(kHalf);
    w[at(k + kHalf)] = static_cast<float>((2 * box - hat) / kHalf);
  }
  return w;
}

// Means over 2 reach + 1 rows, as if nothing lay beyond the image: sums that run from row to row.
void blur_rows(const std::vector<float>& from, std::vector<float>& to, int width, int height,
               int reach, std::vector<double>& sum) {
  sum.assign(at(width), 0.0);
  const auto row = [&](int r) { return from.data() + at(r) * at(width); };
  const auto add = [&](const float* v, double sign) {
    for (int c = 0; c < width; ++c) sum[at(c)] += sign * static_cast<double>(v[c]);
  };
  for (int r = 0; r < std::min(reach, height); ++r) add(row(r), 1);
  const double by = 1.0 / (2 * reach + 1);
  for (int r = 0; r < height; ++r) {
    if (r + reach < height) add(row(r + reach), 1);
    float* out = to.data() + at(r) * at(width);
    for (int c = 0; c < width; ++c) out[c] = static_cast<float>(sum[at(c)] * by);
    if (r >= reach) add(row(r - reach), -1);
  }
}

void transpose(const std::vector<float>& from, std::vector<float>& to, int width, int height) {
  constexpr int kTile = 16;
  for (int r0 = 0; r0 < height; r0 += kTile)
    for (int c0 = 0; c0 < width; c0 += kTile)
      for (int r = r0; r < std::min(r0 + kTile, height); ++r)
        for (int c = c0; c < std::min(c0 + kTile, width); ++c)
          to[at(c) * at(height) + at(r)] = from[at(r) * at(width) + at(c)];
}

// Three passes along the columns, then along the rows.
void blur(std::vector<float>& v, int width, int height, int reach) {
  std::vector<float> other(v.size());
  std::vector<double> sum;
  for (int along = 0; along < 2; ++along) {
    for (int pass = 0; pass < 3; ++pass) {
      blur_rows(v, other, width, height, reach, sum);
      std::swap(v, other);
    }
    transpose(v, other, width, height);
    std::swap(v, other);
    std::swap(width, height);
  }
}

// Direction of the contour [pixel] and weight of the filter.
struct Contour {
  float x = 0, y = 0, weight = 0;
};

// Four pixels about a place and their shares.
struct Between {
  std::size_t first, nearest;
  float share[4];
};

// Where a walk along a contour is [pixel], and its direction.
struct Way {
  float x, y, tx, ty;
};

// Depth and normal of a pixel, in lanes: they are read together.
using Pixel = Pack<float, 4>;

// What a frame needs, kept by each thread: images are read at high rates.
struct Scratch {
  std::vector<float> xx, xy, yy;
  std::vector<Contour> contour;
  std::vector<Pixel> pixel;
};

}  // namespace

ContourSmoother::ContourSmoother(const TactileCamera& camera, std::span<const Vec3d> rest,
                                 std::span<const Vec3i> coat)
    : width_(camera.width), height_(camera.height) {
  camera.check();
  const Coat used(rest.size(), coat);
  const std::vector<Vec3d> x = used.gather(rest);
  // Spacing of vertices: a square of the lattice is two triangles. A pixel takes the mean of the
  // triangles whose middles are within a spacing of it, so that none of the coat is left out.
  const std::size_t size = at(width_) * at(height_);
  period_.assign(size, 0.0f);
  std::vector<int> count(size, 0);
  for (const Vec3i& t : used.triangles) {
    const Vec3d &a = x[at(t[0])], &b = x[at(t[1])], &c = x[at(t[2])];
    const Vec3d n = cross(b - a, c - a);
    const Vec3d middle = (a + b + c) * (1.0 / 3);
    const Vec2d p = camera.project(middle);
    const double length = kPeriod * std::sqrt(norm(n));
    const Vec2d q = camera.project(middle + Vec3d{{length, 0, 0}});
    const double pixels = norm(q - p);
    if (!std::isfinite(pixels)) continue;
    const int half = static_cast<int>(std::min(pixels / kPeriod + 1, 1e4));
    const int col = static_cast<int>(std::clamp(p[0] + 0.5, -2e4, 2e4)),
              row = static_cast<int>(std::clamp(p[1] + 0.5, -2e4, 2e4));
    for (int r = std::max(row - half, 0); r <= std::min(row + half, height_ - 1); ++r)
      for (int k = std::max(col - half, 0); k <= std::min(col + half, width_ - 1); ++k) {
        period_[at(r) * at(width_) + at(k)] += static_cast<float>(pixels);
        ++count[at(r) * at(width_) + at(k)];
      }
  }
  std::vector<float> known;
  for (std::size_t i = 0; i < size; ++i)
    if (count[i] > 0) known.push_back(period_[i] /= static_cast<float>(count[i]));
  if (known.empty()) return;
  // The neighbourhood suits the fine part of a mesh, which is where it is pressed.
  const auto tenth = known.begin() + static_cast<std::ptrdiff_t>(known.size() / 10);
  std::nth_element(known.begin(), tenth, known.end());
  // Three boxes of 2 r + 1 have a variance of ((2 r + 1)^2 - 1) / 4.
  const double deviation = kAround * static_cast<double>(*tenth);
  reach_ = std::max(1, static_cast<int>(0.5 * std::sqrt(4 * deviation * deviation + 1)));
}

void ContourSmoother::smooth(DepthImage& image) const {
  const int W = width_, H = height_;
  const std::size_t size = at(W) * at(H), width = at(W);
  if (image.width != W || image.height != H)
    refuse("image", std::to_string(image.width) + " x " + std::to_string(image.height),
           "must have the camera's " + std::to_string(W) + " x " + std::to_string(H) + " pixels",
           "pass an image of the same sensor");
  const bool normals = image.normal.size() == 3 * size;
  static thread_local Scratch scratch;  // other threads fill this one's, by these references
  std::vector<float>&xx = scratch.xx, &xy = scratch.xy, &yy = scratch.yy;
  std::vector<Contour>& contour = scratch.contour;
  std::vector<Pixel>& before = scratch.pixel;
  for (std::vector<float>* v : {&xx, &xy, &yy}) v->assign(size, 0.0f);
  const float by = static_cast<float>(0.5 / image.pitch);
  bool any = false;
  for (int r = 1; r + 1 < H; ++r)
    for (int c = 1; c + 1 < W; ++c) {
      const float* d = image.depth.data() + at(r) * width + at(c);
      const float gx = (d[1] - d[-1]) * by, gy = (d[W] - d[-W]) * by;
      if (!(gx * gx + gy * gy > 0)) continue;  // nor where there is no coat
      const std::size_t i = at(r) * width + at(c);
      xx[i] = gx * gx;
      xy[i] = gx * gy;
      yy[i] = gy * gy;
      any = true;
    }
  if (!any || reach_ == 0) return;
  std::vector<float>* const tensor[3] = {&xx, &xy, &yy};
  for_each(
      3, [&](std::ptrdiff_t k) { blur(*tensor[k], W, H, reach_); }, 1);
  contour.assign(size, {});
  for_each(static_cast<std::ptrdiff_t>(size), [&](std::ptrdiff_t n) {
    const auto i = static_cast<std::size_t>(n);
    const float sum = xx[i] + yy[i];  // a + b
    if (!(sum > 0)) return;
    const float difference = xx[i] - yy[i];
    const float apart = std::sqrt(difference * difference + 4 * xy[i] * xy[i]);  // a - b
    const float a = 0.5f * (sum + apart), one = apart / sum;
    const float c = std::clamp((one - kNoDirection) / (kDirection - kNoDirection), 0.0f, 1.0f);
    const float weight = c * c * (3 - 2 * c) * a * a / (a * a + kSlope * kSlope * kSlope * kSlope);
    if (!(weight > kLeast)) return;
    // The first eigenvector (cos f, sin f) has tan 2 f = 2 xy / (xx - yy); t is across it.
    const float twice = difference / apart;  // cos 2 f
    const float sine = std::sqrt(std::max(0.0f, 0.5f * (1 - twice)));
    const float cosine = std::sqrt(std::max(0.0f, 0.5f * (1 + twice)));
    contour[i] = {xy[i] < 0 ? sine : -sine, cosine, weight};
  });
  const auto weights = filter();
  before.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    before[i].set(0, image.depth[i]);
    for (int k = 0; k < 3; ++k) before[i].set(k + 1, normals ? image.normal[at(k) * size + i] : 0);
  }
  const auto between = [&](float x, float y, Between& b) {
    if (!(x >= 0 && y >= 0 && x < static_cast<float>(W - 1) && y < static_cast<float>(H - 1)))
      return false;
    const int c = static_cast<int>(x), r = static_cast<int>(y);
    const float u = x - static_cast<float>(c), v = y - static_cast<float>(r);
    const std::size_t first = at(r) * width + at(c);
    b = {first,
         first + (u >= 0.5f ? 1 : 0) + (v >= 0.5f ? width : 0),
         {(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v}};
    return true;
  };
  const auto pixel = [&](std::size_t i) {
    const Contour& here = contour[i];
    const float step = period_[i] / kHalf;
    const Pixel& own = before[i];
    if (!(here.weight > kLeast && period_[i] > kFinest) || own[0] != own[0]) return;
    Pixel sum = Pixel(weights[kHalf]) * own;
    // Both ways side by side: each step waits for the one before it.
    const std::size_t from = i / width;
    const float col = static_cast<float>(i - from * width), row = static_cast<float>(from);
    Way way[2] = {{col, row, -here.x, -here.y}, {col, row, here.x, here.y}};
    for (int k = 1; k < kHalf; ++k) {
      const Pixel w(weights[at(kHalf + k)]);
      for (Way& s : way) {
        s.x += step * s.tx, s.y += step * s.ty;
        Between b;
        if (!between(s.x, s.y, b)) return;
        const Pixel *p = &before[b.first], *q = p + width;
        sum = sum + w * (Pixel(b.share[0]) * p[0] + Pixel(b.share[1]) * p[1] +
                         Pixel(b.share[2]) * q[0] + Pixel(b.share[3]) * q[1]);
        // On along the contour there, in the sense of the way so far.
        const Contour& next = contour[b.nearest];
        const float sense = next.x * s.tx + next.y * s.ty;
        const float turn = sense > 0 ? 1.0f : -1.0f;
        s.tx = sense != 0 ? turn * next.x : s.tx;
        s.ty = sense != 0 ? turn * next.y : s.ty;
      }
    }
    for (const Way& s : way)  // the last sample has no weight
      if (Between b; !between(s.x + step * s.tx, s.y + step * s.ty, b)) return;
    if (sum[0] != sum[0]) return;  // beside the coat
    image.depth[i] += here.weight * (sum[0] - own[0]);
    if (!normals) return;
    float n[3], square = 0;
    for (int k = 0; k < 3; ++k) {
      n[k] = own[k + 1] + here.weight * (sum[k + 1] - own[k + 1]);
      square += n[k] * n[k];
    }
    if (square > 0)
      for (std::size_t k = 0; k < 3; ++k) image.normal[k * size + i] = n[k] / std::sqrt(square);
  };
  for_each(
      H,
      [&](std::ptrdiff_t row) {
        for (std::size_t c = 0; c < width; ++c) pixel(static_cast<std::size_t>(row) * width + c);
      },
      8);
}

}  // namespace haptos
