// Files, formats and the limits that every mesh reader obeys.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "haptos/geometry/io/io_detail.h"

namespace haptos {

namespace {

[[noreturn]] void fail(const std::string& file, std::string rule, std::string remedy) {
  throw InputError(Diagnostic{file, 0, 0, "", "", std::move(rule), std::move(remedy)});
}

bool is_volume(MeshFormat f) { return f == MeshFormat::kVtk || f == MeshFormat::kGmsh; }

constexpr const char* kFormatName[] = {"OBJ", "STL", "PLY", "OFF", "VTK", "Gmsh"};
const char* format_name(MeshFormat f) { return kFormatName[static_cast<int>(f)]; }

MeshFormat format_of(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  constexpr std::pair<const char*, MeshFormat> kExtensions[] = {
      {".obj", MeshFormat::kObj}, {".stl", MeshFormat::kStl}, {".ply", MeshFormat::kPly},
      {".off", MeshFormat::kOff}, {".vtk", MeshFormat::kVtk}, {".msh", MeshFormat::kGmsh}};
  for (const auto& [name, format] : kExtensions)
    if (extension == name) return format;
  fail(path.string(),
       "the extension \"" + printable(extension) + "\" is not a mesh format read here",
       "use .obj, .stl, .ply or .off for a surface and .vtk or .msh for a tetrahedral volume");
}

// The format that the first bytes belong to beyond doubt.
std::optional<MeshFormat> sniffed(std::string_view bytes) {
  if (bytes.starts_with("ply\n") || bytes.starts_with("ply\r")) return MeshFormat::kPly;
  if (bytes.starts_with("# vtk DataFile")) return MeshFormat::kVtk;
  if (bytes.starts_with("$MeshFormat")) return MeshFormat::kGmsh;
  if (bytes.starts_with("OFF\n") || bytes.starts_with("OFF\r")) return MeshFormat::kOff;
  return std::nullopt;
}

void check_request(std::string_view bytes, MeshFormat format, const std::string& name,
                   const MeshReadOptions& options) {
  if (!(options.scale > 0) || !std::isfinite(options.scale))
    throw InputError(Diagnostic{name, 0, 0, "scale", to_text(options.scale),
                                "must be finite and greater than 0",
                                "give the metres in one unit of the file, for example 0.001"});
  if (bytes.size() > static_cast<std::uint64_t>(std::max<std::int64_t>(options.max_bytes, 0)))
    fail(name,
         "the file has " + std::to_string(bytes.size()) + " bytes and the limit is " +
             std::to_string(options.max_bytes),
         "simplify the mesh or raise max_bytes");
  if (bytes.empty()) fail(name, "the file is empty", "export it again");
  const std::optional<MeshFormat> seen = sniffed(bytes);
  if (seen && *seen != format)
    fail(name, std::string("the content is ") + format_name(*seen) + ", not " + format_name(format),
         "give the file the extension of its format");
}

}  // namespace

namespace io {

std::int64_t vertex_limit(const MeshReadOptions& options) {
  return std::min<std::int64_t>(options.max_vertices, std::numeric_limits<int>::max() - 1);
}

void check_count(const Input& in, const char* what, std::int64_t count, std::int64_t limit,
                 std::int64_t bytes_each) {
  if (count < 0 || count > limit)
    in.scan.fail(what, std::to_string(count), "must lie between 0 and " + std::to_string(limit),
                 "check the file; a larger mesh needs higher limits in MeshReadOptions");
  if (bytes_each > 0 && count > static_cast<std::int64_t>(in.scan.remaining()) / bytes_each + 1)
    in.scan.fail(what, std::to_string(count),
                 "the " + std::to_string(in.scan.remaining()) + " bytes that follow are too few",
                 "the file is cut short or its counts are wrong; export it again");
}

Vec3d checked_point(const Input& in, std::int64_t index, double x, double y, double z) {
  // Adding zero turns -0 into 0, so that equal coordinates have equal bits.
  const Vec3d p{
      {x * in.options.scale + 0.0, y * in.options.scale + 0.0, z * in.options.scale + 0.0}};
  for (int i = 0; i < 3; ++i)
    if (!(std::fabs(p[i]) <= in.options.max_coordinate)) {
      std::string name = element_name("vertex", in.soup ? index % 3 : index);
      if (in.soup) name += " of triangle " + std::to_string(index / 3);
      in.scan.fail(
          std::move(name), "(" + to_text(x) + ", " + to_text(y) + ", " + to_text(z) + ")",
          "coordinates must be finite and within " + to_text(in.options.max_coordinate) + " m",
          "correct the vertex, or the scale from file units to metres");
    }
  return p;
}

Vec3d read_point(Input& in, std::int64_t index) {
  const double x = in.scan.number("vertex", index);
  const double y = in.scan.number("vertex", index);
  const double z = in.scan.number("vertex", index);
  return checked_point(in, index, x, y, z);
}

}  // namespace io

TriMesh parse_surface(std::string_view bytes, MeshFormat format, const std::string& name,
                      const MeshReadOptions& options, std::vector<std::string>* notes) {
  if (is_volume(format))
    fail(name, std::string(format_name(format)) + " is read as a tetrahedral volume here",
         "read it with read_volume, or give the surface as OBJ, STL, PLY or OFF");
  check_request(bytes, format, name, options);
  io::Input in{TextScanner(bytes, name), bytes, options, notes};
  TriMesh mesh = format == MeshFormat::kObj   ? io::read_obj(in)
                 : format == MeshFormat::kStl ? io::read_stl(in)
                 : format == MeshFormat::kPly ? io::read_ply(in)
                                              : io::read_off(in);
  if (options.cloud) {
    mesh.triangles.clear(), mesh.segments.clear(), mesh.points.clear();
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
      mesh.points.push_back(static_cast<int>(i));
    if (mesh.points.empty()) fail(name, "the file holds no points", "check what was exported");
  }
  if (mesh.empty())
    fail(name,
         format == MeshFormat::kObj ? "the file holds no triangles, segments or points"
                                    : "the file holds no triangles",
         "check what was exported");
  return mesh;
}

TetMesh parse_volume(std::string_view bytes, MeshFormat format, const std::string& name,
                     const MeshReadOptions& options, std::vector<std::string>* notes) {
  if (!is_volume(format))
    fail(name, std::string(format_name(format)) + " holds a surface and no volume",
         "read it with read_surface, or fill it with tetrahedra and give them as .vtk or .msh");
  check_request(bytes, format, name, options);
  io::Input in{TextScanner(bytes, name), bytes, options, notes};
  TetMesh mesh = format == MeshFormat::kVtk ? io::read_vtk(in) : io::read_gmsh(in);
  if (mesh.tets.empty())
    fail(name, "the file holds no tetrahedra",
         "fill the surface with tetrahedra, or read a surface format with read_surface");
  return mesh;
}

TriMesh read_surface(const std::filesystem::path& path, const MeshReadOptions& options,
                     std::vector<std::string>* notes) {
  const MeshFormat format = format_of(path);
  if (is_volume(format)) return parse_surface({}, format, path.string(), options, notes);
  return parse_surface(read_regular_file(path, options.max_bytes), format, path.string(), options,
                       notes);
}

TetMesh read_volume(const std::filesystem::path& path, const MeshReadOptions& options,
                    std::vector<std::string>* notes) {
  const MeshFormat format = format_of(path);
  if (!is_volume(format)) return parse_volume({}, format, path.string(), options, notes);
  return parse_volume(read_regular_file(path, options.max_bytes), format, path.string(), options,
                      notes);
}

}  // namespace haptos
