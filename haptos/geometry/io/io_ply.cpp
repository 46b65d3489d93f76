// PLY, text and binary of either byte order. Needs an element "vertex" with x, y, z and an element
// "face" with a list vertex_indices (or vertex_index); every other element and property is passed
// over. Source: G. Turk, "The PLY Polygon File Format", Stanford (1994).
#include <algorithm>
#include <array>

#include "haptos/geometry/io/io_detail.h"

namespace haptos::io {

namespace {

enum class Type { kInt8, kUint8, kInt16, kUint16, kInt32, kUint32, kFloat, kDouble };
constexpr int kSize[] = {1, 1, 2, 2, 4, 4, 4, 8};
int size_of(Type t) { return kSize[static_cast<int>(t)]; }
bool is_integer(Type t) { return t != Type::kFloat && t != Type::kDouble; }

struct Property {
  std::string name;
  Type type;  ///< of the value, or of one entry of the list
  Type count_type = Type::kUint8;
  bool is_list = false;
};

struct Element {
  std::string name;
  std::int64_t count = 0;
  std::vector<Property> properties;

  int find(std::string_view property) const {
    for (std::size_t i = 0; i < properties.size(); ++i)
      if (properties[i].name == property) return static_cast<int>(i);
    return -1;
  }
};

enum class Encoding { kText, kLittle, kBig };

class PlyReader {
 public:
  explicit PlyReader(Input& in) : in_(in), s_(in.scan) {}

  TriMesh read() {
    read_header();
    for (const Element& e : elements_) {
      check_element(e);
      for (std::int64_t i = 0; i < e.count; ++i) read_row(e, i);
    }
    if (encoding_ == Encoding::kText && !s_.word().empty())
      s_.fail("after the last element", "", "the header announces no more data",
              "correct the counts or export the mesh again");
    return polygons_.triangulate(in_, std::move(vertices_), 0);
  }

 private:
  Type type(std::string_view name) const {
    static constexpr std::array<std::array<std::string_view, 2>, 8> kNames{{{"char", "int8"},
                                                                            {"uchar", "uint8"},
                                                                            {"short", "int16"},
                                                                            {"ushort", "uint16"},
                                                                            {"int", "int32"},
                                                                            {"uint", "uint32"},
                                                                            {"float", "float32"},
                                                                            {"double", "float64"}}};
    for (std::size_t i = 0; i < kNames.size(); ++i)
      if (name == kNames[i][0] || name == kNames[i][1]) return static_cast<Type>(i);
    s_.fail("property type", printable(name), "is not a PLY type", "export the mesh again");
  }

  std::string_view header_word(const char* what) {
    const std::string_view w = s_.line_word();
    if (w.empty()) s_.fail("header", "", std::string(what) + " is missing", "export it again");
    return w;
  }

  void read_format() {
    const std::string_view w = header_word("the encoding");
    if (w == "ascii")
      encoding_ = Encoding::kText;
    else if (w == "binary_little_endian")
      encoding_ = Encoding::kLittle;
    else if (w == "binary_big_endian")
      encoding_ = Encoding::kBig;
    else
      s_.fail("format", printable(w), "must be ascii, binary_little_endian or binary_big_endian");
    has_format_ = true;
  }

  void read_property() {
    if (elements_.empty()) s_.fail("header", "", "a property comes before any element");
    Property p;
    std::string_view w = header_word("the type of a property");
    p.is_list = w == "list";
    if (p.is_list) {
      p.count_type = type(header_word("the count type of a list"));
      if (!is_integer(p.count_type))
        s_.fail("header", "", "a list cannot be counted by a floating-point number");
      w = header_word("the entry type of a list");
    }
    p.type = type(w);
    p.name = header_word("the name of a property");
    constexpr std::size_t kMostProperties = 256;
    if (elements_.back().properties.size() >= kMostProperties)
      s_.fail("element " + printable(elements_.back().name), "", "has more than 256 properties",
              "export fewer");
    elements_.back().properties.push_back(std::move(p));
  }

  void read_header() {
    if (s_.take_line() != "ply")
      s_.fail("", "", "the file does not start with \"ply\"", "check that it is a PLY file");
    for (;;) {
      if (s_.at_end()) s_.fail("header", "", "the file ends before end_header", "export it again");
      const std::string_view w = s_.line_word();
      if (w == "end_header") break;
      if (w == "format") {
        read_format();
      } else if (w == "element") {
        Element e;
        e.name = header_word("the name of an element");
        const std::string_view count = header_word("the count of an element");
        if (!parse_integer(count, e.count) || e.count < 0)
          s_.fail("element " + printable(e.name), printable(count),
                  "the count must be an integer of at least 0");
        if (elements_.size() >= 64) s_.fail("header", "", "announces more than 64 elements");
        elements_.push_back(std::move(e));
      } else if (w == "property") {
        read_property();
      } else if (w != "comment" && w != "obj_info" && !w.empty()) {
        s_.fail("header", printable(w), "is not a PLY header statement", "export the mesh again");
      }
      s_.take_line();
    }
    s_.take_line();
    if (!has_format_) s_.fail("header", "", "the format statement is missing", "export it again");
    if (encoding_ == Encoding::kText) check_text(in_.bytes, s_.file());
  }

  void check_element(const Element& e) {
    const bool text = encoding_ == Encoding::kText;
    std::int64_t row = 0;  // the fewest bytes of one element
    for (const Property& p : e.properties)
      row += text ? 2 : size_of(p.is_list ? p.count_type : p.type);
    const std::string what = "element " + printable(e.name);
    if (row == 0 && e.count > 0) s_.fail(what, "", "has no properties", "export the mesh again");
    const std::int64_t limit = e.name == "vertex" ? vertex_limit(in_.options)
                               : e.name == "face" ? in_.options.max_elements
                                                  : std::int64_t{1} << 40;
    check_count(in_, what.c_str(), e.count, limit, row);
    role_ = Role::kOther;
    if (e.name == "vertex") {
      role_ = Role::kVertex;
      const char* axes[] = {"x", "y", "z"};
      for (int k = 0; k < 3; ++k) {
        axis_[k] = e.find(axes[k]);
        if (axis_[k] < 0 || e.properties[static_cast<std::size_t>(axis_[k])].is_list)
          s_.fail(what, "", std::string("has no property ") + axes[k], "export the mesh again");
      }
      vertices_.reserve(static_cast<std::size_t>(e.count));
    } else if (e.name == "face") {
      role_ = Role::kFace;
      index_ = std::max(e.find("vertex_indices"), e.find("vertex_index"));
      if (index_ < 0 || !e.properties[static_cast<std::size_t>(index_)].is_list ||
          !is_integer(e.properties[static_cast<std::size_t>(index_)].type))
        s_.fail(what, "", "has no integer list vertex_indices", "export the mesh again");
    } else if (e.name == "tristrips" && e.count > 0) {
      s_.fail(what, "", "triangle strips are not read", "export the mesh with faces");
    }
  }

  double value(Type t, const std::string& element, std::int64_t row) {
    if (encoding_ == Encoding::kText) return s_.number(element.c_str(), row);
    const char* p = s_.take_bytes(static_cast<std::uint64_t>(size_of(t)), element.c_str()).data();
    const bool big = encoding_ == Encoding::kBig;
    switch (t) {
      case Type::kInt8:
        return load<std::int8_t>(p, big);
      case Type::kUint8:
        return load<std::uint8_t>(p, big);
      case Type::kInt16:
        return load<std::int16_t>(p, big);
      case Type::kUint16:
        return load<std::uint16_t>(p, big);
      case Type::kInt32:
        return load<std::int32_t>(p, big);
      case Type::kUint32:
        return load<std::uint32_t>(p, big);
      case Type::kFloat:
        return load<float>(p, big);
      case Type::kDouble:
        break;
    }
    return load<double>(p, big);
  }

  // Integers of a PLY have at most 32 bits, so a double holds them; text may hold anything.
  std::int64_t integer(Type t, const std::string& element, std::int64_t row) {
    if (encoding_ == Encoding::kText)
      return s_.integer(element.c_str(), row, -(1ll << 31), (1ll << 32) - 1);
    return static_cast<std::int64_t>(value(t, element, row));
  }

  void read_row(const Element& e, std::int64_t row) {
    double xyz[3] = {0, 0, 0};
    for (std::size_t i = 0; i < e.properties.size(); ++i) {
      const Property& p = e.properties[i];
      if (!p.is_list) {
        const double v = value(p.type, e.name, row);
        if (role_ == Role::kVertex)
          for (int k = 0; k < 3; ++k)
            if (axis_[k] == static_cast<int>(i)) xyz[k] = v;
        continue;
      }
      const std::int64_t n = integer(p.count_type, e.name, row);
      if (n < 0 || n > static_cast<std::int64_t>(s_.remaining()))
        s_.fail(element_name(printable(e.name).c_str(), row), std::to_string(n),
                "the length of list " + printable(p.name) + " is negative or runs past the file",
                "the file is cut short or damaged; export it again");
      if (role_ == Role::kFace && static_cast<int>(i) == index_) {
        if (n > std::max(in_.options.max_polygon, 3))
          s_.fail(element_name("face", row), std::to_string(n) + " vertices",
                  "a face may have at most " + std::to_string(in_.options.max_polygon),
                  "triangulate the mesh before exporting it");
        corners_.clear();
        for (std::int64_t k = 0; k < n; ++k) corners_.push_back(integer(p.type, e.name, row));
        polygons_.add(in_, corners_);
      } else {
        for (std::int64_t k = 0; k < n; ++k) value(p.type, e.name, row);
      }
    }
    if (role_ == Role::kVertex) {
      if (static_cast<std::int64_t>(vertices_.size()) >= vertex_limit(in_.options))
        s_.fail("vertex", "", "the mesh has too many vertices",
                "simplify it or raise max_vertices");
      vertices_.push_back(
          checked_point(in_, static_cast<std::int64_t>(vertices_.size()), xyz[0], xyz[1], xyz[2]));
    }
  }

  enum class Role { kVertex, kFace, kOther };

  Input& in_;
  TextScanner& s_;
  Encoding encoding_ = Encoding::kText;
  bool has_format_ = false;
  std::vector<Element> elements_;
  Role role_ = Role::kOther;
  int axis_[3] = {-1, -1, -1};
  int index_ = -1;
  std::vector<std::int64_t> corners_;
  std::vector<Vec3d> vertices_;
  PolygonList polygons_;
};

}  // namespace

TriMesh read_ply(Input& in) {
  if (!in.bytes.starts_with("ply")) check_text(in.bytes, in.scan.file());
  return PlyReader(in).read();
}

}  // namespace haptos::io
