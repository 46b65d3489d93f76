// Scene files: a scene in YAML, as docs/scene_file.md describes it.
//
// A file is read as a whole or refused as a whole. Every error is one InputError of one sentence
// with file, line and column. Meshes are named by paths relative to the scene file; they must lie
// in its folder or in a folder listed in the environment variable HAPTOS_ASSET_ROOTS. Nothing in a
// scene file is executed or fetched.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "haptos/sim/scene.h"

namespace haptos {

struct SceneLimits {
  std::int64_t max_bytes = 16ll << 20;        ///< of the scene file
  std::int64_t max_mesh_bytes = 256ll << 20;  ///< of each mesh file
  std::int64_t max_elements = 20'000'000;  ///< triangles and tetrahedra of all meshes as simulated
};

/// Reads a scene file; Scene::warnings receives what is odd about it but can be simulated.
/// Throws InputError for anything wrong, mesh files included.
Scene load_scene(const std::filesystem::path& path, const SceneLimits& limits = {});

/// Reads a scene from memory.
/// @param name stands for the file in errors
/// @param root folder that mesh files are looked for in; empty: the scene may name no files
Scene parse_scene(std::string_view text, const std::string& name, const std::filesystem::path& root,
                  const SceneLimits& limits = {});

/// All options of a scene with unit, default, range and meaning, as Markdown tables.
std::string describe_options();

}  // namespace haptos
