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
// within three cells of the surface, or within eight on its inside; of the others only the corners
// of the block are kept. Between corners phi is trilinear. Beyond the grid the distance to it is
// added.
//
// The same bits for any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "haptos/geometry/field/field_view.h"
#include "haptos/geometry/mesh.h"
#include "haptos/geometry/query/bvh.h"

namespace haptos {

class SampledField {
 public:
  static constexpr int kBlock = SampledView::kBlock;

  SampledField() = default;
  /// @param resolution  cells along the longest side of the mesh's box, 8 to 1024
  /// Throws InputError naming `element` for a mesh without triangles or without an inside, with
  /// coordinates that are not finite, and for a grid that would take more than kMostBytes.
  explicit SampledField(const TriMesh& mesh, int resolution = 64,
                        const std::string& element = "mesh");

  static constexpr std::uint64_t kMostBytes = 1ull << 31;

  /// For kernels; this field must outlive it.
  SampledView view() const {
    return {origin_,        cell_,         per_cell_,    {blocks_[0], blocks_[1], blocks_[2]},
            coarse_.data(), block_.data(), value_.data()};
  }
  const std::vector<float>& coarse() const { return coarse_; }
  const std::vector<std::int32_t>& block() const { return block_; }
  const std::vector<float>& value() const { return value_; }
  double phi(const Vec3d& x) const { return view().phi(x); }
  /// At a corner of the grid.
  double corner(int i, int j, int k) const { return view().corner(i, j, k); }
  /// With the gradient of the trilinear function, which is not quite unit.
  SignedDistance<double> at(const Vec3d& x) const { return view().at(x); }

  double cell() const { return cell_; }            ///< [m]
  const Vec3d& origin() const { return origin_; }  ///< the first corner of the grid [m]
  Vec3i cells() const;                             ///< along each axis
  const Aabb& inside() const { return inside_; }   ///< box of the mesh [m]
  /// By how much phi may be off the exact distance at x [m]: half a diagonal of the cell there, as
  /// samples differ by the distance between them at most.
  double slack(const Vec3d& x) const {
    int i[3];
    cell_of(x, i);
    return slack(samples_at(i) != nullptr);
  }
  /// How far `phi`, that of x, may be from phi of any place inside within r of x [m].
  double change(const Vec3d& x, double phi, double r) const;
  /// What the gradient of phi is within r of x. False: that is not known, beyond two cells and next
  /// to where no samples are kept.
  bool slopes(const Vec3d& x, double r, SlopeBound& bound) const;
  double deepest() const { return deepest_; }  ///< at a corner of the grid [m]
  /// Part of a turn that the surface winds less than once round what is just inside of it: 0 for a
  /// closed one.
  double open() const { return open_; }
  std::size_t bytes() const {
    return (value_.size() + coarse_.size()) * sizeof(float) + block_.size() * sizeof(std::int32_t) +
           slopes_.size() * sizeof(Slopes);
  }
  /// Calls f with each thing that a field holds: vectors and values without pointers.
  template <class F>
  void each_part(F&& f) {
    f(origin_), f(cell_), f(per_cell_), f(deepest_), f(open_), f(blocks_), f(inside_);
    f(coarse_), f(block_), f(value_), f(slopes_);
  }

 private:
  static constexpr int kSide = SampledView::kSide, kSamples = SampledView::kSamples;
  static constexpr int kOctant = kBlock / 2;
  static constexpr int kAbout = 2;        // how far slopes are known about an octant [cells]
  static constexpr double kFarthest = 8;  // about a place [cells]
  // Granules of so many cells: along a block, and of it.
  static constexpr int kAcross = kBlock / kAbout, kGranules = kAcross * kAcross * kAcross;
  // How deep inside, and how far outside, blocks keep samples [cells].
  static constexpr double kBand = 8, kOutside = 3;
  // Of grad phi along each axis.
  struct Slopes {
    float lo[3] = {2, 2, 2}, hi[3] = {-2, -2, -2};
    void merge(int axis, float slope) {
      lo[axis] = vmin(lo[axis], slope), hi[axis] = vmax(hi[axis], slope);
    }
    void merge(const Slopes& s) {
      for (int k = 0; k < 3; ++k) merge(k, s.lo[k]), merge(k, s.hi[k]);
    }
  };
  std::int32_t block_at(const int (&p)[3]) const { return view().block_at(p); }
  const float* samples_at(const int (&i)[3]) const { return view().samples_at(i); }
  // The cell nearest to x; returns the distance to the grid.
  double cell_of(const Vec3d& x, int (&i)[3]) const {
    double square = 0;
    for (int k = 0; k < 3; ++k) {
      const double most = kBlock * blocks_[k], u = (x[k] - origin_[k]) * per_cell_;
      const double in = clamp(u, 0.0, most);
      square += (u - in) * (u - in);
      i[k] = static_cast<int>(vmin(in, most - 0.5));
    }
    return square > 0 ? sqrt(square) * cell_ : 0;
  }
  // slack() where there are samples, or not.
  double slack(bool fine) const {
    constexpr double kHalf = 0.8660264;  // of the diagonal of a unit cube, and 1e-6 of it more
    return kHalf * cell_ * (fine ? 1 : kBlock);
  }
  void find_slopes();
  Slopes slopes_in_granule(std::ptrdiff_t block, int g) const;
  Slopes slopes_about_octant(const int (&block)[3], int octant,
                             const std::vector<Slopes>& granule) const;
  bool slopes_in_cells(const Vec3d& x, double r, Slopes& near) const;
  bool slopes_in_octants(const Vec3d& x, double r, Slopes& near) const;
  bool block_is_outside(const int (&p)[3]) const;  // of one without samples

  Vec3d origin_{};
  double cell_ = 1, per_cell_ = 1, deepest_ = 0, open_ = 0;
  Vec3i blocks_{};  // along each axis
  Aabb inside_;
  std::vector<float> coarse_;        // at corners of blocks, x fastest
  std::vector<std::int32_t> block_;  // where its samples start in value_, in blocks; -1: nowhere
  std::vector<float> value_;
  std::vector<Slopes> slopes_;  // of the eight parts of blocks with samples, and kAbout around
};

}  // namespace haptos
