#include "haptos/render/render_faces.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "haptos/base/text/error.h"

namespace haptos {
namespace {

constexpr double kPi = 3.14159265358979323846;

[[noreturn]] void fail(std::string element, std::string value, std::string rule,
                       std::string remedy) {
  Diagnostic d;
  d.element = std::move(element);
  d.value = std::move(value);
  d.rule = std::move(rule);
  d.remedy = std::move(remedy);
  throw InputError(std::move(d));
}

bool finite(const Vec3d& v) { return std::isfinite(v[0] + v[1] + v[2]); }

void check(const RenderMesh& m, std::size_t index) {
  const std::string name = "mesh " + std::to_string(index);
  for (std::size_t i = 0; i < m.vertices.size(); ++i)
    if (!finite(m.vertices[i]))
      fail(name + " vertex " + std::to_string(i), "not a number", "must be finite",
           "check the state that is drawn");
  const int n = static_cast<int>(m.vertices.size());
  for (std::size_t t = 0; t < m.triangles.size(); ++t)
    for (int k = 0; k < 3; ++k)
      if (m.triangles[t][k] < 0 || m.triangles[t][k] >= n)
        fail(name + " triangle " + std::to_string(t), std::to_string(m.triangles[t][k]),
             "must name a vertex in 0 .. " + std::to_string(n - 1),
             "take triangles and vertices from the same mesh");
  if (!m.vertex_colors.empty() && m.vertex_colors.size() != m.vertices.size())
    fail(name + " vertex_colors", std::to_string(m.vertex_colors.size()),
         "must be empty or one per vertex, " + std::to_string(n), "give a colour for each vertex");
}

/// For each vertex the first of those at exactly its position.
std::vector<int> welded(const std::vector<Vec3d>& v) {
  std::vector<int> order(v.size()), first(v.size());
  std::iota(order.begin(), order.end(), 0);
  const auto less = [&](int i, int j) {
    const Vec3d &a = v[static_cast<std::size_t>(i)], &b = v[static_cast<std::size_t>(j)];
    for (int k = 0; k < 3; ++k)
      if (a[k] != b[k]) return a[k] < b[k];
    return i < j;
  };
  std::sort(order.begin(), order.end(), less);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::size_t now = static_cast<std::size_t>(order[k]);
    first[now] = order[k];
    if (k > 0) {
      const std::size_t before = static_cast<std::size_t>(order[k - 1]);
      if (squared_norm(v[now] - v[before]) == 0) first[now] = first[before];
    }
  }
  return first;
}

internal::Face make_face(const RenderMesh& m, const Vec3i& t, int surface) {
  internal::Face f;
  f.surface = surface;
  const internal::Vec3f plain = internal::linear_light(m.color);
  std::size_t v[3];
  for (int k = 0; k < 3; ++k) {
    v[k] = static_cast<std::size_t>(t[k]);
    f.color[k] = m.vertex_colors.empty() ? plain : internal::linear_light(m.vertex_colors[v[k]]);
  }
  internal::set_corners(m.vertices[v[0]], m.vertices[v[1]], m.vertices[v[2]], f);
  return f;
}

/// Two unit vectors that complete a right-handed frame with the unit vector w.
void frame(const Vec3d& w, Vec3d& u, Vec3d& v) {
  u = normalized(cross(std::abs(w[2]) < 0.9 ? Vec3d{{0, 0, 1}} : Vec3d{{1, 0, 0}}, w));
  v = cross(w, u);
}

RenderMesh arrow_mesh(const RenderArrow& a) {
  RenderMesh m;
  m.color = a.color;
  m.clipped = false;
  const Vec3d d = a.to - a.from;
  const double length = norm(d);
  if (!finite(d)) fail("arrow", "not a number", "must be finite", "check the forces drawn");
  if (!(length > 0) || !(a.radius > 0)) return m;
  const Vec3d w = d * (1 / length);
  Vec3d u, v;
  frame(w, u, v);
  const double head = std::min(5.5 * a.radius, 0.7 * length), wide = 0.42 * head;
  const double thin = std::min(a.radius, 0.5 * wide);
  constexpr int kSides = 28;
  // Rings along the axis: start, under the head, rim of the head; then the two tips.
  const double along[4] = {0, length - head, length - head, length};
  const double radius[4] = {thin, thin, wide, 1e-3 * thin};
  for (int ring = 0; ring < 4; ++ring)
    for (int s = 0; s < kSides; ++s) {
      const double phi = 2 * kPi * s / kSides;
      m.vertices.push_back(a.from + w * along[ring] +
                           (u * std::cos(phi) + v * std::sin(phi)) * radius[ring]);
    }
  for (int ring = 0; ring < 3; ++ring)
    for (int s = 0; s < kSides; ++s) {
      const int i = ring * kSides + s, j = ring * kSides + (s + 1) % kSides;
      m.triangles.push_back({{i, j, j + kSides}});
      m.triangles.push_back({{i, j + kSides, i + kSides}});
    }
  const int foot = static_cast<int>(m.vertices.size());
  m.vertices.push_back(a.from);
  for (int s = 0; s < kSides; ++s) m.triangles.push_back({{foot, (s + 1) % kSides, s}});
  return m;
}

RenderMesh point_mesh(const RenderPoint& p) {
  RenderMesh m = sphere_mesh(p.centre, p.radius, 12);
  m.color = p.color;
  m.clipped = false;
  return m;
}

}  // namespace

RenderMesh sphere_mesh(const Vec3d& centre, double radius, int rings) {
  RenderMesh m;
  rings = std::clamp(rings, 4, 512);
  const int sides = 2 * rings;
  m.vertices.push_back(centre + Vec3d{{0, 0, radius}});
  for (int r = 1; r < rings; ++r)
    for (int s = 0; s < sides; ++s) {
      const double t = kPi * r / rings, phi = kPi * s / rings;
      m.vertices.push_back(
          centre +
          Vec3d{{std::sin(t) * std::cos(phi), std::sin(t) * std::sin(phi), std::cos(t)}} * radius);
    }
  m.vertices.push_back(centre - Vec3d{{0, 0, radius}});
  const int last = static_cast<int>(m.vertices.size()) - 1;
  const auto at = [&](int r, int s) { return 1 + (r - 1) * sides + s % sides; };
  for (int s = 0; s < sides; ++s) {
    m.triangles.push_back({{0, at(1, s), at(1, s + 1)}});
    for (int r = 1; r + 1 < rings; ++r) {
      m.triangles.push_back({{at(r, s), at(r + 1, s), at(r + 1, s + 1)}});
      m.triangles.push_back({{at(r, s), at(r + 1, s + 1), at(r, s + 1)}});
    }
    m.triangles.push_back({{at(rings - 1, s), last, at(rings - 1, s + 1)}});
  }
  return m;
}

namespace internal {

void set_corners(const Vec3d& a, const Vec3d& b, const Vec3d& c, Face& f) {
  f.p[0] = a, f.p[1] = b, f.p[2] = c;
  const Vec3d e1 = b - a, e2 = c - a, n = cross(e1, e2);
  const double n2 = squared_norm(n);
  f.plane = n2 > 0 ? n * (1 / std::sqrt(n2)) : Vec3d{{0, 0, 1}};
  f.g1 = n2 > 0 ? cross(e2, n) * (1 / n2) : Vec3d::zero();
  f.g2 = n2 > 0 ? cross(n, e1) * (1 / n2) : Vec3d::zero();
  for (int k = 0; k < 3; ++k)
    for (int d = 0; d < 3; ++d) f.normal[k][d] = static_cast<float>(f.plane[d]);
}

CornerFans::CornerFans(const RenderMesh& m)
    : vertex_(3 * m.triangles.size()), begin_(m.vertices.size() + 1, 0), fan_(vertex_.size()) {
  const std::vector<int> weld = welded(m.vertices);
  for (std::size_t c = 0; c < vertex_.size(); ++c) {
    vertex_[c] = weld[static_cast<std::size_t>(m.triangles[c / 3][static_cast<int>(c % 3)])];
    ++begin_[static_cast<std::size_t>(vertex_[c])];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  for (std::size_t c = vertex_.size(); c-- > 0;)
    fan_[static_cast<std::size_t>(--begin_[static_cast<std::size_t>(vertex_[c])])] =
        static_cast<int>(c);
}

void CornerFans::smooth(double crease_angle, Face* faces) const {
  std::vector<double> angle(vertex_.size());
  for (std::size_t c = 0; c < angle.size(); ++c) {
    const Vec3d* p = faces[c / 3].p;
    const std::size_t k = c % 3;
    const Vec3d a = p[(k + 1) % 3] - p[k], b = p[(k + 2) % 3] - p[k];
    angle[c] = std::atan2(norm(cross(a, b)), dot(a, b));
  }
  const double limit = std::cos(crease_angle);
  for (std::size_t c = 0; c < vertex_.size(); ++c) {
    Vec3d sum = Vec3d::zero();
    const std::size_t v = static_cast<std::size_t>(vertex_[c]);
    for (int i = begin_[v]; i < begin_[v + 1]; ++i) {
      const int at = fan_[static_cast<std::size_t>(i)];
      const Face& f = faces[at / 3];
      if (dot(f.plane, faces[c / 3].plane) < limit) continue;
      sum += f.plane * angle[static_cast<std::size_t>(at)];
    }
    const double length = norm(sum);
    if (length > 0)
      for (int d = 0; d < 3; ++d)
        faces[c / 3].normal[c % 3][d] = static_cast<float>(sum[d] / length);
  }
}

Vec3d Face::weights(const Vec3d& x) const {
  const Vec3d d = x - p[0];
  Vec3d b{{0, dot(g1, d), dot(g2, d)}};
  b[0] = 1 - b[1] - b[2];
  double sum = 0;
  for (int k = 0; k < 3; ++k) sum += b[k] = std::max(b[k], 0.0);
  return sum > 0 ? b * (1 / sum) : Vec3d{{1, 0, 0}};
}

FaceList flatten(const RenderScene& scene) {
  std::vector<RenderMesh> extra;
  for (const RenderArrow& a : scene.arrows) extra.push_back(arrow_mesh(a));
  for (const RenderPoint& p : scene.points) extra.push_back(point_mesh(p));
  std::vector<std::pair<int, const RenderMesh*>> all;
  for (const auto* meshes : {&scene.meshes, static_cast<const std::vector<RenderMesh>*>(&extra)})
    for (const RenderMesh& m : *meshes) all.emplace_back(static_cast<int>(all.size()), &m);
  for (std::size_t i = 0; i < all.size(); ++i) check(*all[i].second, i);
  std::stable_partition(all.begin(), all.end(),
                        [](const auto& m) { return m.second->opacity >= 1; });
  FaceList list;
  for (const auto& [number, mesh] : all) {
    const RenderMesh* m = mesh;
    Surface s;
    s.mesh = number;
    s.finish = m->finish;
    s.opacity = static_cast<float>(std::clamp(m->opacity, 0.0, 1.0));
    s.clipped = m->clipped && scene.clip.has_value();
    const bool overlay = number >= static_cast<int>(scene.meshes.size());
    s.glow = overlay ? 0.45f : 0.0f;
    s.wire = m->wire;
    s.wire_width = m->wire_width;
    s.wire_color = linear_light(m->wire_color);
    s.cap_color = linear_light(m->cap_color.r < 0 ? m->color : m->cap_color);
    s.face_begin = static_cast<int>(list.faces.size());
    const int index = static_cast<int>(list.surfaces.size());
    for (const Vec3i& t : m->triangles) list.faces.push_back(make_face(*m, t, index));
    s.face_end = static_cast<int>(list.faces.size());
    if (m->smooth) CornerFans(*m).smooth(m->crease_angle, list.faces.data() + s.face_begin);
    if (s.opacity >= 1) ++list.opaque_count;
    list.surfaces.push_back(s);
  }
  return list;
}

}  // namespace internal
}  // namespace haptos
