// Shared by the tests of bad input: short texts of scenes, and what every refusal owes.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "haptos/base/text/error.h"
#include "haptos/files/scene/scene_file.h"

namespace haptos::test {

inline Scene parse(const std::string& text) { return parse_scene(text, "scene.yaml", {}); }

// The error of f, which must be one printable sentence.
template <class F>
InputError refused(F f) {
  try {
    f();
  } catch (const InputError& e) {
    const std::string s = e.what();
    EXPECT_GT(s.size(), 20u);
    EXPECT_TRUE(s.ends_with('.') || s.ends_with('?')) << s;
    for (const char* twice : {"?.", "!.", ".;", ";;", ": :", ". ."})
      EXPECT_EQ(s.find(twice), s.npos) << s;
    for (const char c : s) EXPECT_TRUE(c >= ' ' && c <= '~') << s;
    return e;
  }
  ADD_FAILURE() << "was not refused";
  return InputError({});
}

inline std::string soft(const std::string& rest) {
  return "soft:\n  - name: gel\n    pad: {box: {width: 4 mm, depth: 4 mm, thickness: 2 mm, "
         "cells: [1, 1, 1]}}\n" +
         rest;
}
inline std::string material(const std::string& m) { return soft("    material: {" + m + "}\n"); }
inline std::string sphere(const std::string& rest) {
  return "spheres:\n  - {name: ball, radius: 1 cm, mass: 1, " + rest + "}\n";
}
inline std::string shape(const std::string& s) {
  return "prescribed:\n  - name: a\n    shape: " + s + "\n";
}

}  // namespace haptos::test
