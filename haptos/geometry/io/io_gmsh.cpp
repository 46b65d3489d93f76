// Gmsh 2.x and 4.1, text and binary of either byte order. Sections other than $MeshFormat, $Nodes
// and $Elements are passed over. Node tags may be any positive integers in any order; vertices keep
// the order of the file.
// Source: Gmsh reference manual, "MSH file format" and "MSH file format version 2 (Legacy)".
#include <algorithm>
#include <limits>
#include <map>

#include "haptos/geometry/io/io_detail.h"

namespace haptos::io {

namespace {

struct ElementKind {
  int type;
  int nodes;
  int dimension;
  const char* name;
};

constexpr int kTet = 4;

constexpr ElementKind kKinds[] = {{1, 2, 1, "lines"},
                                  {2, 3, 2, "triangles"},
                                  {3, 4, 2, "quadrilaterals"},
                                  {4, 4, 3, "tetrahedron"},
                                  {5, 8, 3, "hexahedron"},
                                  {6, 6, 3, "prism"},
                                  {7, 5, 3, "pyramid"},
                                  {8, 3, 1, "second-order lines"},
                                  {9, 6, 2, "second-order triangles"},
                                  {10, 9, 2, "second-order quadrilaterals"},
                                  {11, 10, 3, "second-order tetrahedron"},
                                  {12, 27, 3, "second-order hexahedron"},
                                  {13, 18, 3, "second-order prism"},
                                  {14, 14, 3, "second-order pyramid"},
                                  {15, 1, 0, "points"},
                                  {16, 8, 2, "second-order quadrilaterals"},
                                  {17, 20, 3, "second-order hexahedron"},
                                  {18, 15, 3, "second-order prism"},
                                  {19, 13, 3, "second-order pyramid"},
                                  {20, 9, 2, "third-order triangles"},
                                  {21, 10, 2, "third-order triangles"},
                                  {26, 4, 1, "third-order lines"},
                                  {29, 20, 3, "third-order tetrahedron"},
                                  {30, 35, 3, "fourth-order tetrahedron"},
                                  {31, 56, 3, "fifth-order tetrahedron"}};

class GmshReader {
 public:
  explicit GmshReader(Input& in) : in_(in), s_(in.scan) {}

  TetMesh read() {
    if (s_.take_line() != "$MeshFormat")
      s_.fail("", "", "the file does not start with $MeshFormat",
              "save the mesh as Gmsh 4.1 or 2.2 (.msh)");
    read_format();
    for (std::string_view w; !(w = s_.word()).empty();) {
      if (w == "$Nodes") {
        read_nodes();
      } else if (w == "$Elements") {
        read_elements();
      } else if (w.size() > 1 && w[0] == '$') {
        const std::string name(w.substr(1));
        if (!s_.seek("$End" + name))
          s_.fail("section $" + printable(name), "", "$End" + printable(name) + " is missing",
                  "the file is cut short; export it again");
        s_.skip(name.size() + 4);
      } else {
        s_.fail("between sections", printable(w), "must be a section that starts with $",
                "a count may be wrong; export the mesh again");
      }
    }
    if (!has_nodes_ || !has_elements_)
      s_.fail(has_nodes_ ? "$Elements" : "$Nodes", "", "this section is missing",
              "the file is cut short; export it again");
    for (const auto& [name, count] : left_out_)
      in_.note(std::to_string(count) + " " + name + " were left out; only tetrahedra are read.");
    return std::move(mesh_);
  }

 private:
  void read_format() {
    version_ = s_.number("version");
    const std::int64_t kind = s_.integer("file type", -1, 0, 1);
    word_size_ = static_cast<int>(s_.integer("data size", -1, 4, 8));
    v4_ = version_ >= 4.1 && version_ < 5;
    if (!v4_ && !(version_ >= 2 && version_ < 3))
      s_.fail("version", to_text(version_), "versions 2.0 to 2.2 and 4.1 are read",
              "save the mesh as version 4.1 or 2.2");
    if ((v4_ && word_size_ != 4 && word_size_ != 8) || (!v4_ && word_size_ != 8))
      s_.fail("data size", std::to_string(word_size_), v4_ ? "must be 4 or 8" : "must be 8");
    binary_ = kind == 1;
    if (binary_) {
      s_.take_line();
      const std::string_view one = s_.take_bytes(4, "byte order mark");
      big_endian_ = load<std::int32_t>(one.data(), false) != 1;
      if (load<std::int32_t>(one.data(), big_endian_) != 1)
        s_.fail("byte order mark", "", "must be the integer 1", "export the mesh again");
    } else {
      check_text(in_.bytes, s_.file());
    }
    s_.expect("$EndMeshFormat", "after the format");
  }

  std::int64_t limit() const {
    return 8 * std::clamp<std::int64_t>(
                   std::max(in_.options.max_elements, in_.options.max_vertices), 0, 1ll << 36);
  }

  // One integer, in a binary file a 32-bit one.
  std::int64_t integer(const char* what, std::int64_t index) {
    if (!binary_)
      return s_.integer(what, index, std::numeric_limits<std::int64_t>::min(),
                        std::numeric_limits<std::int64_t>::max());
    return load<std::int32_t>(s_.take_bytes(4, what).data(), big_endian_);
  }

  // One count or tag of version 4.1, in a binary file of the size that the header gives.
  std::int64_t size(const char* what, std::int64_t index) {
    if (!binary_) return integer(what, index);
    const char* p = s_.take_bytes(static_cast<std::uint64_t>(word_size_), what).data();
    if (word_size_ == 4) return load<std::uint32_t>(p, big_endian_);
    const auto v = load<std::uint64_t>(p, big_endian_);
    return v > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
               ? std::numeric_limits<std::int64_t>::max()
               : static_cast<std::int64_t>(v);
  }

  double real(const char* what, std::int64_t index) {
    if (!binary_) return s_.number(what, index);
    return load<double>(s_.take_bytes(8, what).data(), big_endian_);
  }

  void add_node(std::int64_t tag) {
    const auto index = static_cast<std::int64_t>(mesh_.vertices.size());
    if (tag < 1)
      s_.fail(element_name("node", index), "tag " + std::to_string(tag), "must be above 0");
    sorted_ = sorted_ && (nodes_.empty() || tag > nodes_.back().tag);
    nodes_.push_back({tag, static_cast<int>(nodes_.size())});
  }

  void add_vertex() {
    const auto index = static_cast<std::int64_t>(mesh_.vertices.size());
    const double x = real("vertex", index), y = real("vertex", index), z = real("vertex", index);
    mesh_.vertices.push_back(checked_point(in_, index, x, y, z));
  }

  void read_nodes() {
    if (has_nodes_) s_.fail("$Nodes", "", "stands in the file twice", "export the mesh again");
    has_nodes_ = true;
    if (v4_) {
      read_nodes_4();
    } else {
      const std::int64_t n = s_.integer("$Nodes count", -1, 0, vertex_limit(in_.options));
      s_.take_line();
      check_count(in_, "$Nodes count", n, vertex_limit(in_.options), binary_ ? 28 : 8);
      for (std::int64_t i = 0; i < n; ++i) {
        add_node(integer("tag of node", i));
        add_vertex();
      }
    }
    s_.expect("$EndNodes", "after the last announced node");
    if (!sorted_)
      std::sort(nodes_.begin(), nodes_.end(), [](const Node& a, const Node& b) {
        return a.tag < b.tag || (a.tag == b.tag && a.index < b.index);
      });
    for (std::size_t i = 0; i + 1 < nodes_.size(); ++i)
      if (nodes_[i].tag == nodes_[i + 1].tag)
        s_.fail(element_name("node", nodes_[i + 1].index), "tag " + std::to_string(nodes_[i].tag),
                "two nodes have this tag", "export the mesh again");
  }

  void read_nodes_4() {
    if (binary_) s_.take_line();
    const std::int64_t blocks = size("$Nodes blocks", -1);
    const std::int64_t total = size("$Nodes count", -1);
    size("$Nodes lowest tag", -1);
    size("$Nodes highest tag", -1);
    check_count(in_, "$Nodes blocks", blocks, limit(), binary_ ? 12 + word_size_ : 8);
    check_count(in_, "$Nodes count", total, vertex_limit(in_.options), binary_ ? 28 : 8);
    for (std::int64_t b = 0; b < blocks; ++b) {
      const std::int64_t dimension = integer("entity dimension of $Nodes block", b);
      integer("entity tag of $Nodes block", b);
      const std::int64_t parametric = integer("parametric flag of $Nodes block", b);
      const std::int64_t n = size("node count of $Nodes block", b);
      const auto before = static_cast<std::int64_t>(mesh_.vertices.size());
      if (dimension < 0 || dimension > 3 || (parametric != 0 && parametric != 1))
        s_.fail(element_name("$Nodes block", b), "",
                "the dimension or the parametric flag is wrong", "export the mesh again");
      if (n < 0 || n > total - before)
        s_.fail(element_name("$Nodes block", b), std::to_string(n) + " nodes",
                "$Nodes announces " + std::to_string(total) + " in all",
                "correct the counts or export the mesh again");
      for (std::int64_t i = 0; i < n; ++i) add_node(size("tag of node", before + i));
      for (std::int64_t i = 0; i < n; ++i) {
        add_vertex();
        if (parametric == 1)
          for (std::int64_t k = 0; k < dimension; ++k)
            real("parametric coordinate of node", before + i);
      }
    }
    if (static_cast<std::int64_t>(mesh_.vertices.size()) != total)
      s_.fail("$Nodes count", std::to_string(total),
              "the blocks hold " + std::to_string(mesh_.vertices.size()) + " nodes",
              "correct the counts or export the mesh again");
  }

  const ElementKind& kind_of(std::int64_t type, std::int64_t element) {
    for (const ElementKind& k : kKinds) {
      if (k.type != type) continue;
      if (k.dimension == 3 && type != kTet)
        s_.fail(element_name("element", element),
                "type " + std::to_string(type) + " (" + k.name + ")",
                "only linear tetrahedra (type 4) are read",
                type == 11 || type >= 29 ? "save the mesh at first order (Mesh.ElementOrder = 1)"
                                         : "mesh the volume with tetrahedra only");
      return k;
    }
    s_.fail(element_name("element", element), "type " + std::to_string(type),
            "is not a Gmsh element type known here",
            "save the mesh at first order with tetrahedra only");
  }

  // Reads the nodes of one element and keeps it where it is a tetrahedron.
  void read_element(const ElementKind& kind, std::int64_t element) {
    Vec4i tet{};
    for (int k = 0; k < kind.nodes; ++k) {
      const std::int64_t tag =
          v4_ ? size("node of element", element) : integer("node of element", element);
      if (kind.type != kTet) continue;
      const auto node = std::lower_bound(nodes_.begin(), nodes_.end(), tag,
                                         [](const Node& n, std::int64_t t) { return n.tag < t; });
      if (node == nodes_.end() || node->tag != tag)
        s_.fail(element_name("element", element), "node tag " + std::to_string(tag),
                "$Nodes has no such node", "export the mesh again");
      tet[k] = node->index;
    }
    if (kind.type == kTet)
      mesh_.tets.push_back(tet);
    else
      ++left_out_[kind.name];
  }

  void read_elements() {
    if (!has_nodes_) s_.fail("$Elements", "", "must come after $Nodes", "export the mesh again");
    if (has_elements_)
      s_.fail("$Elements", "", "stands in the file twice", "export the mesh again");
    has_elements_ = true;
    if (v4_)
      read_elements_4();
    else
      read_elements_2();
    s_.expect("$EndElements", "after the last announced element");
  }

  void read_elements_2() {
    const std::int64_t total = s_.integer("$Elements count", -1, 0, in_.options.max_elements);
    s_.take_line();
    check_count(in_, "$Elements count", total, in_.options.max_elements, 8);
    constexpr std::int64_t kMostTags = 1000;
    for (std::int64_t e = 0; e < total;) {
      // In a binary file one header precedes each run of elements of one type.
      if (!binary_) integer("tag of element", e);
      const std::int64_t type = integer("type of element", e);
      const ElementKind& kind = kind_of(type, e);
      const std::int64_t run = binary_ ? integer("length of element run", e) : 1;
      const std::int64_t tags = integer("tag count of element", e);
      if (run < 1 || run > total - e || tags < 0 || tags > kMostTags)
        s_.fail(element_name("element", e),
                std::to_string(run) + " elements with " + std::to_string(tags) + " tags",
                "$Elements announces " + std::to_string(total) + " elements",
                "correct the counts or export the mesh again");
      for (std::int64_t i = 0; i < run; ++i, ++e) {
        if (binary_) integer("tag of element", e);
        for (std::int64_t k = 0; k < tags; ++k) integer("tags of element", e);
        read_element(kind, e);
      }
    }
  }

  void read_elements_4() {
    if (binary_) s_.take_line();
    const std::int64_t blocks = size("$Elements blocks", -1);
    const std::int64_t total = size("$Elements count", -1);
    size("$Elements lowest tag", -1);
    size("$Elements highest tag", -1);
    check_count(in_, "$Elements blocks", blocks, limit(), binary_ ? 12 + word_size_ : 8);
    check_count(in_, "$Elements count", total, in_.options.max_elements,
                binary_ ? 2 * word_size_ : 4);
    std::int64_t e = 0;
    for (std::int64_t b = 0; b < blocks; ++b) {
      integer("entity dimension of $Elements block", b);
      integer("entity tag of $Elements block", b);
      const std::int64_t type = integer("element type of $Elements block", b);
      const std::int64_t n = size("element count of $Elements block", b);
      if (n < 0 || n > total - e)
        s_.fail(element_name("$Elements block", b), std::to_string(n) + " elements",
                "$Elements announces " + std::to_string(total) + " in all",
                "correct the counts or export the mesh again");
      const ElementKind& kind = kind_of(type, e);
      for (std::int64_t i = 0; i < n; ++i, ++e) {
        size("tag of element", e);
        read_element(kind, e);
      }
    }
    if (e != total)
      s_.fail("$Elements count", std::to_string(total),
              "the blocks hold " + std::to_string(e) + " elements",
              "correct the counts or export the mesh again");
  }

  struct Node {
    std::int64_t tag;
    int index;
  };

  Input& in_;
  TextScanner& s_;
  double version_ = 0;
  bool v4_ = false, binary_ = false, big_endian_ = false;
  int word_size_ = 8;
  bool has_nodes_ = false, has_elements_ = false;
  std::vector<Node> nodes_;  ///< by tag once $Nodes is read
  bool sorted_ = true;
  TetMesh mesh_;
  std::map<std::string, std::int64_t> left_out_;
};

}  // namespace

TetMesh read_gmsh(Input& in) {
  if (!in.bytes.starts_with("$MeshFormat")) check_text(in.bytes, in.scan.file());
  return GmshReader(in).read();
}

}  // namespace haptos::io
