#include "haptos/base/parallel.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <memory>
#include <utility>

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace haptos {
namespace {

// Thread sanitizer does not see into TBB, which is not compiled with it: it is told that a loop's
// chunks run after what came before the loop, and before what comes after. Between chunks it is
// told nothing.
#ifdef __SANITIZE_THREAD__
char begin_of_loop, end_of_loop;
void happens_before(char& mark) { __tsan_release(&mark); }
void happens_after(char& mark) { __tsan_acquire(&mark); }
#define HAPTOS_TELL(what) what
#else
#define HAPTOS_TELL(what)
#endif

std::unique_ptr<tbb::global_control>& control() {
  static std::unique_ptr<tbb::global_control> c;
  return c;
}
int& wanted_threads() {
  static int n = tbb::info::default_concurrency();
  return n;
}

thread_local bool serial = false;

}  // namespace

void set_thread_count(int n) {
  wanted_threads() = n > 0 ? n : tbb::info::default_concurrency();
  control() = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                    static_cast<std::size_t>(wanted_threads()));
}

int thread_count() { return serial ? 1 : wanted_threads(); }

SerialLoops::SerialLoops() : before_(std::exchange(serial, true)) {}
SerialLoops::~SerialLoops() { serial = before_; }

namespace internal {
// A thread that waits for the end of a loop takes part in that loop alone: the body of an outer one
// may work in memory of its thread.
void run_chunks(std::ptrdiff_t chunk_count, const std::function<void(std::ptrdiff_t)>& body) {
  HAPTOS_TELL(happens_before(begin_of_loop);)
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(std::ptrdiff_t(0), chunk_count, [&](std::ptrdiff_t c) {
      HAPTOS_TELL(happens_after(begin_of_loop);)
      body(c);
      HAPTOS_TELL(happens_before(end_of_loop);)
    });
  });
  HAPTOS_TELL(happens_after(end_of_loop);)
}
}  // namespace internal

}  // namespace haptos
