// Moving pairs of features whose contact is known exactly: every coordinate is a double without
// rounding, and the features share a point at the time k/n.
//
// At contact the features meet in a point C. With integer vectors and integer weights,
//
//   point-triangle  p = C,  x_j = C + d_j,  i_1 d_1 + i_2 d_2 + i_3 d_3 = 0,  i_j >= 0
//   edge-edge       C - i u, C + (n - i) u   and   C - j w, C + (n - j) w,  0 <= i, j <= n,
//
// so that weights of any denominator n, also thirds and sevenths, meet in integers. A corner moves
// by n m with m an integer vector: it stands at x - k m at t = 0 and at x + (n - k) m at t = 1.
// Then all corners are flattened along one axis by a power of two, sheared by integers, moved, and
// scaled by a power of two; each of these is exact while no coordinate needs more than 53 bits.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>

#include "haptos/base/math/math.h"

namespace haptos::exact_contacts {

/// Corners (p, a, b, c) or (p, q, r, s) at t = 0 and t = 1.
struct MovingCorners {
  bool edges;
  Vec3d x0[4], x1[4];
  int k, n;      ///< contact at t = k / n, where there is one
  double size;   ///< the largest coordinate of a shape or of a motion, before it is moved [m]
  double flat;   ///< the factor along the flattened axis
  double apart;  ///< distance kept along an axis at all times, 0 where there is contact [m]
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : rng_(seed) {}

  /// A pair in contact at k / n.
  MovingCorners contact() {
    MovingCorners m = begin();
    Ints x[4];
    m.edges ? meeting_edges(m.n, x) : point_in_triangle(m.n, x);
    Ints v[4];
    velocities(x, v);
    finish(m, x, v, 0);
    return m;
  }

  /// A pair that an axis keeps apart at all times, by one unit before flattening.
  MovingCorners apart() {
    MovingCorners m = begin();
    m.k = 0;
    Ints x[4], v[4];
    const std::int64_t r = std::int64_t{1} << between(1, 14);
    const int first = m.edges ? 2 : 1;
    for (int i = 0; i < 4; ++i) {
      x[i] = {between(-r, r), between(-r, r), between(0, r)};
      v[i] = {between(-r, r), between(-r, r), 0};
      v[i][2] = between(-x[i][2], r) / m.n;  // stays at or above 0
      if (i < first) continue;
      x[i][2] = -x[i][2] - 1;  // and the second feature at or below -1
      v[i][2] = -v[i][2];
    }
    finish(m, x, v, 1);
    return m;
  }

 private:
  using Ints = std::array<std::int64_t, 3>;

  std::int64_t between(std::int64_t lo, std::int64_t hi) {
    return std::uniform_int_distribution<std::int64_t>(lo, hi)(rng_);
  }
  bool one_in(int n) { return between(1, n) == 1; }
  Ints vector(std::int64_t r) { return {between(-r, r), between(-r, r), between(-r, r)}; }
  static Ints combine(std::int64_t a, const Ints& x, std::int64_t b, const Ints& y) {
    return {a * x[0] + b * y[0], a * x[1] + b * y[1], a * x[2] + b * y[2]};
  }

  MovingCorners begin() {
    static constexpr int kDenominators[] = {2, 4, 8, 8, 3, 5, 6, 7, 9, 10, 11, 12};
    MovingCorners m{};
    m.edges = one_in(2);
    m.n = kDenominators[between(0, 11)];
    const std::int64_t when = between(0, 5);
    m.k = static_cast<int>(when == 0 ? 0 : when == 1 ? m.n : when == 2 ? m.n / 2 : between(0, m.n));
    return m;
  }

  // Weights of the contact point: inside, on an edge, at a corner.
  void point_in_triangle(int n, Ints (&x)[4]) {
    const std::int64_t r = std::int64_t{1} << between(0, 12);
    std::int64_t i = between(0, n), j = between(0, n - i), k = n - i - j;
    if (one_in(4)) {  // a corner
      i = 0, j = 0, k = n;
    } else if (one_in(3)) {  // an edge
      j = 0, k = n - i;
    }
    if (k == 0) std::swap(k, i != 0 ? i : j);
    const Ints e = vector(r);
    Ints f = vector(r);
    if (one_in(8)) f = combine(between(-3, 3), e, 0, e);  // no area
    Ints d[3] = {combine(k, e, 0, e), combine(k, f, 0, f), combine(-i, e, -j, f)};
    // Where one weight is alone, its corner is the contact point and the others are free.
    if (i == 0 && j == 0 && k != 0) d[2] = {0, 0, 0};
    const std::int64_t turn = between(0, 2);
    x[0] = {0, 0, 0};
    for (int c = 0; c < 3; ++c) x[1 + c] = d[(c + turn) % 3];
    if (one_in(2)) std::swap(x[2], x[3]);
  }

  void meeting_edges(int n, Ints (&x)[4]) {
    const std::int64_t r = std::int64_t{1} << between(0, 12);
    const Ints u = vector(r);
    Ints w = vector(r);
    if (one_in(8)) w = combine(between(-3, 3), u, 0, u);  // parallel, or without length
    const std::int64_t i = one_in(3) ? n * between(0, 1) : between(0, n);
    const std::int64_t j = one_in(3) ? n * between(0, 1) : between(0, n);
    x[0] = combine(-i, u, 0, u);
    x[1] = combine(n - i, u, 0, u);
    x[2] = combine(-j, w, 0, w);
    x[3] = combine(n - j, w, 0, w);
  }

  // Random motions, one of all corners alike, along the features, or none.
  void velocities(const Ints (&x)[4], Ints (&v)[4]) {
    const std::int64_t r = std::int64_t{1} << between(0, 12), kind = between(0, 9);
    const Ints common = vector(r);
    for (Ints& m : v) {
      m = vector(r);
      if (kind == 0) m = common;
      if (kind == 1) m = {0, 0, 0};
      if (kind == 2 && one_in(2)) m = {0, 0, 0};
      if (kind == 3) m[2] = 0;
    }
    if (kind == 4) v[0] = combine(1, x[3], -1, x[2]);
  }

  void finish(MovingCorners& m, const Ints (&x)[4], const Ints (&v)[4], int apart) {
    const int flat = one_in(2) ? 0 : static_cast<int>(between(1, 16));
    const double thin = std::ldexp(1.0, -flat);
    const int power = static_cast<int>(one_in(10) ? between(-400, 400) : between(-20, 20));
    const double scale = std::ldexp(1.0, power);
    std::int64_t shear[3] = {0, 0, 0}, middle[3] = {0, 0, 0};
    for (auto& s : shear) s = one_in(3) ? 0 : between(-2, 2);
    if (one_in(2))
      for (auto& c : middle) c = between(-1, 1) << between(0, 20);
    for (int i = 0; i < 4; ++i)
      for (int end = 0; end < 2; ++end) {
        Vec3d p;
        for (std::size_t c = 0; c < 3; ++c)
          p[static_cast<int>(c)] = static_cast<double>(x[i][c] + (end * m.n - m.k) * v[i][c]);
        for (int c = 0; c < 3; ++c) m.size = std::fmax(m.size, std::abs(p[c]) * scale);
        p[2] *= thin;
        p[0] += static_cast<double>(shear[0]) * p[2];
        p[1] += static_cast<double>(shear[1]) * p[0];
        p[2] += static_cast<double>(shear[2]) * p[1];
        for (int c = 0; c < 3; ++c) p[c] = (p[c] + static_cast<double>(middle[c])) * scale;
        (end ? m.x1 : m.x0)[i] = p;
      }
    m.flat = thin;
    m.apart = apart * thin * scale;
  }

  std::mt19937_64 rng_;
};

}  // namespace haptos::exact_contacts
