// What the mesh readers share; private to haptos/geometry/io_*.cpp.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "haptos/base/text/text.h"
#include "haptos/geometry/io/mesh_io.h"

namespace haptos::io {

struct Input {
  TextScanner scan;
  std::string_view bytes;  ///< the whole file
  const MeshReadOptions& options;
  std::vector<std::string>* notes;
  bool soup = false;  ///< vertex i is vertex i % 3 of triangle i / 3

  void note(std::string sentence) const {
    if (notes) notes->push_back(std::move(sentence));
  }
};

TriMesh read_obj(Input& in);
TriMesh read_stl(Input& in);
TriMesh read_ply(Input& in);
TriMesh read_off(Input& in);
TetMesh read_vtk(Input& in);
TetMesh read_gmsh(Input& in);

/// The value of type T at `p`, whose bytes stand in the order that `big_endian` says.
template <class T>
T load(const char* p, bool big_endian) {
  unsigned char b[sizeof(T)];
  std::memcpy(b, p, sizeof(T));
  if (big_endian != (std::endian::native == std::endian::big))
    for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(b[i], b[sizeof(T) - 1 - i]);
  T value;
  std::memcpy(&value, b, sizeof(T));
  return value;
}

/// Throws unless 0 <= count <= limit and `count` pieces of at least `bytes_each` can still follow.
void check_count(const Input& in, const char* what, std::int64_t count, std::int64_t limit,
                 std::int64_t bytes_each);

/// A vertex in metres from file units; an error where it is not finite or absurdly far away.
Vec3d checked_point(const Input& in, std::int64_t index, double x, double y, double z);

/// Reads three numbers as vertex `index`.
Vec3d read_point(Input& in, std::int64_t index);

std::int64_t vertex_limit(const MeshReadOptions& options);

/// Polygons as read, turned into triangles when all vertices are known.
class PolygonList {
 public:
  /// Adds one polygon of 0-based vertex indices; an error where it has too few or too many corners.
  void add(const Input& in, std::span<const std::int64_t> corners);
  std::size_t size() const { return start_.size(); }
  /// Checks the indices (an error shows them counted from `index_base`) and makes the triangles:
  /// a fan where the polygon allows it, else by cutting ears.
  TriMesh triangulate(const Input& in, std::vector<Vec3d> vertices, int index_base) const;

 private:
  std::vector<std::int64_t> corner_;
  std::vector<std::size_t> start_;
  std::vector<int> line_;
  std::int64_t triangle_count_ = 0;
};

}  // namespace haptos::io
