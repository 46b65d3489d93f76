// Saved states: what is in them is looked at, and nothing that a step depends on is missing.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <random>

#include "haptos/base/text/file.h"
#include "haptos/geometry/query/bvh.h"
#include "haptos/scene/rigid.h"
#include "haptos/sim/batch/batch.h"
#include "tests/fuzz/fuzz_state.h"

namespace haptos {
namespace {

namespace fs = std::filesystem;

struct Folder {
  fs::path path = fs::temp_directory_path() / ("haptos_states_" + std::to_string(::getpid()));
  Folder() { fs::create_directory(path); }
  ~Folder() { fs::remove_all(path); }
};

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(SavedStates, HoldTheTargetsThatWereSet) {
  const Folder folder;
  const std::string file = (folder.path / "run.state").string();
  const auto at = [](double z) { return test::at_position({{1e-3, -5e-4, z}}); };
  Sim sim(fuzz::state_scene());
  sim.set_target("ball", at(test::kBlock[2] + 2.95e-3));
  sim.step();
  sim.set_target("mount", at(1e-5));
  sim.save(file);
  Sim other(fuzz::state_scene());
  other.load(file);
  EXPECT_EQ(other.state().hash(), sim.state().hash());
  for (int k = 0; k < 3; ++k) {
    sim.step();
    other.step();
    ASSERT_EQ(other.state().hash(), sim.state().hash()) << "step " << k;
  }
  EXPECT_EQ(other.prescribed_pose("ball").p[2], test::kBlock[2] + 2.95e-3);
  EXPECT_EQ(other.prescribed_pose("mount").p[2], 1e-5);
  // Back on their trajectories: a target that is cleared is not kept either.
  sim.clear_target("ball");
  sim.save(file);
  other.load(file);
  other.step();
  EXPECT_NE(other.prescribed_pose("ball").p[2], test::kBlock[2] + 2.95e-3);
}

// Of overlaps that are being parted, and of a jam. Such states were refused when they were read.
TEST(SavedStates, HoldWhatIsRememberedOfPairs) {
  const Folder folder;
  const std::string file = (folder.path / "pairs.state").string();
  for (const double layer : {0.0, 1e-3}) {
    Scene s;
    s.sim.dt = 2e-3;
    const auto add = [&](const char* name, double x, bool fixed) {
      RobotShape box;
      box.shape.kind = ShapeKind::kBox;
      box.shape.size = {{0.05, 0.05, 0.05}};
      RobotContact c;
      c.name = name;
      c.pose.p = {{x, 0, 0}};
      c.layer = layer;
      RigidSpec r;
      r.mass = fixed ? 0 : 1;
      r.fixed = fixed;
      s.robots.push_back(rigid_body(c, {box}, r));
    };
    add("left", -0.098 - 2 * layer, true);
    add("middle", 0, false);
    add("right", 0.098 + 2 * layer, true);
    Sim sim(s);
    for (int k = 0; k < 3; ++k) sim.step();
    sim.save(file);
    Sim other(s);
    other.load(file);
    for (int k = 0; k < 30; ++k) {
      sim.step(), other.step();
      ASSERT_EQ(other.state().hash(), sim.state().hash()) << "layer " << layer << ", step " << k;
    }
  }
}

TEST(SavedStates, HoldAllThatWasSetOnARun) {
  // Every input that later steps depend on: a copy of the state steps to the same bits.
  const auto changed = [](const auto& set) {
    Sim sim(fuzz::state_scene());
    sim.step();
    const std::uint64_t before = sim.state().hash();
    set(sim);
    EXPECT_NE(sim.state().hash(), before);
    Sim other(fuzz::state_scene());
    other.set_state(sim.state());
    for (int k = 0; k < 2; ++k) {
      sim.step();
      other.step();
    }
    EXPECT_EQ(other.state().hash(), sim.state().hash());
  };
  changed([](Sim& s) { s.set_target("ball", test::at_position({{1e-3, -5e-4, .00899}})); });
  changed([](Sim& s) { s.set_wrench("stone", {{0, 0, -1e-4}}, {{1e-7, 0, 0}}); });
  changed([](Sim& s) { s.robot("arm").set_command(0, {0.1, 0.2, 0.3}); });
  changed([](Sim& s) { s.robot("arm").set_gains(0, 40, 4, 3); });
  changed([](Sim& s) { s.robot("arm").set_integral(0, 0.01); });
  changed([](Sim& s) { s.robot("arm").set_torque({0.2}); });
  changed([](Sim& s) { s.robot("arm").set_wrench(0, {{1, 0, 0}}, {{0, 0, 0.1}}); });
  changed([](Sim& s) { s.robot("arm").set_mass_scale(0, 1.5); });
  changed([](Sim& s) { s.robot("marble").set_friction_scale(0.5); });
  changed([](Sim& s) { s.robot("arm").set_state({0.3}, {0.1}); });
}

TEST(SavedStates, AreRefusedWithOneSentenceForWhatNoRunLeavesBehind) {
  Sim sim = fuzz::state_run();
  const State good = sim.state();
  ASSERT_FALSE(good.history.empty());
  ASSERT_FALSE(good.sensors.counts.empty());
  ASSERT_TRUE(good.targets[1]);
  const std::uint64_t hash = good.hash();
  // Where the marble's coordinates are: place, then quaternion.
  const std::vector<double> marble = sim.robot("marble").position();
  const auto at = std::search(good.q.begin(), good.q.end(), marble.begin(), marble.end());
  ASSERT_NE(at, good.q.end());
  const auto turn = static_cast<std::size_t>(at - good.q.begin()) + 3;
  const struct {
    const char* says;
    std::function<void(State&)> change;
  } cases[] = {
      {"time of the state", [](State& s) { s.time = kNan; }},
      {"time of the state", [](State& s) { s.time = -1; }},
      {"step of the state", [](State& s) { s.step = -1; }},
      {"step of the state", [](State& s) { s.step = std::numeric_limits<std::int64_t>::max(); }},
      {"length of the last step", [](State& s) { s.last_dt = kInf; }},
      {"coordinate 3 of the state", [](State& s) { s.q[3] = kNan; }},
      {"velocity 5 of the state", [](State& s) { s.z[5] = -kInf; }},
      {"other sizes", [](State& s) { s.q.pop_back(); }},
      {"other sizes", [](State& s) { s.z.push_back(0); }},
      {"other sizes", [](State& s) { s.paths.pop_back(); }},
      {"other sizes", [](State& s) { s.targets.pop_back(); }},
      {"other sizes", [](State& s) { s.wrenches.clear(); }},
      {"other sizes", [](State& s) { s.controls.push_back(0); }},
      {"other sizes", [](State& s) { s.q_before = s.q; }},
      {"path 1 of the state", [](State& s) { s.paths[1].to.p[0] = kNan; }},
      {"quaternion w x y z of length 1",
       [](State& s) {
         s.paths[1].from.q = {0, 0, 0, 0};
       }},
      {"fraction of path 1", [](State& s) { s.paths[1].s = 1.5; }},
      {"fraction of path 1", [](State& s) { s.paths[1].s = kNan; }},
      {"path of \"ball\"",
       [](State& s) {
         s.paths[1].s = 0.5, s.paths[1].bent = {{{0, 0, 0}}};
       }},
      {"path of \"ball\"",
       [](State& s) {
         s.paths[1].bent = {{{0, 0, 0}}};
       }},
      {"path of \"ball\"", [](State& s) { s.paths[1].s = 0.5; }},
      {"target 1 of the state", [](State& s) { s.targets[1]->p[2] = kInf; }},
      {"quaternion w x y z of length 1", [](State& s) { s.targets[1]->q.w = 2; }},
      {"force or torque 0 of the state", [](State& s) { s.wrenches[0] = kNan; }},
      {"control 0 of the state", [](State& s) { s.controls[0] = kNan; }},
      {"a gain of \"arm\"", [](State& s) { s.controls[4] = -1; }},
      {"sensor value 0 of the state", [](State& s) { s.sensors.values[0] = kNan; }},
      {"a sensor's count", [](State& s) { s.sensors.counts[1] = -1; }},
      {"a sensor's count",
       [](State& s) { s.sensors.counts[1] = std::numeric_limits<std::int64_t>::max(); }},
      {"other sizes", [](State& s) { s.sensors.counts[2] = 1'000'000'000; }},
      {"quaternion of \"marble\"", [&](State& s) { s.q[turn] += 0.5; }},
  };
  for (const auto& c : cases) {
    State bad = good;
    c.change(bad);
    const std::string says = test::refusal([&] { sim.set_state(bad); });
    EXPECT_NE(says.find(c.says), std::string::npos) << c.says << ": " << says;
    EXPECT_EQ(sim.state().hash(), hash) << "a state that is refused changes nothing";
  }
  // Contact history: ids of a thousand million, and what is not finite.
  const auto history_says = [&](const std::string& part, const auto& change) {
    State bad = good;
    auto& [key, memory] = *bad.history.begin();
    change(key, memory);
    const std::string says = test::refusal([&] { sim.set_state(bad); });
    EXPECT_NE(says.find(part), std::string::npos) << part << ": " << says;
  };
  constexpr int kMany = 1'000'000'000;
  history_says("environment", [](FeaturePair& k, ContactMemory&) { k.env = kMany; });
  history_says("a body", [](FeaturePair& k, ContactMemory&) { k.body_a = kMany; });
  history_says("a body", [](FeaturePair& k, ContactMemory&) { k.body_b = -2; });
  history_says("a surface", [](FeaturePair& k, ContactMemory&) { k.part_a = kMany; });
  history_says("a triangle", [](FeaturePair&, ContactMemory& m) { m.triangle = kMany; });
  history_says("a triangle", [](FeaturePair&, ContactMemory& m) { m.triangle = -2; });
  history_says("normal force", [](FeaturePair&, ContactMemory& m) { m.normal_force = kNan; });
  history_says("an anchor", [](FeaturePair&, ContactMemory& m) { m.anchor[1] = kInf; });
  history_says("place on an edge", [](FeaturePair&, ContactMemory& m) { m.edge = 2; });
  history_says("mark of slip", [](FeaturePair&, ContactMemory& m) { m.slipping = 7; });
  history_says("first step", [](FeaturePair&, ContactMemory& m) { m.first_step = kMany; });
  sim.set_state(good);
  EXPECT_EQ(sim.state().hash(), hash);
}

TEST(SavedStates, OfAnotherVersionAreRefusedByItsNumber) {
  Sim sim(fuzz::state_scene());
  std::string bytes = fuzz::saved(sim.state(), sim.model_hash());
  bytes[8] = 8;
  const std::string says = test::refusal([&] { load_state(bytes, sim.model_hash(), "old.state"); });
  EXPECT_NE(says.find("old.state"), std::string::npos) << says;
  EXPECT_NE(says.find("is of version 8"), std::string::npos) << says;
}

TEST(SavedStates, AreReadFromFilesOnly) {
  const Folder folder;
  const std::string fifo = (folder.path / "pipe").string(), huge = (folder.path / "huge").string();
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::ofstream(huge).put('x');
  fs::resize_file(huge, std::uintmax_t{1} << 40);  // a hole of a terabyte
  Sim sim(fuzz::state_scene());
  Batch batch(fuzz::state_scene(), 2);
  const struct {
    std::string path, says;
  } cases[] = {{"/dev/zero", "not a regular file"},
               {fifo, "not a regular file"},
               {folder.path.string(), "is a folder"},
               {(folder.path / "none").string(), "cannot be found"},
               {huge, "the limit is"}};
  for (const auto& c : cases) {
    for (const std::string& says :
         {test::refusal([&] { sim.load(c.path); }), test::refusal([&] { batch.load(c.path); })}) {
      EXPECT_NE(says.find(c.says), std::string::npos) << says;
      EXPECT_NE(says.find(c.path), std::string::npos) << says;
    }
  }
}

TEST(SavedStates, WithSpeedsBeyondAllMeasureAreSteppedWithoutACrash) {
  // Boxes swept by 1e308 m/s have extents and centres that are not finite: a tree of them still
  // holds every box once, and finds the pairs that overlap.
  std::vector<Aabb> boxes;
  for (int k = 0; k < 40; ++k) {
    const double far = k % 4 == 0 ? 1e308 : k % 4 == 1 ? 1e39 : 1.0 * k;
    boxes.push_back({{{-far, 0, -far}}, {{far, 1.0 + k, far}}});
  }
  int pairs = 0;
  Bvh(boxes).self_pairs(0, [&](int, int) { ++pairs; });
  EXPECT_EQ(pairs, 40 * 39 / 2);

  Sim sim = fuzz::state_run();
  State wild = sim.state();
  wild.z[1] = 1e308;
  wild.z[2] = -1e308;
  sim.set_state(wild);
  EXPECT_NE(sim.step().status(), 0u);
}

// Numbers that mean something to a reader, at places at random, checksums right.
std::string edits(std::mt19937& random) {
  static constexpr std::uint64_t kValues[] = {0,
                                              1,
                                              2,
                                              1'000'000'000,
                                              0xffffffff,
                                              0x7fffffffffffffff,
                                              0x8000000000000000,
                                              0xffffffffffffffff,
                                              0x7ff8000000000000,
                                              0x7ff0000000000000,
                                              0x7fefffffffffffff,
                                              0x3ff0000000000000,
                                              0xbff0000000000000,
                                              0x4415af1d78b58c40,
                                              0x0000000000000010};
  std::string s = "E";
  for (unsigned k = 1 + random() % 3; k > 0; --k) {
    std::uint32_t at = random();
    if (random() % 4) at &= ~7u;  // most of what is stored has eight bytes
    const std::uint64_t value = kValues[random() % std::size(kValues)];
    s.append(reinterpret_cast<const char*>(&at), 4);
    s.append(reinterpret_cast<const char*>(&value), 8);
  }
  return s;
}

int taken_of(int tries) {
  std::mt19937 random(11);
  int taken = 0;
  for (int k = 0; k < tries; ++k) taken += fuzz::state(edits(random));
  return taken;
}

TEST(SavedStates, WithNumbersChangedAreRefusedOrStepped) {
  const int taken = taken_of(300);
  // Both outcomes must be common, or the changes test nothing.
  EXPECT_GT(taken, 30);
  EXPECT_LT(taken, 270);
}

TEST(FullSavedStates, WithNumbersChangedAreRefusedOrStepped) {
  const int taken = taken_of(20'000);
  EXPECT_GT(taken, 2'000);
  EXPECT_LT(taken, 18'000);
}

TEST(SavedStates, SeedsOfTheFuzzerAreTakenWhereTheyAreGood) {
  const fs::path corpus = fs::path(__FILE__).parent_path().parent_path() / "fuzz/corpus/state";
  int seeds = 0;
  for (const auto& entry : fs::directory_iterator(corpus)) {
    ++seeds;
    EXPECT_EQ(fuzz::state(read_regular_file(entry.path(), 1 << 20)),
              entry.path().filename().string().starts_with("good"))
        << entry.path().filename();
  }
  EXPECT_GE(seeds, 10);
}

}  // namespace
}  // namespace haptos
