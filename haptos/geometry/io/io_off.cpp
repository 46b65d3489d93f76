// OFF text. Header "OFF", with the letters ST, C, N before it for data that follow each vertex and
// are left out; then the counts of vertices, faces and edges; then one line for each.
// Source: Geomview manual, "OFF Files".
#include <algorithm>

#include "haptos/geometry/io/io_detail.h"

namespace haptos::io {

TriMesh read_off(Input& in) {
  TextScanner& s = in.scan;
  s.skip(check_text(in.bytes, s.file()));
  s.set_comment('#');
  const std::string_view header = s.word();
  if (!header.ends_with("OFF"))
    s.fail("", "", "the file does not start with OFF", "check that it is an OFF file");
  const std::string_view prefix = header.substr(0, header.size() - 3);
  if (prefix.find_first_not_of("STCN") != prefix.npos)
    s.fail("header", printable(header), "only three-dimensional text OFF is read", "export as OFF");

  const std::int64_t vertex_count = s.integer("vertex count", -1, 0, vertex_limit(in.options));
  const std::int64_t face_count = s.integer("face count", -1, 0, in.options.max_elements);
  std::int64_t edges = 0;  // often wrong, and of no use; absent in some files
  const std::string_view edge_word = s.line_word();
  if (!edge_word.empty() && !parse_integer(edge_word, edges))
    s.fail("edge count", printable(edge_word), "must be an integer", "export the mesh again");
  check_count(in, "vertex count", vertex_count, vertex_limit(in.options), 6);
  check_count(in, "face count", face_count, in.options.max_elements, 8);

  std::vector<Vec3d> vertices;
  vertices.reserve(static_cast<std::size_t>(vertex_count));
  for (std::int64_t i = 0; i < vertex_count; ++i) {
    vertices.push_back(read_point(in, i));
    const std::string_view more = s.line_word();
    if (!more.empty() && prefix.empty())
      s.fail(element_name("vertex", i), printable(more), "a vertex has three numbers on its line",
             "call the format COFF, NOFF or STOFF where more data follow");
    s.take_line();
  }
  PolygonList polygons;
  std::vector<std::int64_t> corners;
  for (std::int64_t i = 0; i < face_count; ++i) {
    const std::int64_t n = s.integer("face", i, 3, std::max(in.options.max_polygon, 3));
    corners.clear();
    for (std::int64_t k = 0; k < n; ++k)
      corners.push_back(s.integer("face", i, 0, vertex_count - 1));
    polygons.add(in, corners);
    s.take_line();  // a colour may follow
  }
  const std::string_view rest = s.word();
  if (!rest.empty())
    s.fail("after the last face", printable(rest), "the counts announce no more data",
           "correct the counts or export the mesh again");
  return polygons.triangulate(in, std::move(vertices), 0);
}

}  // namespace haptos::io
