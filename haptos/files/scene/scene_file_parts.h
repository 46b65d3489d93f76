// The parts of the scene file reader; see scene_file.h.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "haptos/files/scene/scene_file.h"
#include "haptos/files/yaml/yaml_value.h"

namespace haptos::scene_file {

using yaml::Value;

using limits::kLargestLength, limits::kSmallestLength;  // what lies outside is a slip of units

/// The name of a body, where it is used before all names are known.
struct Reference {
  Value place;
  std::string name;
  bool carrier;  ///< only a prescribed body, an affine body or a link will do
};

/// A pose of a soft body that refers to another body, where that one starts.
struct RelativePose {
  Value place;
  std::string body, frame;
};

/// A pad of the section `sensors` that a link holds.
struct HeldPad {
  Value place;
  std::string body, link;
};

/// What reading a scene carries along.
struct Reading {
  struct Named {
    std::string kind;
    int line;
    bool carries = false;  ///< a link, or a robot that is just one
  };
  std::filesystem::path root;
  SceneLimits limits;
  SceneReaders readers;
  std::int64_t elements = 0;  ///< used so far, of limits.max_elements
  std::map<std::string, Named> names;
  std::vector<Reference> references;
  std::vector<RelativePose> relative;
  std::vector<HeldPad> held_pads;
  std::vector<SoftBody> pads;          ///< of robots
  std::vector<TactileSensor> tactile;  ///< of soft bodies in their order
  std::vector<TactileSensor> on_pads;  ///< of robots' pads
  std::vector<PairOptions> pairs;      ///< of these with their robots
  std::vector<PrescribedBody> mounts;  ///< of sensors that nothing else holds
  std::vector<std::string> warnings;

  /// Throws InputError at `place` unless `wanted` more elements fit in the limits.
  void check_elements(const Value& place, double wanted) const;
};

/// Runs f; an InputError without a file gets the place of v, and `part` after its path.
template <class F>
auto located(const Value& v, F&& f, const std::string& part = "") {
  try {
    return f();
  } catch (const InputError& e) {
    if (!e.diagnostic.file.empty()) throw;
    Diagnostic d = e.diagnostic;
    const Diagnostic at = v.where();
    d.file = at.file;
    d.line = at.line;
    d.column = at.column;
    d.element = at.element + part + (d.element.empty() ? "" : ", " + d.element);
    throw InputError(d);
  }
}

/// The one of `keys` that the map v has; throws InputError where it has none or several.
std::string only_one(const Value& v, std::initializer_list<const char*> keys);

/// A length between the limits above [m].
double read_length(const Value& v);
/// A point or displacement within the largest length [m].
Vec3d read_position(const Value& v);
/// A unit vector along the three numbers given.
Vec3d read_direction(const Value& v);
/// A quaternion [w, x, y, z] or {axis, angle}.
Quat read_rotation(const Value& v);
/// {position, rotation}, both optional.
Pose read_pose(const Value& v);
/// The name of a new body of this kind.
std::string read_name(Reading& r, const Value& body, const std::string& kind);

/// A number from low to high into `out`, where v has the key.
void read_if(const Value& v, const char* key, const char* unit, double low, double high,
             double& out);
/// What bounds and drives a motor, of a joint that turns or of one that slides, from a map.
template <class Motor>
void read_gains(const Value& v, bool turns, Motor& m) {
  const char* effort = turns ? "N m" : "N";
  for (const auto& [key, gain] : {std::pair{"kp", &m.kp}, {"kd", &m.kd}, {"ki", &m.ki}})
    read_if(v, key, "", 0, limits::kStrongest, *gain);
  read_if(v, "integral_limit", effort, 0, limits::kStrongest, m.integral_limit);
  read_if(v, "effort", effort, 0, limits::kStrongest, m.effort);
}
/// Whether a text begins with a letter, so that it names a value and is no number.
inline bool is_word(const std::string& text) {
  return !text.empty() &&
         ((text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z'));
}

/// Sets the options that the map v names.
template <class S>
void read_options(const Value& v, S& s) {
  std::vector<std::string> known;
  for (const Option<S>& o : OptionsOf<S>::table()) known.emplace_back(o.name);
  v.map();
  for (std::size_t i = 0; i < v.node().entries.size(); ++i) {
    const yaml::Entry& e = v.node().entries[i];
    const Option<S>* option = nullptr;
    for (const Option<S>& o : OptionsOf<S>::table())
      if (e.key == o.name) option = &o;
    if (option == nullptr) v.fail_unknown(e, known);
    const Value value = v.entry(i);
    const bool flag = std::holds_alternative<bool S::*>(option->member);
    Diagnostic where = value.where();
    if (*option->words && value.is_scalar() && is_word(value.text())) {
      set_option_word(s, *option, value.text(), where);
      continue;
    }
    set_option(s, e.key, flag ? value.boolean() : value.any_number(option->unit), where);
  }
}

/// The file that a scene names, found under the scene's folder or an allowed root.
std::filesystem::path find_asset(const Reading& r, const Value& v);

/// A pad and what it knows about itself, or a mesh file.
struct SoftSource {
  TetMesh mesh;
  bool is_pad = false;
  std::vector<int> base, x0, y0;  ///< of a pad
  std::vector<Vec3i> top;         ///< of a pad
};

/// The pad of a tactile sensor; material, friction and, where no glue is given, what holds it go to
/// the body: the body that its pose refers to, or a mount that stands still.
SoftSource read_sensor_pad(Reading& r, const Value& v, int parts_per_tet, SoftBody& b);

SoftSource read_pad(Reading& r, const Value& v, int parts_per_tet);
TriMesh read_shape(Reading& r, const Value& v);
TriMesh read_surface_file(Reading& r, const Value& v);
/// The vertices of a surface file as points.
TriMesh read_cloud_file(Reading& r, const Value& v);
TetMesh read_volume_file(Reading& r, const Value& v, int parts_per_tet);
/// A surface file, filled with tetrahedra.
TetMesh read_filled_surface(Reading& r, const Value& v, int parts_per_tet);

/// A choice among words.
std::size_t read_word(const Value& v, const std::vector<std::string>& words);
/// Refuses pads of `sensors` whose glued base is far from the link that holds them; after all is
/// read and placed.
void check_held_pads(const Reading& r, const Scene& s);
/// The pads of a robot, a soft body each, in the group "ROBOT pads".
void read_pads(Reading& r, const Value& v, const RobotBody& robot);

/// Vertices of the mesh as given: a part of a pad by name, a list, or those in a box.
std::vector<int> read_vertices(const Value& v, const SoftSource& s);
/// Triangles of the surface of the mesh as given: all (an empty list), the top of a pad, those in a
/// box, or a list.
std::vector<Vec3i> read_coat(const Value& v, const SoftSource& s);
/// All of them, outward, by vertices of the mesh.
std::vector<Vec3i> surface_triangles(const TetMesh& mesh);
/// The loads among the keys of a soft body.
void read_loads(const Value& v, const SoftSource& s, SoftBody& b);

// What readers of the table leave: the parts of an entry whose name and fields were read.
void read_parts(Reading& r, const Value& v, SoftBody& b);
void read_parts(Reading& r, const Value& v, PrescribedBody& b);
void read_parts(Reading& r, const Value& v, AffineBody& b);
void read_parts(Reading& r, const Value& v, MaterialPoints& b);
void read_parts(Reading& r, const Value& v, RobotBody& b);
void read_parts(Reading& r, const Value& v, Constraint& c);
void read_parts(Reading& r, const Value& v, SceneCamera& c);
template <class S>
void read_parts(Reading&, const Value&, S&) {}

/// An entry of `sensors`: the pad of a tactile sensor as a soft body.
SoftBody read_sensor_entry(Reading& r, const Value& v);
RobotBody read_rigid(Reading& r, const Value& v);
RobotBody read_sphere(Reading& r, const Value& v);
/// The sensors among the keys of a robot or a rigid body.
void read_sensors(const Value& v, std::vector<Sensor>& out);
PairOptions read_pair(Reading& r, const Value& v);

}  // namespace haptos::scene_file
