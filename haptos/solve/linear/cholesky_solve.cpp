// Solves with the factor of cholesky.h. Subtrees go to threads: what a subtree subtracts from
// unknowns outside it, all of them rows of its root, is summed in scratch of its own and taken off
// afterwards, subtree by subtree, so the bits depend on the plan alone.
#include <algorithm>
#include <cassert>

#include "haptos/base/borrowed.h"
#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/solve/dense/dense_kernels.h"
#include "haptos/solve/linear/cholesky.h"
#include "haptos/solve/linear/cholesky_plan.h"

namespace haptos {

namespace {

// Numbers of a factor from which on threads are worth waking.
constexpr std::int64_t kParallelSolve = 1000000;

// `count` scalars of kSides sides.
template <int kSides, class S>
void copy(const S* from, int count, S* to) {
  std::copy(from, from + std::ptrdiff_t(kSides) * count, to);
}
template <int kSides, class S>
void subtract(const S* from, int count, S* to) {
  for (int i = 0; i < kSides * count; ++i) to[i] -= from[i];
}
// Pads from `count` to a multiple of the strip.
template <int kSides, class S>
void pad(S* y, int count) {
  std::fill(y + std::ptrdiff_t(kSides) * count,
            y + std::ptrdiff_t(kSides) * round_up_to_strip(count), S(0));
}

}  // namespace

// Divides a front's own unknowns by its triangle; t is what its other rows lose.
template <class S>
template <int kSides>
void CholeskyOf<S>::forward(int f, S* z, S* y, S* t) const {
  const CholeskyPlan::Node& node = plan_->nodes[at_index(f)];
  S* own = z + std::ptrdiff_t(kSides) * node.first;
  copy<kSides>(own, node.pivots, y);
  pad<kSides>(y, node.pivots);
  const auto kernel = kSides == 1 ? kernels_->forward : kernels_->forward8;
  kernel(node.pivots, node.updates, factor_.get() + node.factor, y, t);
  copy<kSides>(y, node.pivots, own);
}

template <class S>
template <int kSides>
void CholeskyOf<S>::backward(int f, S* z, S* y, S* t) const {
  const CholeskyPlan::Node& node = plan_->nodes[at_index(f)];
  S* own = z + std::ptrdiff_t(kSides) * node.first;
  for (int r = node.solve_begin; r < node.solve_end; ++r) {
    const RowRun run = plan_->solve_runs[at_index(r)];
    copy<kSides>(z + std::ptrdiff_t(kSides) * run.to, run.count,
                 t + std::ptrdiff_t(kSides) * run.from);
  }
  pad<kSides>(t, node.updates);
  copy<kSides>(own, node.pivots, y);
  pad<kSides>(y, node.pivots);
  const auto kernel = kSides == 1 ? kernels_->backward : kernels_->backward8;
  kernel(node.pivots, node.updates, factor_.get() + node.factor, y, t);
  copy<kSides>(y, node.pivots, own);
}

// Off the unknowns of a front's other rows, what they lose.
template <class S>
template <int kSides>
void CholeskyOf<S>::take_off(int f, const S* lost, S* z) const {
  const CholeskyPlan::Node& node = plan_->nodes[at_index(f)];
  for (int r = node.solve_begin; r < node.solve_end; ++r) {
    const RowRun run = plan_->solve_runs[at_index(r)];
    subtract<kSides>(lost + kSides * run.from, run.count, z + kSides * run.to);
  }
}

// Of a subtree: a front's pivots, its other rows, and what the root's rows lose by all of it.
template <class S>
template <int kSides>
typename CholeskyOf<S>::TaskScratch CholeskyOf<S>::scratch_of(int task, S* scratch) const {
  const CholeskyPlan::Task& t = plan_->tasks[at_index(task)];
  S* own = scratch + kSides * t.scratch;
  S* rows = own + kSides * round_up_to_strip(t.largest_pivots);
  return {own, rows, rows + kSides * round_up_to_strip(t.largest_updates)};
}

template <class S>
template <int kSides>
void CholeskyOf<S>::forward_task(int task, S* z, S* scratch) const {
  const CholeskyPlan& plan = *plan_;
  const CholeskyPlan::Task& t = plan.tasks[at_index(task)];
  const CholeskyPlan::Node& root = plan.nodes[at_index(t.end - 1)];
  const int outside = root.first + root.pivots;  // the first unknown that is not of the subtree
  const auto [own, lost, left] = scratch_of<kSides>(task, scratch);
  std::fill(left, left + std::ptrdiff_t(kSides) * root.updates, S(0));
  const RowRun* begin = plan.solve_runs.data() + root.solve_begin;
  const RowRun* end = plan.solve_runs.data() + root.solve_end;
  for (int f = t.begin; f < t.end; ++f) {
    forward<kSides>(f, z, own, lost);
    const CholeskyPlan::Node& node = plan.nodes[at_index(f)];
    for (int r = node.solve_begin; r < node.solve_end; ++r) {
      const RowRun run = plan.solve_runs[at_index(r)];
      const int inside = std::clamp(outside - run.to, 0, run.count);
      subtract<kSides>(lost + kSides * run.from, inside, z + kSides * run.to);
      if (inside == run.count) continue;
      const int first = run.to + inside;
      const RowRun* of_root =
          std::upper_bound(begin, end, first, [](int k, const RowRun& o) { return k < o.to; }) - 1;
      S* to = left + kSides * (of_root->from + first - of_root->to);
      const S* from = lost + kSides * (run.from + inside);
      for (int i = 0; i < kSides * (run.count - inside); ++i) to[i] += from[i];
    }
  }
}

template <class S>
template <int kSides>
void CholeskyOf<S>::solve_sides(double* x, int count, std::ptrdiff_t stride) const {
  if (!borrows()) return solve_sides<kSides>(x, count, stride, own_room_.get());
  Borrowed<AlignedRoom<S>> room;
  solve_sides<kSides>(x, count, stride, room->at_least(solve_room()));
}

// z is the room to work in.
template <class S>
template <int kSides>
void CholeskyOf<S>::solve_sides(double* x, int count, std::ptrdiff_t stride, S* z) const {
  const CholeskyPlan& plan = *plan_;
  const BlockPattern& p = plan.pattern();
  const int n = p.scalar_count(), blocks = p.block_count();
  S* scratch = z + std::ptrdiff_t(kSides) * round_up_to_strip(n);
  S* y = scratch;
  S* t = y + std::ptrdiff_t(kSides) * round_up_to_strip(plan.largest_pivots);
  std::fill(z, z + std::ptrdiff_t(kSides) * n, S(0));
  for (int b = 0; b < blocks; ++b)
    for (int i = 0; i < p.size(b); ++i)
      for (int l = 0; l < count; ++l)
        z[kSides * (plan.position[at_index(b)] + i) + l] =
            static_cast<S>(x[l * stride + p.offset(b) + i]);
  const int tasks = static_cast<int>(plan.tasks.size());
  const std::ptrdiff_t grain = plan.nonzeros < kParallelSolve ? tasks : 1;
  for_each(
      tasks, [&](std::ptrdiff_t k) { forward_task<kSides>(static_cast<int>(k), z, scratch); },
      grain);
  for (int k = 0; k < tasks; ++k)
    take_off<kSides>(plan.tasks[at_index(k)].end - 1, scratch_of<kSides>(k, scratch).left, z);
  for (const int f : plan.top) {
    forward<kSides>(f, z, y, t);
    take_off<kSides>(f, t, z);
  }
  for (auto f = plan.top.rbegin(); f != plan.top.rend(); ++f) backward<kSides>(*f, z, y, t);
  for_each(
      tasks,
      [&](std::ptrdiff_t k) {
        const CholeskyPlan::Task& task = plan.tasks[at_index(k)];
        const TaskScratch s = scratch_of<kSides>(static_cast<int>(k), scratch);
        for (int f = task.end - 1; f >= task.begin; --f) backward<kSides>(f, z, s.own, s.rows);
      },
      grain);
  for (int b = 0; b < blocks; ++b)
    for (int i = 0; i < p.size(b); ++i)
      for (int l = 0; l < count; ++l)
        x[l * stride + p.offset(b) + i] = z[kSides * (plan.position[at_index(b)] + i) + l];
}

template <class S>
void CholeskyOf<S>::solve(double* x) const {
  assert(plan_ != nullptr && failed_block_ < 0);
  solve_sides<1>(x, 1, 0);
}

template <class S>
void CholeskyOf<S>::solve(double* x, int count, std::ptrdiff_t stride) const {
  assert(plan_ != nullptr && failed_block_ < 0);
  for (int c = 0; c < count; c += kStrip) {
    const int sides = std::min(count - c, kStrip);
    if (sides == 1)
      solve_sides<1>(x + c * stride, 1, 0);
    else
      solve_sides<kStrip>(x + c * stride, sides, stride);
  }
}

template void CholeskyOf<double>::solve(double*) const;
template void CholeskyOf<double>::solve(double*, int, std::ptrdiff_t) const;
template void CholeskyOf<float>::solve(double*) const;
template void CholeskyOf<float>::solve(double*, int, std::ptrdiff_t) const;

}  // namespace haptos
