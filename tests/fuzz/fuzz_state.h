// What loading a state owes to any bytes at all: a state that the next step survives, or one
// InputError of one sentence. Shared by the fuzzer and by the tests.
//
// An input starts with a letter: E, then edits of a good state's content (offset of four bytes,
// eight bytes to write there) with its checksum made right again; P, then a whole content, made
// right likewise; anything else is a file as it is.
#pragma once

#include <algorithm>
#include <cstring>
#include <sstream>
#include <string>

#include "haptos/base/hash.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/sim/sim.h"
#include "tests/fuzz/fuzz_mesh.h"
#include "tests/robots.h"
#include "tests/scenes/soft_scenes.h"

namespace haptos::fuzz {

/// Something of all that a state holds: a gel under a ball that was given a target, a stone that
/// rests on the gel by friction, an arm with a motor and sensors, and a ball on a floor.
inline Scene state_scene() {
  Scene s = test::press(false, 1e-3, {{2, 2, 1}});
  s.prescribed[1].surface = box({{4e-3, 4e-3, 6e-3}});  // few triangles: steps are many
  s.newton = NewtonOptions();
  s.newton.max_iterations = 5;  // steps of wild states end soon
  s.newton.max_cuts = 0;
  s.soft[0].friction.sticking = s.prescribed[1].friction.sticking = 0.6;
  AffineBody stone;
  stone.name = "stone";
  stone.surface = box({{2e-3, 2e-3, 2e-3}});
  stone.pose.p = {{-3e-3, 2e-3, test::kBlock[2] + 1.05e-3}};
  stone.friction.sticking = 0.4;
  s.affine = {stone};
  RobotBody arm = test::driven_arm();
  Sensor turn;
  turn.name = "turn";
  turn.kind = SensorKind::kJointPosition;
  turn.rate = 500;
  turn.delay = 4e-3;
  turn.noise.std = 1e-3;
  arm.sensors = {turn};
  HalfSpace floor;
  floor.name = "floor";
  floor.offset = -0.01;
  s.half_spaces = {floor};
  s.robots = {arm, test::rigid_ball("marble", 5e-3, 1e-3, {{0.05, 0, -5.01e-3}})};
  return s;
}

/// A run of it, in contact.
inline Sim state_run() {
  Sim sim(state_scene());
  sim.set_target("ball", test::at_position({{1e-3, -5e-4, test::kBlock[2] + 2.9e-3}}));
  for (int k = 0; k < 5; ++k) sim.step();
  return sim;
}

inline std::string saved(const State& state, std::uint64_t model) {
  std::ostringstream out;
  save_state(state, model, out);
  return out.str();
}

// Of a file: magic, version, model and length in front, the content's hash behind.
constexpr std::size_t kStateHead = 32;

/// The content of a file, and a file of a content, its length and checksum right.
inline std::string state_content(const std::string& file) {
  return file.substr(kStateHead, file.size() - kStateHead - 8);
}
inline std::string state_file(const std::string& like, std::string_view content) {
  Hash h;
  h.add(content.data(), content.size());
  const std::uint64_t size = content.size(), sum = h.value();
  std::string s = like.substr(0, kStateHead - 8);
  s.append(reinterpret_cast<const char*>(&size), sizeof size);
  s += content;
  s.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return s;
}

inline std::string state_bytes(std::string_view input, const std::string& good) {
  if (input.empty() || (input[0] != 'E' && input[0] != 'P')) return std::string(input);
  if (input[0] == 'P') return state_file(good, input.substr(1));
  std::string content = state_content(good);
  for (std::size_t i = 1; i + 12 <= input.size(); i += 12) {
    std::uint32_t at = 0;
    std::memcpy(&at, input.data() + i, 4);
    std::memcpy(content.data() + at % (content.size() - 7), input.data() + i + 4, 8);
  }
  return state_file(good, content);
}

/// Returns whether the state was taken.
inline bool state(std::string_view input) {
  static Sim sim = state_run();
  static const std::string good = saved(sim.state(), sim.model_hash());
  try {
    sim.set_state(load_state(state_bytes(input, good), sim.model_hash(), "input"));
  } catch (const InputError& e) {
    demand_sentence(e);
    return false;
  }
  const State& s = sim.state();
  demand(load_state(saved(s, sim.model_hash()), sim.model_hash(), "again").hash() == s.hash(),
         "a state that was taken is saved and read again");
  // What races through everything finds every pair of features: seconds of search, and no news.
  const auto calm = [](const std::vector<double>& all, double most) {
    return std::all_of(all.begin(), all.end(), [=](double v) { return std::fabs(v) < most; });
  };
  std::vector<double> places;
  for (const PathState& p : s.paths) {
    for (const Pose* x : {&p.from, &p.to}) places.insert(places.end(), x->p.a, x->p.a + 3);
    for (const Vec3d& x : p.bent) places.insert(places.end(), x.a, x.a + 3);
  }
  for (const std::optional<Pose>& t : s.targets)
    if (t) places.insert(places.end(), t->p.a, t->p.a + 3);
  if (calm(s.q, 3) && calm(s.z, 10) && calm(s.wrenches, 10) && calm(s.controls, 1e3) &&
      calm(places, 0.05))
    sim.step();
  sim.prescribed_positions("ball");
  sim.soft_positions("gel");
  sim.affine_pose("stone");
  return true;
}

}  // namespace haptos::fuzz
