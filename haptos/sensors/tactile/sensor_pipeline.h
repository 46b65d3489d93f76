// What lies between a quantity and its reader: rate, noise, range, delay.
//
// Sample k = 0 is taken when a run starts, sample k >= 1 at the first step end t with
// t >= k / rate, within a hundredth of a step; at most one per step, so a rate above 1 / dt, like a
// rate of 0, samples every step. A rate that does not divide 1 / dt keeps its mean: samples are up
// to a step late, by turns. Between samples a reading is held. Each channel x of a sample becomes
//
//   y = clamp(round((x + bias + b + w_k + std n_k) / quantum) quantum, lower, upper)
//   b = bias_std n,   w_k = w_k-1 + walk sqrt(t_k - t_k-1) n'_k,   w_0 = 0
//
// with n, n_k, n'_k standard normal, drawn by base/math/random.h from the key (seed, env, sensor's
// name) and the counter (sample, channel): noise does not depend on other sensors nor on the number
// of threads. An orientation q becomes q exp(v), v such an error in its own axes (no quantum, no
// range).
// A sample is read from the first step end at or after t_k + delay on (a delay that is a multiple
// of dt is exact, others are rounded up); until then, from the start of the run on, sample 0 is.
//
// All that a run changes is in SensorState, plain arrays. Nothing allocates but the constructor and
// start().
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "haptos/scene/parts/sensor.h"

namespace haptos {

/// Channels of a sensor that have a unit and noise in common.
struct SignalGroup {
  int first = 0, count = 0;
  bool quaternion = false;  ///< four channels w x y z, with an error of three
  SensorNoise noise;
};

/// What the pipeline knows of a sensor.
struct SensorSignal {
  std::string name;
  int width = 0;  ///< channels
  double rate = 0, delay = 0;
  std::vector<SignalGroup> groups;  ///< channels in none of them have no noise
};

struct SensorReading {
  std::span<const double> values;
  double time = 0;           ///< at which the sample was taken [s]
  std::int64_t samples = 0;  ///< taken so far, those under way among them
};

class SensorPipeline {
 public:
  SensorPipeline() = default;
  /// @param dt  shortest time between step ends [s]; sizes the buffers of delays
  /// @throws InputError for a delay that would need more than a million samples
  SensorPipeline(std::vector<SensorSignal> signals, double dt);

  int size() const { return static_cast<int>(signals_.size()); }
  const SensorSignal& signal(int sensor) const {
    return signals_[static_cast<std::size_t>(sensor)];
  }

  /// Starts a run at `time`: sizes the state and fixes its random numbers. start_sensor() must
  /// follow for each sensor.
  void start(std::uint64_t seed, std::uint32_t env, SensorState& state) const;
  /// Takes sample 0 from the ideal value (width), and lets it be read.
  void start_sensor(int sensor, double time, const double* ideal, SensorState& state) const;
  /// Whether the sensor takes a sample at this step end.
  bool due(int sensor, double time, const SensorState& state) const;
  /// At every step end. `ideal` is read only where a sample is due; else it may be null.
  void advance(int sensor, double time, const double* ideal, SensorState& state) const;
  SensorReading read(int sensor, const SensorState& state) const;
  /// Whether the state has the sizes that start() makes, and counts within them.
  bool fits(const SensorState& state) const;

 private:
  // Where a sensor's part of the state is.
  struct Slots {
    std::size_t value = 0;  // of values: time and channels read; last sample's time; walks; ring
    std::size_t walk = 0, ring = 0, count = 0;
    int draws = 0;             // normal numbers per sample
    std::size_t capacity = 0;  // samples in the ring
    std::uint64_t key = 0;     // of the name
  };
  // Of counts.
  enum Count : std::uint8_t { kNext, kSamples, kHead, kSize, kCounts };

  std::int64_t next_due(int sensor, double time) const;
  void sample(int sensor, double time, const double* ideal, SensorState& state, double* out) const;

  std::vector<SensorSignal> signals_;
  std::vector<Slots> slots_;
  double tolerance_ = 0;
  std::size_t values_ = 0, counts_ = 0;
};

}  // namespace haptos
