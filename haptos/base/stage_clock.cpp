#include "haptos/base/stage_clock.h"

#include <deque>
#include <mutex>

namespace haptos {
namespace internal {

std::atomic<bool> stages_timed{false};

namespace {

// One for each thread that has stepped; they outlive their threads.
struct Clocks {
  std::mutex mutex;
  std::deque<std::array<double, kStages>> all;
};
Clocks& clocks() {
  static Clocks c;
  return c;
}

std::array<double, kStages>& own() {
  static thread_local std::array<double, kStages>* mine = [] {
    const std::scoped_lock lock(clocks().mutex);
    return &clocks().all.emplace_back();
  }();
  return *mine;
}

}  // namespace

void add_stage_time(Stage stage, double seconds) {
  own()[static_cast<std::size_t>(stage)] += seconds;
}

}  // namespace internal

void time_stages(bool on) {
  const std::scoped_lock lock(internal::clocks().mutex);
  if (on)
    for (auto& c : internal::clocks().all) c.fill(0.0);
  internal::stages_timed.store(on);
}

std::array<double, kStages> stage_seconds() {
  const std::scoped_lock lock(internal::clocks().mutex);
  std::array<double, kStages> sum{};
  for (const auto& c : internal::clocks().all)
    for (std::size_t i = 0; i < kStages; ++i) sum[i] += c[i];
  return sum;
}

}  // namespace haptos
