// Where the time of steps goes, by stages, for whoever asks: off unless it is switched on, and then
// of all steps of this process.
#pragma once

#include <array>
#include <atomic>
#include <chrono>

namespace haptos {

enum class Stage { kPrepare, kTrial, kCap, kAssemble, kSolve, kLags };
constexpr std::size_t kStages = 6;
/// By stage, in their order.
constexpr std::array<const char*, kStages> kStageNames = {"prepare",  "trial", "cap",
                                                          "assemble", "solve", "lags"};

/// Begins to count, from zero, or stops.
void time_stages(bool on);
/// Seconds since time_stages(true) on the threads that step, by stage. Not while steps run.
std::array<double, kStages> stage_seconds();

namespace internal {
extern std::atomic<bool> stages_timed;
void add_stage_time(Stage stage, double seconds);
}  // namespace internal

/// Counts the time that it lives.
class StageTimer {
 public:
  explicit StageTimer(Stage stage)
      : stage_(stage), on_(internal::stages_timed.load(std::memory_order_relaxed)) {
    if (on_) start_ = std::chrono::steady_clock::now();
  }
  ~StageTimer() {
    if (on_)
      internal::add_stage_time(
          stage_, std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count());
  }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  Stage stage_;
  bool on_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace haptos
