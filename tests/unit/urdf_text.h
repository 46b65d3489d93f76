// Short texts of robots for the tests of the URDF reader.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "haptos/files/urdf/urdf.h"

namespace haptos::test {

inline Robot parse_robot(const std::string& text, const UrdfOptions& options = {}) {
  return parse_urdf(text, "robot.urdf", {}, options);
}
inline std::string robot_of(const std::string& inside) {
  return "<robot name=\"r\">\n" + inside + "\n</robot>\n";
}
inline std::string inertial(double mass = 1, const std::string& diagonal = "1") {
  return "<inertial><mass value=\"" + std::to_string(mass) + "\"/><inertia ixx=\"" + diagonal +
         "\" iyy=\"" + diagonal + "\" izz=\"" + diagonal + "\"/></inertial>";
}
inline std::string link(const std::string& name, const std::string& inside = inertial()) {
  return "<link name=\"" + name + "\">" + inside + "</link>\n";
}
inline std::string joint(const std::string& name, const std::string& type,
                         const std::string& parent, const std::string& child,
                         const std::string& rest = "") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent +
         "\"/><child link=\"" + child + "\"/>" + rest + "</joint>\n";
}
inline std::string collision(const std::string& geometry) {
  return "<collision><geometry>" + geometry + "</geometry></collision>";
}
inline std::string visual(const std::string& geometry, const std::string& rest = "") {
  return "<visual><geometry>" + geometry + "</geometry>" + rest + "</visual>";
}
constexpr const char* kLimit = "<limit lower=\"-1\" upper=\"1\" effort=\"10\" velocity=\"2\"/>";
/// Two links and a revolute joint "j" between them, with `rest` in the joint.
inline std::string arm(const std::string& rest) {
  return robot_of(link("a") + link("b") + "\n" + joint("j", "revolute", "a", "b", rest));
}

/// A folder of its own, gone at the end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "haptos_urdf_XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no folder for the test");
    path = std::filesystem::canonical(name);
  }
  ~Folder() {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file;
  }
  std::filesystem::path path;
};

/// A tetrahedron with legs 1 along the axes, as OBJ; volume 1/6.
constexpr const char* kTetrahedron =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
inline std::string mesh(const std::string& file, const std::string& rest = "") {
  return "<mesh filename=\"" + file + "\" " + rest + "/>";
}

inline bool has_warning(const Robot& robot, const std::string& part) {
  for (const std::string& w : robot.warnings)
    if (w.find(part) != w.npos) return true;
  return false;
}
inline std::string all_warnings(const Robot& robot) {
  std::string s;
  for (const std::string& w : robot.warnings) s += w + "\n";
  return s;
}

}  // namespace haptos::test
