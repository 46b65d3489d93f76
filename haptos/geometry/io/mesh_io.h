// Reading and writing meshes.
//
// Surfaces: Wavefront OBJ, STL (text and binary), PLY (text, binary of either byte order), OFF.
// Volumes of linear tetrahedra: VTK legacy unstructured grids (text and binary, the layouts of
// versions 2 to 4 and of 5.1) and Gmsh 2.2 and 4.1 (text and binary).
//
// A reader takes the file as it is and mends nothing: orientation, degenerate elements and
// duplicates are for mesh_check.h to report and for mesh_edit.h to mend. Two exceptions: polygons
// become triangles, and equal points of an STL, which has no shared vertices, become one vertex.
// Segments ("l") and points ("p") are read from and written to OBJ only.
// Everything that is wrong is one InputError that names file, line or byte, element and remedy.
// Elements are counted from 0, as in the arrays. Limits are checked before memory is taken.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "haptos/base/text/file.h"
#include "haptos/geometry/mesh.h"

namespace haptos {

enum class MeshFormat { kObj, kStl, kPly, kOff, kVtk, kGmsh };

struct MeshReadOptions {
  double scale = 1;                        ///< metres in one unit of the file, above 0
  std::int64_t max_bytes = 256ll << 20;    ///< the largest file that is read
  std::int64_t max_vertices = 20'000'000;  ///< before equal points of an STL are joined
  std::int64_t max_elements = 20'000'000;  ///< triangles, cells, segments or points
  int max_polygon = 512;                   ///< corners of one polygon
  double max_coordinate = 1e6;             ///< [m], the largest coordinate that can be meant
  bool cloud = false;  ///< the vertices are points; triangles and segments are left out
};

/// Reads a triangle surface; the extension (.obj, .stl, .ply, .off) says the format.
/// `notes`, when given, receives a sentence for each thing in the file that was left out.
TriMesh read_surface(const std::filesystem::path& path, const MeshReadOptions& options = {},
                     std::vector<std::string>* notes = nullptr);

/// Reads a tetrahedral volume; the extension (.vtk, .msh) says the format.
/// Cells of lower dimension beside the tetrahedra are left out and counted in `notes`; other cells
/// with a volume are an error.
TetMesh read_volume(const std::filesystem::path& path, const MeshReadOptions& options = {},
                    std::vector<std::string>* notes = nullptr);

/// Reads a surface from memory; `name` stands for the file in errors.
TriMesh parse_surface(std::string_view bytes, MeshFormat format, const std::string& name,
                      const MeshReadOptions& options = {},
                      std::vector<std::string>* notes = nullptr);

/// Reads a volume from memory; `name` stands for the file in errors.
TetMesh parse_volume(std::string_view bytes, MeshFormat format, const std::string& name,
                     const MeshReadOptions& options = {},
                     std::vector<std::string>* notes = nullptr);

// The writers write a new file beside `path` and rename it, so `path` is never half written.
// Lengths are written as they are, so in metres. Text holds the shortest decimals that read back
// unchanged.

void write_obj(const std::filesystem::path& path, const TriMesh& mesh);

/// Writes binary STL, which rounds coordinates to single precision. STL and PLY hold triangles
/// only: a mesh with segments or points is an InputError.
void write_stl(const std::filesystem::path& path, const TriMesh& mesh);

/// Writes binary little-endian PLY with coordinates in double precision.
void write_ply(const std::filesystem::path& path, const TriMesh& mesh);

/// Writes Gmsh 2.2 text.
void write_msh(const std::filesystem::path& path, const TetMesh& mesh);

struct VtkWriteOptions {
  bool binary = true;
  std::string vector_name = "displacement";  ///< one word
  std::vector<Vec3d> vectors;                ///< one for each vertex, or none
};

/// Writes a legacy VTK 3.0 unstructured grid.
void write_vtk(const std::filesystem::path& path, const TetMesh& mesh,
               const VtkWriteOptions& options = {});

}  // namespace haptos
