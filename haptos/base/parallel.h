// The only file that mentions threads or launches. Each primitive gives the same bits for any
// number of threads: for_each writes disjoint outputs, and reductions sum fixed chunks in order.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "haptos/base/borrowed.h"

namespace haptos {

/// The number of worker threads that loops may use; n <= 0 asks for one per core.
void set_thread_count(int n);
int thread_count();  ///< 1 where SerialLoops holds

/// While one lives, loops of this thread run on it alone: for whoever spreads larger tasks.
class SerialLoops {
 public:
  SerialLoops();
  ~SerialLoops();
  SerialLoops(const SerialLoops&) = delete;
  SerialLoops& operator=(const SerialLoops&) = delete;

 private:
  bool before_;
};

namespace internal {
void run_chunks(std::ptrdiff_t chunk_count, const std::function<void(std::ptrdiff_t)>& body);
}

/// Calls body(i) for i in [0, n). Iterations must write disjoint data.
/// `grain` is the number of iterations that are worth handing to another thread.
template <class Body>
void for_each(std::ptrdiff_t n, const Body& body, std::ptrdiff_t grain = 256) {
  if (n <= grain || thread_count() == 1) {
    for (std::ptrdiff_t i = 0; i < n; ++i) body(i);
    return;
  }
  const std::ptrdiff_t chunks = (n + grain - 1) / grain;
  const auto chunk = [&](std::ptrdiff_t c) {
    const std::ptrdiff_t end = (c + 1) * grain < n ? (c + 1) * grain : n;
    for (std::ptrdiff_t i = c * grain; i < end; ++i) body(i);
  };
  internal::run_chunks(chunks, std::cref(chunk));  // by reference: no allocation
}

/// sum of f(i) for i in [0, n), added in chunks of fixed size and then chunk by chunk, so the
/// result does not depend on the number of threads.
template <class F>
double reduce_sum(std::ptrdiff_t n, const F& f, std::ptrdiff_t grain = 256) {
  const std::ptrdiff_t chunks = (n + grain - 1) / grain;
  Borrowed<std::vector<double>> room;
  std::vector<double>& part = *room;
  part.assign(static_cast<std::size_t>(chunks), 0.0);
  for_each(
      chunks,
      [&](std::ptrdiff_t c) {
        const std::ptrdiff_t end = (c + 1) * grain < n ? (c + 1) * grain : n;
        double s = 0;
        for (std::ptrdiff_t i = c * grain; i < end; ++i) s += f(i);
        part[static_cast<std::size_t>(c)] = s;
      },
      1);
  double sum = 0;
  for (double s : part) sum += s;
  return sum;
}

/// The smallest of f(i) for i in [0, n) and `start`.
template <class F>
double reduce_min(std::ptrdiff_t n, double start, const F& f, std::ptrdiff_t grain = 256) {
  const std::ptrdiff_t chunks = (n + grain - 1) / grain;
  Borrowed<std::vector<double>> room;
  std::vector<double>& part = *room;
  part.assign(static_cast<std::size_t>(chunks), start);
  for_each(
      chunks,
      [&](std::ptrdiff_t c) {
        const std::ptrdiff_t end = (c + 1) * grain < n ? (c + 1) * grain : n;
        double s = start;
        for (std::ptrdiff_t i = c * grain; i < end; ++i) {
          const double v = f(i);
          if (v < s) s = v;
        }
        part[static_cast<std::size_t>(c)] = s;
      },
      1);
  double r = start;
  for (double s : part)
    if (s < r) r = s;
  return r;
}

}  // namespace haptos
