// Where the files that a robot names lie, and which of them may be opened.
//
// A file may lie in a package given by name, in a package found, in the folders that the options
// list, and in the robot's own folder: the nearest folder above the file that holds package.xml,
// else the one above a folder named urdf, robots, xacro or model, else the file's own. Links are
// followed before this is decided. Nothing is fetched from a network.
//
// A package is looked for in the folders above the file, but what stands for it must lie beside the
// robot's own folder, that is in the folder that holds it, or say its name in a package.xml: no
// robot reaches into the rest of a disk by the names of its folders.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace haptos {
struct UrdfOptions;
}

namespace haptos::urdf {

/// A path as errors show it: printable, and cut only where it is very long.
std::string shown_path(std::string_view path);

class MeshFinder {
 public:
  MeshFinder(const std::filesystem::path& folder, const UrdfOptions& options);

  struct Result {
    std::filesystem::path path;  ///< of the file; empty when there is none
    bool refused = false;        ///< may not be opened, as opposed to missing
    std::string rule, remedy;    ///< where there is no path
    std::string note;            ///< a sentence about how it was found, once
  };
  /// The file that package://name/path, model://name/path, file://path or path stands for.
  Result find(const std::string& uri);

 private:
  Result in_package(const std::string& name, const std::string& rest);
  Result take(const std::filesystem::path& candidate, const std::filesystem::path& package);
  /// Whether a path, its links followed, lies in the folder that holds the robot's own one.
  bool lies_beside(const std::filesystem::path& p) const;
  /// Folders that may be the package, most likely first.
  std::vector<std::filesystem::path> search(const std::string& name) const;

  std::filesystem::path folder_;
  std::vector<std::filesystem::path> above_;  ///< the folder and those above it, without the root
  std::filesystem::path beside_;              ///< the folder that holds the robot's own one
  std::vector<std::filesystem::path> roots_;  ///< without links
  const UrdfOptions& options_;
  std::map<std::string, std::vector<std::filesystem::path>> searched_;
  std::map<std::string, std::filesystem::path> guessed_;  ///< packages found under other names
};

}  // namespace haptos::urdf
