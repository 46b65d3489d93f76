#include "haptos/files/scene/scene_file.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "haptos/base/text/text.h"
#include "haptos/files/scene/scene_file_fields.h"
#include "haptos/geometry/io/mesh_io.h"
#include "haptos/sim/model/model.h"

namespace haptos {
namespace scene_file {
namespace {

constexpr std::size_t kMostBodies = 10'000;

template <class T, class F>
void read_list(Reading& r, const Value& scene, const char* key, F read, std::vector<T>& out) {
  const auto v = scene.find(key);
  if (!v) return;
  const std::size_t n = v->list(1, kMostBodies);
  for (std::size_t i = 0; i < n; ++i) out.push_back(read(r, v->item(i)));
}

// Names may be used before the body stands in the file.
void check_references(const Reading& r) {
  for (const Reference& ref : r.references) {
    const auto found = r.names.find(ref.name);
    const bool exists = found != r.names.end();
    const auto carries = [](const Reading::Named& n) {
      return n.kind == "prescribed body" || n.kind == "affine body" || n.carries;
    };
    if (exists && (!ref.carrier || carries(found->second))) continue;
    std::vector<std::string> candidates;
    for (const auto& [name, named] : r.names)
      if (!ref.carrier || carries(named)) candidates.push_back(name);
    const std::string near = nearest_name(ref.name, candidates);
    std::string remedy = candidates.empty()
                             ? (ref.carrier ? "the scene has no prescribed body; add one"
                                            : "the scene has no bodies; add one")
                         : near.empty() ? "known names are "
                                        : "the nearest known name is \"" + printable(near) + "\"";
    if (near.empty())
      for (std::size_t i = 0; i < candidates.size() && i < 20; ++i)
        remedy += (i > 0 ? ", \"" : "\"") + printable(candidates[i]) + "\"";
    ref.place.fail("\"" + printable(ref.name) + "\"",
                   exists ? "must be a prescribed body, an affine body or a link of a robot "
                            "(\"robot/link\"), not a " +
                                found->second.kind
                          : "names nothing in this scene",
                   remedy);
  }
}

void place_in_frames(const Reading& r, Scene& s) {
  for (const RelativePose& p : r.relative)
    for (SoftBody& b : s.soft)
      if (b.name == p.body)
        b.pose = compose(located(p.place, [&] { return start_pose(s, p.frame); }), b.pose);
}

}  // namespace

void Reading::check_elements(const Value& place, double wanted) const {
  const auto left = static_cast<double>(limits.max_elements - elements);
  if (wanted > left)
    place.fail("",
               "needs about " + to_text(wanted) + " triangles or tetrahedra where " +
                   to_text(left) + " of " + std::to_string(limits.max_elements) + " are left",
               "ask for larger elements");
}

std::string only_one(const Value& v, std::initializer_list<const char*> keys) {
  std::string found, all;
  int count = 0;
  for (const char* k : keys) {
    all += (all.empty() ? "\"" : " or \"") + std::string(k) + "\"";
    if (v.find(k)) found = k, ++count;
  }
  if (count != 1)
    v.fail("", "must have one of " + all, count == 0 ? "add it" : "remove the others");
  return found;
}

double read_length(const Value& v) { return v.number("m", kSmallestLength, kLargestLength); }

Vec3d read_position(const Value& v) {
  v.list(3, 3);
  Vec3d p{};
  for (int k = 0; k < 3; ++k)
    p[k] = v.item(static_cast<std::size_t>(k)).number("m", -kLargestLength, kLargestLength);
  return p;
}

Quat read_rotation(const Value& v) {
  if (v.is_map()) {
    v.keys({"axis", "angle"});
    const Value axis = v.at("axis", "write axis: [0, 0, 1], angle: 30 deg");
    const Vec3d a = axis.vector("");
    const double length = norm(a);
    if (!(length > 1e-12 && length < 1e12))
      axis.fail("length " + to_text(length), "must have a direction", "for example [0, 0, 1]");
    const double angle = v.at("angle", "write for example angle: 30 deg").number("rad", -1e3, 1e3);
    return rotation_by(a * (angle / length));
  }
  if (!v.is_list())
    v.fail("", "must be a rotation", "write [w, x, y, z] or {axis: [0, 0, 1], angle: 30 deg}");
  v.list(4, 4);
  const Quat q{v.item(0).number(""), v.item(1).number(""), v.item(2).number(""),
               v.item(3).number("")};
  // Digits that a person leaves out are made up for; anything else is another thing than a turn.
  const double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  if (!(length > 0.999 && length < 1.001))
    v.fail("length " + to_text(length), "a quaternion w, x, y, z must have length 1",
           "no turn is [1, 0, 0, 0]");
  return normalized(q);
}

Pose read_pose(const Value& v) {
  v.keys({"position", "rotation"});
  Pose p;
  if (const auto position = v.find("position")) p.p = read_position(*position);
  if (const auto rotation = v.find("rotation")) p.q = read_rotation(*rotation);
  return p;
}

std::string read_name(Reading& r, const Value& body, const std::string& kind) {
  const Value v = body.at("name", "add a name of its own for this " + kind);
  std::string name = v.text();
  if (name.size() > 100) v.fail("", "must have at most 100 characters", "shorten it");
  const auto [it, fresh] = r.names.emplace(name, Reading::Named{kind, v.where().line, false});
  if (!fresh)
    v.fail("\"" + printable(name) + "\"",
           "is the name of the " + it->second.kind + " on line " + std::to_string(it->second.line) +
               " already",
           "give every body a name of its own");
  return name;
}

}  // namespace scene_file

Scene parse_scene(std::string_view text, const std::string& name, const std::filesystem::path& root,
                  const SceneLimits& limits, const SceneReaders& readers) {
  using namespace scene_file;
  yaml::Limits yaml_limits;
  yaml_limits.max_bytes = limits.max_bytes;
  const yaml::Document document(text, name, yaml_limits);
  const Value v(document);
  Scene s;
  std::vector<const char*> sections = {"sim",     "newton", "solver",  "contact", "point_contact",
                                       "sensors", "rigid",  "spheres", "pairs"};
  each_kind(s, [&](const auto& list) {
    sections.push_back(FieldsOf<typename std::decay_t<decltype(list)>::value_type>::kSection);
  });
  v.keys(sections);
  Reading r;
  r.root = root;
  r.limits = limits;
  r.readers = readers;
  if (const auto o = v.find("sim")) read_options(*o, s.sim);
  if (const auto o = v.find("newton")) read_options(*o, s.newton);
  if (const auto o = v.find("solver")) read_options(*o, s.solver);
  if (const auto o = v.find("contact")) read_options(*o, s.contact);
  if (const auto o = v.find("point_contact")) read_options(*o, s.point_contact);
  each_kind(s, [&](auto& list) {
    using Kind = typename std::decay_t<decltype(list)>::value_type;
    read_list(r, v, FieldsOf<Kind>::kSection, read_entry<Kind>, list);
  });
  read_list(r, v, "sensors", read_sensor_entry, s.soft);
  std::move(r.mounts.begin(), r.mounts.end(), std::back_inserter(s.prescribed));
  read_list(r, v, "rigid", read_rigid, s.robots);
  read_list(r, v, "spheres", read_sphere, s.robots);
  std::move(r.pads.begin(), r.pads.end(), std::back_inserter(s.soft));
  read_list(r, v, "pairs", read_pair, s.pairs);
  s.pairs.insert(s.pairs.end(), r.pairs.begin(), r.pairs.end());
  s.tactile = std::move(r.tactile);
  s.tactile.insert(s.tactile.end(), r.on_pads.begin(), r.on_pads.end());
  check_references(r);
  place_in_frames(r, s);
  check_held_pads(r, s);
  located(v, [&] { validate(s); });
  s.warnings = std::move(r.warnings);
  return s;
}

Scene load_scene(const std::filesystem::path& path, const SceneLimits& limits,
                 const SceneReaders& readers) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!error && size > static_cast<std::uintmax_t>(limits.max_bytes))
    throw InputError(Diagnostic{path.string(), 0, 0, "the file", std::to_string(size) + " bytes",
                                "must have at most " + std::to_string(limits.max_bytes) + " bytes",
                                "keep meshes in files of their own"});
  const std::string text = read_regular_file(path, limits.max_bytes);
  const std::filesystem::path folder = path.parent_path();
  return parse_scene(text, path.string(), folder.empty() ? "." : folder, limits, readers);
}

}  // namespace haptos
