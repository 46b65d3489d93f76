// VTK legacy files, DATASET UNSTRUCTURED_GRID, text and binary (big-endian).
// Versions 2 to 4: CELLS n size, then for each cell its number of points and their indices.
// Version 5.1: CELLS offsets size, then OFFSETS and CONNECTIVITY with their own types; cell i has
// the entries offset[i] to offset[i + 1] - 1, so there is one cell fewer than offsets.
// Source: VTK User's Guide, "VTK File Formats", and the 5.1 layout as VTK 9 documents it.
#include <algorithm>
#include <limits>
#include <map>

#include "haptos/geometry/io/io_detail.h"

namespace haptos::io {

namespace {

struct CellKind {
  const char* name;  ///< null where the type is not known
  int dimension;     ///< 3: has a volume
};

constexpr int kTet = 10;

// Cell types of vtkCellType.h.
CellKind cell_kind(std::int64_t type) {
  switch (type) {
    case 0:
      return {"empty cells", 0};
    case 1:
    case 2:
      return {"points", 0};
    case 3:
    case 4:
    case 21:
    case 35:
    case 68:
      return {"lines", 1};
    case 5:
    case 6:
    case 22:
    case 34:
    case 69:
      return {"triangles", 2};
    case 7:
    case 36:
      return {"polygons", 2};
    case 8:
    case 9:
    case 23:
    case 28:
    case 30:
    case 70:
      return {"quadrilaterals", 2};
    case 10:
      return {"tetrahedra", 3};
    case 11:
      return {"voxel", 3};
    case 12:
      return {"hexahedron", 3};
    case 13:
      return {"wedge", 3};
    case 14:
      return {"pyramid", 3};
    case 24:
      return {"second-order tetrahedron", 3};
    case 71:
      return {"higher-order tetrahedron", 3};
    case 25:
    case 29:
    case 33:
    case 72:
      return {"higher-order hexahedron", 3};
    case 26:
    case 31:
    case 32:
    case 73:
      return {"higher-order wedge", 3};
    case 27:
    case 37:
    case 74:
      return {"higher-order pyramid", 3};
    case 42:
      return {"polyhedron", 3};
    default:
      return {nullptr, -1};
  }
}

std::string upper(std::string_view w) {
  std::string s(w);
  for (char& c : s)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  return s;
}

// The bytes that one value of a VTK type takes in a binary file; 0 for what is not a number.
int type_size(std::string_view type) {
  static constexpr std::pair<std::string_view, int> kSizes[] = {
      {"CHAR", 1},          {"UNSIGNED_CHAR", 1}, {"SHORT", 2},     {"UNSIGNED_SHORT", 2},
      {"INT", 4},           {"UNSIGNED_INT", 4},  {"LONG", 8},      {"UNSIGNED_LONG", 8},
      {"FLOAT", 4},         {"DOUBLE", 8},        {"VTKIDTYPE", 4}, {"VTKTYPEINT64", 8},
      {"VTKTYPEUINT64", 8}, {"VTKTYPEINT32", 4}};
  for (const auto& [name, size] : kSizes)
    if (type == name) return size;
  return 0;
}

class VtkReader {
 public:
  explicit VtkReader(Input& in) : in_(in), s_(in.scan) {}

  TetMesh read() {
    read_header();
    for (std::string_view w; !(w = s_.word()).empty();) {
      const std::string keyword = upper(w);
      if (keyword == "POINTS")
        read_points();
      else if (keyword == "CELLS")
        read_cells();
      else if (keyword == "CELL_TYPES")
        read_types();
      else if (keyword == "METADATA")
        skip_metadata();
      else if (keyword == "FIELD")
        skip_field();
      else if (keyword == "POINT_DATA" || keyword == "CELL_DATA")
        break;
      else
        s_.fail("keyword", printable(w),
                "must be POINTS, CELLS, CELL_TYPES, FIELD, METADATA, POINT_DATA or CELL_DATA",
                "a count may be wrong; export the mesh again");
    }
    return assemble();
  }

 private:
  void read_header() {
    const std::string_view first = s_.take_line();
    constexpr std::string_view kMagic = "# vtk DataFile Version ";
    if (!first.starts_with(kMagic) || !parse_double(first.substr(kMagic.size()), version_))
      s_.fail("", "", "the file does not start with \"# vtk DataFile Version\"",
              "save the mesh as a VTK legacy file (.vtk); XML files (.vtu) are not read");
    if (!(version_ >= 1 && version_ < 6))
      s_.fail("version", to_text(version_), "versions 1 to 5.1 are read",
              "save the mesh as VTK legacy 5.1 or 4.2");
    s_.take_line();  // title
    const std::string encoding = upper(s_.take_line());
    if (encoding != "ASCII" && encoding != "BINARY")
      s_.fail("encoding", printable(encoding), "must be ASCII or BINARY", "export it again");
    binary_ = encoding == "BINARY";
    if (!binary_) check_text(in_.bytes, s_.file());
    if (upper(s_.word()) != "DATASET")
      s_.fail("", "", "DATASET must follow the encoding", "export the mesh again");
    const std::string_view dataset = s_.word();
    if (upper(dataset) != "UNSTRUCTURED_GRID")
      s_.fail(
          "dataset", printable(dataset), "must be UNSTRUCTURED_GRID",
          "save the tetrahedra as an unstructured grid; for a surface use OBJ, STL, PLY or OFF");
  }

  std::int64_t limit() const {
    return 4 * std::clamp<std::int64_t>(
                   std::max(in_.options.max_elements, in_.options.max_vertices), 0, 1ll << 36);
  }

  // n integers of `width` bytes.
  std::vector<std::int64_t> integers(const char* what, std::int64_t n, int width) {
    check_count(in_, what, n, limit(), binary_ ? width : 2);
    std::vector<std::int64_t> v;
    v.reserve(static_cast<std::size_t>(n));
    if (!binary_) {
      for (std::int64_t i = 0; i < n; ++i)
        v.push_back(s_.integer(what, i, std::numeric_limits<std::int64_t>::min(),
                               std::numeric_limits<std::int64_t>::max()));
      return v;
    }
    const char* p = s_.take_bytes(static_cast<std::uint64_t>(n * width), what).data();
    for (std::int64_t i = 0; i < n; ++i, p += width)
      v.push_back(width == 8 ? load<std::int64_t>(p, true) : load<std::int32_t>(p, true));
    return v;
  }

  void once(bool& seen, const char* section) {
    if (seen) s_.fail(section, "", "stands in the file twice", "export the mesh again");
    seen = true;
  }

  void read_points() {
    once(has_points_, "POINTS");
    const std::int64_t n = s_.integer("POINTS count", -1, 0, vertex_limit(in_.options));
    const std::string_view type = s_.word();
    const int size = type_size(upper(type));
    if (upper(type) != "FLOAT" && upper(type) != "DOUBLE")
      s_.fail("POINTS type", printable(type), "must be float or double", "export the mesh again");
    s_.take_line();
    check_count(in_, "POINTS count", n, vertex_limit(in_.options), binary_ ? 3 * size : 6);
    mesh_.vertices.reserve(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) {
      if (!binary_) {
        mesh_.vertices.push_back(read_point(in_, i));
        continue;
      }
      const char* p = s_.take_bytes(3 * static_cast<std::uint64_t>(size),
                                    element_name("POINTS, vertex", i).c_str())
                          .data();
      double x[3];
      for (int k = 0; k < 3; ++k, p += size)
        x[k] = size == 8 ? load<double>(p, true) : load<float>(p, true);
      mesh_.vertices.push_back(checked_point(in_, i, x[0], x[1], x[2]));
    }
  }

  void read_cells() {
    once(has_cells_, "CELLS");
    const std::int64_t n = s_.integer("CELLS count", -1, 0, limit());
    const std::int64_t size = s_.integer("CELLS size", -1, 0, limit());
    s_.take_line();
    if (version_ >= 5) {
      read_offsets(n, size);
      return;
    }
    connectivity_ = integers("CELLS entry", size, 4);
    std::int64_t at = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t points = at < size ? connectivity_[static_cast<std::size_t>(at)] : -1;
      if (points < 0 || points > size - at - 1)
        s_.fail(element_name("cell", i), at < size ? std::to_string(points) + " points" : "",
                "the cell runs past the CELLS size " + std::to_string(size),
                "correct the counts or export the mesh again");
      start_.push_back(at + 1);
      end_.push_back(at + 1 + points);
      at += 1 + points;
    }
    if (at != size)
      s_.fail("CELLS size", std::to_string(size), "the cells take " + std::to_string(at),
              "correct the counts or export the mesh again");
  }

  std::vector<std::int64_t> typed_integers(const char* keyword, std::int64_t n) {
    const std::string_view w = s_.word();
    if (upper(w) != keyword)
      s_.fail("CELLS", w.empty() ? "the end of the file" : printable(w),
              std::string(keyword) + " must stand here in version 5.1", "export the mesh again");
    const std::string_view type = s_.word();
    const std::string t = upper(type);
    if (t != "VTKTYPEINT64" && t != "VTKTYPEINT32" && t != "INT" && t != "LONG" && t != "VTKIDTYPE")
      s_.fail(keyword, printable(type), "must be vtktypeint64 or vtktypeint32");
    s_.take_line();
    return integers(keyword, n, type_size(t));
  }

  void read_offsets(std::int64_t n, std::int64_t size) {
    if (n == 0 && size == 0) return;
    const std::vector<std::int64_t> offset = typed_integers("OFFSETS", n);
    connectivity_ = typed_integers("CONNECTIVITY", size);
    if (offset.empty() || offset.front() != 0 || offset.back() != size)
      s_.fail("OFFSETS", offset.empty() ? "" : std::to_string(offset.back()),
              "must run from 0 to the size of CONNECTIVITY, " + std::to_string(size),
              "export the mesh again");
    for (std::size_t i = 0; i + 1 < offset.size(); ++i) {
      if (offset[i + 1] < offset[i] || offset[i + 1] > size)
        s_.fail(element_name("cell", static_cast<std::int64_t>(i)),
                "OFFSETS " + std::to_string(offset[i]) + ", " + std::to_string(offset[i + 1]),
                "must not decrease or pass " + std::to_string(size), "export the mesh again");
      start_.push_back(offset[i]);
      end_.push_back(offset[i + 1]);
    }
  }

  void read_types() {
    once(has_types_, "CELL_TYPES");
    const std::int64_t n = s_.integer("CELL_TYPES count", -1, 0, limit());
    s_.take_line();
    types_ = integers("CELL_TYPES entry", n, 4);
  }

  void skip_metadata() {  // ends with an empty line
    s_.take_line();
    while (!s_.at_end() && !s_.take_line().empty()) {
    }
  }

  void skip_field() {
    s_.word();  // its name
    const std::int64_t arrays = s_.integer("FIELD count", -1, 0, 1000);
    for (std::int64_t i = 0; i < arrays; ++i) {
      s_.word();  // its name
      const std::int64_t components = s_.integer("FIELD components", i, 0, 1 << 20);
      const std::int64_t tuples = s_.integer("FIELD tuples", i, 0, limit());
      const std::string_view type = s_.word();
      const int size = type_size(upper(type));
      if (size == 0)
        s_.fail(element_name("FIELD array", i), printable(type),
                "is not a type that can be skipped", "export the mesh without field data");
      s_.take_line();
      const std::int64_t values = components * tuples;  // below 2^20 * 2^38
      check_count(in_, "FIELD values", values, std::numeric_limits<std::int64_t>::max() / 16,
                  binary_ ? size : 2);
      if (binary_)
        s_.take_bytes(static_cast<std::uint64_t>(values * size), "FIELD values");
      else
        for (std::int64_t k = 0; k < values; ++k) s_.number("FIELD value", k);
    }
  }

  void check_type(std::size_t cell, std::int64_t type) {
    const CellKind kind = cell_kind(type);
    const std::string element = element_name("cell", static_cast<std::int64_t>(cell));
    const std::string value =
        "type " + std::to_string(type) + (kind.name ? std::string(" (") + kind.name + ")" : "");
    if (!kind.name)
      s_.fail(element, value, "is not a VTK cell type known here", "export linear tetrahedra");
    if (kind.dimension == 3)
      s_.fail(element, value, "only linear tetrahedra (type 10) are read",
              type == 24 || type == 71 ? "save the mesh at first order"
                                       : "mesh the volume with tetrahedra only");
    ++left_out_[kind.name];
  }

  TetMesh assemble() {
    const char* missing = !has_points_  ? "POINTS"
                          : !has_cells_ ? "CELLS"
                          : !has_types_ ? "CELL_TYPES"
                                        : nullptr;
    if (missing)
      s_.fail(missing, "", "this section is missing", "the file is cut short; export it again");
    if (types_.size() != start_.size())
      s_.fail("CELL_TYPES count", std::to_string(types_.size()),
              "must equal the number of cells, " + std::to_string(start_.size()),
              "correct the counts or export the mesh again");
    const auto vertex_count = static_cast<std::int64_t>(mesh_.vertices.size());
    for (std::size_t c = 0; c < types_.size(); ++c) {
      if (types_[c] != kTet) {
        check_type(c, types_[c]);
        continue;
      }
      const std::int64_t first = start_[c];
      if (end_[c] - first != 4)
        s_.fail(element_name("cell", static_cast<std::int64_t>(c)),
                std::to_string(end_[c] - first) + " points", "a tetrahedron has 4",
                "export the mesh again");
      if (static_cast<std::int64_t>(mesh_.tets.size()) >= in_.options.max_elements)
        s_.fail(element_name("cell", static_cast<std::int64_t>(c)), "",
                "the mesh has too many tetrahedra", "simplify it or raise max_elements");
      Vec4i tet;
      for (int k = 0; k < 4; ++k) {
        const std::int64_t v = connectivity_[static_cast<std::size_t>(first + k)];
        if (v < 0 || v >= vertex_count)
          s_.fail(element_name("cell", static_cast<std::int64_t>(c)), "point " + std::to_string(v),
                  "the file has " + std::to_string(vertex_count) + " points, counted from 0",
                  "export the mesh again");
        tet[k] = static_cast<int>(v);
      }
      mesh_.tets.push_back(tet);
    }
    for (const auto& [name, count] : left_out_)
      in_.note(std::to_string(count) + " " + name + " were left out; only tetrahedra are read.");
    return std::move(mesh_);
  }

  Input& in_;
  TextScanner& s_;
  double version_ = 0;
  bool binary_ = false;
  bool has_points_ = false, has_cells_ = false, has_types_ = false;
  TetMesh mesh_;
  std::vector<std::int64_t> connectivity_, start_, end_, types_;
  std::map<std::string, std::int64_t> left_out_;
};

}  // namespace

TetMesh read_vtk(Input& in) {
  if (!in.bytes.starts_with("# vtk")) check_text(in.bytes, in.scan.file());
  return VtkReader(in).read();
}

}  // namespace haptos::io
