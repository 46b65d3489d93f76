// Scatter of what tetrahedra and patches compute into gradient and matrix.
//
// Elements write their own slots in parallel; then every point and every coupled pair of points sums
// its contributions in a fixed order. So the result has the same bits for any number of threads and
// nothing is searched for while stepping.
#pragma once

#include <array>
#include <vector>

#include "haptos/potential/assembly.h"

namespace haptos {

/// Values that elements leave behind, in lanes of eight tetrahedra: component c of tetrahedron t is
/// at [(t / 8 * components + c) * 8 + t % 8].
struct TetSlots {
  static constexpr int kLanes = 8;
  int components = 0;
  std::vector<double> values;
  void resize(int tets, int components_) {
    components = components_;
    values.resize(static_cast<std::size_t>((tets + kLanes - 1) / kLanes * kLanes * components_));
  }
  double* group(int g) {
    return values.data() + static_cast<std::ptrdiff_t>(g) * components * kLanes;
  }
  const double* tet(int t) const {
    return values.data() + static_cast<std::ptrdiff_t>(t / kLanes) * components * kLanes +
           t % kLanes;
  }
};

class TetScatter {
 public:
  static constexpr int kGradientComponents = 12;  ///< 4 nodes x 3
  static constexpr int kTangentComponents = 90;   ///< 10 blocks (a >= b), row-major 3 x 3

  /// @param tets        point indices, (T)
  /// @param patch_size  consecutive tetrahedra of one patch
  TetScatter(const Points& points, std::vector<Vec4i> tets, int patch_size);

  const std::vector<Vec4i>& tets() const { return tets_; }
  int patch_count() const { return static_cast<int>(patch_begin_.size()) - 1; }
  int patch_size() const { return patch_size_; }
  /// Points of patch p: positions [patch_begin(p), patch_begin(p+1)) of patch_point().
  int patch_begin(int p) const { return patch_begin_[static_cast<std::size_t>(p)]; }
  int patch_point(int k) const { return patch_points_[static_cast<std::size_t>(k)]; }
  /// Position in its patch's point list of corner a of tetrahedron t.
  int local(int t, int a) const { return local_[static_cast<std::size_t>(4 * t + a)]; }

  void couplings(const Points& points, std::vector<std::array<int, 2>>& out) const;

  /// Adds the nodal gradients (12 components) to the assembly.
  void add_gradient(const TetSlots& slots, Assembly& assembly) const;
  /// Adds tangent blocks (90 components) and per patch coefficient * g g^T, where g has one Vec3d per
  /// patch point at patch_begin; then the effect of driven motion.
  void add_tangent(const TetSlots& slots, const std::vector<double>& patch_coefficient,
                   const std::vector<Vec3d>& patch_vector, const Points& points,
                   Assembly& assembly) const;

 private:
  struct Pair {
    int p, q;  // points, p's block row >= q's block column when both are free
    int tet_begin, tet_end, patch_begin, patch_end;
  };
  void build_pairs(const Points& points);

  int patch_size_;
  std::vector<Vec4i> tets_;
  std::vector<int> patch_begin_, patch_points_, local_;
  std::vector<int> corner_begin_, corners_, corner_points_;  // per touched point: 4 t + a
  std::vector<Pair> pairs_;
  std::vector<int> pair_tets_;                    // 32 t + 2 block + transposed
  std::vector<std::array<int, 2>> pair_patches_;  // positions in patch_points_, with patch
  std::vector<int> pair_patch_id_;
};

}  // namespace haptos
