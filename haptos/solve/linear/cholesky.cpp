#include "haptos/solve/linear/cholesky.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "haptos/base/borrowed.h"
#include "haptos/base/parallel.h"
#include "haptos/base/text/error.h"
#include "haptos/solve/dense/dense_kernels.h"
#include "haptos/solve/linear/cholesky_plan.h"

namespace haptos {
namespace {

inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

// From this many multiply-adds on, one update is shared by threads.
constexpr double kParallelUpdate = 2e6;

// Scalars of work from which on a factor keeps the room for it: what is large is not many.
constexpr std::ptrdiff_t kKept = 1 << 18;

template <class S>
void scatter_block(const CholeskyPlan::Scatter& s, const double* block, std::ptrdiff_t ld,
                   S* panel) {
  S* to = panel + s.target;
  if (s.diagonal && s.rows == 3) {
    to[0] = static_cast<S>(block[0]);
    to[1] = static_cast<S>(block[3]);
    to[2] = static_cast<S>(block[6]);
    to[ld + 1] = static_cast<S>(block[4]);
    to[ld + 2] = static_cast<S>(block[7]);
    to[2 * ld + 2] = static_cast<S>(block[8]);
  } else if (s.diagonal) {
    for (int r = 0; r < s.rows; ++r)
      for (int c = 0; c <= r; ++c) to[c * ld + r] = static_cast<S>(block[r * s.columns + c]);
  } else if (s.rows == 3 && s.columns == 3) {
    if (s.transposed) {
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) to[r * ld + c] = static_cast<S>(block[3 * r + c]);
    } else {
      for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) to[c * ld + r] = static_cast<S>(block[3 * r + c]);
    }
  } else {
    for (int r = 0; r < s.rows; ++r)
      for (int c = 0; c < s.columns; ++c)
        (s.transposed ? to[r * ld + c] : to[c * ld + r]) = static_cast<S>(block[r * s.columns + c]);
  }
}

std::ptrdiff_t panel_ld(const CholeskyPlan::Node& node) {
  return round_up_to_strip(node.pivots) + round_up_to_strip(node.updates);
}

}  // namespace

template <class S>
CholeskyOf<S>::CholeskyOf() = default;
template <class S>
CholeskyOf<S>::~CholeskyOf() = default;
template <class S>
CholeskyOf<S>::CholeskyOf(CholeskyOf&&) noexcept = default;
template <class S>
CholeskyOf<S>& CholeskyOf<S>::operator=(CholeskyOf&&) noexcept = default;

template <class S>
void CholeskyOf<S>::analyze(std::shared_ptr<const BlockPattern> pattern) {
  analyze(std::make_shared<const CholeskyPlan>(std::move(pattern)));
}

template <class S>
void CholeskyOf<S>::analyze(std::shared_ptr<const CholeskyPlan> plan) {
  plan_ = std::move(plan);
  if (kernels_ == nullptr) kernels_ = &dense_kernels<S>();
  factor_ = {};
  own_room_ = {};
  factor_.at_least(plan_->factor_size);
  const std::ptrdiff_t most = std::max(plan_->arena_size, solve_room());
  if (borrows())
    Borrowed<AlignedRoom<S>>()->at_least(most);  // this thread's is there, then
  else
    own_room_.at_least(most);
  failures_.assign(plan_->tasks.size(), {});
  failed_block_ = -1;
  failed_pivot_ = 0;
}

template <class S>
S* AlignedRoom<S>::at_least(std::ptrdiff_t count) {
  if (count <= size_) return room_.get();
  const std::size_t bytes = (static_cast<std::size_t>(count) * sizeof(S) + 127) / 64 * 64;
  void* p = std::aligned_alloc(64, bytes);
  if (p == nullptr) throw std::bad_alloc();
  std::memset(p, 0, bytes);
  room_ = {static_cast<S*>(p), std::free};
  size_ = count;
  return room_.get();
}

// Scalars that a solve works in, for as many sides as it takes at once.
template <class S>
std::ptrdiff_t CholeskyOf<S>::solve_room() const {
  return kStrip * (round_up_to_strip(plan_->pattern().scalar_count()) + plan_->solve_scratch);
}

template <class S>
bool CholeskyOf<S>::borrows() const {
  return std::max(plan_->arena_size, solve_room()) < kKept;
}

template <class S>
void CholeskyOf<S>::assemble_panel(const BlockMatrix& a, int n, S* panel) const {
  const CholeskyPlan::Node& node = plan_->nodes[at(n)];
  const std::ptrdiff_t ld = panel_ld(node);
  std::memset(panel, 0, static_cast<std::size_t>(ld * node.pivots) * sizeof(S));
  for (int s = node.scatter_begin; s < node.scatter_end; ++s)
    scatter_block(plan_->scatter[at(s)], a.entry(plan_->scatter[at(s)].entry), ld, panel);
  for (int c = node.child_begin; c < node.child_end; ++c) {
    const CholeskyPlan::Node& child = plan_->nodes[at(plan_->children[at(c)])];
    kernels_->extend_add(plan_->add_runs.data() + child.add_begin, child.add_end - child.add_begin,
                         round_up_to_strip(node.pivots), true, arena_ + child.update,
                         round_up_to_strip(child.updates), panel, ld);
  }
}

// The Schur complement that a front passes on, children included.
template <class S>
void CholeskyOf<S>::update(int n) {
  const CholeskyPlan::Node& node = plan_->nodes[at(n)];
  const S* b = factor_.get() + node.factor + triangle_size(node.pivots);
  S* u = arena_ + node.update;
  const int ld = round_up_to_strip(node.updates), strips = ld / kStrip;
  const double work = 0.5 * node.pivots * node.updates * static_cast<double>(node.updates);
  if (work < kParallelUpdate || thread_count() == 1) {
    kernels_->update(node.pivots, node.updates, b, u, ld, 0, strips);
  } else {
    constexpr int kColumns = 4;
    const auto body = [&](std::ptrdiff_t c) {
      const int begin = static_cast<int>(c) * kColumns;
      kernels_->update(node.pivots, node.updates, b, u, ld, begin,
                       std::min(begin + kColumns, strips));
    };
    for_each((strips + kColumns - 1) / kColumns, body, 1);
  }
  for (int c = node.child_begin; c < node.child_end; ++c) {
    const CholeskyPlan::Node& child = plan_->nodes[at(plan_->children[at(c)])];
    kernels_->extend_add(plan_->add_runs.data() + child.add_begin, child.add_end - child.add_begin,
                         round_up_to_strip(node.pivots), false, arena_ + child.update,
                         round_up_to_strip(child.updates), u, ld);
  }
}

template <class S>
typename CholeskyOf<S>::Failure CholeskyOf<S>::eliminate(const BlockMatrix& a, int n, S* panel) {
  const CholeskyPlan::Node& node = plan_->nodes[at(n)];
  assemble_panel(a, n, panel);
  Failure failure;
  const int column = kernels_->factor_panel(node.pivots, node.updates, panel, panel_ld(node),
                                            factor_.get() + node.factor, &failure.pivot);
  if (column >= 0) {
    failure.column = node.first + column;
    return failure;
  }
  if (node.updates > 0) update(n);
  return failure;
}

template <class S>
typename CholeskyOf<S>::Failure CholeskyOf<S>::eliminate_task(const BlockMatrix& a, int t) {
  const CholeskyPlan::Task& task = plan_->tasks[at(t)];
  for (int n = task.begin; n < task.end; ++n) {
    const Failure failure = eliminate(a, n, arena_ + task.panel);
    if (failure.column >= 0) return failure;
  }
  return {};
}

template <class S>
bool CholeskyOf<S>::factor(const BlockMatrix& a) {
  if (!plan_ || !borrows()) return factor_in(a, own_room_.get());
  Borrowed<AlignedRoom<S>> room;
  return factor_in(a, room->at_least(plan_->arena_size));
}

template <class S>
bool CholeskyOf<S>::factor_in(const BlockMatrix& a, S* arena) {
  arena_ = arena;
  if (plan_ == nullptr ||
      (a.shared_pattern() != plan_->shared_pattern() && !(a.pattern() == plan_->pattern()))) {
    Diagnostic d;
    d.element = "Cholesky factor";
    d.rule = "must be asked for a matrix of the analysed pattern";
    d.remedy = "call analyze() with the matrix's pattern first";
    throw InputError(std::move(d));
  }
  const std::ptrdiff_t tasks = static_cast<std::ptrdiff_t>(plan_->tasks.size());
  for_each(
      tasks,
      [&](std::ptrdiff_t t) {
        failures_[at(static_cast<int>(t))] = eliminate_task(a, static_cast<int>(t));
      },
      1);
  Failure first;
  for (const Failure& f : failures_)
    if (f.column >= 0 && (first.column < 0 || f.column < first.column)) first = f;
  if (first.column < 0)
    for (int n : plan_->top) {
      first = eliminate(a, n, arena_ + plan_->top_panel);
      if (first.column >= 0) break;
    }
  failed_block_ = -1;
  failed_pivot_ = first.pivot;
  if (first.column < 0) return true;
  const auto k =
      std::upper_bound(plan_->order.begin(), plan_->order.end(), first.column,
                       [&](int column, int block) { return column < plan_->position[at(block)]; });
  failed_block_ = *(k - 1);
  return false;
}

template <class S>
std::int64_t CholeskyOf<S>::nonzeros() const {
  return plan_ ? plan_->nonzeros : 0;
}
template <class S>
double CholeskyOf<S>::flops() const {
  return plan_ ? plan_->flops : 0;
}
template <class S>
std::size_t CholeskyOf<S>::bytes() const {
  if (plan_ == nullptr) return 0;
  return static_cast<std::size_t>(plan_->factor_size + plan_->arena_size) * sizeof(S);
}

template class AlignedRoom<double>;
template class AlignedRoom<float>;
template class CholeskyOf<double>;
template class CholeskyOf<float>;

}  // namespace haptos
