// Mesh writers. Each makes the whole file in memory and puts it in place in one move.
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "haptos/base/text/file.h"
#include "haptos/base/text/text.h"
#include "haptos/geometry/io/mesh_io.h"

namespace haptos {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, std::string element, std::string value,
                       std::string rule, std::string remedy) {
  throw InputError(Diagnostic{path.string(), 0, 0, std::move(element), std::move(value),
                              std::move(rule), std::move(remedy)});
}

void check_points(const std::filesystem::path& path, const char* kind,
                  const std::vector<Vec3d>& points) {
  for (std::size_t i = 0; i < points.size(); ++i)
    for (int k = 0; k < 3; ++k)
      if (!std::isfinite(points[i][k]))
        fail(path, element_name(kind, static_cast<std::int64_t>(i)), to_text(points[i][k]),
             "must be finite to be written", "mend the mesh first");
}

template <class Elements>
void check_indices(const std::filesystem::path& path, const char* kind, const Elements& elements,
                   int corners, std::size_t vertex_count) {
  for (std::size_t i = 0; i < elements.size(); ++i)
    for (int k = 0; k < corners; ++k)
      if (elements[i][k] < 0 || static_cast<std::size_t>(elements[i][k]) >= vertex_count)
        fail(path, element_name(kind, static_cast<std::int64_t>(i)),
             "vertex " + std::to_string(elements[i][k]), "the mesh has no such vertex",
             "mend the mesh first");
}

void check_triangles_only(const std::filesystem::path& path, const TriMesh& mesh) {
  if (!mesh.only_triangles())
    fail(path, "mesh",
         std::to_string(mesh.segments.size()) + " segments, " + std::to_string(mesh.points.size()) +
             " points",
         "this format holds triangles only", "write it as OBJ");
}

void append(std::string& s, double value) {
  char buffer[40];
  s.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

void append(std::string& s, std::int64_t value) {
  char buffer[24];
  s.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

template <class T>
void append_bytes(std::string& s, T value, bool big_endian) {
  char b[sizeof(T)];
  std::memcpy(b, &value, sizeof(T));
  if (big_endian != (std::endian::native == std::endian::big))
    for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(b[i], b[sizeof(T) - 1 - i]);
  s.append(b, sizeof(T));
}

// x y z of each point, for VTK.
void append_points(std::string& s, const std::vector<Vec3d>& points, bool binary) {
  for (const Vec3d& p : points) {
    for (int k = 0; k < 3; ++k) {
      if (binary) {
        append_bytes(s, p[k], true);
      } else {
        append(s, p[k]);
        s += k < 2 ? ' ' : '\n';
      }
    }
  }
  if (binary) s += '\n';
}

}  // namespace

void write_obj(const std::filesystem::path& path, const TriMesh& mesh) {
  check_points(path, "vertex", mesh.vertices);
  check_indices(path, "triangle", mesh.triangles, 3, mesh.vertices.size());
  check_indices(path, "segment", mesh.segments, 2, mesh.vertices.size());
  std::vector<std::array<int, 1>> points;
  for (const int v : mesh.points) points.push_back({v});
  check_indices(path, "point", points, 1, mesh.vertices.size());
  std::string s = "# Haptos surface\n";
  for (const Vec3d& p : mesh.vertices) {
    s += 'v';
    for (int k = 0; k < 3; ++k) {
      s += ' ';
      append(s, p[k]);
    }
    s += '\n';
  }
  for (const Vec3i& t : mesh.triangles) {
    s += 'f';
    for (int k = 0; k < 3; ++k) {
      s += ' ';
      append(s, static_cast<std::int64_t>(t[k]) + 1);
    }
    s += '\n';
  }
  for (const Vec2i& l : mesh.segments) {
    s += 'l';
    for (int k = 0; k < 2; ++k) {
      s += ' ';
      append(s, static_cast<std::int64_t>(l[k]) + 1);
    }
    s += '\n';
  }
  for (const int p : mesh.points) {
    s += "p ";
    append(s, static_cast<std::int64_t>(p) + 1);
    s += '\n';
  }
  write_in_one_move(path, s);
}

void write_stl(const std::filesystem::path& path, const TriMesh& mesh) {
  check_triangles_only(path, mesh);
  check_points(path, "vertex", mesh.vertices);
  check_indices(path, "triangle", mesh.triangles, 3, mesh.vertices.size());
  if (mesh.triangles.size() > 0xffffffffu)
    fail(path, "triangles", std::to_string(mesh.triangles.size()), "STL counts at most 2^32 - 1",
         "write OBJ");
  std::string s = "Haptos surface";
  s.resize(80, ' ');
  append_bytes(s, static_cast<std::uint32_t>(mesh.triangles.size()), false);
  for (const Vec3i& t : mesh.triangles) {
    const Vec3d& a = mesh.vertices[static_cast<std::size_t>(t[0])];
    const Vec3d& b = mesh.vertices[static_cast<std::size_t>(t[1])];
    const Vec3d& c = mesh.vertices[static_cast<std::size_t>(t[2])];
    Vec3d n = cross(b - a, c - a);
    const double length = norm(n);
    n = length > 0 ? n * (1 / length) : Vec3d::zero();
    for (const Vec3d& v : {n, a, b, c})
      for (int k = 0; k < 3; ++k) append_bytes(s, static_cast<float>(v[k]), false);
    append_bytes(s, std::uint16_t{0}, false);
  }
  write_in_one_move(path, s);
}

void write_ply(const std::filesystem::path& path, const TriMesh& mesh) {
  check_triangles_only(path, mesh);
  check_points(path, "vertex", mesh.vertices);
  check_indices(path, "triangle", mesh.triangles, 3, mesh.vertices.size());
  std::string s = "ply\nformat binary_little_endian 1.0\ncomment Haptos surface\nelement vertex ";
  s += std::to_string(mesh.vertices.size()) +
       "\nproperty double x\nproperty double y\nproperty double z\nelement face " +
       std::to_string(mesh.triangles.size()) +
       "\nproperty list uchar int vertex_indices\nend_header\n";
  for (const Vec3d& p : mesh.vertices)
    for (int k = 0; k < 3; ++k) append_bytes(s, p[k], false);
  for (const Vec3i& t : mesh.triangles) {
    s += '\3';
    for (int k = 0; k < 3; ++k) append_bytes(s, static_cast<std::int32_t>(t[k]), false);
  }
  write_in_one_move(path, s);
}

void write_msh(const std::filesystem::path& path, const TetMesh& mesh) {
  check_points(path, "vertex", mesh.vertices);
  check_indices(path, "tetrahedron", mesh.tets, 4, mesh.vertices.size());
  std::string s = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n";
  s += std::to_string(mesh.vertices.size()) + "\n";
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    append(s, static_cast<std::int64_t>(i) + 1);
    for (int k = 0; k < 3; ++k) {
      s += ' ';
      append(s, mesh.vertices[i][k]);
    }
    s += '\n';
  }
  s += "$EndNodes\n$Elements\n" + std::to_string(mesh.tets.size()) + "\n";
  for (std::size_t i = 0; i < mesh.tets.size(); ++i) {
    append(s, static_cast<std::int64_t>(i) + 1);
    s += " 4 2 1 1";  // a tetrahedron with two tags: physical and elementary entity
    for (int k = 0; k < 4; ++k) {
      s += ' ';
      append(s, static_cast<std::int64_t>(mesh.tets[i][k]) + 1);
    }
    s += '\n';
  }
  s += "$EndElements\n";
  write_in_one_move(path, s);
}

void write_vtk(const std::filesystem::path& path, const TetMesh& mesh,
               const VtkWriteOptions& options) {
  check_points(path, "vertex", mesh.vertices);
  check_indices(path, "tetrahedron", mesh.tets, 4, mesh.vertices.size());
  check_points(path, "vector", options.vectors);
  if (!options.vectors.empty() && options.vectors.size() != mesh.vertices.size())
    fail(path, "vectors", std::to_string(options.vectors.size()),
         "must be as many as vertices, " + std::to_string(mesh.vertices.size()),
         "give one vector for each vertex");
  if (options.vector_name.empty() ||
      options.vector_name.find_first_of(" \t\r\n") != std::string::npos)
    fail(path, "vector_name", printable(options.vector_name), "must be one word",
         "write an underscore for a blank");
  const bool binary = options.binary;
  std::string s = "# vtk DataFile Version 3.0\nHaptos volume, metres\n";
  s += binary ? "BINARY\n" : "ASCII\n";
  s += "DATASET UNSTRUCTURED_GRID\nPOINTS " + std::to_string(mesh.vertices.size()) + " double\n";
  append_points(s, mesh.vertices, binary);
  const std::string count = std::to_string(mesh.tets.size());
  s += "CELLS " + count + " " + std::to_string(5 * mesh.tets.size()) + "\n";
  for (const Vec4i& t : mesh.tets) {
    if (binary) {
      append_bytes(s, std::int32_t{4}, true);
      for (int k = 0; k < 4; ++k) append_bytes(s, static_cast<std::int32_t>(t[k]), true);
    } else {
      s += '4';
      for (int k = 0; k < 4; ++k) {
        s += ' ';
        append(s, static_cast<std::int64_t>(t[k]));
      }
      s += '\n';
    }
  }
  if (binary) s += '\n';
  s += "CELL_TYPES " + count + "\n";
  for (std::size_t i = 0; i < mesh.tets.size(); ++i) {
    if (binary)
      append_bytes(s, std::int32_t{10}, true);
    else
      s += "10\n";
  }
  if (binary) s += '\n';
  if (!options.vectors.empty()) {
    s += "POINT_DATA " + std::to_string(mesh.vertices.size()) + "\nVECTORS " + options.vector_name +
         " double\n";
    append_points(s, options.vectors, binary);
  }
  write_in_one_move(path, s);
}

}  // namespace haptos
