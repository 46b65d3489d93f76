// Loads of soft bodies in a scene file: forces, pressures, acceleration, constant or over time.
#include "haptos/base/text/text.h"
#include "haptos/files/scene/scene_file_parts.h"

namespace haptos::scene_file {
namespace {

// A value, or a list of {time, value} with rising times.
template <class V, class Read>
History<V> read_history(const Value& v, const Read& read) {
  if (!v.is_list() || v.node().items.empty() || !v.item(0).is_map()) return {{0, read(v)}};
  History<V> h;
  const std::size_t n = v.list(1, 100000);
  for (std::size_t i = 0; i < n; ++i) {
    const Value k = v.item(i);
    k.keys({"time", "value"});
    const Value time = k.at("time", "write for example time: 0.5 s");
    const double t = time.number("s", -1e9, 1e9);
    if (i > 0 && t <= h.back().time)
      time.fail(to_text(t) + " s",
                "must be later than " + to_text(h.back().time) + " s, the time before it",
                "sort the values by time");
    h.push_back({t, read(k.at("value", "give the value at this time"))});
  }
  return h;
}

History<Vec3d> read_vectors(const Value& v, const std::string& unit, double limit) {
  return read_history<Vec3d>(v, [&](const Value& value) {
    value.list(3, 3);
    Vec3d r;
    for (int k = 0; k < 3; ++k)
      r[k] = value.item(static_cast<std::size_t>(k)).number(unit, -limit, limit);
    return r;
  });
}

NodalForce read_force(const Value& v, const SoftSource& s) {
  v.keys({"where", "force", "spread"});
  NodalForce f;
  f.vertices = read_vertices(v.at("where", "say which vertices it acts on"), s);
  f.force =
      read_vectors(v.at("force", "write for example force: [0, 0, -1 N]"), "N", kLargestForce);
  if (const auto spread = v.find("spread"))
    f.spread = read_word(*spread, {"nodes", "area"}) == 0 ? Spread::kNodes : Spread::kArea;
  return f;
}

// Surface triangles by name, in a box, listed, or spanned by vertices.
std::vector<Vec3i> read_facets(const Value& v, const SoftSource& s) {
  const std::string word = v.is_scalar() ? v.text() : "";
  const bool vertices = v.is_list() && !v.node().items.empty() && v.item(0).is_scalar();
  if (!vertices && (!v.is_scalar() || word == "all" || word == "top")) return read_coat(v, s);
  std::vector<char> listed(s.mesh.vertices.size(), 0);
  for (const int i : read_vertices(v, s)) listed[static_cast<std::size_t>(i)] = 1;
  std::vector<Vec3i> facets;
  for (const Vec3i& t : surface_triangles(s.mesh))
    if (listed[static_cast<std::size_t>(t[0])] && listed[static_cast<std::size_t>(t[1])] &&
        listed[static_cast<std::size_t>(t[2])])
      facets.push_back(t);
  if (facets.empty())
    v.fail("", "spans no triangle of this body's surface", "list all corners of the triangles");
  return facets;
}

SurfacePressure read_pressure(const Value& v, const SoftSource& s) {
  v.keys({"where", "pressure"});
  SurfacePressure p;
  if (const auto where = v.find("where")) p.triangles = read_facets(*where, s);
  p.pressure = read_history<double>(
      v.at("pressure", "write for example pressure: 2 kPa"),
      [](const Value& value) { return value.number("Pa", -kLargestPressure, kLargestPressure); });
  return p;
}

}  // namespace

void read_loads(const Value& v, const SoftSource& s, SoftBody& b) {
  if (const auto forces = v.find("forces"))
    for (std::size_t i = 0, n = forces->list(1, 1000); i < n; ++i)
      b.forces.push_back(read_force(forces->item(i), s));
  if (const auto pressures = v.find("pressures"))
    for (std::size_t i = 0, n = pressures->list(1, 1000); i < n; ++i)
      b.pressures.push_back(read_pressure(pressures->item(i), s));
  if (const auto acceleration = v.find("acceleration"))
    b.acceleration = read_vectors(*acceleration, "m/s2", kLargestAcceleration);
}

}  // namespace haptos::scene_file
