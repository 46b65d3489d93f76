// The symbolic half of a multifrontal Cholesky factor: who is eliminated when, in which fronts, and
// where every block and every update goes. Immutable, shared by all factors of one pattern.
//
// A front of a supernode with p pivots and u updated unknowns is assembled in two parts:
//   panel   the pivot columns, column-major. Pivot rows stand at 0 .. p-1, updated rows at
//           row_shift .. row_shift+u-1, row_shift = p rounded up to the strip height, so that
//           both begin aligned.
//   update  the u x u Schur complement, lower triangle, column-major, leading dimension u rounded
//   up.
// The factored panel is stored in strips of 8 rows (haptos/solve/dense/dense_kernels.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "haptos/solve/dense/dense_kernels.h"
#include "haptos/system/block_matrix.h"

namespace haptos {

class CholeskyPlan {
 public:
  enum class Order { kBest, kMinimumDegree, kNestedDissection, kNatural };

  /// @param order  kBest tries what suits the size of the system and keeps the cheapest
  explicit CholeskyPlan(std::shared_ptr<const BlockPattern> pattern, Order order = Order::kBest);

  /// A block of A and where it goes in the panel.
  struct Scatter {
    int entry;          ///< of the pattern
    int rows, columns;  ///< of the stored block
    bool transposed;    ///< stored above the diagonal of the permuted matrix
    bool diagonal;
    std::ptrdiff_t target;  ///< scalar offset in the panel
  };

  /// A supernode, children before parents. Ranges index the vectors below.
  struct Node {
    int first;                   ///< first pivot, a permuted unknown
    int pivots, updates;         ///< scalar columns eliminated, rows passed on
    int parent;                  ///< node or -1
    int child_begin, child_end;  ///< in children
    int scatter_begin, scatter_end;
    int solve_begin, solve_end;  ///< in solve_runs: updated rows in the permuted vector
    int add_begin, add_end;      ///< in add_runs: this node's update in its parent's front
    std::ptrdiff_t factor;       ///< offset of its panel
    std::ptrdiff_t update;       ///< offset of its update in the arena
  };

  const BlockPattern& pattern() const { return *pattern_; }
  const std::shared_ptr<const BlockPattern>& shared_pattern() const { return pattern_; }

  std::vector<int> order;     ///< block eliminated k-th
  std::vector<int> position;  ///< first permuted unknown of each block
  std::vector<Node> nodes;
  std::vector<int> children;
  std::vector<Scatter> scatter;
  std::vector<RowRun> solve_runs, add_runs;

  /// Subtrees that depend on nothing outside them: nodes [begin, end). `top` lists the nodes that
  /// are left, in order. One task per subtree; empty for small systems.
  struct Task {
    int begin, end;
    std::ptrdiff_t panel;  ///< offset of its panel scratch in the arena
    /// Of a solve: where its scratch begins, and the largest fronts in it.
    std::ptrdiff_t scratch;
    int largest_pivots, largest_updates;
  };
  std::vector<Task> tasks;
  std::vector<int> top;

  std::ptrdiff_t factor_size = 0, arena_size = 0, top_panel = 0;
  /// Scalars of a solve's scratch for each right-hand side, beside the permuted one.
  std::ptrdiff_t solve_scratch = 0;
  int largest_pivots = 0, largest_updates = 0;
  std::int64_t nonzeros = 0;
  double flops = 0;
  /// Modelled seconds of one numeric factor on one core, by which orders and merges are chosen.
  double modelled_time = 0;

 private:
  void lay_out();

  std::shared_ptr<const BlockPattern> pattern_;
};

}  // namespace haptos
