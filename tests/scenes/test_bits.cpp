// The same bits: for any number of threads, and after a run is saved, taken up by a new process and
// loaded there. The state's hash covers coordinates, velocities, paths and contact history.
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/scenes/soft_scenes.h"

extern char** environ;

namespace haptos {
namespace {

struct Case {
  const char* name;
  Scene scene;
  int steps;
};

// Enough elements for several threads to share them.
std::vector<Case> cases() {
  const Vec3i many{{5, 5, 3}};
  Scene flying = test::free_block(2e-3, -9.81, many);
  flying.newton = NewtonOptions();
  flying.soft[0].velocity = {{0.2, 0.1, 0.3}};
  Scene falling = test::block_on_floor();
  falling.soft[0].pose.p[2] = 3e-4;  // drops on the floor
  falling.soft[0].pose.q = rotation_by({{0.01, 0.02, 0.3}});
  Scene linear = test::press(false, 1e-3, many);
  linear.soft[0].element = Element::kLinear;
  linear.soft[0].material.law = 1;
  Scene rough = test::press(true, 1e-3, many);
  rough.soft[0].friction.sticking = rough.prescribed[1].friction.sticking = 0.6;
  AffineBody stone;
  stone.name = "stone";
  stone.surface = box({{2e-3, 2e-3, 2e-3}}, {{2, 2, 2}});
  stone.pose.p = {{-3e-3, 2e-3, test::kBlock[2] + 1.5e-3}};
  stone.pose.q = rotation_by({{0.1, 0.2, 0.3}});
  stone.velocity = {{0.05, 0, -0.05}};
  stone.friction.sticking = 0.4;
  rough.affine = {stone};
  Scene mortar = rough;
  mortar.contact.model = static_cast<int>(LiveModel::kMortar);
  return {{"flying block", flying, 8},
          {"press of rough bodies in mortar contact", mortar, 12},
          {"press of rough bodies with a stone on the gel", rough, 12},
          {"block dropped on a floor", falling, 12},
          {"press", test::press(false, 1e-3, many), 12},
          {"press with linear elements and the other law", linear, 16},
          {"press on a shaking mount", test::press(true, 1e-3, many), 12}};
}

std::uint64_t run(Sim& sim, int steps) {
  for (int n = 0; n < steps; ++n) sim.step();
  return sim.state().hash();
}

TEST(Bits, AreTheSameForOneTwoThreeAndEightThreads) {
  for (Case c : cases()) {
    std::uint64_t first = 0;
    std::size_t contacts = 0;
    for (const int threads : {1, 2, 3, 8}) {
      c.scene.sim.threads = threads;
      Sim sim(c.scene);
      const std::uint64_t hash = run(sim, c.steps);
      if (threads == 1) {
        first = hash;
        contacts = sim.contacts().size();
      }
      EXPECT_EQ(hash, first) << c.name << ", " << threads << " threads";
      EXPECT_EQ(sim.contacts().size(), contacts) << c.name;
    }
    if (std::string(c.name).find("press") == 0) {
      EXPECT_GT(contacts, 0u) << c.name;
    }
  }
  Scene last = test::free_block(1e-3, 0);
  last.sim.threads = 1;
  Sim leave_one_thread(last);
}

TEST(Bits, OfASecondRunAndOfARunAfterResetAreTheFirstOnes) {
  for (const Case& c : cases()) {
    Sim sim(c.scene), other(c.scene);
    const std::uint64_t start = sim.state().hash(), end = run(sim, c.steps);
    EXPECT_EQ(run(other, c.steps), end) << c.name;
    sim.reset();
    EXPECT_EQ(sim.state().hash(), start) << c.name;
    EXPECT_EQ(run(sim, c.steps), end) << c.name;
  }
}

// The test's own executable is started again with this variable set; there, the same test loads
// what was saved, runs on and writes down the hash instead.
constexpr const char* kFolder = "HAPTOS_TEST_TAKE_UP";

void take_up(const std::filesystem::path& folder) {
  std::ofstream out(folder / "hashes");
  std::size_t i = 0;
  for (const Case& c : cases()) {
    Sim sim(c.scene);
    sim.load((folder / std::to_string(i++)).string());
    out << run(sim, c.steps - c.steps / 2) << "\n";
  }
}

int start_again(const std::filesystem::path& folder, const std::string& test) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string filter = "--gtest_filter=" + test;
  const std::string variable = std::string(kFolder) + "=" + folder.string();
  std::vector<char*> environment;
  for (char** e = environ; *e; ++e) environment.push_back(*e);
  environment.push_back(const_cast<char*>(variable.c_str()));
  environment.push_back(nullptr);
  char* arguments[] = {const_cast<char*>(self.c_str()), const_cast<char*>(filter.c_str()),
                       const_cast<char*>("--gtest_brief=1"), nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, self.c_str(), nullptr, nullptr, arguments, environment.data()) != 0)
    return -1;
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(Bits, AreTheSameAfterSaveNewProcessAndLoad) {
  if (const char* folder = std::getenv(kFolder)) return take_up(folder);
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("haptos_bits_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::vector<std::uint64_t> expected;
  for (const Case& c : cases()) {
    Sim sim(c.scene);
    run(sim, c.steps / 2);
    sim.save((folder / std::to_string(expected.size())).string());
    expected.push_back(run(sim, c.steps - c.steps / 2));
  }
  ASSERT_EQ(start_again(folder, "Bits.AreTheSameAfterSaveNewProcessAndLoad"), 0);
  std::ifstream in(folder / "hashes");
  for (std::size_t i = 0; i < expected.size(); ++i) {
    std::uint64_t hash = 0;
    ASSERT_TRUE(static_cast<bool>(in >> hash)) << cases()[i].name;
    EXPECT_EQ(hash, expected[i]) << cases()[i].name;
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace haptos
