// Bad files that robots name, row by row: see test_urdf_bad_input.cpp. Nothing outside the robot's
// folders is opened, nothing is fetched, and a mesh that is damaged is an error that says who
// asked.
#include <sys/stat.h>

#include "tests/unit/bad_input.h"
#include "tests/unit/urdf_text.h"

namespace haptos {
namespace {

namespace fs = std::filesystem;
using namespace test;

// A robot in a folder whose one collision names `file`; the refusal of reading it.
InputError mesh_refused(const Folder& folder, const std::string& file,
                        const UrdfOptions& options = {}) {
  const fs::path robot = folder.write("bot/robot.urdf", robot_of(link("a", collision(mesh(file)))));
  return refused([&] { read_urdf(robot, options); });
}
void mesh_says(const Folder& folder, const std::string& file, const std::string& part) {
  const InputError e = mesh_refused(folder, file);
  EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << file << "\n" << e.what();
}

TEST(UrdfBadFiles, Row7PathsOutOfTheFolder) {
  const Folder folder;
  folder.write("outside.obj", kTetrahedron);
  mesh_says(folder, "../../../../../../../../etc/passwd", "leads out of the robot's folders");
  mesh_says(folder, "../outside.obj", "leads out of the robot's folders");
  mesh_says(folder, "package://bot/../outside.obj", "leads out of the robot's folders");
  mesh_says(folder, "package://../outside.obj", "must name a package");
  // The same for what is only shown: a refusal, not a warning.
  const fs::path robot =
      folder.write("bot/robot.urdf", robot_of(link("a", visual(mesh("../outside.obj")))));
  refused([&] { read_urdf(robot); });
}

TEST(UrdfBadFiles, Row8AbsolutePathsLinksAndDrives) {
  const Folder folder;
  const fs::path outside = folder.write("outside.obj", kTetrahedron);
  folder.write("bot/x", "");
  fs::create_symlink(outside, folder.path / "bot/link.obj");
  mesh_says(folder, outside.string(), "leads out of the robot's folders");
  mesh_says(folder, "file://" + outside.string(), "leads out of the robot's folders");
  mesh_says(folder, "link.obj", "leads out of the robot's folders");
  mesh_says(folder, "C:/part.obj", "nothing is fetched");
  mesh_says(folder, "C:\\part.obj", "backslash");
  mesh_says(folder, "\\\\host\\part.obj", "backslash");
  UrdfOptions o;
  o.roots = {folder.path};
  folder.write("bot/robot.urdf", robot_of(link("a", collision(mesh("link.obj")))));
  EXPECT_EQ(read_urdf(folder.path / "bot/robot.urdf", o).links[0].collisions[0].file, outside);
}

TEST(UrdfBadFiles, Row9NothingIsFetched) {
  const Folder folder;
  for (const char* url : {"http://169.254.169.254/latest/part.obj", "https://example.com/a.stl",
                          "ftp://host/a.stl", "data:text/plain,v"})
    mesh_says(folder, url, "nothing is fetched");
}

TEST(UrdfBadFiles, Row11WhatIsNoRegularFile) {
  const Folder folder;
  folder.write("bot/x", "");
  ASSERT_EQ(mkfifo((folder.path / "bot/fifo.obj").c_str(), 0600), 0);
  fs::create_directory(folder.path / "bot/folder.obj");
  mesh_says(folder, "fifo.obj", "not a regular file");
  mesh_says(folder, "folder.obj", "not a regular file");
  for (const fs::path& p : {fs::path("/dev/zero"), folder.path, folder.path / "bot/fifo.obj"})
    refused([&] { read_urdf(p); });
  refused([&] { read_urdf(folder.path / "missing.urdf"); });
  refused([&] { read_urdf(folder.path / "missing.xacro"); });
}

std::string stl(unsigned count, std::size_t bytes, const char* header = "binary") {
  std::string s = header;
  s.resize(80, ' ');
  for (int k = 0; k < 4; ++k) s += static_cast<char>(count >> (8 * k));
  s.resize(bytes, '\0');
  return s;
}

TEST(UrdfBadFiles, Row25And26StlCounts) {
  const Folder folder;
  folder.write("bot/a.stl", stl(0xffffffffu, 184));
  folder.write("bot/b.stl", stl(10, 184, "solid but binary"));
  mesh_says(folder, "a.stl", "bytes");
  mesh_says(folder, "b.stl", "robot.urdf:2");
}

TEST(UrdfBadFiles, Row27And28MeshNumbersAndIndices) {
  const Folder folder;
  const std::string t = kTetrahedron;
  folder.write("bot/nan.obj", "v nan 0 0\n" + t);
  folder.write("bot/big.obj", "v 1e39 0 0\n" + t);
  folder.write("bot/index.obj", t + "f 1 2 99\n");
  folder.write("bot/zero.obj", t + "f 0 1 2\n");
  folder.write("bot/none.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
  folder.write("bot/far.obj", kTetrahedron);
  mesh_says(folder, "nan.obj", "vertex 0");
  mesh_says(folder, "big.obj", "vertex 0");
  mesh_says(folder, "index.obj", "99");
  mesh_says(folder, "zero.obj", "robot.urdf:2");
  mesh_says(folder, "none.obj", "no triangles");
  const fs::path robot = folder.write(
      "bot/robot.urdf", robot_of(link("a", collision(mesh("far.obj", "scale=\"1 1 1e8\"")))));
  const InputError e = refused([&] { read_urdf(robot); });
  EXPECT_NE(std::string(e.what()).find("vertex 3 = 1e+08"), std::string::npos) << e.what();
}

TEST(UrdfBadFiles, Row36FlatHulls) {
  const Folder folder;
  folder.write("bot/flat.obj", "v 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\nf 1 2 3\nf 2 4 3\n");
  folder.write("bot/line.obj", "v 0 0 0\nv 1 1 1\nv 2 2 2\nf 1 2 3\n");
  mesh_says(folder, "flat.obj", "all its points lie in one plane");
  mesh_says(folder, "line.obj", "all its points lie in one plane");
  UrdfOptions o;
  o.hulls = false;
  EXPECT_EQ(
      read_urdf(folder.write("bot/robot.urdf", robot_of(link("a", collision(mesh("flat.obj"))))), o)
          .links[0]
          .collisions[0]
          .shape.kind,
      ShapeKind::kMesh);
}

}  // namespace
}  // namespace haptos
