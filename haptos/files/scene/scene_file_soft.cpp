// Soft bodies of a scene file: mesh or pad, material, and what is glued, held and sensed.
#include <algorithm>

#include "haptos/base/text/text.h"
#include "haptos/files/scene/scene_file_fields.h"
#include "haptos/geometry/mesh/topology.h"

namespace haptos::scene_file {
namespace {

struct Region {
  Vec3d min, max;  // [m], in the body's frame

  bool holds(const Vec3d& p) const {
    for (int k = 0; k < 3; ++k)
      if (p[k] < min[k] || p[k] > max[k]) return false;
    return true;
  }
};

Region read_box(const Value& v) {
  v.keys({"min", "max"});
  const Region b{read_position(v.at("min", "write for example min: [-1 mm, -1 mm, -4 mm]")),
                 read_position(v.at("max", "write for example max: [1 mm, 1 mm, 0]"))};
  for (int k = 0; k < 3; ++k)
    if (b.min[k] > b.max[k]) v.fail("", "min must not exceed max", "exchange the two");
  return b;
}

}  // namespace

std::size_t read_word(const Value& v, const std::vector<std::string>& words) {
  const std::string word = v.is_scalar() ? v.text() : "";
  for (std::size_t i = 0; i < words.size(); ++i)
    if (word == words[i]) return i;
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i)
    all += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  v.fail(printable(word), "must be " + all, "write one of these words");
}

std::vector<int> read_vertices(const Value& v, const SoftSource& s) {
  if (v.is_scalar()) {
    if (!s.is_pad)
      v.fail(printable(v.text()), "parts have names on a pad only",
             "list vertices, or write box: {min: [...], max: [...]}");
    std::vector<int> top;
    for (const Vec3i& t : s.top) top.insert(top.end(), {t[0], t[1], t[2]});
    std::sort(top.begin(), top.end());
    top.erase(std::unique(top.begin(), top.end()), top.end());
    const std::vector<int>* parts[] = {&s.base, &s.x0, &s.y0, &top};
    const std::vector<int>& part = *parts[read_word(v, {"base", "x0", "y0", "top"})];
    if (part.empty()) v.fail("", "holds no vertex of this pad", "name another part");
    return part;
  }
  if (v.is_map()) {
    v.keys({"box"});
    const Region box = read_box(v.at("box", "write box: {min: [...], max: [...]}"));
    std::vector<int> inside;
    for (std::size_t i = 0; i < s.mesh.vertices.size(); ++i)
      if (box.holds(s.mesh.vertices[i])) inside.push_back(static_cast<int>(i));
    if (inside.empty())
      v.fail("", "holds no vertex of this mesh",
             "the box is in the body's own frame and in m; make it larger");
    return inside;
  }
  std::vector<int> list;
  const std::size_t n = v.list(1, s.mesh.vertices.size());
  const int last = static_cast<int>(s.mesh.vertices.size()) - 1;
  for (std::size_t i = 0; i < n; ++i) list.push_back(v.item(i).integer(0, last));
  return list;
}

std::vector<Vec3i> surface_triangles(const TetMesh& mesh) {
  std::vector<int> of_volume;
  std::vector<Vec3i> t = boundary_surface(mesh, &of_volume).triangles;
  for (Vec3i& f : t)
    for (int k = 0; k < 3; ++k) f[k] = of_volume[static_cast<std::size_t>(f[k])];
  return t;
}

std::vector<Vec3i> read_coat(const Value& v, const SoftSource& s) {
  if (v.is_scalar()) {
    if (read_word(v, {"all", "top"}) == 0) return {};
    if (!s.is_pad)
      v.fail("top", "parts have names on a pad only",
             "write all, or box: {min: [...], max: [...]}");
    return s.top;
  }
  std::vector<Vec3i> coat;
  const std::vector<Vec3i> surface = surface_triangles(s.mesh);
  if (v.is_map()) {
    v.keys({"box"});
    const Region box = read_box(v.at("box", "write box: {min: [...], max: [...]}"));
    for (const Vec3i& t : surface) {
      bool inside = true;
      for (int k = 0; k < 3; ++k)
        inside = inside && box.holds(s.mesh.vertices[static_cast<std::size_t>(t[k])]);
      if (inside) coat.push_back(t);
    }
    if (coat.empty())
      v.fail("", "holds no triangle of this body's surface",
             "the box is in the body's own frame and in m; make it larger");
    return coat;
  }
  // Triangles by their vertices, in any order; stored as they face outward.
  const auto key = [](const Vec3i& t) {
    std::array<int, 3> k{t[0], t[1], t[2]};
    std::sort(k.begin(), k.end());
    return k;
  };
  std::map<std::array<int, 3>, Vec3i> known;
  for (const Vec3i& t : surface) known[key(t)] = t;
  const std::size_t n = v.list(1, surface.size());
  const int last = static_cast<int>(s.mesh.vertices.size()) - 1;
  for (std::size_t i = 0; i < n; ++i) {
    const Value t = v.item(i);
    t.list(3, 3);
    const auto found = known.find(key(
        {{t.item(0).integer(0, last), t.item(1).integer(0, last), t.item(2).integer(0, last)}}));
    if (found == known.end())
      t.fail("", "is no triangle of this body's surface",
             "name the vertices of a surface triangle");
    coat.push_back(found->second);
  }
  return coat;
}

namespace {

// As read_pose; with `frame` in the frame of another body, found once all are read.
Pose read_framed_pose(Reading& r, const Value& v, const std::string& body) {
  v.keys({"position", "rotation", "frame"});
  if (const auto frame = v.find("frame")) {
    r.relative.push_back({*frame, body, frame->text()});
    r.references.push_back({*frame, frame->text(), true});
  }
  Pose p;
  if (const auto position = v.find("position")) p.p = read_position(*position);
  if (const auto rotation = v.find("rotation")) p.q = read_rotation(*rotation);
  return p;
}

HeldVertices read_held(const Value& v, const SoftSource& s) {
  v.keys({"axes", "where"});
  HeldVertices h;
  const Value axes = v.at("axes", "write for example axes: [x, y, z]");
  const std::size_t n = axes.list(1, 3);
  for (std::size_t i = 0; i < n; ++i) h.axis[read_word(axes.item(i), {"x", "y", "z"})] = true;
  h.vertices = read_vertices(v.at("where", "say which vertices are held"), s);
  return h;
}

}  // namespace

void read_parts(Reading& r, const Value& v, SoftBody& b) {
  const int parts = b.element == Element::kComposite ? 8 : 1;
  SoftSource source;
  const std::string shape = only_one(v, {"mesh", "surface", "pad", "sensor"});
  for (const char* key : {"rate", "delay"})
    if (const auto timing = v.find(key); timing && shape != "sensor")
      timing->fail("", "is that of a tactile sensor, and this body has none",
                   "leave it out, or write sensor: in place of " + shape);
  if (shape == "sensor")
    source = read_sensor_pad(r, v, parts, b);
  else if (shape == "pad")
    source = read_pad(r, *v.find("pad"), parts);
  else if (shape == "surface")
    source.mesh = read_filled_surface(r, *v.find("surface"), parts);
  else
    source.mesh = read_volume_file(r, *v.find("mesh"), parts);
  if (shape != "sensor" || v.find("material"))
    read_options(v.at("material", "write for example material: {young: 100 kPa, poisson: 0.48}"),
                 b.material);
  if (const auto pose = v.find("pose")) b.pose = read_framed_pose(r, *pose, b.name);
  if (const auto glue = v.find("glue")) {
    const std::size_t n = glue->list(1, 1000);
    for (std::size_t i = 0; i < n; ++i) {
      const Value g = glue->item(i);
      g.keys({"body", "where"});
      const Value body = g.at("body", "name the body that holds the vertices");
      Glue entry{body.text(), read_vertices(g.at("where", "say which vertices are glued"), source)};
      r.references.push_back({body, entry.body, true});
      b.glue.push_back(std::move(entry));
    }
  }
  if (const auto held = v.find("held")) {
    const std::size_t n = held->list(1, 1000);
    for (std::size_t i = 0; i < n; ++i) b.held.push_back(read_held(held->item(i), source));
  }
  const auto coat = v.find("coat");
  b.coat = coat ? read_coat(*coat, source) : source.top;
  read_loads(v, source, b);
  b.mesh = std::move(source.mesh);
}

}  // namespace haptos::scene_file
