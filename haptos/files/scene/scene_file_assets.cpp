// Files that a scene names: found under its own folder or an allowed root, never elsewhere.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <system_error>

#include "haptos/base/text/text.h"
#include "haptos/files/scene/scene_file_parts.h"
#include "haptos/geometry/io/mesh_io.h"
#include "haptos/geometry/mesh/mesh_check.h"

namespace haptos::scene_file {
namespace {

namespace fs = std::filesystem;

// Folders listed in HAPTOS_ASSET_ROOTS, separated by colons.
std::vector<fs::path> allowed_roots() {
  std::vector<fs::path> roots;
  const char* list = std::getenv("HAPTOS_ASSET_ROOTS");
  std::string_view rest = list == nullptr ? "" : list;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) roots.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return roots;
}

// A name with a scheme, "http://host/x", "file:x", or a drive, "C:\x".
bool has_scheme(const std::string& name) {
  const std::size_t colon = name.find(':');
  return colon != name.npos && colon > 0 &&
         std::all_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(colon), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '+' || c == '-' || c == '.';
         });
}

bool is_under(const fs::path& path, const fs::path& folder) {
  const auto [end, unused] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

std::string shown(const fs::path& path) {
  return " \"" + printable(path.filename().string()) + "\"";
}

double read_unit(const Value& v) {
  return yaml::length_unit(
      v.at("unit", "say what the file's numbers are in, for example unit: mm"));
}

MeshReadOptions mesh_options(const Reading& r, const Value& v, int parts) {
  MeshReadOptions o;
  o.scale = read_unit(v);
  o.max_bytes = r.limits.max_mesh_bytes;
  r.check_elements(v, parts);
  o.max_elements = std::min(o.max_elements, (r.limits.max_elements - r.elements) / parts);
  return o;
}

}  // namespace

fs::path find_asset(const Reading& r, const Value& v) {
  const std::string name = v.text();
  const std::string shown = "\"" + printable(name) + "\"";
  const char* remedy =
      "put the file beside the scene and name it relative to the scene file, or list its folder "
      "in HAPTOS_ASSET_ROOTS";
  if (has_scheme(name)) v.fail(shown, "must be a file's path, not a URL or a drive", remedy);
  if (name.find('\\') != name.npos)
    v.fail(shown, "must not hold a backslash", "separate folders by /");
  if (fs::path(name).is_absolute()) v.fail(shown, "must be a relative path", remedy);
  if (r.root.empty())
    v.fail(shown, "cannot be looked for: this scene has no folder", "load the scene from a file");
  std::vector<fs::path> roots{r.root};
  for (fs::path& p : allowed_roots()) roots.push_back(std::move(p));
  std::vector<fs::path> folders;  // without links and dots
  std::error_code error;
  for (const fs::path& p : roots)
    if (fs::path c = fs::canonical(p, error); !error) folders.push_back(std::move(c));
  bool outside = false;
  for (const fs::path& p : folders) {
    // Links are followed first, so a link that leads out of a folder is seen to.
    fs::path file = fs::weakly_canonical(p / name, error);
    if (error) continue;
    const bool inside = std::any_of(folders.begin(), folders.end(),
                                    [&](const fs::path& f) { return is_under(file, f); });
    outside = outside || !inside;
    if (inside && fs::exists(file, error)) return file;
  }
  if (outside) v.fail(shown, "leads out of the scene's folder", remedy);
  v.fail(shown, "does not exist in " + (r.root == "." ? "this folder" : printable(r.root.string())),
         remedy);
}

namespace {

// Notes of a reader do not name their file.
void add_notes(Reading& r, const fs::path& file, const std::vector<std::string>& notes) {
  for (const std::string& n : notes)
    r.warnings.push_back(printable(file.filename().string()) + ": " + n);
}

TriMesh read_triangles(Reading& r, const Value& v, bool cloud) {
  MeshReadOptions options = mesh_options(r, v, 1);
  options.cloud = cloud;
  const fs::path path = find_asset(r, v.at("file", "name a .obj, .stl, .ply or .off file"));
  std::vector<std::string> notes;
  TriMesh mesh = read_surface(path, options, &notes);
  add_notes(r, path, notes);
  if (!cloud)
    located(
        v, [&] { require_contact_surface(mesh, ""); }, shown(path));
  r.elements +=
      static_cast<std::int64_t>(mesh.triangles.size() + mesh.segments.size() + mesh.points.size());
  return mesh;
}

}  // namespace

TriMesh read_surface_file(Reading& r, const Value& v) {
  v.keys({"file", "unit"});
  return read_triangles(r, v, false);
}

TriMesh read_cloud_file(Reading& r, const Value& v) { return read_triangles(r, v, true); }

TetMesh read_volume_file(Reading& r, const Value& v, int parts_per_tet) {
  v.keys({"file", "unit"});
  const MeshReadOptions options = mesh_options(r, v, parts_per_tet);
  const fs::path path = find_asset(r, v.at("file", "name a .vtk or .msh file"));
  std::vector<std::string> notes;
  TetMesh mesh = read_volume(path, options, &notes);
  add_notes(r, path, notes);
  located(
      v, [&] { require_volume(mesh, ""); }, shown(path));
  r.elements += static_cast<std::int64_t>(mesh.tets.size()) * parts_per_tet;
  return mesh;
}

TetMesh read_filled_surface(Reading& r, const Value& v, int parts_per_tet) {
  v.keys({"file", "unit", "size", "epsilon", "seed"});
  const MeshReadOptions options = mesh_options(r, v, 1);
  const fs::path path = find_asset(r, v.at("file", "name a .obj, .stl, .ply or .off file"));
  TetrahedraRequest request;
  request.name = path.string();
  request.size = read_length(v.at("size", "give the edge length, for example size: 1 mm"));
  if (const auto epsilon = v.find("epsilon")) request.epsilon = read_length(*epsilon);
  if (const auto seed = v.find("seed"))
    request.seed = seed->integer(0, std::numeric_limits<int>::max());
  if (!r.readers.tetrahedralise)
    v.fail("", "cannot be filled with tetrahedra here",
           "load the scene in Python, or write the volume once with haptos tetrahedralise and name "
           "it as mesh");
  request.surface = read_surface(path, options, &r.warnings);
  return located(
      v,
      [&] {
        TetMesh mesh = r.readers.tetrahedralise(request);
        require_volume(mesh, "");
        r.check_elements(v, static_cast<double>(mesh.tets.size()) * parts_per_tet);
        r.elements += static_cast<std::int64_t>(mesh.tets.size()) * parts_per_tet;
        return mesh;
      },
      shown(path));
}

}  // namespace haptos::scene_file
