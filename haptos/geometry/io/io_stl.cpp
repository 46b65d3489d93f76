// STL. Binary: 80 bytes of header, a count n, then n records of 50 bytes: normal, three corners
// (single precision, little-endian), two bytes of attributes. The size 84 + 50 n tells binary from
// text; the word "solid" does not, since many binary files start with it. Normals are left out: the
// order of the corners says which side is outside.
// Source: 3D Systems, StereoLithography Interface Specification (1989).
#include <algorithm>

#include "haptos/geometry/io/io_detail.h"
#include "haptos/geometry/mesh/mesh_edit.h"

namespace haptos::io {

namespace {

constexpr std::size_t kHeader = 84, kRecord = 50;

// Vertices 3 t, 3 t + 1, 3 t + 2 are the corners of triangle t.
std::vector<Vec3d> read_binary(Input& in, std::int64_t count) {
  check_count(in, "triangles", count,
              std::min(in.options.max_elements, vertex_limit(in.options) / 3), 0);
  in.scan.take_bytes(kHeader, "header");
  std::vector<Vec3d> soup;
  soup.reserve(static_cast<std::size_t>(3 * count));
  for (std::int64_t t = 0; t < count; ++t) {
    const std::string_view record = in.scan.take_bytes(kRecord, "triangle");
    for (int k = 0; k < 3; ++k) {
      const char* p = record.data() + 12 + 12 * k;
      soup.push_back(checked_point(in, 3 * t + k, load<float>(p, false), load<float>(p + 4, false),
                                   load<float>(p + 8, false)));
    }
  }
  return soup;
}

bool equal_ignoring_case(std::string_view a, std::string_view lower) {
  if (a.size() != lower.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if ((a[i] >= 'A' && a[i] <= 'Z' ? a[i] + 32 : a[i]) != lower[i]) return false;
  return true;
}

void expect_word(Input& in, std::string_view lower, std::int64_t triangle) {
  const std::string_view w = in.scan.word();
  if (!equal_ignoring_case(w, lower))
    in.scan.fail(element_name("triangle", triangle),
                 w.empty() ? "the end of the file" : printable(w),
                 "\"" + std::string(lower) + "\" must stand here",
                 "the file is cut short or damaged; export it again");
}

std::vector<Vec3d> read_text(Input& in) {
  in.scan.skip(check_text(in.bytes, in.scan.file()));
  std::vector<Vec3d> soup;
  const std::int64_t limit = std::min(in.options.max_elements, vertex_limit(in.options) / 3);
  in.scan.word();       // solid
  in.scan.take_line();  // its name
  std::int64_t t = 0;
  bool open = true;
  for (std::string_view w; !(w = in.scan.word()).empty();) {
    if (equal_ignoring_case(w, "solid") && !open) {
      in.scan.take_line();
      open = true;
      continue;
    }
    if (equal_ignoring_case(w, "endsolid") && open) {
      in.scan.take_line();
      open = false;
      continue;
    }
    if (!equal_ignoring_case(w, "facet") || !open)
      in.scan.fail(element_name("triangle", t), printable(w),
                   open ? "\"facet\" or \"endsolid\" must stand here" : "\"solid\" must stand here",
                   "the file is damaged or no STL; export it again");
    if (t >= limit)
      in.scan.fail(element_name("triangle", t), "",
                   "the mesh has more than " + std::to_string(limit) + " triangles",
                   "simplify it or raise max_elements and max_vertices");
    expect_word(in, "normal", t);
    for (int k = 0; k < 3; ++k) in.scan.number("normal of triangle", t);
    expect_word(in, "outer", t);
    expect_word(in, "loop", t);
    for (int k = 0; k < 3; ++k) {
      expect_word(in, "vertex", t);
      soup.push_back(read_point(in, 3 * t + k));
    }
    expect_word(in, "endloop", t);
    expect_word(in, "endfacet", t);
    ++t;
  }
  if (open)
    in.scan.fail(element_name("triangle", t), "the end of the file",
                 "\"facet\" or \"endsolid\" must stand here",
                 "the file is cut short; export it again");
  return soup;
}

std::vector<Vec3d> read_soup(Input& in) {
  const std::string_view b = in.bytes;
  if (b.empty()) check_text(b, in.scan.file());
  std::int64_t count = -1;
  if (b.size() >= kHeader) {
    count = load<std::uint32_t>(b.data() + 80, false);
    if (static_cast<std::int64_t>(b.size()) == 84 + 50 * count) return read_binary(in, count);
  }
  std::size_t start = b.starts_with("\xef\xbb\xbf") ? 3 : 0;
  while (start < b.size() &&
         (b[start] == ' ' || b[start] == '\t' || b[start] == '\r' || b[start] == '\n'))
    ++start;
  const bool has_nul = b.find('\0') != b.npos;
  if (equal_ignoring_case(b.substr(start, 5), "solid") &&
      (!has_nul || b.find("facet") != b.npos || b.find("FACET") != b.npos))
    return read_text(in);
  if (b.starts_with("\xff\xfe") || b.starts_with("\xfe\xff")) check_text(b, in.scan.file());
  if (count < 0)
    in.scan.fail("", "",
                 "the file is too short for a binary STL (" + std::to_string(b.size()) +
                     " of at least 84 bytes) and does not start with \"solid\"",
                 "export it again");
  in.scan.fail("", "",
               "the binary STL header announces " + std::to_string(count) +
                   " triangles, which is " + std::to_string(84 + 50 * count) +
                   " bytes, but the file has " + std::to_string(b.size()),
               "the file is cut short, damaged or no STL; export it again");
}

}  // namespace

TriMesh read_stl(Input& in) {
  in.soup = true;
  const std::vector<Vec3d> soup = read_soup(in);
  const std::vector<int> first = weld_map(soup, 0);
  TriMesh mesh;
  std::vector<int> renumbered(soup.size());
  mesh.triangles.resize(soup.size() / 3);
  for (std::size_t i = 0; i < soup.size(); ++i) {
    const auto f = static_cast<std::size_t>(first[i]);
    if (f == i) {
      renumbered[i] = static_cast<int>(mesh.vertices.size());
      mesh.vertices.push_back(soup[i]);
    } else {
      renumbered[i] = renumbered[f];
    }
    mesh.triangles[i / 3][static_cast<int>(i % 3)] = renumbered[i];
  }
  return mesh;
}

}  // namespace haptos::io
