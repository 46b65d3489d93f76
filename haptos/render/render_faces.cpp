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
  for (int k = 0; k < 3; ++k) {
    const std::size_t v = static_cast<std::size_t>(t[k]);
    f.p[k] = m.vertices[v];
    f.color[k] = m.vertex_colors.empty() ? plain : internal::linear_light(m.vertex_colors[v]);
  }
  const Vec3d e1 = f.p[1] - f.p[0], e2 = f.p[2] - f.p[0], n = cross(e1, e2);
  const double n2 = squared_norm(n);
  f.plane = n2 > 0 ? n * (1 / std::sqrt(n2)) : Vec3d{{0, 0, 1}};
  f.g1 = n2 > 0 ? cross(e2, n) * (1 / n2) : Vec3d::zero();
  f.g2 = n2 > 0 ? cross(n, e1) * (1 / n2) : Vec3d::zero();
  for (int k = 0; k < 3; ++k)
    for (int d = 0; d < 3; ++d) f.normal[k][d] = static_cast<float>(f.plane[d]);
  return f;
}

/// Corner normals: the mean of the facets round the corner that lie within the crease angle,
/// each weighted by its angle there.
void smooth_normals(const RenderMesh& m, internal::Face* faces, std::size_t count) {
  const std::vector<int> weld = welded(m.vertices);
  std::vector<int> begin(m.vertices.size() + 1, 0), fan(3 * count);
  const auto vertex = [&](std::size_t t, int k) {
    return static_cast<std::size_t>(weld[static_cast<std::size_t>(m.triangles[t][k])]);
  };
  for (std::size_t t = 0; t < count; ++t)
    for (int k = 0; k < 3; ++k) ++begin[vertex(t, k)];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  for (std::size_t t = count; t-- > 0;)
    for (int k = 3; k-- > 0;)
      fan[static_cast<std::size_t>(--begin[vertex(t, k)])] = static_cast<int>(3 * t) + k;
  std::vector<double> angle(3 * count);
  for (std::size_t t = 0; t < count; ++t)
    for (int k = 0; k < 3; ++k) {
      const Vec3d* p = faces[t].p;
      const Vec3d a = p[(k + 1) % 3] - p[k], b = p[(k + 2) % 3] - p[k];
      angle[3 * t + static_cast<std::size_t>(k)] = std::atan2(norm(cross(a, b)), dot(a, b));
    }
  const double limit = std::cos(m.crease_angle);
  for (std::size_t t = 0; t < count; ++t)
    for (int k = 0; k < 3; ++k) {
      Vec3d sum = Vec3d::zero();
      const std::size_t v = vertex(t, k);
      for (int i = begin[v]; i < begin[v + 1]; ++i) {
        const int at = fan[static_cast<std::size_t>(i)];
        const internal::Face& f = faces[at / 3];
        if (dot(f.plane, faces[t].plane) < limit) continue;
        sum += f.plane * angle[static_cast<std::size_t>(at)];
      }
      const double length = norm(sum);
      if (length > 0)
        for (int d = 0; d < 3; ++d) faces[t].normal[k][d] = static_cast<float>(sum[d] / length);
    }
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
  std::vector<const RenderMesh*> all;
  for (const RenderMesh& m : scene.meshes) all.push_back(&m);
  for (const RenderMesh& m : extra) all.push_back(&m);
  for (std::size_t i = 0; i < all.size(); ++i) check(*all[i], i);
  std::stable_partition(all.begin(), all.end(),
                        [](const RenderMesh* m) { return m->opacity >= 1; });
  FaceList list;
  for (const RenderMesh* m : all) {
    Surface s;
    s.finish = m->finish;
    s.opacity = static_cast<float>(std::clamp(m->opacity, 0.0, 1.0));
    s.clipped = m->clipped && scene.clip.has_value();
    const bool overlay =
        std::any_of(extra.begin(), extra.end(), [m](const RenderMesh& e) { return m == &e; });
    s.glow = overlay ? 0.45f : 0.0f;
    s.wire = m->wire;
    s.wire_width = m->wire_width;
    s.wire_color = linear_light(m->wire_color);
    s.cap_color = linear_light(m->cap_color.r < 0 ? m->color : m->cap_color);
    s.face_begin = static_cast<int>(list.faces.size());
    const int index = static_cast<int>(list.surfaces.size());
    for (const Vec3i& t : m->triangles) list.faces.push_back(make_face(*m, t, index));
    s.face_end = static_cast<int>(list.faces.size());
    if (m->smooth) smooth_normals(*m, list.faces.data() + s.face_begin, m->triangles.size());
    if (s.opacity >= 1) ++list.opaque_count;
    list.surfaces.push_back(s);
  }
  return list;
}

}  // namespace internal
}  // namespace haptos
