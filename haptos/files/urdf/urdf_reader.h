// What the parts of the URDF reader share. Internal to urdf*.cpp.
#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <optional>
#include <unordered_map>

#include "haptos/files/urdf/urdf.h"
#include "haptos/files/urdf/urdf_files.h"

namespace haptos::urdf {

/// A material by name: of the robot, or the first of a visual that says what it looks like.
struct Material {
  std::optional<std::array<double, 4>> rgba;
  std::string texture;  ///< file found
  int line = 0;
};

/// A link and where the file names it.
struct LinkEntry {
  RobotLink link;
  int line = 0;
};

/// A joint before its links are looked up.
struct JointEntry {
  RobotJoint joint;
  std::string parent, child;
  int line = 0, parent_line = 0, child_line = 0, mimic_line = 0;
};

/// Reads values out of elements; every refusal names file, line and `what`, for example
/// joint "elbow".
class Reader {
 public:
  Reader(std::string file, const std::filesystem::path& folder, const UrdfOptions& o)
      : options(o), files(folder, o), file_(std::move(file)) {}

  const UrdfOptions& options;
  MeshFinder files;
  std::unordered_map<std::string, Material> materials;

  [[noreturn]] void fail(int line, std::string element, std::string value, std::string rule,
                         std::string remedy = "") const;
  /// Adds a warning. Of those with the same `kind` the first is kept and the others are counted.
  void warn(int line, std::string sentence, const std::string& kind = "");
  /// The warnings as "file:line: sentence", in the order of their lines.
  std::vector<std::string> take_warnings();

  /// Warns of children and attributes that are not known, refuses mistyped attributes, and refuses
  /// a second child where `once` names it.
  void known(const xml::Element& e, const std::string& what,
             std::initializer_list<const char*> attributes,
             std::initializer_list<const char*> children = {},
             std::initializer_list<const char*> once = {});

  /// The attribute, which must be there.
  const xml::Attribute& need(const xml::Element& e, const char* attribute, const std::string& what,
                             const char* remedy) const;
  /// The child element, which must be there.
  const xml::Element& need_child(const xml::Element& e, const char* child, const std::string& what,
                                 const char* remedy) const;
  /// Words that may be shown: not endless, without control characters.
  std::string text(const xml::Attribute& a, const std::string& what) const;
  /// The same of an attribute that must be there and not be empty.
  std::string name(const xml::Element& e, const char* attribute, const std::string& what) const;

  /// A number in [low, high]; infinite only where low or high are.
  double number(const xml::Attribute& a, const std::string& what, double low, double high) const;
  /// The same of an attribute that may be missing.
  double number_or(const xml::Element& e, const char* attribute, const std::string& what,
                   double low, double high, double missing) const;
  /// As many numbers as `count`, separated by blanks.
  std::vector<double> numbers(const xml::Attribute& a, const std::string& what, std::size_t count,
                              double low, double high) const;
  Vec3d triple(const xml::Attribute& a, const std::string& what, double low, double high) const;
  /// The child <origin>: xyz [m] with rpy [rad] or quat_xyzw; no motion where there is none.
  Pose origin(const xml::Element& parent, const std::string& what);

  // urdf_shapes.cpp
  /// A <material> of the robot.
  void read_material(const xml::Element& e);
  /// A <visual> or a <collision> of a link.
  void read_shape(const xml::Element& e, const std::string& what, bool visual, RobotLink& link);
  /// Gives the visuals that name a material what it says.
  void resolve_materials();
  /// What a <contact> of a link says, for the collisions that say nothing themselves.
  void read_contact(const xml::Element& e, const std::string& what, RobotLink& link);
  /// What it says of the pressure in them; below 0: nothing.
  PressureLaw read_pressure(const xml::Element& contact, const std::string& what);

 private:
  /// A visual whose material is only named; looked up once the whole file is read.
  struct Wanted {
    std::size_t link, visual;
    std::string material;
    int line;
    std::string what;
  };

  void read_geometry(const xml::Element& e, const std::string& what, bool visual, RobotShape& s,
                     bool& keep);
  void read_plane(const xml::Element& e, const std::string& what, RobotShape& s);
  void read_mesh(const xml::Element& e, const std::string& what, bool visual, RobotShape& s,
                 bool& keep);
  std::shared_ptr<const TriMesh> load(const std::filesystem::path& path, const Vec3d& scale);
  void read_appearance(const xml::Element& e, const std::string& what, Material& m);
  void read_coefficients(const xml::Element& e, const std::string& what, RobotShape& s);
  void check_size(const xml::Element& e, const std::string& what, double size);

  struct Warning {
    int line;
    std::string sentence;
    int count;
  };

  std::string file_;
  std::vector<Warning> warnings_;
  std::unordered_map<std::string, std::size_t> kinds_;  ///< of warnings, where they are kept
  std::vector<Wanted> wanted_;
  std::map<std::string, std::shared_ptr<const TriMesh>> meshes_;  ///< by file and scale
  std::int64_t vertices_ = 0, triangles_ = 0;                     ///< read so far

 public:
  std::vector<LinkEntry> links;
  std::vector<JointEntry> joints;
};

/// A name as errors show it: "elbow".
std::string in_quotes(const std::string& name);
/// "did you mean "elbow"?", or the first few names that there are.
std::string suggestion(const std::string& name, const std::vector<std::string>& known);

// urdf_joints.cpp
JointEntry read_joint(Reader& r, const xml::Element& e);
/// Replaces chains of mimics by what they come to; refuses unknown joints and cycles.
void resolve_mimics(Reader& r, std::vector<JointEntry>& joints);

// urdf_tree.cpp
/// Orders links and joints as a tree and ties the root to the world; refuses what is none.
void build_tree(Reader& r, Robot& robot);

}  // namespace haptos::urdf
