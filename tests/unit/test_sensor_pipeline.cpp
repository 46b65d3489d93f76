// Random numbers by counter, and what rate, noise, range and delay make of a signal.
#include "haptos/sensors/tactile/sensor_pipeline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "haptos/base/math/quaternion.h"
#include "haptos/base/math/random.h"
#include "tests/unit/allocation_count.h"
#include "tests/unit/bad_input.h"

namespace haptos {
namespace {

TEST(Random, PhiloxGivesThePublishedNumbers) {
  using Four = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, 0), (Four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t f = 0xffffffff;
  EXPECT_EQ(philox({f, f, f, f}, ~0ull), (Four{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822),
            (Four{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, NormalNumbersHaveTheMomentsOfTheirDistribution) {
  // Standard errors of the moments of n numbers: sqrt(1, 2, 15, 96) / sqrt(n); bounds of 4.5.
  const int n = 200000, pairs = n / 2;
  double m[5] = {0, 0, 0, 0, 0}, product = 0;
  for (int i = 0; i < pairs; ++i) {
    const auto x = normal_pair({static_cast<std::uint32_t>(i), 0, 0, 0}, 7);
    for (const double v : x)
      for (int k = 1; k < 5; ++k) m[k] += std::pow(v, k) / n;
    product += x[0] * x[1] / pairs;
  }
  const double one = 4.5 / std::sqrt(n);
  EXPECT_NEAR(m[1], 0, one);
  EXPECT_NEAR(m[2], 1, one * std::sqrt(2.0));
  EXPECT_NEAR(m[3], 0, one * std::sqrt(15.0));
  EXPECT_NEAR(m[4], 3, one * std::sqrt(96.0));
  EXPECT_NEAR(product, 0, one * std::sqrt(2.0));
}

// One sensor whose ideal value is the time, so that a reading says when it was taken.
struct Clock {
  Clock(double rate, double delay, double dt, const SensorNoise& noise = {})
      : h(dt), pipeline({{"clock", 1, rate, delay, {{0, 1, false, noise}}}}, dt) {
    pipeline.start(3, 0, state);
    const double zero = 0;
    pipeline.start_sensor(0, 0, &zero, state);
  }
  double step() {
    time = ++n * h;
    const double ideal = time;
    pipeline.advance(0, time, pipeline.due(0, time, state) ? &ideal : nullptr, state);
    return read();
  }
  double read() const { return pipeline.read(0, state).values[0]; }

  double h, time = 0;
  int n = 0;
  SensorPipeline pipeline;
  SensorState state;
};

TEST(SensorPipeline, ADelayIsExactWhereItIsAMultipleOfTheStepAndElseRoundedUp) {
  for (const int steps : {0, 1, 7, 40})
    for (const double part : {0.0, 0.3}) {
      Clock clock(0, (steps - part) * 1e-3 > 0 ? (steps - part) * 1e-3 : 0, 1e-3);
      for (int n = 1; n < 200; ++n)
        ASSERT_DOUBLE_EQ(clock.step(), std::max(n - steps, 0) * 1e-3) << steps << " " << n;
    }
}

TEST(SensorPipeline, ARateThatDividesTheStepsIsExactAndHeldBetweenSamples) {
  Clock clock(100, 0, 1e-3);
  for (int n = 1; n < 100; ++n) {
    const int sampled = n / 10 * 10;
    ASSERT_DOUBLE_EQ(clock.step(), sampled * 1e-3);
  }
  EXPECT_EQ(clock.pipeline.read(0, clock.state).samples, 10);  // 0, 10, ..., 90 ms
  EXPECT_DOUBLE_EQ(clock.pipeline.read(0, clock.state).time, 0.09);
}

TEST(SensorPipeline, ARateThatDoesNotDivideTheStepsIsLateByLessThanAStepAndKeepsItsMean) {
  Clock clock(30, 0, 2e-3);
  double last = 0;
  int samples = 0;
  for (int n = 1; n <= 5000; ++n) {
    const double t = clock.step();
    if (t == last) continue;
    const double due = ++samples / 30.0;
    ASSERT_GE(t, due - 1e-9);
    ASSERT_LT(t, due + 2e-3 - 1e-9);
    last = t;
  }
  EXPECT_EQ(samples, 300);  // 10 s
  Clock fast(5e3, 0, 1e-3);
  for (int n = 1; n < 50; ++n) ASSERT_DOUBLE_EQ(fast.step(), n * 1e-3);
}

TEST(SensorPipeline, RateAndDelayTogetherReadTheSampleThatIsOldEnough) {
  Clock clock(250, 0.0105, 1e-3);  // samples every 4 ms, seen 11 steps later
  for (int n = 1; n < 300; ++n) {
    const int sampled = std::max(n - 11, 0) / 4 * 4;
    ASSERT_DOUBLE_EQ(clock.step(), sampled * 1e-3) << n;
  }
}

TEST(SensorPipeline, ADelayOfManySamplesHoldsTheValueOfTheStartUntilTheFirstIsThere) {
  Clock clock(0, 0.5, 1e-3);
  for (int n = 1; n < 1500; ++n) ASSERT_DOUBLE_EQ(clock.step(), std::max(n - 500, 0) * 1e-3);
}

// Readings of a signal that is 5.
std::vector<double> noisy(const SensorNoise& noise, int count, std::uint64_t seed,
                          std::uint32_t env = 0, const std::string& name = "a", double rate = 0) {
  SensorPipeline pipeline({{name, 1, rate, 0, {{0, 1, false, noise}}}}, 1e-3);
  SensorState state;
  pipeline.start(seed, env, state);
  const double five = 5;
  pipeline.start_sensor(0, 0, &five, state);
  std::vector<double> out = {pipeline.read(0, state).values[0]};
  for (int n = 1; n < count; ++n) {
    pipeline.advance(0, n * 1e-3, &five, state);
    out.push_back(pipeline.read(0, state).values[0]);
  }
  return out;
}

double mean(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}
double deviation(const std::vector<double>& x, double about) {
  double sum = 0;
  for (const double v : x) sum += (v - about) * (v - about);
  return std::sqrt(sum / static_cast<double>(x.size()));
}
double correlation(const std::vector<double>& x, const std::vector<double>& y, std::size_t lag) {
  const double mx = mean(x), my = mean(y);
  double sum = 0;
  for (std::size_t i = lag; i < x.size(); ++i) sum += (x[i] - mx) * (y[i - lag] - my);
  return sum / static_cast<double>(x.size() - lag) / deviation(x, mx) / deviation(y, my);
}

TEST(SensorPipeline, WhiteNoiseHasItsMeanItsDeviationAndNoMemory) {
  SensorNoise noise;
  noise.std = 0.2;
  noise.bias = 1;
  const int n = 100000;
  const std::vector<double> x = noisy(noise, n, 11);
  EXPECT_NEAR(mean(x), 6, 4.5 * 0.2 / std::sqrt(n));
  EXPECT_NEAR(deviation(x, 6), 0.2, 4.5 * 0.2 / std::sqrt(2.0 * n));
  for (const std::size_t lag : {1u, 2u, 17u})
    EXPECT_NEAR(correlation(x, x, lag), 0, 4.5 / std::sqrt(n)) << lag;
  // Other seeds, environments and sensors have other numbers.
  for (const auto& y : {noisy(noise, n, 12), noisy(noise, n, 11, 1), noisy(noise, n, 11, 0, "b")})
    EXPECT_NEAR(correlation(x, y, 0), 0, 4.5 / std::sqrt(n));
  EXPECT_EQ(noisy(noise, n, 11), x);
}

TEST(SensorPipeline, BiasesAreConstantInARunAndNormalOverRuns) {
  SensorNoise noise;
  noise.bias_std = 0.3;
  std::vector<double> biases;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const std::vector<double> x = noisy(noise, 3, seed);
    ASSERT_EQ(x[0], x[1]);
    ASSERT_EQ(x[0], x[2]);
    biases.push_back(x[0]);
  }
  EXPECT_NEAR(mean(biases), 5, 4.5 * 0.3 / std::sqrt(4000.0));
  EXPECT_NEAR(deviation(biases, 5), 0.3, 4.5 * 0.3 / std::sqrt(8000.0));
}

TEST(SensorPipeline, AWalkSpreadsWithTheRootOfTimeWhateverTheRate) {
  SensorNoise noise;
  noise.walk = 0.5;
  for (const double rate : {0.0, 100.0}) {
    std::vector<double> after[2];
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
      const std::vector<double> x = noisy(noise, 401, seed, 0, "w", rate);
      ASSERT_EQ(x[0], 5);
      after[0].push_back(x[100]);
      after[1].push_back(x[400]);
    }
    const double bound = 4.5 / std::sqrt(6000.0);
    EXPECT_NEAR(deviation(after[0], 5), 0.5 * std::sqrt(0.1), 0.5 * std::sqrt(0.1) * bound) << rate;
    EXPECT_NEAR(deviation(after[1], 5), 0.5 * std::sqrt(0.4), 0.5 * std::sqrt(0.4) * bound) << rate;
  }
}

TEST(SensorPipeline, ReadingsAreMultiplesOfTheQuantumAndEndAtTheRange) {
  SensorNoise noise;
  noise.std = 0.7;
  noise.quantum = 0.25;
  noise.lower = 4;
  noise.upper = 5.5;
  bool low = false, high = false;
  for (const double x : noisy(noise, 2000, 1)) {
    ASSERT_EQ(x, std::round(x / 0.25) * 0.25);
    ASSERT_GE(x, 4);
    ASSERT_LE(x, 5.5);
    low = low || x == 4;
    high = high || x == 5.5;
  }
  EXPECT_TRUE(low && high);
}

TEST(SensorPipeline, AnOrientationTurnsByTheDeclaredAngleAboutItsAxesAndStaysAUnitQuaternion) {
  SensorNoise noise;
  noise.std = 0.02;
  SensorPipeline pipeline({{"q", 4, 0, 0, {{0, 4, true, noise}}}}, 1e-3);
  SensorState state;
  pipeline.start(5, 0, state);
  const Quaternion<double> q = normalized(Quaternion<double>{{0.3, -0.5, 0.7, 0.1}});
  pipeline.start_sensor(0, 0, q.a, state);
  const int count = 20000;
  double squares[3] = {0, 0, 0};
  for (int n = 1; n <= count; ++n) {
    pipeline.advance(0, n * 1e-3, q.a, state);
    const auto x = pipeline.read(0, state).values;
    const Quaternion<double> y{{x[0], x[1], x[2], x[3]}};
    ASSERT_NEAR(norm(y), 1, 1e-15);
    const Vec3d turn =
        rotation_log(quaternion_product(Quaternion<double>{{q[0], -q[1], -q[2], -q[3]}}, y));
    for (int k = 0; k < 3; ++k) squares[k] += turn[k] * turn[k] / count;
  }
  for (const double s : squares)
    EXPECT_NEAR(std::sqrt(s), 0.02, 4.5 * 0.02 / std::sqrt(2.0 * count));
}

// Three sensors with everything on.
SensorPipeline rich() {
  SensorNoise noise;
  noise.std = noise.bias_std = noise.walk = 0.1;
  noise.quantum = 1e-3;
  return SensorPipeline({{"a", 6, 0, 0.013, {{0, 3, false, noise}, {3, 3, false, {}}}},
                         {"b", 1, 37, 0.1, {{0, 1, false, noise}}},
                         {"c", 2, 200, 0, {{0, 2, false, noise}}}},
                        1e-3);
}
void run(const SensorPipeline& pipeline, int from, int to, SensorState& state) {
  for (int n = from; n < to; ++n)
    for (int i = 0; i < 3; ++i) {
      double ideal[6];
      for (int k = 0; k < 6; ++k) ideal[k] = std::sin(0.01 * n + i + k);
      if (n == 0)
        pipeline.start_sensor(i, 0, ideal, state);
      else
        pipeline.advance(i, n * 1e-3, ideal, state);
    }
}

TEST(SensorPipeline, ASavedStateGoesOnBitForBitAndAnotherSensorChangesNothing) {
  const SensorPipeline pipeline = rich();
  SensorState whole, first;
  pipeline.start(9, 2, whole);
  pipeline.start(9, 2, first);
  run(pipeline, 0, 500, whole);
  run(pipeline, 0, 123, first);
  SensorState second = first;  // plain arrays: this is what saving and loading do
  ASSERT_TRUE(pipeline.fits(second));
  run(pipeline, 123, 500, second);
  EXPECT_EQ(second, whole);
  SensorState again;
  pipeline.start(9, 2, again);
  run(pipeline, 0, 500, again);
  EXPECT_EQ(again, whole);
  EXPECT_NE(first, whole);

  // Sensor b on its own.
  SensorNoise noise;
  noise.std = noise.bias_std = noise.walk = 0.1;
  noise.quantum = 1e-3;
  const SensorPipeline alone({{"b", 1, 37, 0.1, {{0, 1, false, noise}}}}, 1e-3);
  SensorState b;
  alone.start(9, 2, b);
  for (int n = 0; n < 500; ++n) {
    const double ideal = std::sin(0.01 * n + 1);
    if (n == 0)
      alone.start_sensor(0, 0, &ideal, b);
    else
      alone.advance(0, n * 1e-3, &ideal, b);
  }
  EXPECT_EQ(alone.read(0, b).values[0], pipeline.read(1, whole).values[0]);
}

TEST(SensorPipeline, AdvancingAllocatesNothing) {
  const SensorPipeline pipeline = rich();
  SensorState state;
  pipeline.start(1, 0, state);
  run(pipeline, 0, 1, state);
  const std::int64_t before = test::allocation_count();
  run(pipeline, 1, 1000, state);
  EXPECT_EQ(test::allocation_count(), before);
}

TEST(SensorPipeline, StatesOfOtherSensorsDoNotFit) {
  const SensorPipeline pipeline = rich();
  SensorState state;
  EXPECT_FALSE(pipeline.fits(state));
  pipeline.start(1, 0, state);
  EXPECT_TRUE(pipeline.fits(state));
  state.counts[2] = 1000000;  // beyond the ring
  EXPECT_FALSE(pipeline.fits(state));
}

TEST(SensorPipeline, NumbersOutOfRangeAreRefused) {
  const auto bad = [](auto change) {
    Sensor s;
    s.name = "s";
    s.kind = SensorKind::kTilt;
    change(s);
    return test::refused([&] { check_sensor(s, "robot.sensors[0] 's'"); }).diagnostic.element;
  };
  const double nan = std::nan("");
  EXPECT_NE(bad([&](Sensor& s) { s.rate = -1; }).find(".rate"), std::string::npos);
  EXPECT_NE(bad([&](Sensor& s) { s.rate = nan; }).find(".rate"), std::string::npos);
  EXPECT_NE(bad([&](Sensor& s) { s.delay = 1e4; }).find(".delay"), std::string::npos);
  EXPECT_NE(bad([&](Sensor& s) { s.torque_constant = 0; }).find(".torque_constant"),
            std::string::npos);
  EXPECT_NE(bad([&](Sensor& s) { s.frame.q.w = 2; }).find(".frame"), std::string::npos);
  EXPECT_NE(bad([&](Sensor& s) { s.frame.p[1] = nan; }).find(".frame"), std::string::npos);
  EXPECT_NE(bad([&](Sensor& s) { s.noise.std = -1; }).find(".noise.std"), std::string::npos);
  EXPECT_NE(bad([&](Sensor& s) { s.noise.walk = nan; }).find(".noise.walk"), std::string::npos);
  EXPECT_NE(bad([&](Sensor& s) { s.noise.bias = nan; }).find(".noise.bias"), std::string::npos);
  EXPECT_NE(bad([&](Sensor& s) { s.noise.lower = 3, s.noise.upper = 2; }).find(".noise.lower"),
            std::string::npos);
  EXPECT_NE(bad([&](Sensor& s) { s.angular_noise.std = 1; }).find(".angular_noise"),
            std::string::npos);
  EXPECT_NE(bad([&](Sensor& s) {
              s.kind = SensorKind::kFramePose;
              s.angular_noise.quantum = 1;
            }).find(".angular_noise"),
            std::string::npos);
  const InputError e = test::refused([] { SensorPipeline({{"slow", 1, 0, 100, {}}}, 1e-6); });
  EXPECT_NE(std::string(e.what()).find("slow"), std::string::npos);
}

}  // namespace
}  // namespace haptos
