// Sparse Cholesky factor L L^T of a block-sparse symmetric positive definite matrix.
//
// The symbolic work (ordering, supernodes, where every block goes) is done once per pattern and
// kept in a CholeskyPlan that any number of factors can share; factor() and solve() then run any
// number of times without touching the heap, once the thread has made one of that size.
// Multifrontal: every supernode gathers its blocks of A and the update matrices of its children
// into a dense front, eliminates its own columns, and hands the rest to its parent (Duff and Reid
// 1983; Liu 1992).
//
// Every scalar of a front is updated by one fma per eliminated column, columns in order, and
// children are added in order. So the bits depend on the plan alone: not on vector width, on tiling
// or on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "haptos/system/block_matrix.h"

namespace haptos {

class CholeskyPlan;  // haptos/solve/linear/cholesky_plan.h
template <class S>
struct DenseKernels;  // haptos/solve/dense/dense_kernels.h

/// Scalars that begin at a cache line.
template <class S>
class AlignedRoom {
 public:
  /// Room for so many at least; what was in it is lost where it grows.
  S* at_least(std::ptrdiff_t count);
  S* get() const { return room_.get(); }

 private:
  std::unique_ptr<S[], void (*)(void*)> room_{nullptr, nullptr};
  std::ptrdiff_t size_ = 0;
};

/// The factor in scalars S. In float it takes half the time and memory, and what it solves is good
/// to about its condition number times 6e-8: a preconditioner; see RefinedCholesky.
template <class S>
class CholeskyOf {
 public:
  CholeskyOf();
  ~CholeskyOf();
  CholeskyOf(CholeskyOf&&) noexcept;
  CholeskyOf& operator=(CholeskyOf&&) noexcept;

  /// For tests: the kernels of one instruction set instead of the best.
  void use(const DenseKernels<S>& kernels) { kernels_ = &kernels; }

  /// Symbolic analysis; needed once per pattern. The only member that allocates.
  void analyze(std::shared_ptr<const BlockPattern> pattern);
  /// Takes the symbolic analysis of another factor: one analysis for many environments.
  void analyze(std::shared_ptr<const CholeskyPlan> plan);
  const std::shared_ptr<const CholeskyPlan>& plan() const { return plan_; }

  /// Factors A, whose pattern must equal the analysed one; reads the lower triangle only.
  /// @return false where a pivot is not positive (or not a number); then failed_block() names the
  ///         block of A it belongs to and solve() must not be called.
  bool factor(const BlockMatrix& a);
  /// The block whose pivot was not positive in the last factor(), or -1.
  int failed_block() const { return failed_block_; }
  /// The value of that pivot before its square root.
  double failed_pivot() const { return failed_pivot_; }

  /// x <- A^-1 x, in place. Uses the factor's own scratch: one thread at a time per factor.
  void solve(double* x) const;
  /// The same for `count` right-hand sides, each contiguous, `stride` scalars apart. Every column
  /// has the bits of a single solve.
  void solve(double* x, int count, std::ptrdiff_t stride) const;

  /// Scalars in the factor's lower triangle, explicit zeros of merged supernodes included.
  std::int64_t nonzeros() const;
  /// Floating point operations of one factor() (a multiply-add is two).
  double flops() const;
  /// Bytes of the factor and of the room it works in; small ones borrow that from the thread.
  std::size_t bytes() const;

 private:
  struct Failure {
    int column = -1;  // permuted unknown, or -1
    S pivot = 0;
  };

  std::ptrdiff_t solve_room() const;
  bool borrows() const;
  bool factor_in(const BlockMatrix& a, S* arena);
  void assemble_panel(const BlockMatrix& a, int node, S* panel) const;
  void update(int node);
  Failure eliminate(const BlockMatrix& a, int node, S* panel);
  Failure eliminate_task(const BlockMatrix& a, int task);
  // Of a solve for kSides right-hand sides, interleaved (haptos/solve/linear/cholesky_solve.cpp).
  template <int kSides>
  void solve_sides(double* x, int count, std::ptrdiff_t stride, S* z) const;
  template <int kSides>
  void solve_sides(double* x, int count, std::ptrdiff_t stride) const;
  template <int kSides>
  void forward(int node, S* z, S* y, S* t) const;
  template <int kSides>
  void backward(int node, S* z, S* y, S* t) const;
  template <int kSides>
  void forward_task(int task, S* z, S* scratch) const;
  template <int kSides>
  void take_off(int node, const S* lost, S* z) const;
  struct TaskScratch {
    S *own, *rows, *left;
  };
  template <int kSides>
  TaskScratch scratch_of(int task, S* scratch) const;

  std::shared_ptr<const CholeskyPlan> plan_;
  const DenseKernels<S>* kernels_ = nullptr;
  AlignedRoom<S> factor_;          // panels in strips
  AlignedRoom<S> own_room_;        // of one that is too large to borrow from the thread
  S* arena_ = nullptr;             // updates and open panels, while it factors
  std::vector<Failure> failures_;  // of each task
  int failed_block_ = -1;
  double failed_pivot_ = 0;
};

extern template class CholeskyOf<double>;
extern template class CholeskyOf<float>;
using BlockCholesky = CholeskyOf<double>;

}  // namespace haptos
