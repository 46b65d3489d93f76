// Segments and points of surfaces: files, mending, checks, and what a scene refuses.
#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>

#include "haptos/contact/surface.h"
#include "haptos/geometry/io/mesh_io.h"
#include "haptos/geometry/make/pads.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/geometry/mesh/mesh_check.h"
#include "haptos/geometry/mesh/mesh_edit.h"
#include "haptos/geometry/query/exact.h"
#include "tests/support.h"
#include "tests/unit/bad_input.h"

namespace haptos {
namespace {

using test::refused;

TriMesh read(const std::string& obj, std::vector<std::string>* notes = nullptr) {
  return parse_surface(obj, MeshFormat::kObj, "a.obj", {}, notes);
}

// A bent wire from 0 over 1 to 2, and a point, 3.
TriMesh wire() {
  TriMesh m;
  m.vertices = {{{0, 0, 0}}, {{1, 0, 0}}, {{1, 1, 0}}, {{0, 0, 1}}};
  m.segments = {{{0, 1}}, {{2, 1}}};
  m.points = {3};
  return m;
}

ContactSurface surface_of(const TriMesh& m) {
  std::vector<int> points(m.vertices.size());
  std::iota(points.begin(), points.end(), 0);
  return {m, points, 0, 0, true};
}

const std::string kFour = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 0 1\n";

TEST(LooseFiles, LinesAndPointsOfAnObjBecomeSegmentsAndPoints) {
  std::vector<std::string> notes;
  const TriMesh m = read(kFour + "l 1/5 2/6 3\nl -1 -4\np 4 2\n", &notes);
  EXPECT_TRUE(m.triangles.empty());
  ASSERT_EQ(m.segments.size(), 3u);
  const int expected[3][2] = {{0, 1}, {1, 2}, {3, 0}};
  for (std::size_t i = 0; i < 3; ++i)
    for (int k = 0; k < 2; ++k) EXPECT_EQ(m.segments[i][k], expected[i][k]) << i;
  EXPECT_EQ(m.points, (std::vector<int>{3, 1}));
  EXPECT_TRUE(notes.empty());
  read(kFour + "f 1 2 3\nl 3 4\n", &notes);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0], "Beside triangles it holds segments, 1, and points, 0.");
}

TEST(LooseFiles, AWrittenObjReadsBackAndOtherFormatsRefuse) {
  std::string name = std::filesystem::temp_directory_path() / "haptos_loose_XXXXXX";
  ASSERT_NE(::mkdtemp(name.data()), nullptr);
  const std::filesystem::path folder = name;
  TriMesh m = wire();
  m.triangles = {{{0, 1, 3}}};
  write_obj(folder / "a.obj", m);
  const TriMesh r = read_surface(folder / "a.obj");
  EXPECT_EQ(r.triangles.size(), 1u);
  ASSERT_EQ(r.segments.size(), 2u);
  EXPECT_EQ(r.segments[1][0], 2);
  EXPECT_EQ(r.points, m.points);
  for (const auto& write : {write_stl, write_ply}) {
    const std::string s = refused([&] { write(folder / "b", m); }).what();
    EXPECT_NE(s.find("2 segments, 1 points"), s.npos) << s;
    EXPECT_FALSE(std::filesystem::exists(folder / "b"));
  }
  m.segments[0][1] = 9;
  EXPECT_NE(std::string(refused([&] { write_obj(folder / "c.obj", m); }).what()).find("segment 0"),
            std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST(LooseFiles, ABadStatementIsNamedWithItsLine) {
  struct Bad {
    std::string text;
    int line;
    std::string says;
  };
  for (const Bad& b : {Bad{"l 1\n", 5, "line 0"}, Bad{"l 1 5\n", 5, "vertex index 5"},
                       Bad{"l 1 2\nl 2 x\n", 6, "line 1"}, Bad{"p\n", 5, "point statement 0"},
                       Bad{"p 0\n", 5, "indices start at 1"}, Bad{"p 7\n", 5, "vertex index 7"},
                       Bad{"l 1 -9\n", 5, "negative index"}}) {
    const InputError e = refused([&] { read(kFour + b.text); });
    EXPECT_EQ(e.diagnostic.line, b.line) << e.what();
    EXPECT_NE(std::string(e.what()).find(b.says), std::string::npos) << e.what();
  }
  const std::string s = refused([&] { read(kFour); }).what();
  EXPECT_NE(s.find("no triangles, segments or points"), s.npos) << s;
  MeshReadOptions few;
  few.max_elements = 2;
  EXPECT_NE(std::string(refused([&] {
                          parse_surface(kFour + "l 1 2 3 4\n", MeshFormat::kObj, "a", few);
                        }).what())
                .find("more than 2"),
            std::string::npos);
}

TEST(LooseMeshes, MendingKeepsWhatTheyName) {
  TriMesh m = wire();
  m.vertices.insert(m.vertices.begin(), {{{5, 5, 5}}, {{1, 0, 1e-9}}});  // unused; equal to (1,0,0)
  for (Vec2i& s : m.segments) s = {{s[0] + 2, s[1] + 2}};
  m.points = {5, 1};
  m.segments.push_back({{1, 3}});  // collapses
  m.segments.push_back({{1, 2}});  // becomes the first, turned round
  EXPECT_EQ(remove_unreferenced(m), 1);
  const WeldResult w = weld(m, 1e-6);
  EXPECT_EQ(w.merged_vertices, 1);
  ASSERT_EQ(m.segments.size(), 2u);
  ASSERT_EQ(m.points.size(), 2u);
  EXPECT_EQ(m.vertices.size(), 4u);
  const auto x = [&](int v) { return m.vertices[static_cast<std::size_t>(v)]; };
  EXPECT_LE(norm(x(m.segments[0][0]) - Vec3d{{0, 0, 0}}), 0);
  EXPECT_LE(norm(x(m.segments[1][0]) - Vec3d{{1, 1, 0}}), 0);
  EXPECT_LE(norm(x(m.points[0]) - Vec3d{{0, 0, 1}}), 0);
  m.points.push_back(4);
  EXPECT_NE(std::string(refused([&] { weld(m, 0); }).what()).find("point"), std::string::npos);
}

TEST(LooseMeshes, WhatIsWrongIsRefusedInASentence) {
  const auto says = [](const TriMesh& m, const std::string& part) {
    const std::string s = refused([&] { require_contact_surface(m, "bed"); }).what();
    EXPECT_NE(s.find(part), s.npos) << s;
    EXPECT_NE(s.find("bed"), s.npos) << s;
  };
  EXPECT_TRUE(check_surface(wire()).findings().empty());
  EXPECT_EQ(require_contact_surface(wire(), "").segments, 2);
  TriMesh m = wire();
  m.segments.push_back({{1, 4}});
  says(m, "segment 2");
  EXPECT_EQ(check_surface(m).invalid_segments.count, 1);
  m.segments.back() = {{-1, 2}};
  says(m, "segment 2");
  m.segments.back() = {{2, 2}};
  says(m, "has no length");
  m = wire();
  m.vertices[2] = m.vertices[1];
  says(m, "segment 1");
  m = wire();
  m.segments.push_back({{1, 0}});
  says(m, "name the same two vertices");
  m = wire();
  m.points.push_back(-1);
  says(m, "point 1");
  m.points.back() = 3;
  says(m, "name the same vertex");
  m = wire();
  m.vertices[3][1] = NAN;
  says(m, "must be finite");
  says({{{{0, 0, 0}}}, {}}, "needs triangles, segments or points");
  m = box({{1, 1, 1}});
  m.segments = {{{0, 7}}};
  EXPECT_FALSE(check_surface(m).closed());
  const std::string s =
      refused([&] { require_contact_surface(m, "bed", {.closed = true}); }).what();
  EXPECT_NE(s.find("triangles only"), s.npos) << s;
}

TEST(LooseMeshes, TrianglesMeetSegmentsAndPointsExactly) {
  TriMesh plate;
  plate.vertices = {{{0, 0, 0}}, {{4, 0, 0}}, {{0, 4, 0}}};
  plate.triangles = {{{0, 1, 2}}};
  TriMesh m;
  const double ulp = 4.9406564584124654e-324;
  m.vertices = {{{1, 1, -1}}, {{1, 1, 1}}, {{1, 1, ulp}}, {{1, 1, 0}},
                {{2, 2, 0}},  {{2, 2, 1}}, {{3, 2, -1}},  {{3, 2, 1}}};
  m.segments = {{{0, 1}}, {{1, 2}}, {{4, 5}}, {{6, 7}}};
  m.points = {2, 3};
  const auto pairs = loose_triangle_pairs(m, plate);
  std::vector<int> met;
  for (const auto& [i, t] : pairs) {
    met.push_back(i);
    EXPECT_EQ(t, 0);
  }
  // Through the face, on its rim, and the point on it; a hair above it is apart.
  EXPECT_EQ(met, (std::vector<int>{0, 2, 5}));
}

TEST(LooseSurface, CountsWeightsAndOwnersAreThoseOfALine) {
  const ContactSurface s = surface_of(wire());
  EXPECT_EQ(s.cell_count(), 3);
  ASSERT_EQ(s.topology.edges.size(), 2u);
  EXPECT_EQ(s.edge_count, (std::vector<int>{1, 1}));
  EXPECT_EQ(s.vertex_count, (std::vector<int>{0, -1, 0, 1}));
  for (const double w : s.rest.edge_sharpness) EXPECT_EQ(w, 1);
  // Ends are needles; a bend of a right angle stands out by tan 45 degrees.
  EXPECT_EQ(s.rest.vertex_sharpness[0], 1);
  EXPECT_EQ(s.rest.vertex_sharpness[3], 1);
  EXPECT_NEAR(s.rest.vertex_sharpness[1], 1 - std::sqrt(0.5), 1e-15);
  std::vector<int> vertices, edges;
  for (std::size_t c = 0; c < 3; ++c)
    for (int k = 0; k < 3; ++k) {
      if (s.owned_vertex[c][k] >= 0) vertices.push_back(s.owned_vertex[c][k]);
      if (s.owned_edge[c][k] >= 0) edges.push_back(s.owned_edge[c][k]);
    }
  std::sort(vertices.begin(), vertices.end());
  std::sort(edges.begin(), edges.end());
  EXPECT_EQ(vertices, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(edges, (std::vector<int>{0, 1}));
}

TEST(LooseSurface, AStraightLineIsNotSharpWhereItIsDividedAndEdgesOfTrianglesStay) {
  TriMesh m;
  m.vertices = {{{0, 0, 0}}, {{1, 0, 0}}, {{3, 0, 0}}, {{0, 1, 0}}};
  m.segments = {{{0, 1}}, {{1, 2}}};
  EXPECT_NEAR(surface_of(m).rest.vertex_sharpness[1], 0, 1e-15);
  m.triangles = {{{0, 1, 3}}};
  m.points = {3};
  const ContactSurface s = surface_of(m);
  EXPECT_EQ(s.cell_count(), 2);  // the triangle and the second segment
  EXPECT_EQ(s.topology.edges.size(), 4u);
  EXPECT_EQ(s.rest.vertex_sharpness[1], 1);
  EXPECT_EQ(s.edge_count, (std::vector<int>{0, 0, 0, 1}));
  EXPECT_EQ(s.vertex_count[1], -1);  // 1 - one triangle - one segment - two edges of count 0
}

TEST(LooseSurface, EveryCellIsHeldByAFrameWhereTheSurfaceHasOne) {
  for (const Vec3i& h : surface_of(wire()).loose_hold) {
    EXPECT_NE(h[0], h[1]);
    EXPECT_NE(h[1], h[2]);
    EXPECT_NE(h[2], h[0]);
  }
  // All on one line: two vertices hold; a point alone holds itself.
  TriMesh line;
  line.vertices = {{{0, 0, 0}}, {{1, 1, 1}}, {{0.2, 0.2, 0.2}}};
  line.segments = {{{0, 1}}};
  line.points = {2};
  for (const Vec3i& h : surface_of(line).loose_hold) EXPECT_EQ(h[1], h[2]);
  TriMesh point;
  point.vertices = {{{1, 2, 3}}};
  point.points = {0};
  EXPECT_EQ(surface_of(point).loose_hold[0][1], 0);
  // Every axis' extremes are on one line, but one vertex is not.
  line.vertices.push_back({{0.2, 0.8, 0.5}});
  line.points.push_back(3);
  for (const Vec3i& h : surface_of(line).loose_hold) EXPECT_NE(h[1], h[2]);
}

// A soft pad of 4 x 4 x 2 mm, its top at z = 0, and a prescribed body.
Scene pad_and(const TriMesh& surface) {
  Scene s;
  SoftBody gel;
  gel.name = "gel";
  BoxPadShape shape;
  shape.width = shape.depth = 4e-3;
  shape.thickness = 2e-3;
  gel.mesh = box_pad(shape, 2, 2, 1).mesh;
  s.soft = {gel};
  PrescribedBody b = test::mount("bed");
  b.surface = surface;
  s.prescribed = {b};
  return s;
}

TEST(LooseScenes, StartsInIntersectionAreRefused) {
  double top = -1e300;
  const Scene alone = pad_and({});
  for (const Vec3d& x : alone.soft[0].mesh.vertices) top = std::max(top, x[2]);
  const auto says = [&](TriMesh m, double z, const std::string& part) {
    for (Vec3d& x : m.vertices) x[2] += top + z;
    const std::string s = refused([&] { Sim sim(pad_and(m)); }).what();
    EXPECT_NE(s.find("\"gel\" and \"bed\""), s.npos) << s;
    EXPECT_NE(s.find(part), s.npos) << s;
  };
  const TriMesh needle = pins({{1, 1}}, 1e-3, 5e-3);
  says(needle, 1e-3, "the segment of vertices 0 and 1");
  says(pins({{1, 1}}, 1e-3, 0.5e-3), -0.5e-3, "one inside the other");
  TriMesh point;
  point.vertices = {{{0.3e-3, 0.2e-3, 0}}};
  point.points = {0};
  says(point, 0, "the point of vertex 0");
  says(point, -1e-3, "one inside the other");
  for (Vec3d& x : point.vertices) x[2] = top + 1e-5;
  EXPECT_NO_THROW(Sim sim(pad_and(point)));
}

TEST(LooseScenes, OnlyPrescribedBodiesHaveThem) {
  Scene s;
  AffineBody b;
  b.name = "crate";
  b.surface = box({{1, 1, 1}});
  b.surface.segments = {{{0, 7}}};
  s.affine = {b};
  const std::string text = refused([&] { Sim sim(s); }).what();
  EXPECT_NE(text.find("affine body \"crate\""), text.npos) << text;
  EXPECT_NE(text.find("only prescribed bodies"), text.npos) << text;
  TriMesh nothing;
  nothing.vertices = {{{0, 0, 1}}};
  const std::string empty = refused([&] { Sim sim(pad_and(nothing)); }).what();
  EXPECT_NE(empty.find("needs triangles, segments or points"), empty.npos) << empty;
  const std::string bad = refused([&] { pins({{0, 3}}, 1, 1); }).what();
  EXPECT_NE(bad.find("pins count"), bad.npos) << bad;
}

TEST(LooseScenes, PinsOfASceneFile) {
  const Scene s = test::parse(test::shape("{pins: {count: [3, 2], spacing: 2 mm, length: 5 mm}}"));
  const TriMesh& m = s.prescribed[0].surface;
  ASSERT_EQ(m.segments.size(), 6u);
  Aabb b = bounding_box(m.vertices);
  EXPECT_NEAR(b.hi[0] - b.lo[0], 4e-3, 1e-18);
  EXPECT_NEAR(b.hi[1] - b.lo[1], 2e-3, 1e-18);
  EXPECT_EQ(b.hi[2], 0);
  EXPECT_NEAR(b.lo[2], -5e-3, 1e-18);
  const InputError e = refused(
      [] { test::parse(test::shape("{pins: {count: [3], spacing: 2 mm, length: 5 mm}}")); });
  EXPECT_EQ(e.diagnostic.line, 3);
}

}  // namespace
}  // namespace haptos
