// Two bodies with a pressure inside as kernels see them: their distances at a place in the frame of
// one of them, `own`, and what follows from both (pressure_surface.h). Plain data that point into
// fields and laws, which must outlive them.
//
//   g = (k_own phi_own - k_other phi_other) / (k_own + k_other),   zero where pressures are equal
#pragma once

#include <cstdint>

#include "haptos/geometry/field/field_view.h"
#include "haptos/geometry/pressure/pressure_law_view.h"

namespace haptos {

/// One polygon of the surface.
struct PressurePatch {
  Vec3d point{};          ///< centre of pressure, world [m]
  Vec3d n{};              ///< unit, from b to a, world
  double area = 0;        ///< [m2]
  double pressure = 0;    ///< mean [Pa]; force is area times that
  double stiffness = 0;   ///< g [Pa/m]
  std::int64_t cell = 0;  ///< of the grid, and which polygon of it
};

struct PressurePair {
  static constexpr double kLeast = 0.05;       ///< that a derivative counts as
  static constexpr double kCull = -0.3826834;  ///< below it what faces back: cosine of 5/8 pi
  struct Both {
    double own, other;  ///< distances [m]
  };
  struct Corner {
    Vec3d x;
    double sum;  ///< of the distances [m]
  };

  FieldView own, other;
  Mat3d turn;  ///< from own's frame to other's, and from own's to the world
  Mat3d to_world;
  Vec3d shift, world;
  bool own_is_a = true;
  double share_own = 0, share_other = 0;         ///< of g
  double k_own = 0, k_other = 0, k = 0;          ///< [Pa/m]; of both
  bool by_table = false;                         ///< one of the two, at least
  bool bent = false;                             ///< so is g: that one, and the other is not rigid
  PressureLawView law_own, law_other, law_both;  ///< of tables
  bool convex = false;                           ///< both: formulas
  bool sampled = false;  ///< neither has edges that are sharper than samples

  HAPTOS_HD Vec3d in_other(const Vec3d& x) const { return turn * x + shift; }
  HAPTOS_HD Both both(const Vec3d& x) const { return {own.phi(x), other.phi(in_other(x))}; }
  HAPTOS_HD double g(const Both& d) const {
    return bent ? g_of_tables(d) : share_own * d.own - share_other * d.other;
  }
  /// Of the same sign as the difference of the pressures, and no steeper than without tables.
  HAPTOS_HD double g_of_tables(const Both& d) const {
    return (law_other.pressure(-d.other) - law_own.pressure(-d.own)) / (k_own + k_other);
  }
  /// By how much g changes with each of the distances.
  HAPTOS_HD void shares_at(const Both& d, double& by_own, double& by_other) const {
    by_own = law_own.slope(-d.own) / (k_own + k_other);
    by_other = law_other.slope(-d.other) / (k_own + k_other);
  }
  /// The sum of distances at which the moduli alone would give the pressure that the tables give.
  HAPTOS_HD double as_linear(double sum) const { return -law_both.pressure(-sum) / k; }
  /// Pressure per depth in each body where it has that pressure.
  HAPTOS_HD void moduli_at(double pressure, double& of_own, double& of_other) const {
    if (!std::isinf(of_own)) of_own = law_own.slope(law_own.depth(pressure));
    if (!std::isinf(of_other)) of_other = law_other.slope(law_other.depth(pressure));
  }

  /// Where g is zero on an edge of length `size`: by a straight line, then by two with what is
  /// found there; of tables, where g bends, by some more.
  HAPTOS_HD_CALL Corner cross(const Vec3d& from, int axis, double size, const Both& d0,
                              const Both& d1) const {
    constexpr int kBent = 4;
    double t0 = 0, t1 = 1, g0 = g(d0), g1 = g(d1);
    double t = g0 / (g0 - g1), sum = 0;
    Vec3d x = from;
    x[axis] += t * size;
    for (int i = 0; i < (bent ? kBent : 1); ++i) {
      const Both d = both(x);
      const double gm = g(d);
      const bool first = (gm < 0) == (g0 < 0);
      (first ? t0 : t1) = t, (first ? g0 : g1) = gm;
      if (g0 != g1) t = t0 + (t1 - t0) * g0 / (g0 - g1);
      x[axis] = from[axis] + t * size;
      sum = d.own + d.other;
    }
    return {x, sum};
  }

  /// The point of the surface next to x, by Newton's rule, with the sum of the distances there.
  HAPTOS_HD_CALL Corner drawn_to(Vec3d x) const {
    constexpr int kDrawn = 2, kDrawnOfSamples = 1;
    double sum = 0;
    for (int i = 0; i < (sampled ? kDrawnOfSamples : kDrawn); ++i) {
      const SignedDistance<double> a = own.at(x), b = other.at(in_other(x));
      const Vec3d across = transpose(turn) * b.gradient;
      const Both d{a.phi, b.phi};
      double by_own = share_own, by_other = share_other;
      if (bent) shares_at(d, by_own, by_other);
      const Vec3d slope = by_own * a.gradient - by_other * across;
      const double size = squared_norm(slope);
      if (!(size > 1e-6 * (by_own + by_other) * (by_own + by_other))) break;
      const Vec3d step = slope * (-g(d) / size);
      sum = a.phi + b.phi + dot(step, a.gradient + across);
      x += step;
    }
    return {x, sum};
  }

  /// Where the sum of the distances is zero between a corner inside and one outside: in a thin rim
  /// that is far from where a straight line says, and the surface bends there. Illinois' rule,
  /// halving in between: the sum may be a thousand times as large outside as inside.
  HAPTOS_HD_CALL Vec3d border(const Corner& in, const Corner& out) const {
    constexpr int kBorder = 30, kBorderOfSamples = 2;
    constexpr double kOnBorder = 0.001;
    double t0 = 0, t1 = 1, s0 = in.sum, s1 = out.sum;
    int side = 0;
    Vec3d x = in.x;
    const int most = sampled ? kBorderOfSamples : kBorder;
    for (int i = 0; i < most; ++i) {
      const double t = i % 2 ? 0.5 * (t0 + t1) : (t0 * s1 - t1 * s0) / (s1 - s0);
      const Corner c = drawn_to(in.x + t * (out.x - in.x));
      x = c.x;
      if (vabs(c.sum) < kOnBorder * vabs(in.sum) || t1 - t0 < kOnBorder) break;
      if (c.sum < 0) {
        t0 = t, s0 = c.sum;
        if (side < 0) s1 *= 0.5;
        side = -1;
      } else {
        t1 = t, s1 = c.sum;
        if (side > 0) s0 *= 0.5;
        side = 1;
      }
    }
    return x;
  }
};

}  // namespace haptos
