// Dense kernels of one front of the sparse Cholesky factor.
//
// Strips. A matrix of r rows and p columns is kept as strips of 8 rows; inside a strip column after
// column, 8 scalars each, so every kernel reads memory in one forward stream. The triangle of the
// pivots keeps p_s = min(8 s + 8, p) columns in strip s. Missing rows of the last strip are zero.
// The 8 x 8 tiles on the diagonal hold the inverse of L's tile, so that solves are products.
//
// Order of operations. Every scalar is updated as a <- fma(-l_ik, l_jk, a) for k ascending,
// whatever the tile, so all versions of the kernels (AVX-512, AVX2, plain) give the same bits.
#pragma once

#include <cstddef>

namespace haptos {

constexpr int kStrip = 8;
constexpr int round_up_to_strip(int n) { return (n + kStrip - 1) / kStrip * kStrip; }
/// Where strip s of the pivots' triangle begins.
constexpr std::ptrdiff_t triangle_strip(std::ptrdiff_t s) { return 32 * s * (s + 1); }
/// Scalars of a triangle of p pivots, and of all strips of a panel with u updated rows.
constexpr std::ptrdiff_t triangle_size(std::ptrdiff_t p) {
  const std::ptrdiff_t last = (p - 1) / kStrip;
  return triangle_strip(last) + kStrip * p;
}
constexpr std::ptrdiff_t panel_size(std::ptrdiff_t p, std::ptrdiff_t u) {
  return triangle_size(p) + (u + kStrip - 1) / kStrip * kStrip * p;
}

/// Consecutive rows that stay consecutive: `count` rows from `from` go to `to`.
struct RowRun {
  int from, to, count;
};

/// The kernels of one instruction set on scalars S, double or float.
template <class S>
struct DenseKernels {
  const char* name;

  /// Factors a front's pivot columns: `panel` is column-major with leading dimension `ld`, updated
  /// rows from round_up_to_strip(pivots); the factor goes to `strips`. The panel is overwritten.
  /// Above its diagonal the panel must hold zeros.
  /// @return -1, or the first column whose pivot was not positive, its value in *pivot
  int (*factor_panel)(int pivots, int updates, S* panel, std::ptrdiff_t ld, S* strips, S* pivot);
  /// Columns [8 begin, 8 end) of the lower triangle of u = -B B^T, B the updated rows' strips;
  /// leading dimension `ld` >= updates, a multiple of 8.
  void (*update)(int pivots, int updates, const S* b, S* u, std::ptrdiff_t ld, int begin, int end);
  /// Adds columns of a child's update to the parent's front. Runs map the child's rows to front
  /// rows, updated rows after `row_shift`. With `to_panel`, the columns that are pivots of the
  /// parent; else the others.
  void (*extend_add)(const RowRun* runs, int run_count, int row_shift, bool to_panel,
                     const S* child, std::ptrdiff_t child_ld, S* parent, std::ptrdiff_t parent_ld);
  /// Forward: x <- L11^-1 x in place, then t = B x. x holds round_up_to_strip(pivots) scalars, its
  /// padding zero; t holds round_up_to_strip(updates).
  void (*forward)(int pivots, int updates, const S* strips, S* x, S* t);
  /// Backward: x <- L11^-T (x - B^T t) in place; both padded with zeros.
  void (*backward)(int pivots, int updates, const S* strips, S* x, const S* t);
  /// The same for 8 right-hand sides at once, interleaved: unknown i of side l stands at 8 i + l.
  /// Every side has the bits of a single solve.
  void (*forward8)(int pivots, int updates, const S* strips, S* x, S* t);
  void (*backward8)(int pivots, int updates, const S* strips, S* x, const S* t);
};

/// All versions that this processor can run, the plainest first.
template <class S>
struct DenseKernelList {
  const DenseKernels<S>* version[2];
  int count;
};
template <class S>
DenseKernelList<S> all_dense_kernels();
template <>
DenseKernelList<double> all_dense_kernels();
template <>
DenseKernelList<float> all_dense_kernels();

/// The kernels for this processor.
template <class S>
const DenseKernels<S>& dense_kernels() {
  static const DenseKernelList<S> list = all_dense_kernels<S>();
  return *list.version[list.count - 1];
}

}  // namespace haptos
