// What the scene reader owes to any text at all: a scene that validates or one InputError of one
// sentence. Shared by the fuzzer and by the tests.
#pragma once

#include "haptos/files/scene/scene_file.h"
#include "tests/fuzz/fuzz_mesh.h"

namespace haptos::fuzz {

inline SceneLimits scene_limits() {
  SceneLimits limits;
  limits.max_bytes = 1 << 16;
  limits.max_elements = 20'000;
  return limits;
}

/// Returns whether the text was read. It may name no files.
inline bool scene(std::string_view text) {
  Scene s;
  try {
    s = parse_scene(text, "input", {}, scene_limits());
  } catch (const InputError& e) {
    demand_sentence(e);
    return false;
  }
  validate(s);  // throws where parse_scene let something wrong pass
  for (const SoftBody& b : s.soft) {
    demand(!b.name.empty() && !b.mesh.tets.empty(), "a soft body has a name and tetrahedra");
    demand_finite(b.mesh.vertices);
  }
  for (const PrescribedBody& b : s.prescribed) demand_finite(b.surface.vertices);
  for (const AffineBody& b : s.affine) {
    demand(!b.name.empty() && !b.surface.triangles.empty(), "an affine body has name and surface");
    demand_finite(b.surface.vertices);
  }
  return true;
}

}  // namespace haptos::fuzz
