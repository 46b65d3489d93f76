// Wavefront OBJ: "v", "f", "l" and "p" statements; other statements do not matter to a simulation.
// Source: Wavefront Advanced Visualizer, Appendix B1, "Object Files".
#include <array>

#include "haptos/geometry/io/io_detail.h"

namespace haptos::io {

namespace {

// The vertex index of a corner "7", "7/1", "7//3" or "7/1/3": counted from 1, or back from the
// last vertex so far where negative. Returned counted from 0.
std::int64_t corner_index(const Input& in, std::string_view corner, const char* kind,
                          std::int64_t element, std::int64_t vertices_so_far) {
  const auto bad = [&](const char* rule) {
    in.scan.fail(element_name(kind, element), printable(corner), rule,
                 "write corners as v, v/vt, v//vn or v/vt/vn with indices counted from 1");
  };
  std::int64_t index = 0;
  std::string_view rest = corner;
  for (int part = 0; part < 3; ++part) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const std::string_view piece = rest.substr(0, slash);
    std::int64_t value = 0;
    const bool given = !piece.empty();
    if ((given && !parse_integer(piece, value)) || (part == 0 && !given))
      bad("a corner must be made of integers");
    if (part == 0) index = value;
    if (slash == rest.size()) break;
    if (part == 2) bad("a corner has at most three indices");
    rest.remove_prefix(slash + 1);
  }
  if (index == 0) bad("vertex indices start at 1");
  if (index > 0) return index - 1;
  if (index < -vertices_so_far)
    bad(("a negative index counts back from the last vertex, and only " +
         std::to_string(vertices_so_far) + " precede this line")
            .c_str());
  return vertices_so_far + index;
}

// x y z, then nothing, a weight, or a colour of three or four numbers.
Vec3d vertex(Input& in, std::int64_t index) {
  std::array<double, 7> number{};
  std::size_t n = 0;
  for (std::string_view w; !(w = in.scan.line_word()).empty(); ++n) {
    if (n == number.size())
      in.scan.fail(element_name("vertex", index), "", "more than 7 numbers follow v");
    if (!parse_double(w, number[n]))
      in.scan.fail(element_name("vertex", index), printable(w),
                   "must be a number with a decimal point");
  }
  if (n < 3)
    in.scan.fail(element_name("vertex", index), std::to_string(n) + " numbers",
                 "v needs three coordinates");
  return checked_point(in, index, number[0], number[1], number[2]);
}

// Lines or points: the corners of all statements, where each starts, and its line of the file.
struct LooseStatements {
  std::vector<std::int64_t> corner;
  std::vector<std::size_t> start;
  std::vector<std::int64_t> line;
  std::int64_t elements = 0;

  std::int64_t size() const { return static_cast<std::int64_t>(start.size()); }
  std::size_t end(std::size_t i) const {
    return i + 1 < start.size() ? start[i + 1] : corner.size();
  }
  void add(const Input& in, const std::vector<std::int64_t>& c, std::size_t least,
           const char* kind) {
    const std::string name = element_name(kind, size());
    if (c.size() < least)
      in.scan.fail(name, std::to_string(c.size()) + " vertices",
                   least == 2 ? "a line needs at least 2" : "a point statement needs at least 1",
                   "remove it");
    elements += static_cast<std::int64_t>(c.size() + 1 - least);
    if (elements > in.options.max_elements)
      in.scan.fail(name, "",
                   "the mesh has more than " + std::to_string(in.options.max_elements) +
                       " segments and points",
                   "simplify it or raise max_elements");
    start.push_back(corner.size());
    corner.insert(corner.end(), c.begin(), c.end());
    line.push_back(in.scan.line());
  }
  void check(const Input& in, const char* kind, std::size_t vertices) const {
    for (std::size_t i = 0; i < start.size(); ++i)
      for (std::size_t k = start[i]; k < end(i); ++k)
        if (corner[k] < 0 || corner[k] >= static_cast<std::int64_t>(vertices))
          in.scan.fail_at(line[i], element_name(kind, static_cast<std::int64_t>(i)),
                          "vertex index " + std::to_string(corner[k] + 1),
                          "the file has " + std::to_string(vertices) + " vertices, counted from 1",
                          "correct the index or export the mesh again");
  }
};

}  // namespace

TriMesh read_obj(Input& in) {
  in.scan.skip(check_text(in.bytes, in.scan.file()));
  in.scan.set_comment('#');
  in.scan.set_continuation(true);
  std::vector<Vec3d> vertices;
  PolygonList polygons;
  std::vector<std::int64_t> corners;
  LooseStatements lines, points;
  std::int64_t unknown = 0;
  for (; !in.scan.at_end(); in.scan.take_line()) {
    const std::string_view statement = in.scan.line_word();
    if (statement.empty()) continue;
    if (statement == "v") {
      const auto index = static_cast<std::int64_t>(vertices.size());
      if (index >= vertex_limit(in.options))
        in.scan.fail(element_name("vertex", index), "",
                     "the mesh has more than " + std::to_string(index) + " vertices",
                     "simplify it or raise max_vertices");
      vertices.push_back(vertex(in, index));
    } else if (statement == "f") {
      corners.clear();
      for (std::string_view w; !(w = in.scan.line_word()).empty();)
        corners.push_back(corner_index(in, w, "face", static_cast<std::int64_t>(polygons.size()),
                                       static_cast<std::int64_t>(vertices.size())));
      polygons.add(in, corners);
    } else if (statement == "l" || statement == "p") {
      const bool line = statement == "l";
      LooseStatements& all = line ? lines : points;
      const char* kind = line ? "line" : "point statement";
      corners.clear();
      for (std::string_view w; !(w = in.scan.line_word()).empty();)
        corners.push_back(
            corner_index(in, w, kind, all.size(), static_cast<std::int64_t>(vertices.size())));
      all.add(in, corners, line ? 2 : 1, kind);
    } else {
      for (const char c : statement)
        if (c < ' ' || c > '~')
          in.scan.fail("statement", printable(statement), "is not OBJ text",
                       "check that the file is an OBJ; export it again");
      static constexpr std::string_view kHarmless[] = {"vt", "vn", "g",      "o",
                                                       "s",  "mg", "usemtl", "mtllib"};
      bool harmless = false;
      for (const std::string_view h : kHarmless) harmless |= statement == h;
      unknown += !harmless;
    }
  }
  if (unknown > 0)
    in.note(std::to_string(unknown) + " statements other than vertices and faces were left out.");
  lines.check(in, "line", vertices.size());
  points.check(in, "point statement", vertices.size());
  TriMesh mesh = polygons.triangulate(in, std::move(vertices), 1);
  for (std::size_t i = 0; i < lines.start.size(); ++i)
    for (std::size_t k = lines.start[i]; k + 1 < lines.end(i); ++k)
      mesh.segments.push_back(
          {{static_cast<int>(lines.corner[k]), static_cast<int>(lines.corner[k + 1])}});
  for (const std::int64_t v : points.corner) mesh.points.push_back(static_cast<int>(v));
  if (!mesh.triangles.empty() && !mesh.only_triangles())
    in.note("Beside triangles it holds segments, " + std::to_string(mesh.segments.size()) +
            ", and points, " + std::to_string(mesh.points.size()) + ".");
  return mesh;
}

}  // namespace haptos::io
