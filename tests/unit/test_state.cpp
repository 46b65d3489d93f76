// Saved states: they come back bit for bit, and nothing damaged is ever loaded.
#include <gtest/gtest.h>

#include <sstream>

#include "haptos/base/text/error.h"
#include "haptos/system/state.h"
#include "tests/support.h"

namespace haptos {
namespace {

State some_state() {
  State s;
  s.time = 0.3;
  s.step = 30;
  s.last_dt = 0.01;
  s.q = {1, 2, 3.5};
  s.z = {-1, 0.25};
  PathState p;
  p.to.p = {{1, 2, 3}};
  p.s = 0.5;
  p.bent = {{{1, 1, 1}}, {{2, 2, 2}}};
  s.paths = {p, PathState{}};
  s.targets = {std::nullopt, Pose{{{4, 5, 6}}, {0, 1, 0, 0}}};
  s.wrenches = {0, 0, -1, 0, 0.5, 0};
  s.controls = {0.5, 7};
  s.sensors = {77, {1.5, -2}, {3, 1ll << 40}};
  s.history[{0, 1, 2, 3, 4}] = {5.0, {{6, 7, 8}}, 0.25, 11, 1, 9};
  return s;
}

std::string saved(const State& s) {
  std::ostringstream out;
  save_state(s, 42, out);
  return out.str();
}

State loaded(const std::string& bytes, std::uint64_t model = 42) {
  return load_state(bytes, model, "file.state");
}

TEST(State, ComesBackBitForBit) {
  const State s = some_state(), r = loaded(saved(s));
  EXPECT_EQ(r.hash(), s.hash());
  EXPECT_EQ(saved(r), saved(s));
  EXPECT_EQ(r.paths[0].bent[1][2], 2);
  ASSERT_EQ(r.targets.size(), 2u);
  EXPECT_FALSE(r.targets[0]);
  EXPECT_EQ(r.targets[1]->p[2], 6);
  EXPECT_EQ(r.targets[1]->q.x, 1);
  EXPECT_EQ(r.controls, s.controls);
  EXPECT_EQ(r.sensors, s.sensors);
  EXPECT_EQ(r.history.begin()->second.first_step, 9);
  EXPECT_EQ(r.history.begin()->second.edge, 0.25);
  EXPECT_EQ(r.history.begin()->second.triangle, 11);
}

TEST(State, HashSeesEveryPart) {
  const std::uint64_t h = some_state().hash();
  auto differs = [&](auto change) {
    State s = some_state();
    change(s);
    return s.hash() != h;
  };
  EXPECT_TRUE(differs([](State& s) { s.time = 0.30000000000000004; }));
  EXPECT_TRUE(differs([](State& s) { s.q[2] = 3.5000000001; }));
  EXPECT_TRUE(differs([](State& s) { s.controls[1] = 8; }));
  EXPECT_TRUE(differs([](State& s) { s.sensors.key = 78; }));
  EXPECT_TRUE(differs([](State& s) { s.sensors.values[0] = 1; }));
  EXPECT_TRUE(differs([](State& s) { s.sensors.counts[1] = 2; }));
  EXPECT_TRUE(differs([](State& s) { s.paths[0].bent[1][0] = 3; }));
  EXPECT_TRUE(differs([](State& s) { s.targets[0] = Pose{}; }));
  EXPECT_TRUE(differs([](State& s) { s.targets[1].reset(); }));
  EXPECT_TRUE(differs([](State& s) { s.targets[1]->p[0] = 0; }));
  EXPECT_TRUE(differs([](State& s) { s.history.begin()->second.anchor[1] = 0; }));
  EXPECT_TRUE(differs([](State& s) { s.history.begin()->second.edge = 0.5; }));
  EXPECT_TRUE(differs([](State& s) { s.history.begin()->second.triangle = 3; }));
  EXPECT_TRUE(differs([](State& s) { s.history.begin()->second.slipping = 0; }));
  EXPECT_FALSE(differs([](State&) {}));
}

TEST(State, EveryFlippedByteIsRefused) {
  const std::string good = saved(some_state());
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x40);
    EXPECT_THROW(loaded(bad), InputError) << "byte " << i;
  }
}

TEST(State, EveryTruncationIsRefused) {
  const std::string good = saved(some_state());
  for (std::size_t n = 0; n < good.size(); ++n)
    EXPECT_THROW(loaded(good.substr(0, n)), InputError) << "length " << n;
  EXPECT_THROW(loaded(good + "x"), InputError);
}

TEST(State, AnotherModelIsRefusedByName) {
  try {
    loaded(saved(some_state()), 43);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("another model"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("file.state"), std::string::npos);
  }
}

}  // namespace
}  // namespace haptos
