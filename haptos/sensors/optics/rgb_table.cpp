#include "haptos/sensors/optics/rgb_table.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>

#include "haptos/base/math/index.h"
#include "haptos/base/math/lanes.h"
#include "haptos/base/parallel.h"
#include "haptos/base/text/refuse.h"
#include "haptos/base/text/text.h"

namespace haptos {
namespace {

using F8 = Pack<float, 8>;
using V8 = VectorOf<float, 8>::type;
using V4 = VectorOf<float, 4>::type;
using I4 = VectorOf<std::int32_t, 4>::type;
using I8 = VectorOf<std::int32_t, 8>::type;
using U4 = VectorOf<std::uint8_t, 4>::type;
constexpr int kLanes = 8, kChunk = 64;
constexpr int kTerms = 6;
constexpr float kPi = 3.14159265f, kHalfPi = 1.57079633f;

F8 load(const float* from, int count) {
  if (count >= kLanes) return F8::load(from);
  F8 r(0.0f);
  for (int i = 0; i < count; ++i) r.set(i, from[i]);
  return r;
}

/// atan of a in [0, 1]: odd polynomial fitted for the smallest largest error, 1.7e-6, a ten
/// thousandth of a bin. By powers of a^4, since a chain of six products would wait for each other.
F8 atan_of_unit(F8 a) {
  const F8 s = a * a, ss = s * s;
  const F8 low = fma(F8(-0.332622827f), s, F8(0.999977219f)),
           middle = fma(F8(-0.116426470f), s, F8(0.193540371f)),
           high = fma(F8(-0.011719130f), s, F8(0.052647338f));
  return fma(fma(high, ss, middle), ss, low) * a;
}

/// atan2(y, x) for y >= 0, in [0, pi]; 0 at the origin.
F8 angle_up(F8 y, F8 x) {
  const F8 zero(0.0f), ax = vmax(x, -x), low = vmin(ax, y), high = vmax(ax, y);
  F8 a = atan_of_unit(select(high > zero, low / high, zero));
  a = select(y > ax, F8(kHalfPi) - a, a);
  return select(x < zero, F8(kPi) - a, a);
}

/// The lower and the upper half of v, added.
V4 halves(V8 v) {
#if defined(__AVX__)
  return V4(_mm256_castps256_ps128(v)) + V4(_mm256_extractf128_ps(v, 1));
#else
  return V4{v[0], v[1], v[2], v[3]} + V4{v[4], v[5], v[6], v[7]};
#endif
}

V8 load8(const float* from) {
  V8 v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

// Four values at a time; the fourth is overwritten by the next pixel. Bytes saturate.
void store_pixel(V4 v, float* to) { std::memcpy(to, &v, sizeof v); }
void store_pixel(V4 v, std::uint8_t* to) {
  const I4 i = __builtin_convertvector(v + 0.5f, I4);
#if defined(__AVX__)
  const __m128i words = _mm_packs_epi32((__m128i)i, (__m128i)i);
  const int bytes = _mm_cvtsi128_si32(_mm_packus_epi16(words, words));
#else
  const I4 low = i > 0 ? i : I4{}, top = I4{} + 255;
  const U4 bytes = __builtin_convertvector(low < top ? low : top, U4);
#endif
  std::memcpy(to, &bytes, sizeof bytes);
}

V4 clamped(V4 v) {
  const V4 top = V4{255, 255, 255, 255}, low = v > V4{} ? v : V4{};
  return low < top ? low : top;
}

}  // namespace

RgbTable::RgbTable(int width, int height, int bins, std::vector<float> coefficients,
                   std::vector<float> background, double smoothing, const ShadowTable& shadow,
                   const RestSurface& rest)
    : width_(width),
      height_(height),
      bins_(bins),
      coefficients_(std::move(coefficients)),
      background_(std::move(background)),
      smoothing_(smoothing),
      shadow_(shadow) {
  if (width < 1 || height < 1 || width > kMostRgbPixels / height)
    refuse("image", std::to_string(width) + " x " + std::to_string(height) + " pixels",
           "must have 1 to 2^26 pixels", "give width and height in pixels");
  if (bins < 2 || bins > 2000)
    refuse("table bins", std::to_string(bins), "must be 2 to 2000", "125 is usual");
  const std::size_t wanted = 3ul * kTerms * at_index(bins) * at_index(bins);
  if (coefficients_.size() != wanted)
    refuse("table", std::to_string(coefficients_.size()) + " numbers",
           "must have " + std::to_string(wanted) + ", three colours times bins times bins times 6",
           "check its shape");
  for (std::size_t i = 0; i < wanted; ++i)
    if (std::isinf(coefficients_[i]) || std::abs(coefficients_[i]) > 1e9f)
      refuse("table number " + std::to_string(i), to_text(coefficients_[i]),
             "must be finite and below 1e9, or not a number for an empty bin",
             "fit the table again");
  check_background(background_, width, height);
  check_rest(rest, width, height);
  if (!(smoothing >= 0 && smoothing <= 100))
    refuse("smoothing", to_text(smoothing), "must be 0 to 100 pixels", "0 for none, 1 is usual");
  shadow_.check();
  to_bytes(background_, background_bytes_);
  padded_ = background_;
  padded_.resize(background_.size() + 3 * kLanes + 1);
  if (!rest.normal.empty()) {
    const std::size_t n = at_index(width) * at_index(height);
    rest_.resize(2 * n);
    for (std::size_t i = 0; i < n; ++i) {
      const float z = rest.normal[2 * n + i];
      rest_[i] = rest.normal[i] / z;
      rest_[n + i] = -(rest.normal[n + i]) / z;
    }
  }
  const double limit = std::tan(kHalfPi / (bins - 1.0));
  flat_limit_ = bins == 2 ? std::numeric_limits<float>::max() : static_cast<float>(limit * limit);
  fill();
  pack();
}

// Nearest filled bin, by rings of growing distance; directions are periodic. The last direction
// bin holds the angle pi alone and is the first one's neighbour.
void RgbTable::fill() {
  const int n = bins_;
  for (int c = 0; c < 3; ++c) {
    float* table = coefficients_.data() + at_index(c) * at_index(n) * at_index(n) * kTerms;
    const auto bin = [&](int m, int d) {
      return table + (at_index(m) * at_index(n) + at_index((d + n) % n)) * kTerms;
    };
    std::vector<char> good(at_index(n) * at_index(n));
    int found = 0;
    for (int m = 0; m < n; ++m)
      for (int d = 0; d < n; ++d) {
        float sum = 0;
        for (int k = 0; k < kTerms; ++k) sum += bin(m, d)[k];
        found += good[at_index(m * n + d)] = sum == sum;
      }
    if (found == 0)
      refuse("table of colour " + std::to_string(c), "", "has no bin with numbers",
             "fit it to more presses");
    filled_ += n * n - found;
    // Nearest by breadth: sources spread to neighbours, ties to the lowest bin in order.
    std::vector<int> source(good.size(), -1), front;
    for (int i = 0; i < n * n; ++i)
      if (good[at_index(i)]) source[at_index(i)] = i, front.push_back(i);
    while (!front.empty()) {
      std::vector<int> next;
      for (int i : front) {
        const int m = i / n, d = i % n;
        const int near[4] = {m * n + (d + 1) % n, m * n + (d + n - 1) % n, m + 1 < n ? i + n : i,
                             m > 0 ? i - n : i};
        for (int j : near)
          if (source[at_index(j)] < 0) {
            source[at_index(j)] = source[at_index(i)];
            next.push_back(j);
          }
      }
      front = std::move(next);
    }
    for (int i = 0; i < n * n; ++i)
      if (!good[at_index(i)])
        std::copy_n(table + at_index(source[at_index(i)]) * kTerms, kTerms,
                    table + at_index(i) * kTerms);
  }
}

// Each bin less the flat response, over u = (x - x0) / s, v = (y - y0) / s for round-off, as
//   A = [w_uu | w_vv]   B = [w_u | w_v]   C = [w_uv | w_1]     (red, green, blue, 0 each)
// so that with P = [u | v] and Q = [uv | 1] the two halves of (A P + B) P + C Q add up to L.
void RgbTable::pack() {
  const std::size_t cells = at_index(bins_) * at_index(bins_);
  const double x0 = 0.5 * (width_ - 1), y0 = 0.5 * (height_ - 1), s = std::max(width_, height_);
  packed_.assign(cells, Bin{});
  for (int c = 0; c < width_ + kLanes; ++c)
    for (int k = 0; k < 8; ++k) column_.push_back(k < 4 ? static_cast<float>((c - x0) / s) : 0.0f);
  for (int c = 0; c < 3; ++c) {
    const float* table = coefficients_.data() + at_index(c) * cells * kTerms;
    double flat[kTerms] = {};
    for (int d = 0; d < bins_; ++d)
      for (int k = 0; k < kTerms; ++k)
        flat[k] += table[d * kTerms + k] / static_cast<double>(bins_);
    for (std::size_t b = 0; b < cells; ++b) {
      double w[kTerms];
      for (int k = 0; k < kTerms; ++k)
        w[k] = b < at_index(bins_) ? 0.0 : table[b * kTerms + at_index(k)] - flat[k];
      float* p = packed_[b].value + c;
      p[0] = static_cast<float>(w[0] * s * s);
      p[4] = static_cast<float>(w[1] * s * s);
      p[8] = static_cast<float>((2 * w[0] * x0 + w[2] * y0 + w[3]) * s);
      p[12] = static_cast<float>((2 * w[1] * y0 + w[2] * x0 + w[4]) * s);
      p[16] = static_cast<float>(w[2] * s * s);
      p[20] = static_cast<float>(w[0] * x0 * x0 + w[1] * y0 * y0 + w[2] * x0 * y0 + w[3] * x0 +
                                 w[4] * y0 + w[5]);
    }
  }
}

template <class Out, bool kRest, bool kBackground>
void RgbTable::render_row(std::ptrdiff_t row, const SurfaceImage& s, Out* out) const {
  // Copies, since stores of bytes may alias everything else.
  const int width = width_, bins = bins_;
  const std::size_t n = s.depth.size(), first = at_index(row) * at_index(width);
  const double y0 = 0.5 * (height_ - 1);
  const float v = static_cast<float>((static_cast<double>(row) - y0) / std::max(width_, height_));
  const V8 v8 = {0, 0, 0, 0, v, v, v, v}, one8 = {0, 0, 0, 0, 1, 1, 1, 1}, vv = V8{} + v;
  const F8 per_magnitude(static_cast<float>(bins - 1) / kHalfPi),
      per_direction(static_cast<float>(bins - 1) / (2 * kPi)), zero(0.0f), pi(kPi),
      last(static_cast<float>(bins - 1)), limit(flat_limit_);
  const float *nx = s.normal.data() + first, *ny = nx + n, *nz = ny + n;
  const float* rest = kRest ? rest_.data() + first : nullptr;
  const float* background = padded_.data() + 3 * first;
  const std::uint8_t* bytes = background_bytes_.data() + 3 * first;
  const Bin* packed = packed_.data();
  const float* column = column_.data();
  Out* const row_out = out + 3 * first;
  // Bins of some blocks first, then their pixels: the angles of one block need not wait for the
  // polynomials of the one before.
  alignas(32) std::int32_t chosen[kChunk];
  bool tilts[kChunk / kLanes];
  const auto choose = [&](int c, std::int32_t* to) {
    const int count = std::min(kLanes, width - c);
    F8 gx = load(nx + c, count), gy = -load(ny + c, count), w = load(nz + c, count);
    if constexpr (kRest) {
      const F8 inverse = F8(1.0f) / w;
      gx = gx * inverse - load(rest + c, count);
      gy = gy * inverse - load(rest + n + c, count);
      w = F8(1.0f);
    }
    const F8 g2 = fma(gx, gx, gy * gy);
    // Not flat, and a number: pixels without a coat fail every comparison.
    const auto tilted = (g2 >= limit * (w * w)) | ((w <= zero) & (g2 >= zero));
    if (!any(tilted)) return false;
    const F8 magnitude = angle_up(sqrt(g2), w);
    const F8 up = angle_up(vmax(gy, -gy), gx), direction = select(gy < zero, -up, up);
    const F8 m = vmin(magnitude * per_magnitude, last),
             d = vmin(vmax((direction + pi) * per_direction, zero), last);
    // Whole bins; bin 0, which adds nothing, for flat lanes.
    const I8 bin =
        (__builtin_convertvector(m.v, I8) * bins + __builtin_convertvector(d.v, I8)) & I8(tilted.v);
    std::memcpy(to, &bin, sizeof bin);
    return true;
  };
  for (int c = 0; c < width; c += kLanes) {
    const int in_chunk = c % kChunk;
    if (in_chunk == 0)
      for (int k = 0; k < kChunk && c + k < width; k += kLanes)
        tilts[k / kLanes] = choose(c + k, chosen + k);
    const int count = std::min(kLanes, width - c);
    const bool whole = count == kLanes;
    Out* to = row_out + 3 * c;
    if (!tilts[in_chunk / kLanes]) {
      const auto copy = [&](std::size_t values) {
        if constexpr (!kBackground)
          std::memset(to, 0, values * sizeof(Out));
        else if constexpr (std::is_same_v<Out, std::uint8_t>)
          std::memcpy(to, bytes + 3 * c, values);
        else
          std::memcpy(to, background + 3 * c, values * sizeof(Out));
      };
      if (whole)
        copy(3 * kLanes);
      else
        copy(3 * at_index(count));
      continue;
    }
    const std::int32_t* bin = chosen + in_chunk;
    // A pixel's store reaches into the next one, so the last block of a row goes through a buffer.
    const bool direct = c + kLanes < width;
    Out buffer[3 * kLanes + 1];
    Out* pixels = direct ? to : buffer;
    const auto at = [&](int i) {
      // Columns beyond the image are computed and not stored.
      const V8 u = load8(column + 8 * (c + i)), p = u + v8, q = detail::vector_fma(u, vv, one8);
      const float* t = packed[bin[i]].value;
      return detail::vector_fma(detail::vector_fma(load8(t), p, load8(t + 8)), p,
                                load8(t + 16) * q);
    };
#if defined(__AVX2__)
    if constexpr (std::is_same_v<Out, std::uint8_t> && kBackground) {
      // Four pixels at once: their halves are added two by two, and twelve bytes leave together.
      const V8 half = V8{} + 0.5f;
      const __m128i close = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
      for (int i = 0; i < kLanes; i += 4) {
        __m256i whole_values[2];
        for (int k = 0; k < 2; ++k) {
          const V8 a = at(i + 2 * k), b = at(i + 2 * k + 1);
          const float* back = background + 3 * (c + i + 2 * k);
          const V8 pair = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(back)),
                                               _mm_loadu_ps(back + 3), 1);
          const V8 sum = V8(_mm256_permute2f128_ps(a, b, 0x20)) +
                         V8(_mm256_permute2f128_ps(a, b, 0x31)) + pair + half;
          whole_values[k] = _mm256_cvttps_epi32(sum);
        }
        // Lanes: pixels 0 and 2 below, 1 and 3 above; narrowing saturates.
        const __m256i words = _mm256_packs_epi32(whole_values[0], whole_values[1]);
        const __m256i narrow = _mm256_packus_epi16(words, words);
        const __m128i four =
            _mm_unpacklo_epi32(_mm256_castsi256_si128(narrow), _mm256_extracti128_si256(narrow, 1));
        const __m128i bytes12 = _mm_shuffle_epi8(four, close);
        std::memcpy(pixels + 3 * i, &bytes12, 12);
      }
      if (!direct) std::memcpy(to, buffer, 3 * at_index(count) * sizeof(Out));
      continue;
    }
#endif
    for (int i = 0; i < kLanes; ++i) {
      V4 value = halves(at(i));
      if constexpr (kBackground) {
        V4 b;
        std::memcpy(&b, background + 3 * (c + i), sizeof b);
        value += b;
        if constexpr (std::is_same_v<Out, float>) value = clamped(value);
      }
      store_pixel(value, pixels + 3 * i);
    }
    if (!direct) std::memcpy(to, buffer, 3 * at_index(count) * sizeof(Out));
  }
}

template <class Out, bool kBackground>
void RgbTable::render_rows(const SurfaceImage& s, Out* out) const {
  const auto row = [&](std::ptrdiff_t r) {
    if (rest_.empty())
      render_row<Out, false, kBackground>(r, s, out);
    else
      render_row<Out, true, kBackground>(r, s, out);
  };
  for_each(height_, row, 16);
}

void RgbTable::render(const SurfaceImage& s, std::vector<std::uint8_t>& out) const {
  check_surface(s, width_, height_);
  if (smoothing_ > 0 || !shadow_.empty()) {
    std::vector<float> image;
    compose(s, image);
    return to_bytes(image, out);
  }
  out.resize(background_.size());
  render_rows<std::uint8_t, true>(s, out.data());
}

void RgbTable::render(const SurfaceImage& s, std::vector<float>& out) const {
  check_surface(s, width_, height_);
  if (smoothing_ > 0 || !shadow_.empty()) return compose(s, out);
  out.resize(background_.size());
  render_rows<float, true>(s, out.data());
}

void RgbTable::compose(const SurfaceImage& s, std::vector<float>& out) const {
  out.resize(background_.size());
  render_rows<float, false>(s, out.data());
  gaussian_blur(out, width_, height_, 3, smoothing_);
  std::vector<float> shadow;
  if (!shadow_.empty()) cast_shadows(s, shadow);
  for_each(
      static_cast<std::ptrdiff_t>(out.size()),
      [&](std::ptrdiff_t at) {
        const std::size_t i = at_index(at);
        float v = out[i];
        if (!shadow.empty() && shadow[i] < 0) v = std::min(v, shadow[i]);
        out[i] = std::clamp(background_[i] + v, 0.0f, 255.0f);
      },
      16384);
}

}  // namespace haptos
