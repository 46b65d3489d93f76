// Friction and affine bodies that a program describes wrongly are refused before compiling.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "haptos/geometry/make/shapes.h"
#include "haptos/scene/scene.h"
#include "tests/unit/bad_input.h"

namespace haptos {
namespace {

Scene good() {
  Scene s;
  AffineBody b;
  b.name = "crate";
  b.surface = box({{1, 1, 1}});
  b.pose.p = {{0, 0, 2}};
  b.friction = {0.6, 0.5};
  s.affine = {b};
  HalfSpace h;
  h.name = "floor";
  h.friction = {0.4, -1};
  s.half_spaces = {h};
  PrescribedBody p;
  p.name = "mount";
  s.prescribed = {p};
  s.pairs = {{"crate", "floor", true, 0, {0.5, 0.5}}, {"crate", "mount", true, 0}};
  return s;
}

TEST(FrictionInput, RangesAndOrderAreCheckedOfEveryBodyAndPair) {
  EXPECT_NO_THROW(validate(good()));
  const std::pair<std::string, std::function<Friction&(Scene&)>> places[] = {
      {"affine body \"crate\"", [](Scene& s) -> Friction& { return s.affine[0].friction; }},
      {"half-space \"floor\"", [](Scene& s) -> Friction& { return s.half_spaces[0].friction; }},
      {"prescribed body \"mount\"", [](Scene& s) -> Friction& { return s.prescribed[0].friction; }},
      {"contact pair \"crate\" and \"floor\"",
       [](Scene& s) -> Friction& { return s.pairs[0].friction; }}};
  for (const auto& [name, friction] : places) {
    for (const Friction& bad : {Friction{101, -1}, Friction{NAN, -1}, Friction{INFINITY, -1},
                                Friction{0.5, 0.6}, Friction{0.5, NAN}, Friction{0, 0.1}}) {
      Scene s = good();
      friction(s) = bad;
      const InputError e = test::refused([&] { validate(s); });
      EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("friction"), std::string::npos) << e.what();
    }
    for (const Friction& fine : {Friction{100, 100}, Friction{0, 0}, Friction{0.5, -1}}) {
      Scene s = good();
      friction(s) = fine;
      EXPECT_NO_THROW(validate(s)) << name;
    }
  }
  // Below 0 a body has no coefficient, a pair has none of its own.
  for (std::size_t k = 0; k < 3; ++k) {
    Scene s = good();
    places[k].second(s) = {-1, -1};
    test::refused([&] { validate(s); });
  }
  Scene s = good();
  s.pairs[0].friction = {-1, -1};
  EXPECT_NO_THROW(validate(s));
}

TEST(FrictionInput, AnAffineBodyOfOddSizeIsWarnedOf) {
  Scene s = good();
  EXPECT_TRUE(find_warnings(s).empty());
  s.affine[0].surface = box({{1e5, 1e5, 1e5}});
  ASSERT_EQ(find_warnings(s).size(), 1u);
  EXPECT_NE(find_warnings(s)[0].find("\"crate\""), std::string::npos);
}

}  // namespace
}  // namespace haptos
