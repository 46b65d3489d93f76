// Each format reads what it holds and says in one sentence what is wrong with what it does not.
#include "haptos/geometry/io/mesh_io.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <clocale>
#include <cmath>
#include <cstring>
#include <fstream>
#include <random>

#include "haptos/base/text/error.h"
#include "haptos/base/text/text.h"
#include "haptos/geometry/mesh/mesh_edit.h"

namespace haptos {
namespace {

// A folder of its own for each test, removed afterwards.
class MeshFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = std::filesystem::temp_directory_path() / "haptos_mesh_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path file(const std::string& name, const std::string& content = "") {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return folder_ / name;
  }
  std::filesystem::path folder_;
};

TriMesh tetrahedron() {
  return {{{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}},
          {{{0, 2, 1}}, {{0, 1, 3}}, {{1, 2, 3}}, {{2, 0, 3}}}};
}

InputError error_of(const std::string& bytes, MeshFormat format,
                    const MeshReadOptions& options = {}) {
  try {
    if (format == MeshFormat::kVtk || format == MeshFormat::kGmsh)
      parse_volume(bytes, format, "mesh", options);
    else
      parse_surface(bytes, format, "mesh", options);
  } catch (const InputError& e) {
    return e;
  }
  ADD_FAILURE() << "was read: " << bytes;
  return InputError({});
}

struct Broken {
  MeshFormat format;
  std::string bytes;
  int line;
  std::string element;   ///< part of Diagnostic::element
  std::string sentence;  ///< part of the sentence
};

const std::string kVertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
const std::string kVtkHead =
    "# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n"
    "0 0 0 1 0 0 0 1 0 0 0 1\n";
const std::string kMshHead =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
    "$EndNodes\n$Elements\n1\n";

TEST(MeshIo, AnErrorNamesLineElementAndRule) {
  using enum MeshFormat;
  const Broken cases[] = {
      {kObj, "", 0, "", "the file is empty"},
      {kObj, std::string("\xff\xfev\0", 4), 0, "", "UTF-16"},
      {kObj, std::string("v 0 0 0\nv 1\0 0 0\n", 17), 2, "byte 11", "NUL"},
      {kObj, kVertices + "f 0 1 2\n", 5, "face 0", "start at 1"},
      {kObj, kVertices + "f 1 2 3\nf 1 -99 2\n", 6, "face 1", "only 4 precede"},
      {kObj, kVertices + "f 1 2 99\n", 5, "face 0", "vertex index 99"},
      {kObj, kVertices + "f 1 2 4294967297\n", 5, "face 0", "has 4 vertices"},
      {kObj, kVertices + "f 1 2\n", 5, "face 0", "at least 3"},
      {kObj, kVertices + "v 0 nan 0\nf 1 2 3\n", 5, "vertex 4", "finite"},
      {kObj, kVertices + "v 0 1e39 0\nf 1 2 3\n", 5, "vertex 4", "1e+39"},
      {kObj, kVertices + "v 0 0,5 0\nf 1 2 3\n", 5, "vertex 4", "0,5"},
      {kObj, kVertices, 0, "", "no triangles"},
      {kObj, "ply\nformat ascii 1.0\n", 0, "", "the content is PLY, not OBJ"},
      {kStl, "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 inf\n", 4, "vertex 0 of triangle 0",
       "finite"},
      {kStl, "solid\nfacet normal 0 0 1\nouter lop\n", 3, "triangle 0", "\"loop\""},
      {kOff, "OFF\n4 1 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 4\n", 7, "face 0", "between 0 and 3"},
      {kOff, "OFF\n1 9000000 0\n0 0 0\n", 2, "face count", "too few"},
      {kVtk, kVtkHead + "CELLS 3 8\nOFFSETS vtktypeint64\n0 9 8\n", 10, "CELLS",
       "the end of the file"},
      {kVtk,
       kVtkHead +
           "CELLS 3 8\nOFFSETS vtktypeint64\n0 9 8\nCONNECTIVITY vtktypeint64\n0 1 2 3 0 1 2 3\n",
       0, "cell 0", "OFFSETS 0, 9"},
      {kVtk,
       kVtkHead + "CELLS 2 4\nOFFSETS vtktypeint64\n0 9\nCONNECTIVITY vtktypeint64\n0 1 2 3\n", 0,
       "OFFSETS", "size of CONNECTIVITY, 4"},
      {kVtk,
       kVtkHead + "CELLS 2 4\nOFFSETS vtktypeint64\n0 4\nCONNECTIVITY vtktypeint64\n0 1 2 3\n"
                  "CELL_TYPES 1\n12\n",
       0, "cell 0", "hexahedron"},
      {kGmsh, kMshHead + "1 11 0 1 2 3 4 1 2 3 4 1 2\n$EndElements\n", 13, "element 0",
       "Mesh.ElementOrder = 1"},
      {kGmsh, kMshHead + "1 4 0 1 2 3 9\n$EndElements\n", 13, "element 0", "node tag 9"},
      {kGmsh, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 0 0 0\n$EndNodes\n", 7,
       "tag of node 1", "$EndNodes"},
  };
  for (const Broken& c : cases) {
    const InputError e = error_of(c.bytes, c.format);
    if (c.line > 0) {
      EXPECT_EQ(e.diagnostic.line, c.line) << e.what();
    }
    EXPECT_NE(e.diagnostic.element.find(c.element), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find(c.sentence), std::string::npos) << e.what();
    EXPECT_EQ(std::string(e.what()).substr(0, 4), "mesh") << e.what();
  }
}

TEST(MeshIo, AnStlHeaderThatAnnouncesTooMuchIsRefusedBeforeMemoryIsTaken) {
  std::string bytes(184, '\0');
  const std::uint32_t count = 0xffffffffu;
  std::memcpy(bytes.data() + 80, &count, 4);
  const std::string s = error_of(bytes, MeshFormat::kStl).what();
  EXPECT_NE(s.find("4294967295 triangles"), std::string::npos) << s;
  EXPECT_NE(s.find("184"), std::string::npos) << s;
}

TEST(MeshIo, LimitsHold) {
  MeshReadOptions options;
  options.max_vertices = 3;
  EXPECT_EQ(error_of(kVertices + "f 1 2 3\n", MeshFormat::kObj, options).diagnostic.line, 4);
  options = {};
  options.max_elements = 1;
  EXPECT_EQ(error_of(kVertices + "f 1 2 3 4\n", MeshFormat::kObj, options).diagnostic.line, 5);
  options = {};
  options.max_bytes = 10;
  EXPECT_NE(error_of(kVertices, MeshFormat::kObj, options).diagnostic.rule.find("limit is 10"),
            std::string::npos);
  options = {};
  options.max_polygon = 3;
  EXPECT_EQ(error_of(kVertices + "f 1 2 3 4\n", MeshFormat::kObj, options).diagnostic.line, 5);
  for (const double scale : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    options = {};
    options.scale = scale;
    EXPECT_EQ(error_of(kVertices, MeshFormat::kObj, options).diagnostic.element, "scale");
  }
}

TEST(MeshIo, NumbersDoNotDependOnTheLocale) {
  double v = 0;
  EXPECT_TRUE(parse_double("+1.5e-3", v));
  EXPECT_EQ(v, 1.5e-3);
  EXPECT_TRUE(parse_double("1e-999", v));
  EXPECT_EQ(v, 0);
  EXPECT_TRUE(parse_double("1e999", v));
  EXPECT_TRUE(std::isinf(v));
  for (const char* bad : {"", "1,5", "1.5x", "+-1", "0x10", "- 1", "1 "})
    EXPECT_FALSE(parse_double(bad, v)) << bad;
  std::int64_t i = 0;
  for (const char* bad : {"", "1.0", "99999999999999999999", "+-1", "1e3"})
    EXPECT_FALSE(parse_integer(bad, i)) << bad;
  if (std::setlocale(LC_ALL, "de_DE.UTF-8")) {
    EXPECT_TRUE(parse_double("1.5", v));
    EXPECT_EQ(v, 1.5);
    EXPECT_FALSE(parse_double("1,5", v));
    std::setlocale(LC_ALL, "C");
  }
}

TEST(MeshIo, ScaleTurnsFileUnitsIntoMetres) {
  MeshReadOptions options;
  options.scale = 1e-3;
  const TriMesh m =
      parse_surface("v 0 0 0\nv 25 0 0\nv 0 -4 0\nf 1 2 3\n", MeshFormat::kObj, "mm", options);
  EXPECT_DOUBLE_EQ(m.vertices[1][0], 0.025);
  EXPECT_DOUBLE_EQ(m.vertices[2][1], -0.004);
}

TEST(MeshIo, AConcavePolygonKeepsItsAreaAndDirection) {
  // An L of area 3 with its notch at the corner from which a fan would leave the polygon.
  const TriMesh m =
      parse_surface("v 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 0\nv 2 0 0\nf 1 2 3 4 5 6\n",
                    MeshFormat::kObj, "L");
  ASSERT_EQ(m.triangles.size(), 4u);
  double area = 0;
  for (const Vec3i& t : m.triangles) {
    const auto p = [&](int k) { return m.vertices[static_cast<std::size_t>(t[k])]; };
    const double z = cross(p(1) - p(0), p(2) - p(0))[2] / 2;
    EXPECT_GT(z, 0);
    area += z;
  }
  EXPECT_DOUBLE_EQ(area, 3);
}

TEST(MeshIo, ASurfaceIsNoVolumeAndTheErrorSaysWhatToDo) {
  try {
    read_volume("pad.obj");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(e.diagnostic.remedy.find("read_surface"), std::string::npos);
  }
  try {
    read_surface("pad.vtk");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(e.diagnostic.remedy.find("read_volume"), std::string::npos);
  }
  EXPECT_THROW(read_surface("pad.fbx"), InputError);
}

TEST(MeshIo, CellsThatAreNoTetrahedraAreCountedInTheNotes) {
  std::vector<std::string> notes;
  const TetMesh m =
      parse_volume(kMshHead + "1 4 0 1 2 3 4\n$EndElements\n", MeshFormat::kGmsh, "a");
  EXPECT_EQ(m.tets.size(), 1u);
  std::string two = kMshHead + "1 2 0 1 2 3\n2 4 0 1 2 3 4\n3 2 0 1 2 4\n$EndElements\n";
  two.replace(two.find("$Elements\n1") + 10, 1, "3");
  EXPECT_EQ(parse_volume(two, MeshFormat::kGmsh, "b", {}, &notes).tets.size(), 1u);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0], "2 triangles were left out; only tetrahedra are read.");
}

TEST(MeshIo, NodeTagsMayBeInAnyOrder) {
  const TetMesh m = parse_volume(
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1000000007 0 0 0\n5 1 0 0\n3 0 1 0\n"
      "99 0 0 1\n$EndNodes\n$Elements\n1\n1 4 0 1000000007 5 3 99\n$EndElements\n",
      MeshFormat::kGmsh, "tags");
  for (int k = 0; k < 4; ++k) EXPECT_EQ(m.tets[0][k], k);
  EXPECT_DOUBLE_EQ(signed_volume(m), 1.0 / 6);
}

TEST_F(MeshFiles, WhatIsNoRegularFileIsRefusedWithoutBeingOpened) {
  std::filesystem::create_directory(folder_ / "dir.obj");
  ASSERT_EQ(::mkfifo((folder_ / "fifo.obj").c_str(), 0600), 0);
  std::filesystem::create_symlink("/dev/zero", folder_ / "zero.obj");
  for (const char* name : {"dir.obj", "fifo.obj", "zero.obj"}) try {
      read_surface(folder_ / name);
      ADD_FAILURE() << name;
    } catch (const InputError& e) {
      EXPECT_NE(e.diagnostic.rule.find("not a regular file"), std::string::npos) << e.what();
    }
  try {
    read_surface(folder_ / "missing.obj");
    ADD_FAILURE();
  } catch (const InputError& e) {
    EXPECT_NE(e.diagnostic.rule.find("No such file"), std::string::npos) << e.what();
  }
}

TEST_F(MeshFiles, WrittenSurfacesReadBackUnchanged) {
  TriMesh m = tetrahedron();
  m.vertices[1][0] = 0.1 + 1e-17;
  m.vertices[2][1] = 1.0 / 3;
  write_obj(folder_ / "a.obj", m);
  const TriMesh o = read_surface(folder_ / "a.obj");
  ASSERT_EQ(o.vertices.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) EXPECT_EQ(o.vertices[i][k], m.vertices[i][k]);
  for (std::size_t i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) EXPECT_EQ(o.triangles[i][k], m.triangles[i][k]);

  write_ply(folder_ / "a.ply", m);
  const TriMesh p = read_surface(folder_ / "a.ply");
  ASSERT_EQ(p.vertices.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(p.vertices[i][k], m.vertices[i][k]);
      EXPECT_EQ(p.triangles[i][k], m.triangles[i][k]);
    }

  write_stl(folder_ / "a.stl", m);
  const TriMesh s = read_surface(folder_ / "a.stl");
  EXPECT_EQ(s.vertices.size(), 4u);  // equal corners were joined
  EXPECT_EQ(s.triangles.size(), 4u);
  EXPECT_NEAR(signed_volume(s), signed_volume(m), 1e-9);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 3);
}

TEST_F(MeshFiles, WrittenVolumesReadBackUnchanged) {
  std::mt19937 random(7);
  TetMesh m;
  for (int i = 0; i < 20; ++i)
    m.vertices.push_back({{random() / 4e9, random() / 4e9, -(random() / 4e9)}});
  for (int i = 0; i + 3 < 20; ++i) m.tets.push_back({{i, i + 1, i + 2, i + 3}});
  for (const int way : {0, 1, 2}) {
    const auto path = folder_ / (way == 2 ? "m.msh" : "m.vtk");
    VtkWriteOptions options;
    options.binary = way == 0;
    options.vectors = m.vertices;
    if (way == 2)
      write_msh(path, m);
    else
      write_vtk(path, m, options);
    const TetMesh r = read_volume(path);
    ASSERT_EQ(r.vertices.size(), m.vertices.size());
    ASSERT_EQ(r.tets.size(), m.tets.size());
    for (std::size_t i = 0; i < m.vertices.size(); ++i)
      for (int k = 0; k < 3; ++k) EXPECT_EQ(r.vertices[i][k], m.vertices[i][k]);
    for (std::size_t i = 0; i < m.tets.size(); ++i)
      for (int k = 0; k < 4; ++k) EXPECT_EQ(r.tets[i][k], m.tets[i][k]);
  }
}

TEST_F(MeshFiles, AFailedWriteLeavesTheOldFileAndNothingElse) {
  const auto path = file("keep.obj", "old");
  TriMesh m = tetrahedron();
  m.vertices[3][2] = std::nan("");
  EXPECT_THROW(write_obj(path, m), InputError);
  EXPECT_EQ(read_regular_file(path, 100), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
  EXPECT_THROW(write_obj(folder_ / "no" / "such.obj", tetrahedron()), InputError);
  std::filesystem::create_directory(folder_ / "taken.obj");
  EXPECT_THROW(write_obj(folder_ / "taken.obj", tetrahedron()), InputError);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 2);
}

}  // namespace
}  // namespace haptos
