// What is wrong with a stiff body is said with its value and a remedy: rows 15, 16 and 32 of the
// list in test_bad_input.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "haptos/geometry/make/shapes.h"
#include "haptos/sim/sim.h"

namespace haptos {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

AffineBody crate() {
  AffineBody b;
  b.name = "crate";
  b.surface = box({{0.1, 0.1, 0.1}});
  b.mass = 1;
  b.inertia = Mat3d::identity() * 1e-3;
  return b;
}

std::string refusal(const std::function<void(AffineBody&)>& spoil) {
  Scene s;
  s.affine = {crate()};
  spoil(s.affine[0]);
  try {
    Sim sim(s);
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

void expect_refusals(
    const std::vector<std::pair<std::function<void(AffineBody&)>, std::vector<const char*>>>& all) {
  int row = 0;
  for (const auto& [spoil, parts] : all) {
    const std::string sentence = refusal(spoil);
    for (const char* part : parts)
      EXPECT_NE(sentence.find(part), std::string::npos) << row << ": " << sentence;
    EXPECT_NE(sentence.find("\"crate\""), std::string::npos) << sentence;
    ++row;
  }
  EXPECT_EQ(refusal([](AffineBody&) {}), "accepted");
}

TEST(AffineInput, MassesAreRefusedWithTheirValue) {
  expect_refusals({
      {[](AffineBody& b) { b.mass = -1; }, {"mass = -1", "from 1e-12", "kg"}},
      {[](AffineBody& b) { b.mass = kNan; }, {"mass = nan", "from 1e-12"}},
      {[](AffineBody& b) { b.mass = 1 / 0.0; }, {"mass = inf", "to 1e+12"}},
      {[](AffineBody& b) { b.mass = 0, b.density = 0; }, {"density = 0", "kg/m3"}},
      {[](AffineBody& b) { b.mass = 0, b.density = -2; }, {"density = -2"}},
      {[](AffineBody& b) { b.mass = 0, b.density = kNan; }, {"density = nan"}},
      {[](AffineBody& b) { b.centre[1] = kNan; }, {"centre = nan"}},
  });
}

TEST(AffineInput, InertiasAreRefusedWithTheirPrincipalMoments) {
  const auto diagonal = [](double x, double y, double z) {
    return [=](AffineBody& b) {
      b.inertia = Mat3d::zero();
      b.inertia(0, 0) = x, b.inertia(1, 1) = y, b.inertia(2, 2) = z;
    };
  };
  expect_refusals({
      {diagonal(1, 1, 10), {"principal moments 1, 1, 10", "triangle inequality"}},
      {diagonal(1, -1, 1), {"principal moments -1, 1, 1", "positive"}},
      {diagonal(0, 0, 0), {"must all be positive"}},
      {diagonal(1, kNan, 1), {"finite"}},
      {[](AffineBody& b) { b.inertia(0, 1) = 5e-4; }, {"symmetric"}},
      {[](AffineBody& b) { b.inertia(0, 1) = b.inertia(1, 0) = 5; },
       {"principal moments -4.999", "positive"}},
  });
}

TEST(AffineInput, SurfacesThatContactCannotTakeAreRefusedByVertexOrTriangle) {
  expect_refusals({
      {[](AffineBody& b) {
         b.surface.triangles.push_back({{0, 1, 1}});
       },
       {"triangle 12"}},
      {[](AffineBody& b) { b.surface.triangles.push_back(b.surface.triangles[3]); }, {"triangle"}},
      {[](AffineBody& b) {
         b.surface.vertices.push_back(b.surface.vertices[0]);
         b.surface.triangles[0][0] = static_cast<int>(b.surface.vertices.size()) - 1;
       },
       {"repair"}},
      {[](AffineBody& b) { b.surface.vertices[2][0] = kNan; }, {"vertex 2"}},
      {[](AffineBody& b) { b.surface.triangles.pop_back(); }, {"repair"}},
      {[](AffineBody& b) { std::swap(b.surface.triangles[0][0], b.surface.triangles[0][1]); },
       {"repair"}},
  });
}

TEST(AffineInput, GuidesAreChecked) {
  expect_refusals({
      {[](AffineBody& b) {
         b.guide = Vec3d{{0, 0, 0}};
       },
       {"guide", "must have length 1"}},
      {[](AffineBody& b) {
         b.guide = Vec3d{{0, kNan, 1}};
       },
       {"guide = nan", "finite"}},
      {[](AffineBody& b) {
         b.guide = Vec3d{{0, 0, 1}};
         b.angular_velocity = {{1, 0, 0}};
       },
       {"omega", "guide"}},
  });
}

}  // namespace
}  // namespace haptos
