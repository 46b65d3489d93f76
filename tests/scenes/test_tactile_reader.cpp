// Tactile sensors in C++: a batch reads what each environment reads alone, at its rate and delay,
// and the state brings samples back.
#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

#include "haptos/base/text/error.h"
#include "haptos/geometry/make/pads.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/sim/batch/tactile_reader.h"
#include "tests/support.h"

namespace haptos {
namespace {

constexpr double kDt = 0.02;
constexpr int kWide = 40, kHigh = 30;

// A ball that presses 0.3 mm into a pad within four steps, under a noisy camera.
Scene pressed(double rate = 0, double delay = 0) {
  BoxPadShape shape;
  shape.width = shape.depth = 0.012;
  shape.thickness = 4e-3;
  const Pad pad = box_pad(shape, 6, 6, 2);
  Scene s;
  s.sim.dt = kDt;
  s.sim.gravity_z = 0;
  SoftBody gel;
  gel.name = "gel";
  gel.mesh = pad.mesh;
  gel.coat = pad.coat;
  gel.material.young = 1e5;
  gel.material.poisson = 0.45;
  gel.friction.sticking = 0.5;
  gel.glue = {{"mount", pad.base_vertices}};
  s.soft = {gel};
  PrescribedBody ball;
  ball.name = "ball";
  ball.surface = icosphere(4e-3, 1e-3);
  ball.friction.sticking = 0.5;
  ball.trajectory = {{0.0, test::at_position({{0, 0, 4.2e-3}})},
                     {4 * kDt, test::at_position({{0, 0, 3.7e-3}})}};
  s.prescribed = {test::mount("mount"), ball};
  TactileSensor camera;
  camera.name = "camera";
  camera.body = "gel";
  camera.camera = TactileCamera::orthographic(kWide, kHigh, 2.8e-4);
  camera.markers = MarkerGrid{3, 4, 2e-3, 2e-3, 0, 0};
  camera.noise.texture = 2e-6;
  camera.rate = rate;
  camera.delay = delay;
  s.tactile = {camera};
  return s;
}

struct Reading {
  std::vector<float> depth, normal;
  std::vector<double> force, torque, time;
};

Reading read(Batch& batch) {
  TactileReader reader(batch, 0);
  const auto n = static_cast<std::size_t>(batch.envs());
  const std::size_t pixels = kWide * kHigh;
  Reading r;
  r.depth.resize(n * pixels), r.normal.resize(3 * n * pixels);
  r.force.resize(3 * n), r.torque.resize(3 * n), r.time.resize(n);
  reader.surface({}, r.depth.data(), r.normal.data());
  std::vector<double> area(n), centre(3 * n), pixel(2 * n), turn(9 * n), origin(3 * n);
  std::vector<std::uint8_t> inside(n * reader.sensor().field().coat().triangles.size());
  reader.touch(
      {area.data(), r.force.data(), r.torque.data(), centre.data(), pixel.data(), inside.data()});
  reader.frames(false, turn.data(), origin.data(), r.time.data());
  return r;
}

void step(Batch& batch, int count) {
  for (int i = 0; i < count; ++i)
    for (const StepReport& report : batch.step()) ASSERT_EQ(report.status(), 0u);
}

template <class T>
void expect_row(const std::vector<T>& whole, const std::vector<T>& one, std::size_t env) {
  const std::vector<T> row(whole.begin() + static_cast<std::ptrdiff_t>(env * one.size()),
                           whole.begin() + static_cast<std::ptrdiff_t>((env + 1) * one.size()));
  EXPECT_EQ(std::memcmp(row.data(), one.data(), one.size() * sizeof(T)), 0);
}

TEST(TactileReader, EachEnvironmentReadsWhatItReadsAlone) {
  for (const double rate : {0.0, 20.0}) {
    Batch many(pressed(rate, rate > 0 ? 0.03 : 0), 3);
    for (int k = 0; k < 3; ++k) many.env(k).reset(std::uint64_t(7 + k), 0u);
    step(many, 5);
    const Reading whole = read(many);
    for (std::size_t k = 0; k < 3; ++k) {
      Batch alone(many.env(0).scene(), 1);
      alone.env(0).reset(std::uint64_t(7 + k), 0u);
      step(alone, 5);
      const Reading one = read(alone);
      expect_row(whole.depth, one.depth, k);
      expect_row(whole.normal, one.normal, k);
      expect_row(whole.force, one.force, k);
      expect_row(whole.torque, one.torque, k);
    }
    EXPECT_LT(whole.force[2], -0.01);
    EXPECT_NE(whole.depth[0], whole.depth[kWide * kHigh]);  // their noise is not the same
  }
}

TEST(TactileReader, RateAndDelayShowTheSampleOfThenAndTheStateHoldsIt) {
  Batch late(pressed(1 / (2 * kDt), kDt), 1), now(pressed(), 1);
  step(late, 2), step(now, 2);
  const Reading then = read(now);  // sampled at 2 dt, read from 3 dt to 4 dt on
  EXPECT_EQ(read(late).time[0], 0.0);
  step(late, 2);
  const Reading seen = read(late);
  EXPECT_NEAR(seen.time[0], 2 * kDt, 1e-12);
  EXPECT_EQ(seen.depth, then.depth);
  EXPECT_EQ(seen.force, then.force);
  std::ostringstream bytes;
  save_state(late.env(0).state(), late.model().hash, bytes);
  Batch other(pressed(1 / (2 * kDt), kDt), 1);
  other.env(0).set_state(load_state(bytes.view(), other.model().hash, "saved"));
  EXPECT_EQ(other.env(0).state().hash(), late.env(0).state().hash());
  EXPECT_EQ(read(other).force, then.force);  // without a step taken there
}

TEST(TactileReader, WrongSensorsAreRefusedByName) {
  const auto refused = [](const auto& change, const std::string& part) {
    Scene s = pressed();
    change(s);
    try {
      compile(std::move(s));
      ADD_FAILURE() << part;
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  };
  refused([](Scene& s) { s.tactile[0].body = "gle"; }, "did you mean \"gel\"?");
  refused([](Scene& s) { s.tactile.push_back(s.tactile[0]); }, "the name of another sensor");
  refused([](Scene& s) { s.tactile[0].delay = -1; }, "delay");
  refused([](Scene& s) { s.tactile[0].delay = 99, s.sim.dt = 1e-4; }, "MiB");
  refused([](Scene& s) { s.tactile[0].markers->pitch_x = 0.1; }, "coat");
}

}  // namespace
}  // namespace haptos
