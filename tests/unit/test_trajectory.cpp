// Recorded motions of joints: interpolation, ends, loops, and files that are refused.
#include "haptos/scene/parts/trajectory.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "tests/unit/bad_input.h"

namespace haptos {
namespace {

const char* const kText =
    "# two joints\n"
    "time, \"knee\" ,hip\r\n"
    "0,0,1\n"
    "\n"
    "0.5,1,+1.5e0\n"
    "2,-2,0\n";

TEST(Trajectory, ReadsColumnsByNameAndGoesStraightBetweenRows) {
  const Trajectory t = parse_trajectory(kText, "walk.csv");
  EXPECT_EQ(t.names(), (std::vector<std::string>{"knee", "hip"}));
  EXPECT_EQ(t.rows(), 3);
  EXPECT_EQ(t.start(), 0);
  EXPECT_EQ(t.end(), 2);
  const int knee = t.column("knee"), hip = t.column("hip");
  EXPECT_DOUBLE_EQ(t.at(knee, 0.25).value, 0.5);
  EXPECT_DOUBLE_EQ(t.at(knee, 0.25).rate, 2);
  EXPECT_DOUBLE_EQ(t.at(knee, 1.25).value, -0.5);
  EXPECT_DOUBLE_EQ(t.at(knee, 1.25).rate, -2);
  EXPECT_DOUBLE_EQ(t.at(hip, 0.5).value, 1.5);
  EXPECT_DOUBLE_EQ(t.at(hip, 2).value, 0);
}

TEST(Trajectory, ValuesAreHeldBeyondTheEnds) {
  for (const Interpolation kind : {Interpolation::kLinear, Interpolation::kCubic}) {
    const Trajectory t = parse_trajectory(kText, "walk.csv", kind);
    EXPECT_EQ(t.at(1, -5).value, 1);
    EXPECT_EQ(t.at(1, -5).rate, 0);
    EXPECT_EQ(t.at(0, 7).value, -2);
    EXPECT_EQ(t.at(0, 7).rate, 0);
  }
  const Trajectory one = parse_trajectory("time,a\n1,3\n", "one.csv");
  for (const double time : {0.0, 1.0, 2.0}) EXPECT_EQ(one.at(0, time).value, 3);
}

// Samples of f at uneven times in [0, 2].
template <class F>
Trajectory sampled(int rows, bool loop, F f) {
  std::vector<double> times, values;
  for (int i = 0; i < rows; ++i) {
    const double x = static_cast<double>(i) / (rows - 1);
    times.push_back(2 * x + 0.1 * std::sin(2 * M_PI * x));
    values.push_back(f(times.back()));
  }
  return Trajectory({"a"}, times, values, Interpolation::kCubic, loop);
}

TEST(Trajectory, TheCubicIsExactForParabolasAndItsRateIsItsDerivative) {
  const auto f = [](double t) { return 3 - 2 * t + 0.7 * t * t; };
  const Trajectory t = sampled(6, false, f);
  for (double x = 0.003; x < 2; x += 0.01) {
    EXPECT_NEAR(t.at(0, x).value, f(x), 1e-13);
    EXPECT_NEAR(t.at(0, x).rate, -2 + 1.4 * x, 1e-12);
  }
}

TEST(Trajectory, TheCubicIsSmoothAndOfThirdOrder) {
  const auto f = [](double t) { return std::sin(M_PI * t + 0.4); };
  for (const bool loop : {false, true}) {
    double last = 0;
    for (const int rows : {21, 41, 81}) {
      const Trajectory t = sampled(rows, loop, f);
      double worst = 0, jump = 0;
      for (double x = 0; x < 2; x += 1e-3) {
        worst = std::max(worst, std::abs(t.at(0, x).value - f(x)));
        jump = std::max(jump, std::abs(t.at(0, x + 1e-9).rate - t.at(0, x - 1e-9).rate));
        const double slope = (t.at(0, x + 1e-6).value - t.at(0, x - 1e-6).value) / 2e-6;
        if (loop || (x > 2e-6 && x < 2 - 2e-6)) {
          ASSERT_NEAR(slope, t.at(0, x).rate, 1e-4) << x;
        }
      }
      EXPECT_LT(loop ? jump : 0, 1e-5);
      EXPECT_GT(last > 0 ? last / worst : 8, 6) << rows;
      last = worst;
    }
  }
}

TEST(Trajectory, ALoopStartsAgainBeforeAndAfter) {
  const Trajectory t =
      parse_trajectory("time,a\n1,0\n2,1\n3,4\n5,0\n", "l.csv", Interpolation::kLinear, true);
  for (const double base : {1.3, 2.5, 4.9})
    for (const int round : {-3, -1, 1, 2, 1000}) {
      EXPECT_NEAR(t.at(0, base + 4 * round).value, t.at(0, base).value, 1e-11);
      EXPECT_NEAR(t.at(0, base + 4 * round).rate, t.at(0, base).rate, 1e-11);
    }
}

TEST(Trajectory, FilesThatAreWrongAreRefusedByLineAndColumn) {
  struct Case {
    const char* text;
    int line, column;
    const char* says;
  };
  const Case cases[] = {
      {"", 0, 0, "empty"},
      {"# nothing\n", 0, 0, "header"},
      {"t,a\n0,1\n", 1, 0, "must be called time"},
      {"time\n0\n", 1, 0, "joint beside the time"},
      {"time,a,,b\n0,1,2,3\n", 1, 8, "must have a name"},
      {"time,a,a\n0,1,2\n", 1, 0, "name of its own"},
      {"time,a\n", 0, 0, "row of numbers"},
      {"time,a\n0,1\n1\n", 3, 0, "1 columns: must have 2"},
      {"time,a\n0,1\n1,2,3\n", 3, 0, "3 columns: must have 2"},
      {"time,a\n0,1\n1, x1\n", 3, 4, "must be a number"},
      {"time,a,b\n0,1,2\n1,,3\n", 3, 3, "no number"},
      {"time,a\n0,nan\n", 2, 3, "finite"},
      {"time,a\ninf,1\n", 2, 1, "finite"},
      {"time,a\n0,1e999\n", 2, 3, "finite"},
      {"time,a\n0,1\n0,2\n", 3, 1, "later"},
      {"time,a\n1,1\n0.5,2\n", 3, 1, "later"},
  };
  for (const Case& c : cases) {
    const InputError e = test::refused([&] { parse_trajectory(c.text, "bad.csv"); });
    EXPECT_NE(std::string(e.what()).find(c.says), std::string::npos) << e.what();
    EXPECT_EQ(e.diagnostic.file, "bad.csv") << c.text;
    EXPECT_EQ(e.diagnostic.line, c.line) << c.text;
    EXPECT_EQ(e.diagnostic.column, c.column) << c.text;
  }
  test::refused([] { parse_trajectory("time,a\n0,1\n", "x.csv", Interpolation::kLinear, true); });
  test::refused([] { parse_trajectory(kText, "x.csv").column("nee"); });
  test::refused([] { Trajectory({"a"}, {0, 1}, {1, 2, 3}); });
  test::refused([] { Trajectory({"a"}, {0, std::nan("")}, {1, 2}); });
}

TEST(Trajectory, IsReadFromAFileAndAFileThatIsNotThereIsNamed) {
  const auto path = std::filesystem::temp_directory_path() / "haptos_test_trajectory.csv";
  std::ofstream(path) << kText;
  EXPECT_EQ(read_trajectory(path).rows(), 3);
  std::filesystem::remove(path);
  const InputError e = test::refused([&] { read_trajectory(path); });
  EXPECT_EQ(e.diagnostic.file, path.string());
}

}  // namespace
}  // namespace haptos
