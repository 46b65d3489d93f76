// Plans of the press-test indenters that are neither circles nor regular polygons.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "haptos/geometry/make/shapes_detail.h"

namespace haptos::shapes_detail {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double mm = kMillimetre;

Polygon arc(double r, double from, double to, int n, const Vec2d& centre = {{0, 0}}) {
  Polygon p;
  for (int k = 0; k <= n; ++k) {
    const double a = from + (to - from) * k / n;
    p.push_back(centre + Vec2d{{r * std::cos(a), r * std::sin(a)}});
  }
  return p;
}

}  // namespace

// A disc of radius 3.5 mm less a disc of radius 2.752 mm about (1.79, 0) mm: horns at x = 2.2 mm.
Polygon moon(double facet) {
  const double r = 3.5 * mm, q = 2.752 * mm, d = 1.79 * mm;
  const double x = (r * r - q * q + d * d) / (2 * d), y = std::sqrt(r * r - x * x);
  const double a = std::atan2(y, x), b = std::atan2(y, x - d);
  Polygon p = arc(r, a, 2 * kPi - a, cells((2 * kPi - 2 * a) * r, facet));
  const Polygon inner = arc(q, 2 * kPi - b, b, cells((2 * kPi - 2 * b) * q, facet, 2), {{d, 0}});
  p.insert(p.end(), inner.begin() + 1, inner.end() - 1);
  return p;
}

Polygon pacman(double facet) {
  const double r = 3 * mm, mouth = 72 * kPi / 180;
  Polygon p = arc(r, mouth / 2, 2 * kPi - mouth / 2, cells((2 * kPi - mouth) * r, facet));
  p.push_back({{0, 0}});
  return p;
}

// A round bow of radius 3 mm, a blade of 2.4 mm, and five cuts .8 mm deep in its upper side.
Polygon key(double facet) {
  const double r = 3 * mm, half = 1.2 * mm, pitch = 1.2 * mm, first = 0.4 * mm;
  const Vec2d bow{{-4 * mm, 0}};
  const double a = std::asin(half / r);
  Polygon p = arc(r, a, 2 * kPi - a, cells((2 * kPi - 2 * a) * r, facet), bow);
  p.push_back({{6.4 * mm, -half}});
  p.push_back({{7 * mm, -half / 2}});  // the tip
  p.push_back({{7 * mm, half / 2}});
  p.push_back({{6.4 * mm, half}});
  for (int cut = 4; cut >= 0; --cut) {
    const double middle = first + pitch * cut;
    p.push_back({{middle + 0.4 * mm, half}});
    p.push_back({{middle, half - 0.8 * mm}});
    p.push_back({{middle - 0.4 * mm, half}});
  }
  return p;
}

// A closed curve r(a) of five harmonics with phases drawn from `seed`, as deep as its area of
// 15.8 mm2 in a frame of 6.9 x 4.6 mm asks for.
Polygon blob(double facet, unsigned seed) {
  const int n = 8 * cells(kPi / 4 * 3.45 * mm, facet, 4);
  std::uint64_t state = 0x9E3779B97F4A7C15ull * (seed + 1ull);
  const auto uniform = [&] {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return static_cast<double>((state * 0x2545F4914F6CDD1Dull) >> 11) * 0x1p-53;
  };
  double amplitude[5], phase[5], sum = 0;
  for (int k = 0; k < 5; ++k) {
    amplitude[k] = (0.5 + uniform()) / (k + 1);
    phase[k] = 2 * kPi * uniform();
    sum += amplitude[k];
  }
  const auto curve = [&](double depth) {
    Polygon p;
    Vec2d lo{{1e9, 1e9}}, hi{{-1e9, -1e9}};
    for (int i = 0; i < n; ++i) {
      const double a = 2 * kPi * i / n;
      double r = 0;
      for (int k = 0; k < 5; ++k) r += amplitude[k] / sum * std::cos((k + 2) * a + phase[k]);
      const double s = std::exp(depth * r);
      p.push_back({{s * std::cos(a), s * std::sin(a)}});
      for (int c = 0; c < 2; ++c) {
        lo[c] = std::min(lo[c], p.back()[c]);
        hi[c] = std::max(hi[c], p.back()[c]);
      }
    }
    for (Vec2d& v : p)
      v = {{((v[0] - lo[0]) / (hi[0] - lo[0]) - 0.5) * 6.9 * mm,
            ((v[1] - lo[1]) / (hi[1] - lo[1]) - 0.5) * 4.6 * mm}};
    return p;
  };
  const auto area = [](const Polygon& p) {
    double s = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const Vec2d &u = p[i], &v = p[(i + 1) % p.size()];
      s += u[0] * v[1] - u[1] * v[0];
    }
    return s / 2;
  };
  double shallow = 0, deep = 2;
  for (int k = 0; k < 50; ++k) {
    const double middle = (shallow + deep) / 2;
    (area(curve(middle)) > 15.8 * mm * mm ? shallow : deep) = middle;
  }
  return curve(shallow);
}

}  // namespace haptos::shapes_detail
