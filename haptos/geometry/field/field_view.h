// Distance fields as kernels see them: plain data that point into a field, which must outlive them.
//
// A sampled one (sampled_field.h) has samples in blocks: trilinear between them, else between the
// corners of the block, and beyond the grid the distance to it is added.
#pragma once

#include <cstddef>
#include <cstdint>

#include "haptos/base/math/math.h"
#include "haptos/geometry/field/shape_distance.h"

namespace haptos {

struct SampledView {
  static constexpr int kBlock = 8, kSide = kBlock + 1, kSamples = kSide * kSide * kSide;

  Vec3d origin{};                       ///< first corner of the grid [m]
  double cell = 1;                      ///< [m]
  double per_cell = 1;                  ///< [1/m]
  int blocks[3] = {0, 0, 0};            ///< along each axis
  const float* coarse = nullptr;        ///< at corners of blocks, x fastest
  const std::int32_t* block = nullptr;  ///< number of each block in `value`; -1: without samples
  const float* value = nullptr;

  HAPTOS_HD double phi(const Vec3d& x) const {
    double u[3];
    const float* v = samples_about(x, u);
    return v ? between(v, u) : phi_of_any(x);
  }
  /// With the gradient of the trilinear function, which is not quite unit.
  HAPTOS_HD SignedDistance<double> at(const Vec3d& x) const {
    double u[3];
    const float* v = samples_about(x, u);
    if (!v) return at_any(x);
    const float* w = v + kSide * kSide;
    // Along x, then y, then z: what is between two corners, and how far they differ.
    const double a0 = v[0], a1 = v[1], b0 = v[kSide], b1 = v[kSide + 1];
    const double c0 = w[0], c1 = w[1], d0 = w[kSide], d1 = w[kSide + 1];
    const double y0 = a0 + u[1] * (b0 - a0), y1 = a1 + u[1] * (b1 - a1);
    const double up0 = c0 + u[1] * (d0 - c0) - y0, up1 = c1 + u[1] * (d1 - c1) - y1;
    const double z0 = y0 + u[2] * up0, z1 = y1 + u[2] * up1;
    const double l0 = b0 - a0, l1 = b1 - a1;
    const double s0 = l0 + u[2] * ((d0 - c0) - l0), s1 = l1 + u[2] * ((d1 - c1) - l1);
    return {z0 + u[0] * (z1 - z0),
            per_cell * Vec3d{{z1 - z0, s0 + u[0] * (s1 - s0), up0 + u[0] * (up1 - up0)}}};
  }
  /// At a corner of the grid.
  HAPTOS_HD double corner(int i, int j, int k) const {
    int at[3] = {i, j, k};
    for (int d = 0; d < 3; ++d) {
      if (at[d] < 0 || at[d] > kBlock * blocks[d]) return phi_of_any(corner_place(i, j, k));
      at[d] = at[d] < kBlock * blocks[d] ? at[d] : at[d] - 1;
    }
    const float* v = samples_at(at);
    if (!v) return phi_of_any(corner_place(i, j, k));
    return static_cast<double>(v[(i - at[0]) + kSide * (j - at[1] + kSide * (k - at[2]))]);
  }
  /// At the n x n x n corners of the grid from `first` on, i fastest.
  HAPTOS_HD void corners(const Vec3i& first, int n, double* out) const {
    // All of them in the samples of one block, as a rule.
    int at[3];
    bool one = true;
    for (int d = 0; d < 3; ++d) {
      at[d] = first[d];
      one = one && at[d] >= 0 && at[d] / kBlock < blocks[d] && at[d] % kBlock + n <= kSide;
    }
    const float* v = one ? samples_at(at) : nullptr;
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
          *out++ = v ? static_cast<double>(v[i + kSide * (j + kSide * k)])
                     : corner(first[0] + i, first[1] + j, first[2] + k);
  }
  /// At those of the n x n x n places start + i step[0] + j step[1] + k step[2], i fastest, whose
  /// bit is set in the byte of their row.
  HAPTOS_HD void phi_on_lattice(const Vec3d& start, const Vec3d (&step)[3], int n,
                                const unsigned char* asked, double* out) const {
    // In cells. Whether all of it is inside of the grid: its corners are.
    const Vec3d u0 = (start - origin) * per_cell;
    Vec3d du[3], lo = u0, hi = u0;
    for (int a = 0; a < 3; ++a) {
      du[a] = step[a] * per_cell;
      for (int k = 0; k < 3; ++k) (du[a][k] < 0 ? lo : hi)[k] += (n - 1) * du[a][k];
    }
    bool inside = true;
    for (int k = 0; k < 3; ++k)
      inside = inside && lo[k] >= 1e-9 * kBlock && hi[k] < (1 - 1e-9) * kBlock * blocks[k];
    for (int c = 0; c < n; ++c)
      for (int b = 0; b < n; ++b, ++asked, out += n) {
        const Vec3d row = u0 + double(b) * du[1] + double(c) * du[2];
        for (int a = 0; a < n; ++a) {
          if (!(*asked >> a & 1)) continue;
          double u[3];
          int i[3];
          for (int k = 0; k < 3; ++k) {
            u[k] = row[k] + a * du[0][k];
            i[k] = static_cast<int>(u[k]);
            u[k] -= i[k];
          }
          const float* v = inside ? samples_at(i) : nullptr;
          out[a] = v ? between(v, u)
                     : phi(start + double(a) * step[0] + double(b) * step[1] + double(c) * step[2]);
        }
      }
  }

  HAPTOS_HD Vec3d corner_place(int i, int j, int k) const {
    return origin + cell * Vec3d{{double(i), double(j), double(k)}};
  }
  HAPTOS_HD std::int32_t block_at(const int (&p)[3]) const {
    return block[(std::size_t(p[2]) * std::size_t(blocks[1]) + std::size_t(p[1])) *
                     std::size_t(blocks[0]) +
                 std::size_t(p[0])];
  }
  /// Where the samples of a cell start; null where its block keeps none.
  HAPTOS_HD const float* samples_at(const int (&i)[3]) const {
    static_assert(kBlock == 8);
    const std::int32_t b = block_at({i[0] >> 3, i[1] >> 3, i[2] >> 3});
    if (b < 0) return nullptr;
    return value + static_cast<std::size_t>(b) * kSamples + std::size_t(i[0] & 7) +
           kSide * (std::size_t(i[1] & 7) + kSide * std::size_t(i[2] & 7));
  }
  /// Samples of the cell that x is in, and where in it, 0 to 1. Null: it is in no such cell.
  HAPTOS_HD const float* samples_about(const Vec3d& x, double (&u)[3]) const {
    int i[3];
    bool in = true;
    for (int k = 0; k < 3; ++k) {
      u[k] = (x[k] - origin[k]) * per_cell;
      in = in & (u[k] >= 0) & (u[k] < kBlock * blocks[k]);
      i[k] = static_cast<int>(u[k]);
      u[k] -= i[k];
    }
    return in ? samples_at(i) : nullptr;
  }
  /// At u in a cell.
  static HAPTOS_HD double between(const float* v, const double (&u)[3]) {
    const float* w = v + kSide * kSide;
    const double a0 = v[0], a1 = v[1], b0 = v[kSide], b1 = v[kSide + 1];
    const double c0 = w[0], c1 = w[1], d0 = w[kSide], d1 = w[kSide + 1];
    const double y0 = a0 + u[1] * (b0 - a0), y1 = a1 + u[1] * (b1 - a1);
    const double z0 = y0 + u[2] * (c0 + u[1] * (d0 - c0) - y0);
    const double z1 = y1 + u[2] * (c1 + u[1] * (d1 - c1) - y1);
    return z0 + u[0] * (z1 - z0);
  }

  /// A cell, of samples or of a block without.
  struct Cell {
    double corner[8];  ///< x fastest
    double u[3];       ///< place in it, 0 to 1
    double size;       ///< [m]
    HAPTOS_HD double value() const {
      const double* v = corner;
      const double a = v[0] + u[0] * (v[1] - v[0]), b = v[2] + u[0] * (v[3] - v[2]);
      const double d = v[4] + u[0] * (v[5] - v[4]), e = v[6] + u[0] * (v[7] - v[6]);
      const double f = a + u[1] * (b - a), g = d + u[1] * (e - d);
      return f + u[2] * (g - f);
    }
  };
  /// The one that x is in, or is nearest to; `off` is what x is beyond the grid.
  HAPTOS_HD_CALL Cell cell_at(const Vec3d& x, Vec3d& off) const {
    Cell c;
    int at[3], in[3];
    double local[3];
    for (int k = 0; k < 3; ++k) {
      const double most = kBlock * blocks[k], u = (x[k] - origin[k]) * per_cell;
      const double v = clamp(u, 0.0, most);
      off[k] = (u - v) * cell;
      const int i =
          static_cast<int>(v) < kBlock * blocks[k] ? static_cast<int>(v) : kBlock * blocks[k] - 1;
      at[k] = i / kBlock, in[k] = i % kBlock;
      local[k] = v - kBlock * at[k];
    }
    const std::int32_t b = block_at(at);
    if (b >= 0) {
      const float* v = value + static_cast<std::size_t>(b) * kSamples +
                       std::size_t((in[2] * kSide + in[1]) * kSide + in[0]);
      for (int k = 0; k < 8; ++k)
        c.corner[k] = static_cast<double>(v[(k & 1) + kSide * ((k >> 1 & 1) + kSide * (k >> 2))]);
      for (int k = 0; k < 3; ++k) c.u[k] = local[k] - in[k];
      c.size = cell;
    } else {
      const int nx = blocks[0] + 1, ny = blocks[1] + 1;
      for (int k = 0; k < 8; ++k)
        c.corner[k] = static_cast<double>(coarse[std::size_t(
            ((at[2] + (k >> 2)) * ny + at[1] + (k >> 1 & 1)) * nx + at[0] + (k & 1))]);
      for (int k = 0; k < 3; ++k) c.u[k] = local[k] / kBlock;
      c.size = kBlock * cell;
    }
    return c;
  }
  HAPTOS_HD_CALL double phi_of_any(const Vec3d& x) const {
    Vec3d off;
    const double inner = cell_at(x, off).value(), beyond = norm(off);
    return beyond > 0 ? inner + beyond : inner;
  }
  HAPTOS_HD_CALL SignedDistance<double> at_any(const Vec3d& x) const {
    Vec3d off;
    const Cell c = cell_at(x, off);
    SignedDistance<double> r{c.value(), Vec3d::zero()};
    for (int k = 0; k < 8; ++k) {
      double w[3], s[3];
      for (int d = 0; d < 3; ++d) {
        const bool upper = k >> d & 1;
        w[d] = upper ? c.u[d] : 1 - c.u[d], s[d] = upper ? 1 : -1;
      }
      for (int d = 0; d < 3; ++d)
        r.gradient[d] += s[d] * w[(d + 1) % 3] * w[(d + 2) % 3] * c.corner[k] / c.size;
    }
    const double beyond = norm(off);
    if (beyond > 0) {
      r.phi += beyond;
      for (int d = 0; d < 3; ++d)
        if (off[d] != 0) r.gradient[d] = off[d] / beyond;
    }
    return r;
  }
};

/// Of any body: a shape's formula, or samples.
struct FieldView {
  ShapeKind kind = ShapeKind::kHalfSpace;
  Vec3d size{};
  bool sampled = false;
  SampledView samples;

  HAPTOS_HD double phi(const Vec3d& x) const { return sampled ? samples.phi(x) : formula(x).phi; }
  HAPTOS_HD SignedDistance<double> at(const Vec3d& x) const {
    return sampled ? samples.at(x) : formula(x);
  }
  HAPTOS_HD void phi_on_lattice(const Vec3d& start, const Vec3d (&step)[3], int n,
                                const unsigned char* asked, double* out) const {
    if (sampled) return samples.phi_on_lattice(start, step, n, asked, out);
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j, ++asked, out += n)
        for (int i = 0; i < n; ++i)
          if (*asked >> i & 1) {
            const Vec3d x = start + double(i) * step[0] + double(j) * step[1] + double(k) * step[2];
            out[i] = formula(x).phi;
          }
  }
  HAPTOS_HD_CALL SignedDistance<double> formula(const Vec3d& x) const {
    return shape_distance(kind, size, x);
  }
};

}  // namespace haptos
