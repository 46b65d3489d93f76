// Visuals and collisions: primitives, meshes, materials.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>

#include "haptos/base/text/text.h"
#include "haptos/files/urdf/urdf_reader.h"
#include "haptos/geometry/mesh/mesh_edit.h"

namespace haptos::urdf {

namespace {

constexpr double kSmallest = 1e-9, kLargest = 1e6;       // [m], beyond these sizes are refused
constexpr double kOddlySmall = 1e-6, kOddlyLarge = 1e4;  // [m], beyond these they are remarked on
constexpr double kHuge = 50;                             // [m], of a mesh
constexpr const char* kShapes[] = {"box", "sphere", "cylinder", "capsule", "plane", "mesh"};

// The shortest turn that takes z to a unit vector.
Quat turn_from_z(const Vec3d& n) {
  if (n[2] < -1 + 1e-12) return {0, 1, 0, 0};
  return normalized({1 + n[2], -n[1], n[0], 0});
}

std::string quoted_path(const std::string& path) { return "\"" + shown_path(path) + "\""; }

std::string lower_extension(const std::filesystem::path& path) {
  std::string s = path.extension().string();
  for (char& c : s)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return s;
}
bool readable(const std::filesystem::path& path) {
  const std::string s = lower_extension(path);
  return s == ".stl" || s == ".obj" || s == ".ply" || s == ".off";
}

// Of a scene for people, which options.read_other may read.
bool read_elsewhere(const std::filesystem::path& path) {
  const std::string s = lower_extension(path);
  return s == ".dae" || s == ".glb";
}

// The thickness of a point set over its size: 0 where it lies in a plane. Found by the farthest
// point from a point, from a line and from a plane, so within a small factor of the least one.
double relative_thickness(const std::vector<Vec3d>& x) {
  const auto farthest = [&](auto&& distance) {
    std::size_t best = 0;
    double most = -1;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (const double d = distance(x[i]); d > most) most = d, best = i;
    return std::make_pair(best, most);
  };
  const auto [b, size] = farthest([&](const Vec3d& p) { return norm(p - x[0]); });
  if (!(size > 0)) return 0;
  const Vec3d u = (x[b] - x[0]) * (1 / size);
  const auto [c, width] = farthest([&](const Vec3d& p) { return norm(cross(u, p - x[0])); });
  if (!(width > 1e-12 * size)) return 0;
  const Vec3d n = cross(u, x[c] - x[0]) * (1 / width);
  const auto [d, thickness] = farthest([&](const Vec3d& p) { return std::fabs(dot(n, p - x[0])); });
  (void)d;
  return thickness / size;
}

}  // namespace

void Reader::check_size(const xml::Element& e, const std::string& what, double size) {
  if (size < kOddlySmall || size > kOddlyLarge)
    warn(e.line, what + ": a size of " + to_text(size) + " m is odd; lengths are in metres.");
}

std::shared_ptr<const TriMesh> Reader::load(const std::filesystem::path& path, const Vec3d& scale) {
  const std::string key =
      path.string() + '\n' + to_text(scale[0]) + ' ' + to_text(scale[1]) + ' ' + to_text(scale[2]);
  if (const auto known = meshes_.find(key); known != meshes_.end()) return known->second;
  MeshReadOptions o = options.meshes;
  o.scale = 1;
  o.max_coordinate = 1e9;  // in the file's unit; looked at again below
  o.max_vertices = std::max<std::int64_t>(o.max_vertices - vertices_, 0);
  o.max_elements = std::max<std::int64_t>(o.max_elements - triangles_, 0);
  TriMesh mesh = readable(path) ? read_surface(path, o) : options.read_other(path);
  mesh.segments.clear();  // a link's shape is made of triangles
  mesh.points.clear();
  if (mesh.triangles.empty())
    throw InputError(Diagnostic{path.string(), 0, 0, "", "", "the file holds no triangles",
                                "check what was exported"});
  if (static_cast<std::int64_t>(mesh.triangles.size()) > o.max_elements ||
      static_cast<std::int64_t>(mesh.vertices.size()) > o.max_vertices)
    throw InputError(Diagnostic{path.string(), 0, 0, "",
                                std::to_string(mesh.triangles.size()) + " triangles",
                                "are more than the meshes of a robot may have", "simplify it"});
  vertices_ += static_cast<std::int64_t>(mesh.vertices.size());
  triangles_ += static_cast<std::int64_t>(mesh.triangles.size());
  const double most = options.meshes.max_coordinate;
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
    for (int k = 0; k < 3; ++k) {
      double& x = mesh.vertices[i][k];
      x *= scale[k];
      if (!(std::fabs(x) <= most))
        throw InputError(Diagnostic{path.string(), 0, 0, "vertex " + std::to_string(i), to_text(x),
                                    "must lie within " + to_text(most) + " m after the scale",
                                    "correct the scale, for example 0.001 for millimetres"});
    }
  // A mirrored mesh is inside out.
  if (scale[0] * scale[1] * scale[2] < 0)
    for (Vec3i& t : mesh.triangles) std::swap(t[1], t[2]);
  return meshes_[key] = std::make_shared<const TriMesh>(std::move(mesh));
}

void Reader::read_mesh(const xml::Element& e, const std::string& what, bool visual, RobotShape& s,
                       bool& keep) {
  known(e, what, {"filename", "scale", "name"});
  const xml::Attribute& file = need(e, "filename", what, "name a mesh file");
  if (const xml::Attribute* scale = e.find("scale")) {
    s.scale = triple(*scale, what + ", mesh", -1e9, 1e9);
    for (int k = 0; k < 3; ++k)
      if (!(std::fabs(s.scale[k]) >= 1e-9))
        fail(scale->line, what + ", mesh scale", printable(scale->value), "must not be 0",
             "for example 0.001 0.001 0.001 for a file in millimetres");
  }
  s.shape.kind = visual || !options.hulls ? ShapeKind::kMesh : ShapeKind::kHull;
  const MeshFinder::Result found = files.find(file.value);
  if (!found.note.empty()) warn(file.line, found.note + ".");
  const std::string element = what + ", mesh";
  if (found.path.empty()) {
    if (found.refused || !visual)
      fail(file.line, element, quoted_path(file.value), found.rule, found.remedy);
    warn(file.line,
         element + " " + quoted_path(file.value) + " is not shown: it " + found.rule + "; " +
             found.remedy,
         "missing visual");
    keep = false;
    return;
  }
  s.file = found.path.string();
  if (visual && (!options.read_visuals || !readable(found.path))) return;
  if (!readable(found.path) && !(options.read_other && read_elsewhere(found.path)))
    fail(file.line, element, quoted_path(file.value),
         options.read_other ? "a collision mesh must be .stl, .obj, .ply, .off, .dae or .glb"
                            : "a collision mesh must be .stl, .obj, .ply or .off",
         "export it again in one of these formats");
  try {
    s.shape.mesh = load(found.path, s.scale);
  } catch (const InputError& error) {
    if (!visual) {
      Diagnostic d = error.diagnostic;
      // The sentence of the mesh reader, and where the robot asks for the file.
      d.remedy += (d.remedy.empty() ? "" : "; ") + ("named by " + what) + " in " + file_ + ":" +
                  std::to_string(file.line);
      throw InputError(d);
    }
    warn(file.line, element + " is not shown: " + error.what());
    return;
  }
  const Aabb box = bounding_box(s.shape.mesh->vertices);
  const Vec3d side = box.hi - box.lo;
  const double largest = std::max({side[0], side[1], side[2]});
  if (largest > kHuge)
    warn(file.line, element + " " + quoted_path(file.value) + " is " + to_text(largest) +
                        " m large; is a scale of 0.001 missing?");
  if (s.shape.kind == ShapeKind::kHull && !(relative_thickness(s.shape.mesh->vertices) > 1e-9))
    fail(file.line, element, quoted_path(file.value),
         "all its points lie in one plane, so it has no hull",
         "give a solid, or a thin box in its place");
}

// Bullet's plane: everything below it is solid.
void Reader::read_plane(const xml::Element& e, const std::string& what, RobotShape& s) {
  known(e, what, {"normal"});
  const std::string of = what + ", plane";
  const xml::Attribute* normal = e.find("normal");
  const Vec3d n = normal ? triple(*normal, of, -1e6, 1e6) : Vec3d{{0, 0, 1}};
  if (!(norm(n) > 1e-6))
    fail(normal->line, of + ", normal", printable(normal->value), "must not be 0",
         "for example 0 0 1");
  s.shape.kind = ShapeKind::kHalfSpace;
  s.frame.q = normalized(s.frame.q * turn_from_z(n * (1 / norm(n))));
}

void Reader::read_geometry(const xml::Element& e, const std::string& what, bool visual,
                           RobotShape& s, bool& keep) {
  const xml::Element& g = need_child(e, "geometry", what, "give a box, sphere, cylinder or mesh");
  // Drake writes capsules in a name space of its own.
  const auto plain = [](const std::string& name) {
    return name.starts_with("drake:") ? name.substr(6) : name;
  };
  const xml::Element* shape = nullptr;
  for (const xml::Element* c : g.children) {
    const std::string name = plain(c->name);
    if (std::none_of(std::begin(kShapes), std::end(kShapes),
                     [&](const char* k) { return name == k; }))
      continue;
    if (shape)
      fail(c->line, what + ", geometry", "",
           "holds both <" + printable(shape->name) + "> and <" + printable(c->name) + ">",
           "give each its own <visual> or <collision>");
    shape = c;
  }
  if (!shape) {
    if (g.children.empty())
      fail(g.line, what + ", geometry", "", "is empty", "give a box, sphere, cylinder or mesh");
    std::vector<std::string> names(std::begin(kShapes), std::end(kShapes));
    const xml::Element& c = *g.children.front();
    fail(c.line, what + ", geometry", "<" + printable(c.name) + ">", "is not a shape read here",
         suggestion(c.name, names));
  }
  known(g, what, {}, {"box", "sphere", "cylinder", "capsule", "plane", "mesh"});
  const std::string kind = plain(shape->name), of = what + ", " + kind;
  // What is only shown may be nothing; exporters write such.
  const double least = visual ? 0 : kSmallest;
  const auto checked = [&](double v) {
    if (v >= kSmallest) {
      check_size(*shape, of, v);
    } else if (keep) {
      keep = false;
      warn(shape->line, of + " has a size of " + to_text(v) + " m and is not shown.");
    }
    return v;
  };
  const auto length = [&](const char* attribute) {
    return checked(number(need(*shape, attribute, of, "give it in metres"), of, least, kLargest));
  };
  if (kind == "mesh") return read_mesh(*shape, what, visual, s, keep);
  if (kind == "plane") return read_plane(*shape, what, s);
  if (kind == "box") {
    known(*shape, what, {"size"});
    const Vec3d size =
        triple(need(*shape, "size", of, "give three lengths in metres"), of, least, kLargest);
    for (int k = 0; k < 3; ++k) checked(size[k]);
    s.shape.kind = ShapeKind::kBox;
    s.shape.size = size * 0.5;
  } else if (kind == "sphere") {
    known(*shape, what, {"radius"});
    s.shape.kind = ShapeKind::kSphere;
    s.shape.size = {{length("radius"), 0, 0}};
  } else {
    known(*shape, what, {"radius", "length"});
    s.shape.kind = kind == "cylinder" ? ShapeKind::kCylinder : ShapeKind::kCapsule;
    s.shape.size = {{length("radius"), 0.5 * length("length"), 0}};
  }
}

void Reader::read_appearance(const xml::Element& e, const std::string& what, Material& m) {
  known(e, what, {"name"}, {"color", "texture", "specular"}, {"color", "texture"});
  m.line = e.line;
  if (const xml::Element* color = e.child("color")) {
    known(*color, what, {"rgba", "rgb"});
    const bool three = !color->find("rgba") && color->find("rgb");
    const xml::Attribute& a =
        need(*color, three ? "rgb" : "rgba", what, "give red, green, blue and opacity from 0 to 1");
    std::vector<double> v = numbers(a, what + ", color", three ? 3 : 4, -1e6, 1e6);
    v.resize(4, 1);
    for (double& c : v) {
      if (c >= 0 && c <= 1) continue;
      warn(a.line, what + ", color " + printable(a.value) + ": parts lie between 0 and 1, and " +
                       to_text(c) + " was moved there.");
      c = std::clamp(c, 0.0, 1.0);
    }
    m.rgba = {v[0], v[1], v[2], v[3]};
  }
  if (const xml::Element* texture = e.child("texture")) {
    known(*texture, what, {"filename"});
    const xml::Attribute& file = need(*texture, "filename", what, "name a picture");
    const MeshFinder::Result found = files.find(file.value);
    if (found.path.empty() && found.refused)
      fail(file.line, what + ", texture", quoted_path(file.value), found.rule, found.remedy);
    if (found.path.empty())
      warn(file.line, what + ", texture " + quoted_path(file.value) + ": " + found.rule + "; " +
                          found.remedy + ".");
    m.texture = found.path.string();
  }
}

void Reader::read_material(const xml::Element& e) {
  const std::string n = name(e, "name", "a material"), what = "material " + in_quotes(n);
  Material m;
  read_appearance(e, what, m);
  const auto [at, added] = materials.emplace(n, m);
  if (!added)
    fail(e.line, what, "",
         "there is another of this name in line " + std::to_string(at->second.line),
         "give each its own name");
}

void Reader::read_shape(const xml::Element& e, const std::string& of_link, bool visual,
                        RobotLink& link) {
  RobotShape s;
  std::vector<RobotShape>& list = visual ? link.visuals : link.collisions;
  const std::string what =
      of_link + (visual ? ", visual " : ", collision ") + std::to_string(list.size());
  const char* extra = visual ? "material" : "contact_coefficients";
  known(e, what, {"name", "group"}, {"origin", "geometry", "verbose", extra},
        {"origin", "geometry", extra});
  if (const xml::Attribute* n = e.find("name")) s.name = text(*n, what);
  s.frame = origin(e, what);
  bool keep = true;
  read_geometry(e, what, visual, s, keep);
  if (const xml::Element* c = e.child("contact_coefficients"); c && !visual)
    read_coefficients(*c, what, s);
  const xml::Element* material = visual ? e.child("material") : nullptr;
  if (material) {
    Material m;
    read_appearance(*material, what + ", material", m);
    const xml::Attribute* n = material->find("name");
    const std::string material_name = n ? n->value : "";
    const bool described = m.rgba || material->child("texture");
    if (described && !material_name.empty()) materials.emplace(material_name, m);
    if (m.rgba) std::copy(m.rgba->begin(), m.rgba->end(), s.rgba);
    s.texture = m.texture;
    if (!described && !material_name.empty() && keep)
      wanted_.push_back({links.size(), list.size(), material_name, material->line, what});
  }
  if (keep) list.push_back(std::move(s));
}

namespace {

constexpr double kMostFriction = 1e6, kMostStiffness = 1e18, kWidestLayer = 1;

// Seconds from a stiffness [N/m] and a damping [N s/m]; -1 where one of them is not given.
double relaxation_time(double stiffness, double damping) {
  return stiffness > 0 && damping >= 0 ? damping / stiffness : -1;
}

}  // namespace

void Reader::read_coefficients(const xml::Element& e, const std::string& what, RobotShape& s) {
  known(e, what, {"mu", "kp", "kd"});
  s.friction = number_or(e, "mu", what, 0, kMostFriction, -1);
  s.stiffness = number_or(e, "kp", what, 0, kMostStiffness, -1);
  s.relaxation_time = relaxation_time(s.stiffness, number_or(e, "kd", what, 0, kMostStiffness, -1));
}

// <hydroelastic value="modulus"/>, or pressure="depth pressure depth pressure ..." in its place.
PressureLaw Reader::read_pressure(const xml::Element& contact, const std::string& what) {
  const xml::Element* e = contact.child("hydroelastic");
  if (!e) return -1;
  const std::string own = what + ", hydroelastic";
  const xml::Attribute* table = e->find("pressure");
  if (!table) return number(need(*e, "value", what, "give a number"), own, 0, kMostStiffness);
  if (e->find("value"))
    fail(table->line, own, "", "has both a value and a pressure", "leave one of them out");
  std::istringstream words(table->value);
  const auto count = std::distance(std::istream_iterator<std::string>(words), {});
  if (count == 0 || count % 2)
    fail(table->line, own + ", pressure", std::to_string(count) + " numbers",
         "must be pairs of a depth and a pressure", "for example \"0.001 5000 0.002 20000\"");
  const std::vector<double> v =
      numbers(*table, own, static_cast<std::size_t>(count), 0, kMostStiffness);
  std::vector<PressureLaw::Row> rows;
  for (std::size_t i = 0; i < v.size(); i += 2) rows.emplace_back(v[i], v[i + 1]);
  try {
    return {own, rows};
  } catch (const InputError& error) {
    const Diagnostic& d = error.diagnostic;
    fail(table->line, own + ", pressure", d.value, d.rule, d.remedy);
  }
}

void Reader::read_contact(const xml::Element& e, const std::string& of_link, RobotLink& link) {
  const std::string what = of_link + ", contact";
  known(e, what, {}, {"lateral_friction", "stiffness", "damping", "layer", "hydroelastic"},
        {"lateral_friction", "stiffness", "damping", "layer", "hydroelastic"});
  const auto value = [&](const char* child, double most) {
    const xml::Element* c = e.child(child);
    if (!c) return -1.0;
    return number(need(*c, "value", what, "give a number"), what + ", " + child, 0, most);
  };
  const double friction = value("lateral_friction", kMostFriction);
  const double stiffness = value("stiffness", kMostStiffness);
  const double time = relaxation_time(stiffness, value("damping", kMostStiffness));
  const double layer = value("layer", kWidestLayer);
  const PressureLaw pressure = read_pressure(e, what);
  for (RobotShape& s : link.collisions) {
    if (layer >= 0) s.layer = layer;
    if (pressure.modulus() >= 0) s.hydroelastic = pressure;
    if (s.friction < 0) s.friction = friction;
    if (s.stiffness < 0) s.stiffness = stiffness, s.relaxation_time = time;
  }
}

void Reader::resolve_materials() {
  std::vector<std::string> names;
  for (const auto& [name, m] : materials) names.push_back(name);
  std::sort(names.begin(), names.end());
  for (const Wanted& w : wanted_) {
    const auto m = materials.find(w.material);
    if (m == materials.end()) {
      warn(w.line, w.what + ": there is no material " + in_quotes(w.material) + "; " +
                       suggestion(w.material, names));
      continue;
    }
    RobotShape& s = links[w.link].link.visuals[w.visual];
    if (m->second.rgba) std::copy(m->second.rgba->begin(), m->second.rgba->end(), s.rgba);
    s.texture = m->second.texture;
  }
}

}  // namespace haptos::urdf
