// Quantities with units, and the sentences of what is none.
#include "haptos/base/text/units.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "haptos/base/text/text.h"

namespace haptos {
namespace {

Diagnostic place() {
  Diagnostic d;
  d.element = "--depth";
  return d;
}

std::string refusal(std::string_view text, const std::string& unit) {
  try {
    read_quantity(text, unit, place());
  } catch (const InputError& e) {
    EXPECT_EQ(e.diagnostic.element, "--depth");
    return e.what();
  }
  ADD_FAILURE() << text << " was read";
  return "";
}

TEST(Units, QuantitiesAreReadExactly) {
  const struct {
    const char *text, *unit;
    double value;
  } cases[] = {
      {"1mm", "m", 1e-3},
      {"0.5 mm", "m", 5e-4},
      {" 20\tum ", "m", 2e-5},
      {"20 \xc2\xb5m", "m", 2e-5},  // micro sign
      {"20 \xce\xbcm", "m", 2e-5},  // Greek mu
      {"1 in", "m", 0.0254},
      {"+1e-3", "m", 1e-3},
      {"-3", "m", -3},
      {".48", "", 0.48},
      {"435kPa", "Pa", 4.35e5},
      {"2 h", "s", 7200},
      {"9.81 m/s^2", "m/s2", 9.81},
      {"1 g/cm^3", "kg/m3", 1000},
      {"2 N/mm3", "Pa/m", 2e9},
      {"50 Hz", "1/s", 50},
      {"180 deg", "rad", std::numbers::pi},
      {"0", "rad", 0},
      {"7 W", "W", 7},  // a unit that has no other beside it
  };
  for (const auto& c : cases) EXPECT_EQ(read_quantity(c.text, c.unit, place()), c.value) << c.text;
}

TEST(Units, WhatIsNoQuantityIsRefused) {
  for (const char* text : {"", " ", "mm", "1,5mm", "1mmm", "1kPa", "0x10", "1 2", "1__0", "1 m^m",
                           "1 mm^", "--1", "\xd9\xa1", "1e999", "nan", "inf", ".inf", "1 furlong"})
    EXPECT_GT(refusal(text, "m").size(), 30u) << text;
  EXPECT_NE(refusal("3mm", "").find("without a unit"), std::string::npos);
  EXPECT_NE(refusal("30", "rad").find("write 30 deg or 30 rad"), std::string::npos);
}

TEST(Units, ARefusalNamesTheUnitsAndAnExample) {
  EXPECT_EQ(refusal("1 furlong", "m"),
            "--depth = 1 furlong: must be a number in m; write for example 0.5 m; units are m, cm, "
            "mm, um or in.");
  EXPECT_EQ(refusal("inf", "m"), "--depth = inf: must be finite; write a number.");
}

TEST(Units, InfinityAndNotANumberPassWhereTheyMay) {
  EXPECT_EQ(read_quantity("-.inf", "m", place(), true), -INFINITY);
  EXPECT_TRUE(std::isnan(read_quantity(".nan", "m", place(), true)));
}

TEST(Units, EveryUnitListedIsReadAndHasItsSize) {
  std::set<std::string> seen;
  for (const std::string& si : convertible_units()) {
    EXPECT_TRUE(seen.insert(si).second) << si << " is listed twice";
    ASSERT_EQ(known_units(si).at(0), si);
    EXPECT_EQ(unit_size(si, si), 1.0);
    for (const std::string& name : known_units(si)) {
      const double size = unit_size(si, name).value();
      EXPECT_NEAR(read_quantity("3 " + name, si, place()) / (3 * size), 1, 1e-15) << name;
    }
  }
  EXPECT_GE(seen.size(), 14u);
  EXPECT_EQ(unit_list("s"), "s, ms, us, min or h");
  EXPECT_EQ(unit_list("W"), "W");
  EXPECT_EQ(known_units("W"), std::vector<std::string>{"W"});
  EXPECT_TRUE(known_units("").empty());
  EXPECT_FALSE(unit_size("m", "s").has_value());
}

}  // namespace
}  // namespace haptos
