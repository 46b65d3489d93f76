// Tests on data that this project did not make look for it in ../shared/data beside the checkout,
// or where HAPTOS_OUTSIDE_DATA points, and skip with a printed reason where it is missing.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace haptos::test {

inline std::filesystem::path outside_data() {
  if (const char* p = std::getenv("HAPTOS_OUTSIDE_DATA")) return p;
  // tests/outside_data.h -> the checkout -> the folder beside it
  const std::filesystem::path here = std::filesystem::weakly_canonical(__FILE__);
  return here.parent_path().parent_path().parent_path() / "shared" / "data";
}

}  // namespace haptos::test

/// Declares `path`, the outside file `relative`, or skips the test when it is not there.
#define HAPTOS_OUTSIDE_FILE(variable, relative)                                     \
  const std::filesystem::path variable = haptos::test::outside_data() / (relative); \
  if (!std::filesystem::exists(variable))                                           \
  GTEST_SKIP() << "outside data not found: " << variable.string()                   \
               << " (put it there or set HAPTOS_OUTSIDE_DATA)"
