// What a mesh reader owes to any bytes at all: a sound mesh or one InputError of one sentence, and
// a mesh that checking and mending survive. Shared by the fuzzers and by the corpus test.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "haptos/base/text/error.h"
#include "haptos/geometry/io/mesh_io.h"
#include "haptos/geometry/mesh/mesh_check.h"
#include "haptos/geometry/mesh/mesh_edit.h"

namespace haptos::fuzz {

inline void demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

inline MeshReadOptions limits() {
  MeshReadOptions options;
  options.max_bytes = 1 << 20;
  options.max_vertices = 100'000;
  options.max_elements = 100'000;
  options.max_polygon = 64;  // cutting larger ones takes the time that other inputs need
  return options;
}

inline void demand_finite(const std::vector<Vec3d>& points) {
  for (const Vec3d& p : points)
    for (int k = 0; k < 3; ++k) demand(std::fabs(p[k]) <= 1e6, "coordinates are within limits");
}

inline void demand_sentence(const InputError& e) {
  const std::string_view s = e.what();
  demand(s.size() > 10 && (s.back() == '.' || s.back() == '?'), "an error is a sentence");
  demand(s.find('\n') == s.npos && s.find('\0') == s.npos, "an error is one printable line");
}

// Beyond this size a mutation is about reading only: the checks would take most of the time.
constexpr std::size_t kChecked = 64;

inline void use(const TriMesh& mesh) {
  demand(!mesh.triangles.empty() || !mesh.segments.empty() || !mesh.points.empty(),
         "a surface has triangles, segments or points");
  demand_finite(mesh.vertices);
  const SurfaceReport r =
      check_surface(mesh, {.self_intersection = mesh.triangles.size() <= kChecked});
  demand(!r.invalid_triangles && !r.nonfinite_vertices, "indices and coordinates are sound");
  r.findings();
  if (mesh.triangles.size() > kChecked) return;
  TriMesh mended = mesh;
  weld(mended, 1e-6);
  remove_degenerate(mended);
  remove_duplicate_triangles(mended);
  remove_unreferenced(mended);
  orient(mended);
  check_surface(mended);
}

inline void use(const TetMesh& mesh) {
  demand(!mesh.tets.empty(), "a volume has tetrahedra");
  demand_finite(mesh.vertices);
  const VolumeReport r = check_volume(mesh);
  demand(!r.invalid_tets && !r.nonfinite_vertices, "indices and coordinates are sound");
  r.findings();
  TetMesh mended = mesh;
  orient(mended);
  remove_unreferenced(mended);
  demand(!check_volume(mended).inverted_tets, "orient() leaves no inverted tetrahedron");
}

/// Returns whether the bytes were read.
inline bool surface(std::string_view bytes, MeshFormat format) {
  TriMesh mesh;
  try {
    mesh = parse_surface(bytes, format, "input", limits());
  } catch (const InputError& e) {
    demand_sentence(e);
    return false;
  }
  use(mesh);
  return true;
}

inline bool volume(std::string_view bytes, MeshFormat format) {
  TetMesh mesh;
  try {
    mesh = parse_volume(bytes, format, "input", limits());
  } catch (const InputError& e) {
    demand_sentence(e);
    return false;
  }
  use(mesh);
  return true;
}

}  // namespace haptos::fuzz
