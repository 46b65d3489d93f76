#include "haptos/base/parallel.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>

#include <memory>
#include <utility>

namespace haptos {
namespace {

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
void run_chunks(std::ptrdiff_t chunk_count, const std::function<void(std::ptrdiff_t)>& body) {
  tbb::parallel_for(std::ptrdiff_t(0), chunk_count, [&](std::ptrdiff_t c) { body(c); });
}
}  // namespace internal

}  // namespace haptos
