#include "haptos/render/render_light.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "haptos/base/parallel.h"

namespace haptos::internal {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr float kShadowOpacity = 0.5f;
constexpr float kFar = std::numeric_limits<float>::infinity();

/// Points spread evenly over the unit disc along a golden-angle spiral.
template <int N>
std::array<Vec2d, N> spiral() {
  std::array<Vec2d, N> p;
  for (int i = 0; i < N; ++i) {
    const double r = std::sqrt((i + 0.5) / N), a = i * 2.399963229728653;
    p[static_cast<std::size_t>(i)] = {{r * std::cos(a), r * std::sin(a)}};
  }
  return p;
}

Vec3f to_float(const Vec3d& v) {
  return {{static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])}};
}

}  // namespace

ShadowMap::ShadowMap(const FaceList& list, const Vec3d& lo, const Vec3d& hi, const Vec3d& light,
                     const std::optional<ClipPlane>& clip, int size)
    : size_(size) {
  const Vec3d centre = (lo + hi) * 0.5;
  diagonal_ = norm(hi - lo);
  Camera c;
  c.eye = centre + light * diagonal_;
  c.target = centre;
  c.orthographic = true;
  c.ortho_height = 1.02 * diagonal_;
  view_ = make_view(c, size_, size_);
  texel_ = 1 / view_.fx;
  key_.assign(static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_), kFar);
  surface_.assign(key_.size(), -1);
  const Visibility v(list, view_, size_, size_, 1, clip, false);
  for_each(
      v.band_count(),
      [&](std::ptrdiff_t band) {
        SampleBuffer s;
        v.draw(static_cast<int>(band), s);
        const std::size_t first = static_cast<std::size_t>(band) *
                                  static_cast<std::size_t>(v.band_rows()) *
                                  static_cast<std::size_t>(size_);
        for (std::size_t i = 0; i < s.key.size(); ++i) {
          const auto surface_of = [&](int id) {
            return id >= 0 ? list.faces[static_cast<std::size_t>(id)].surface : cap_surface(id);
          };
          const auto look = [&](int id) -> const Surface& {
            return list.surfaces[static_cast<std::size_t>(surface_of(id))];
          };
          // What is nearly clear throws no shadow.
          const bool front =
              s.front_key[i] < s.key[i] && look(s.front_id[i]).opacity >= kShadowOpacity;
          const int id = front ? s.front_id[i] : s.id[i];
          if (id == kNothing) continue;
          const int surface = surface_of(id);
          if (look(id).finish == Finish::kUnlit) continue;
          key_[first + i] = front ? s.front_key[i] : s.key[i];
          surface_[first + i] = surface;
        }
      },
      1);
}

/// Four neighbouring comparisons weighted bilinearly; outside the map everything is lit.
double ShadowMap::passed(double col, double row, float key) const {
  const double fc = std::floor(col), fr = std::floor(row);
  if (!(fc >= 0 && fr >= 0 && fc < size_ - 1 && fr < size_ - 1)) return 1;
  const int c = static_cast<int>(fc), r = static_cast<int>(fr);
  const double u = col - fc, v = row - fr;
  const auto test = [&](int dr, int dc) { return at(r + dr, c + dc) >= key ? 1.0 : 0.0; };
  return (1 - v) * ((1 - u) * test(0, 0) + u * test(0, 1)) +
         v * ((1 - u) * test(1, 0) + u * test(1, 1));
}

double ShadowMap::lit(const Vec3d& x, const Vec3d& n) const {
  static const auto kSearch = spiral<20>();
  static const auto kFilter = spiral<40>();
  constexpr double kLightSize = 0.16;  // diameter of the light over its distance
  // Step off the surface, further where it lies slanted to the light.
  const double slant = std::clamp(-dot(n, view_.forward), 0.0, 1.0);
  const Vec3d p = view_.to_view(x + n * (texel_ * (1.5 + 2.5 * (1 - slant))));
  const Vec2d u = view_.pixel(p);
  const double bias = texel_ * 1.5;
  const float key = static_cast<float>(p[2] - bias);
  const double search = 0.5 * kLightSize * 0.22 * diagonal_ / texel_;
  double sum = 0, count = 0;
  for (const Vec2d& o : kSearch) {
    const double c = u[0] + o[0] * search, r = u[1] + o[1] * search;
    if (!(c >= 0 && r >= 0 && c < size_ && r < size_)) continue;
    // Slanted receivers would block themselves at the far end of the search.
    const float k = at(static_cast<int>(r), static_cast<int>(c));
    if (k < key - static_cast<float>(norm(o) * search * texel_ * 0.6)) sum += k, ++count;
  }
  if (count == 0) return passed(u[0], u[1], key);
  const double gap = std::max(p[2] - sum / count, 0.0);
  const double radius = std::clamp(0.5 * kLightSize * gap / texel_, 1.4, search);
  double open = 0;
  for (const Vec2d& o : kFilter) {
    const double lean = norm(o) * radius * texel_ * 0.6;
    open += passed(u[0] + o[0] * radius, u[1] + o[1] * radius, key - static_cast<float>(lean));
  }
  return open / static_cast<double>(kFilter.size());
}

double ShadowMap::thickness(const Vec3d& x, int surface) const {
  static const auto kTaps = spiral<12>();
  const Vec3d p = view_.to_view(x);
  const Vec2d u = view_.pixel(p);
  const double radius = 0.012 * diagonal_ / texel_;
  double sum = 0;
  for (const Vec2d& o : kTaps) {
    const double c = u[0] + o[0] * radius, r = u[1] + o[1] * radius;
    double t = 0;
    if (c >= 0 && r >= 0 && c < size_ && r < size_) {
      const std::size_t i = static_cast<std::size_t>(r) * static_cast<std::size_t>(size_) +
                            static_cast<std::size_t>(c);
      if (key_[i] < p[2])
        t = surface_[i] == surface ? std::min((p[2] - key_[i]) / diagonal_, 1.0) : 1.0;
    }
    sum += t;
  }
  return sum / static_cast<double>(kTaps.size());
}

PixelGeometry pixel_geometry(const FaceList& list, const View& view, int width, int height,
                             const std::optional<ClipPlane>& clip,
                             const std::optional<double>& ground, const Vec3d& centre,
                             double ground_radius) {
  PixelGeometry g;
  g.width = width;
  g.height = height;
  g.origin = centre;
  const std::size_t size = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  g.position.assign(size, Vec3f::zero());
  g.normal.assign(size, Vec3f::zero());
  g.depth.assign(size, kFar);
  const Visibility v(list, view, width, height, 1, clip, true);
  for_each(
      v.band_count(),
      [&](std::ptrdiff_t band) {
        SampleBuffer s;
        v.draw(static_cast<int>(band), s);
        const int first = static_cast<int>(band) * v.band_rows();
        for (std::size_t i = 0; i < s.key.size(); ++i) {
          const int row = first + static_cast<int>(i / static_cast<std::size_t>(width));
          const int col = static_cast<int>(i % static_cast<std::size_t>(width));
          Vec3d o, d, n;
          view.ray(col, row, o, d);
          double w = 0;
          if (s.id[i] != kNothing) {
            w = view.orthographic ? s.key[i] : -1.0 / s.key[i];
            if (s.id[i] >= 0) {
              const Face& f = list.faces[static_cast<std::size_t>(s.id[i])];
              const Vec3d b = f.weights(o + d * w);
              for (int k = 0; k < 3; ++k)
                n[k] = b[0] * f.normal[0][k] + b[1] * f.normal[1][k] + b[2] * f.normal[2][k];
              if (dot(f.plane, d) > 0) n = -n;
            } else {
              n = normalized(clip->normal);
            }
          } else {
            if (!ground || d[2] == 0) continue;
            w = (*ground - o[2]) / d[2];
            if (!(w > 0) || o[2] < *ground || norm(o + d * w - centre) > ground_radius) continue;
            n = {{0, 0, 1}};
          }
          const std::size_t at = static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
                                 static_cast<std::size_t>(col);
          g.position[at] = to_float(o + d * w - centre);
          g.normal[at] = to_float(n);
          g.depth[at] = static_cast<float>(w);
        }
      },
      1);
  return g;
}

// The horizon is searched from every other pixel both ways; each pixel then takes the mean of those
// near it that lie on the same surface.
std::vector<float> ambient_occlusion(const PixelGeometry& g, const View& view, double radius) {
  constexpr int kDirections = 7, kSteps = 5;
  const int width = g.width, height = g.height;
  const int half_width = (width + 1) / 2, half_height = (height + 1) / 2;
  const auto pixel = [&](int row, int col) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
           static_cast<std::size_t>(col);
  };
  std::vector<float> raw(
      static_cast<std::size_t>(half_width) * static_cast<std::size_t>(half_height), 1.0f);
  std::vector<float> smooth(g.depth.size(), 1.0f);
  const float reach = static_cast<float>(radius), reach2 = reach * reach;
  for_each(
      half_height,
      [&](std::ptrdiff_t r) {
        const int row = 2 * static_cast<int>(r);
        for (int col = 0; col < width; col += 2) {
          const std::size_t at = pixel(row, col);
          if (!(g.depth[at] < kFar)) continue;
          const double scale = view.orthographic ? view.fy : view.fy / g.depth[at];
          const float span = static_cast<float>(std::clamp(radius * scale, 4.0, 0.2 * width));
          // Interleaved gradient noise (J. Jimenez 2014) turns the directions from pixel to pixel.
          const int block_col = col / 2, block_row = row / 2;  // of two by two pixels
          float jitter =
              52.9829189f * std::fmod(0.06711056f * block_col + 0.00583715f * block_row, 1.0f);
          jitter -= std::floor(jitter);
          const Vec3f p = g.position[at], n = g.normal[at];
          const float turn = static_cast<float>(2 * kPi / kDirections);
          float blocked = 0;
          for (int k = 0; k < kDirections; ++k) {
            const float a = turn * (static_cast<float>(k) + jitter);
            const float dx = std::cos(a), dy = std::sin(a);
            float highest = 0;
            for (int step = 0; step < kSteps; ++step) {
              const float t = (static_cast<float>(step) + 0.35f + 0.6f * jitter) / kSteps;
              const float s = 1.5f + span * t * t;
              const int c = col + static_cast<int>(dx * s + (dx < 0 ? -0.5f : 0.5f));
              const int q = row + static_cast<int>(dy * s + (dy < 0 ? -0.5f : 0.5f));
              if (c < 0 || q < 0 || c >= width || q >= height) break;
              const std::size_t there = pixel(q, c);
              if (!(g.depth[there] < kFar)) continue;
              const Vec3f v = g.position[there] - p;
              const float d2 = dot(v, v);
              if (!(d2 > 0) || d2 > reach2) continue;
              const float sine = dot(v, n) / std::sqrt(d2);
              highest = std::max(highest, (sine - 0.06f) * (1 - d2 / reach2));
            }
            blocked += highest;
          }
          raw[static_cast<std::size_t>(r) * static_cast<std::size_t>(half_width) +
              static_cast<std::size_t>(col / 2)] =
              std::clamp(1 - 1.2f * blocked / kDirections, 0.0f, 1.0f);
        }
      },
      4);
  for_each(
      height,
      [&](std::ptrdiff_t r) {
        const int row = static_cast<int>(r);
        for (int col = 0; col < width; ++col) {
          const std::size_t at = pixel(row, col);
          if (!(g.depth[at] < kFar)) continue;
          const Vec3f n = g.normal[at] * (1 / reach), p = g.position[at];
          float sum = 0, weight = 0;
          const int r0 = std::max(row / 2 - 2, 0), r1 = std::min(row / 2 + 2, half_height - 1);
          const int c0 = std::max(col / 2 - 2, 0), c1 = std::min(col / 2 + 2, half_width - 1);
          for (int q = r0; q <= r1; ++q)
            for (int c = c0; c <= c1; ++c) {
              const std::size_t there = pixel(2 * q, 2 * c);
              if (!(g.depth[there] < kFar)) continue;
              const float off = dot(g.position[there] - p, n);
              const float facing = std::max(dot(g.normal[there], g.normal[at]), 0.0f);
              const float w = facing * facing / (1 + 4000 * off * off);
              sum += w * raw[static_cast<std::size_t>(q) * static_cast<std::size_t>(half_width) +
                             static_cast<std::size_t>(c)];
              weight += w;
            }
          smooth[at] = weight > 0.05f ? sum / weight : 1.0f;
        }
      },
      4);
  return smooth;
}

}  // namespace haptos::internal
