// Scene files: a scene in YAML, as docs/scene_file.md describes it.
//
// A file is read as a whole or refused as a whole. Every error is one InputError of one sentence
// with file, line and column. Meshes are named by paths relative to the scene file; they must lie
// in its folder or in a folder listed in the environment variable HAPTOS_ASSET_ROOTS. Nothing in a
// scene file is executed or fetched.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "haptos/scene/scene.h"

namespace haptos {

struct SceneLimits {
  std::int64_t max_bytes = 16ll << 20;        ///< of the scene file
  std::int64_t max_mesh_bytes = 256ll << 20;  ///< of each mesh file
  std::int64_t max_elements = 20'000'000;  ///< triangles and tetrahedra of all meshes as simulated
};

/// What a soft body asks for that the file gives by its surface.
struct TetrahedraRequest {
  TriMesh surface;     ///< [m], in the body's own frame
  std::string name;    ///< the surface file as found
  double size = 0;     ///< edge length [m]
  double epsilon = 0;  ///< how far the boundary may lie from the surface [m]; 0: by the size
  int seed = 1;
};

/// Fills a surface with tetrahedra. The library has no such program of its own: the Python package
/// brings one. May throw InputError.
using Tetrahedralise = std::function<TetMesh(const TetrahedraRequest&)>;

/// What a robot of a scene asks for that its file gives as MJCF.
struct MjcfRequest {
  std::filesystem::path file;  ///< as found
  std::filesystem::path root;  ///< folder that its meshes may lie in, beside the model's own
  std::string key;             ///< key frame that it starts at; "": the file's home, if any
  bool hulls = true;           ///< whether collision meshes stand for their hulls
};

/// Reads all of an MJCF file as one robot. The library has no compiler of this format: the Python
/// package brings MuJoCo's. May throw InputError.
using ReadMjcf = std::function<Robot(const MjcfRequest&)>;

/// What a soft body asks for that the file gives by a tactile sensor.
struct SensorRequest {
  std::string body;              ///< its name
  std::string sensor;            ///< a name, or a sensor file as found
  std::filesystem::path root;    ///< folder that the sensor's own files may lie in
  std::filesystem::path folder;  ///< of the pad's mesh, where that is not beside the sensor file
  std::array<double, 2> near{};  ///< where it will be pressed, in the gel frame [m]
  std::string quality;           ///< a word for the width of its elements, "" for the file's
};

/// The pad of a tactile sensor in its gel frame, and the sensor that sees it.
struct SensorPad {
  TetMesh mesh;           ///< [m]
  std::vector<int> base;  ///< vertices to glue
  std::vector<Vec3i> coat;
  Material material;
  double friction = 0;
  TactileSensor sensor;  ///< camera, markers, colours and noise; the reader gives it its name
};

/// A sensor. The Python package knows sensors by name and by file: pictures and archives that give
/// them colours are read there, and what it reads goes through here whole. May throw InputError.
using ReadSensor = std::function<SensorPad(const SensorRequest&)>;

/// What a robot asks for that its file gives as a set of pads.
struct PadsRequest {
  std::string robot;             ///< its name
  std::string set;               ///< a name, or a set's file as found
  std::filesystem::path root;    ///< folder that the set's own files may lie in
  std::filesystem::path folder;  ///< of the meshes, where that is not beside the set's file
};

/// A pad on a link; its pose is in the link's frame.
struct LinkPad {
  std::string name, link;
  SensorPad pad;
  Pose pose;
};

/// The pads of a robot.
struct LinkPads {
  std::vector<LinkPad> pads;
  bool touch_robot = true;  ///< whether they may touch its own links
};

/// The pads of a set. May throw InputError.
using ReadPads = std::function<LinkPads(const PadsRequest&)>;

/// What the library has no program for.
struct SceneReaders {
  Tetrahedralise tetrahedralise = {};  ///< of soft bodies that are given by their surface
  ReadMjcf mjcf = {};
  ReadSensor sensor = {};
  ReadPads pads = {};  ///< of robots
  /// Collision meshes of robots in COLLADA or glTF, in metres; see UrdfOptions::read_other.
  std::function<TriMesh(const std::filesystem::path&)> surface = {};
};

/// Reads a scene file; Scene::warnings receives what is odd about it but can be simulated.
/// Throws InputError for anything wrong, mesh files included.
/// @param readers  where one is missing, an entry that needs it is an error
Scene load_scene(const std::filesystem::path& path, const SceneLimits& limits = {},
                 const SceneReaders& readers = {});

/// Reads a scene from memory.
/// @param name stands for the file in errors
/// @param root folder that mesh files are looked for in; empty: the scene may name no files
Scene parse_scene(std::string_view text, const std::string& name, const std::filesystem::path& root,
                  const SceneLimits& limits = {}, const SceneReaders& readers = {});

/// All options of a scene with unit, default, range and meaning, as Markdown tables.
std::string describe_options();

}  // namespace haptos
