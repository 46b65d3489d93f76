// Signed distance to the surface of a mesh, sampled on a grid, for contact that asks everywhere
// inside of a body.
//
//   phi(x) = s |x - nearest point of the surface|,   s = -1 where the surface winds round x
//
// Distances are exact (surface_tree.h) and kept in single precision. Inside is where the surface
// winds round more than half a turn, either way (winding_tree.h): open meshes have an inside, those
// that face inward, and walls of a cavity that face the other way than what is around them have
// none. Triangles of a part that face different ways are turned to agree first.
//
// The grid has two levels: blocks of 8 x 8 x 8 cells keep their 9 x 9 x 9 corners where they come
// within a cell of the surface, or within eight on its inside; of the others only the corners of
// the block are kept. Between corners phi is trilinear. Beyond the grid the distance to it is
// added.
//
// The same bits for any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "haptos/geometry/field/shape_distance.h"
#include "haptos/geometry/mesh.h"
#include "haptos/geometry/query/bvh.h"

namespace haptos {

class SampledField {
 public:
  static constexpr int kBlock = 8;

  SampledField() = default;
  /// @param resolution  cells along the longest side of the mesh's box, 8 to 1024
  /// Throws InputError naming `element` for a mesh without triangles or without an inside, with
  /// coordinates that are not finite, and for a grid that would take more than kMostBytes.
  explicit SampledField(const TriMesh& mesh, int resolution = 64,
                        const std::string& element = "mesh");

  static constexpr std::uint64_t kMostBytes = 1ull << 31;

  double phi(const Vec3d& x) const {
    int i[3];
    double u[3];
    bool in = true;
    for (int k = 0; k < 3; ++k) {
      u[k] = (x[k] - origin_[k]) * per_cell_;
      in = in && u[k] >= 0 && u[k] < kBlock * blocks_[k];
      i[k] = static_cast<int>(u[k]);
      u[k] -= i[k];
    }
    if (!in) return phi_of_any(x);
    const float* v = samples_at(i);
    if (!v) return phi_of_any(x);
    const auto along = [&](int c) {
      const double a = static_cast<double>(v[c]);
      return a + u[0] * (static_cast<double>(v[c + 1]) - a);
    };
    const double a = along(0), b = along(kSide), c = along(kSide * kSide),
                 d = along(kSide * kSide + kSide);
    const double f = a + u[1] * (b - a), g = c + u[1] * (d - c);
    return f + u[2] * (g - f);
  }
  /// At a corner of the grid.
  double corner(int i, int j, int k) const {
    int at[3] = {i, j, k};
    for (int d = 0; d < 3; ++d) {
      if (at[d] < 0 || at[d] > kBlock * blocks_[d]) return phi_of_any(corner_place(i, j, k));
      at[d] = at[d] < kBlock * blocks_[d] ? at[d] : at[d] - 1;
    }
    const float* v = samples_at(at);
    if (!v) return phi_of_any(corner_place(i, j, k));
    return static_cast<double>(v[(i - at[0]) + kSide * (j - at[1] + kSide * (k - at[2]))]);
  }
  /// With the gradient of the trilinear function, which is not quite unit.
  SignedDistance<double> at(const Vec3d& x) const;

  double cell() const { return cell_; }            ///< [m]
  const Vec3d& origin() const { return origin_; }  ///< the first corner of the grid [m]
  Vec3i cells() const;                             ///< along each axis
  const Aabb& inside() const { return inside_; }   ///< box of the mesh [m]
  /// phi changes by no more than this times the distance: 1, but for cells on medial axes.
  double lipschitz() const { return lipschitz_; }
  /// By how much phi may be off the exact distance at x [m]: half a diagonal of the cell there, as
  /// samples differ by the distance between them at most.
  double slack(const Vec3d& x) const {
    constexpr double kHalf = 0.8660255;  // of the diagonal of a unit cube, rounded up
    int i[3];
    for (int k = 0; k < 3; ++k) {
      const double u = clamp((x[k] - origin_[k]) * per_cell_, 0.0, kBlock * blocks_[k] - 0.5);
      i[k] = static_cast<int>(u);
    }
    return kHalf * cell_ * (samples_at(i) ? 1 : kBlock);
  }
  double deepest() const { return deepest_; }  ///< at a corner of the grid [m]
  /// Part of a turn that the surface winds less than once round what is just inside of it: 0 for a
  /// closed one.
  double open() const { return open_; }
  std::size_t bytes() const {
    return value_.size() * sizeof(float) + coarse_.size() * sizeof(float) +
           block_.size() * sizeof(std::int32_t);
  }
  /// Calls f with each thing that a field holds: vectors and values without pointers.
  template <class F>
  void each_part(F&& f) {
    f(origin_), f(cell_), f(per_cell_), f(lipschitz_), f(deepest_), f(open_), f(blocks_),
        f(inside_);
    f(coarse_), f(block_), f(value_);
  }

 private:
  static constexpr int kSide = kBlock + 1, kSamples = kSide * kSide * kSide;
  struct Cell {
    double corner[8];  // x fastest
    double u[3];       // place in it, 0 to 1
    double size;       // [m]
    double value() const;
  };
  Cell cell_at(const Vec3d& x, Vec3d& off) const;
  double phi_of_any(const Vec3d& x) const;
  Vec3d corner_place(int i, int j, int k) const {
    return origin_ + cell_ * Vec3d{{double(i), double(j), double(k)}};
  }
  // Where the samples of a cell start; null where its block keeps none.
  const float* samples_at(const int (&i)[3]) const {
    static_assert(kBlock == 8);
    const auto at = [](const int(&p)[3], std::size_t nx, std::size_t ny) {
      return (std::size_t(p[2]) * ny + std::size_t(p[1])) * nx + std::size_t(p[0]);
    };
    const std::int32_t block = block_[at({i[0] >> 3, i[1] >> 3, i[2] >> 3}, std::size_t(blocks_[0]),
                                         std::size_t(blocks_[1]))];
    if (block < 0) return nullptr;
    return &value_[static_cast<std::size_t>(block) * kSamples +
                   at({i[0] & 7, i[1] & 7, i[2] & 7}, kSide, kSide)];
  }
  void find_lipschitz();

  Vec3d origin_{};
  double cell_ = 1, per_cell_ = 1, lipschitz_ = 1, deepest_ = 0, open_ = 0;
  Vec3i blocks_{};  // along each axis
  Aabb inside_;
  std::vector<float> coarse_;        // at corners of blocks, x fastest
  std::vector<std::int32_t> block_;  // where its samples start in value_, in blocks; -1: nowhere
  std::vector<float> value_;
};

}  // namespace haptos
