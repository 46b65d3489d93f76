#include "haptos/sensors/tactile/sensor_pipeline.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/hash.h"
#include "haptos/base/math/index.h"
#include "haptos/base/math/quaternion.h"
#include "haptos/base/math/random.h"
#include "haptos/base/text/error.h"
#include "haptos/base/text/options.h"

namespace haptos {
namespace {

constexpr double kMostUnderWay = 1e6;
constexpr std::int64_t kNever = -1;  // sample number of the bias

std::array<double, 2> draw(std::uint64_t key, std::int64_t sample, int channel) {
  const auto k = static_cast<std::uint64_t>(sample);
  return normal_pair({static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(k >> 32),
                      static_cast<std::uint32_t>(channel), 0},
                     key);
}

double cut(const SensorNoise& n, double x) {
  if (n.quantum > 0) x = n.quantum * std::floor(x / n.quantum + 0.5);
  return std::clamp(x, n.lower, n.upper);
}

}  // namespace

SensorPipeline::SensorPipeline(std::vector<SensorSignal> signals, double dt)
    : signals_(std::move(signals)), tolerance_(0.01 * dt) {
  for (const SensorSignal& s : signals_) {
    const double between = s.rate > 0 ? std::max(dt, 1 / s.rate - dt) : dt;
    const double under_way = s.delay / between;
    if (!(under_way <= kMostUnderWay))
      throw InputError({"", 0, 0, "sensor '" + s.name + "'.delay", internal::format_number(s.delay),
                        "must hold at most a million samples at this rate and time step",
                        "shorten the delay, or lower the rate"});
    Slots p;
    p.value = values_;
    for (const SignalGroup& g : s.groups) p.draws += g.quaternion ? 3 : g.count;
    p.capacity = static_cast<std::size_t>(under_way) + 3;
    p.walk = p.value + 2 + at_index(s.width);
    p.ring = p.walk + at_index(p.draws);
    values_ = p.ring + p.capacity * at_index(1 + s.width);
    p.count = counts_;
    counts_ += kCounts;
    Hash h;
    h.add(s.name.data(), s.name.size());
    p.key = h.value();
    slots_.push_back(p);
  }
}

void SensorPipeline::start(std::uint64_t seed, std::uint32_t env, SensorState& state) const {
  state.key = signals_.empty() ? 0 : mix_keys(seed, env);
  state.values.assign(values_, 0.0);
  state.counts.assign(counts_, 0);
}

bool SensorPipeline::fits(const SensorState& state) const {
  if (state.values.size() != values_ || state.counts.size() != counts_) return false;
  return std::all_of(slots_.begin(), slots_.end(), [&](const Slots& p) {
    const std::int64_t* c = state.counts.data() + p.count;
    const auto most = static_cast<std::int64_t>(p.capacity);
    return c[kHead] >= 0 && c[kHead] < most && c[kSize] >= 0 && c[kSize] <= most &&
           c[kSamples] >= 0 && c[kNext] >= 0;
  });
}

std::int64_t SensorPipeline::next_due(int sensor, double time) const {
  const double k = std::floor((time + tolerance_) * signal(sensor).rate);
  return k < 9e15 ? static_cast<std::int64_t>(k) + 1 : 0;
}

bool SensorPipeline::due(int sensor, double time, const SensorState& state) const {
  const double rate = signal(sensor).rate;
  if (rate == 0) return true;
  const std::int64_t next = state.counts[slots_[at_index(sensor)].count + kNext];
  return time + tolerance_ >= static_cast<double>(next) / rate;
}

void SensorPipeline::sample(int sensor, double time, const double* ideal, SensorState& state,
                            double* out) const {
  const SensorSignal& s = signal(sensor);
  const Slots& p = slots_[at_index(sensor)];
  const std::uint64_t key = mix_keys(state.key, p.key);
  std::int64_t* count = state.counts.data() + p.count;
  double& last = state.values[p.value + 1 + at_index(s.width)];
  double* walk = state.values.data() + p.walk;
  const std::int64_t k = count[kSamples]++;
  const double root = k > 0 ? sqrt(std::max(time - last, 0.0)) : 0.0;
  last = time;
  std::copy_n(ideal, s.width, out);
  int channel = 0;
  for (const SignalGroup& g : s.groups) {
    const SensorNoise& n = g.noise;
    const auto error = [&] {
      double e = n.bias;
      if (n.bias_std > 0) e = fma(n.bias_std, draw(key, kNever, channel)[0], e);
      if (n.std > 0 || n.walk > 0) {
        const std::array<double, 2> x = draw(key, k, channel);
        walk[channel] = fma(n.walk * root, x[1], walk[channel]);
        e = fma(n.std, x[0], e + walk[channel]);
      }
      ++channel;
      return e;
    };
    double* y = out + g.first;
    if (!g.quaternion) {
      for (int c = 0; c < g.count; ++c) y[c] = cut(n, y[c] + error());
      continue;
    }
    Vec3d turn;
    for (double& x : turn.a) x = error();
    if (squared_norm(turn) == 0) continue;
    const Quaternion<double> q =
        quaternion_product(Quaternion<double>{{y[0], y[1], y[2], y[3]}}, rotation_exp(turn));
    std::copy_n(q.a, 4, y);
  }
  count[kNext] = s.rate > 0 ? next_due(sensor, time) : 0;
}

void SensorPipeline::start_sensor(int sensor, double time, const double* ideal,
                                  SensorState& state) const {
  const Slots& p = slots_[at_index(sensor)];
  std::fill_n(state.counts.begin() + static_cast<std::ptrdiff_t>(p.count), int{kCounts}, 0);
  std::fill_n(state.values.begin() + static_cast<std::ptrdiff_t>(p.walk), p.draws, 0.0);
  state.values[p.value] = time;
  sample(sensor, time, ideal, state, state.values.data() + p.value + 1);
}

void SensorPipeline::advance(int sensor, double time, const double* ideal,
                             SensorState& state) const {
  const SensorSignal& s = signal(sensor);
  const Slots& p = slots_[at_index(sensor)];
  std::int64_t* count = state.counts.data() + p.count;
  double* read = state.values.data() + p.value;
  const std::size_t each = at_index(1 + s.width);
  const auto entry = [&](std::int64_t i) {
    return state.values.data() + p.ring + static_cast<std::size_t>(i) % p.capacity * each;
  };
  const auto pop = [&] {
    count[kHead] = (count[kHead] + 1) % static_cast<std::int64_t>(p.capacity);
    --count[kSize];
  };
  if (due(sensor, time, state)) {
    if (static_cast<std::size_t>(count[kSize]) == p.capacity) pop();  // steps shorter than dt
    double* to = entry(count[kHead] + count[kSize]);
    *to = time;
    sample(sensor, time, ideal, state, to + 1);
    ++count[kSize];
  }
  while (count[kSize] > 0) {
    const double* front = entry(count[kHead]);
    if (time + tolerance_ < *front + s.delay) break;
    std::copy_n(front, each, read);
    pop();
  }
}

SensorReading SensorPipeline::read(int sensor, const SensorState& state) const {
  const Slots& p = slots_[at_index(sensor)];
  return {{state.values.data() + p.value + 1, at_index(signal(sensor).width)},
          state.values[p.value],
          state.counts[p.count + kSamples]};
}

}  // namespace haptos
