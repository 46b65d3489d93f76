// Reads every mesh of the outside data and holds known ones against known numbers.
#include <algorithm>
#include <cstdio>

#include "haptos/geometry/io/mesh_io.h"
#include "haptos/geometry/mesh/mesh_check.h"
#include "haptos/geometry/mesh/mesh_edit.h"
#include "tests/outside_data.h"

namespace haptos {
namespace {

std::vector<std::filesystem::path> files_with(const std::filesystem::path& root,
                                              const std::vector<std::string>& extensions) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    std::string e = entry.path().extension().string();
    for (char& c : e) c = static_cast<char>(std::tolower(c));
    if (entry.is_regular_file() && std::count(extensions.begin(), extensions.end(), e))
      found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(MeshIoOutside, EverySurfaceIsRead) {
  HAPTOS_OUTSIDE_FILE(path, "");
  const auto files = files_with(path, {".obj", ".stl", ".ply", ".off"});
  ASSERT_FALSE(files.empty());
  for (const auto& file : files) {
    std::vector<std::string> notes;
    TriMesh mesh;
    ASSERT_NO_THROW(mesh = read_surface(file, {}, &notes)) << file;
    const SurfaceReport r = check_surface(mesh, {.self_intersection = false});
    EXPECT_FALSE(r.invalid_triangles) << file;
    EXPECT_FALSE(r.nonfinite_vertices) << file;
    EXPECT_GT(r.area, 0) << file;
    std::printf("%-75s %6ld v %6ld t %2d parts %s\n", file.lexically_relative(path).c_str(),
                long(r.vertices), long(r.triangles), r.components,
                r.outward() ? "closed" : r.findings().front().c_str());
    for (const std::string& n : notes) std::printf("    %s\n", n.c_str());
  }
}

TEST(MeshIoOutside, EveryVolumeIsRead) {
  HAPTOS_OUTSIDE_FILE(path, "");
  const auto files = files_with(path, {".vtk", ".msh"});
  ASSERT_FALSE(files.empty());
  for (const auto& file : files) {
    std::vector<std::string> notes;
    TetMesh mesh;
    ASSERT_NO_THROW(mesh = read_volume(file, {}, &notes)) << file;
    const VolumeReport r = check_volume(mesh);
    EXPECT_FALSE(r.invalid_tets) << file;
    EXPECT_FALSE(r.nonfinite_vertices) << file;
    std::printf("%-75s %6ld v %6ld t %2d parts %.3g m^3 eta %.3g\n",
                file.lexically_relative(path).c_str(), long(r.vertices), long(r.tets), r.components,
                r.volume, r.worst_quality);
    for (const std::string& n : notes) std::printf("    %s\n", n.c_str());
    for (const std::string& f : r.findings()) std::printf("    %s\n", f.c_str());
  }
}

}  // namespace
}  // namespace haptos
