// Passages that a body fits through, but not its boundary layer.
//
// Rays from places on what stands still relative to each other, along the normal, to what faces
// them there: a passage as wide as the way. A body fits whose shortest side is not wider; with
// layers it fits where there is room for both of the passage and twice its own beside it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "haptos/base/math/index.h"
#include "haptos/base/text/text.h"
#include "haptos/geometry/shape/shape_bounds.h"
#include "haptos/geometry/soup/soup.h"
#include "haptos/sim/doubts/doubts.h"
#include "haptos/sim/model/pair_models.h"
#include "haptos/sim/model/pairs.h"

namespace haptos {
namespace {

constexpr int kRays = 256, kAllRays = 4096;  // of a shape, of all that stands still together
constexpr double kFacing = -0.87;            // cosine of normals that face each other: 30 degrees
constexpr double kPassage = 0.05;            // part of the rays
constexpr int kStretches = 16;               // of a ray, so that each looks at what is near it

struct LayeredPart {
  const TriangleSoup* soup;
  Pose pose;
  double layer, radius;  // radius: of a ball or a capsule
  int body;              // number in records
  bool moves;
};

std::vector<LayeredPart> layered_parts(const Model& model) {
  std::vector<LayeredPart> all;
  for (std::size_t i = 0; i < model.robots.size(); ++i) {
    const RobotModel& r = model.robots[i];
    if (r.layers.empty()) continue;
    for (std::size_t l = 0; l < r.layers.size(); ++l)
      for (std::size_t k = 0; k < r.layers[l].size(); ++k) {
        const RobotShape& c = r.robot.links[l].collisions[k];
        const LayerShape& s = r.layers[l][k];
        const RobotBody& body = model.scene.robots[i];
        // A layer that ends where the body did makes it no wider.
        const double inside = shrink_of(body, c);
        all.push_back({s.soup.get(), compose(r.start[l], c.frame), layer_of(body, c) - inside,
                       s.radius + inside, r.first_body + static_cast<int>(l),
                       r.tree->links[l].body >= 0});
      }
  }
  return all;
}

// What may pass: a body's shortest side and its widest layer.
struct Passer {
  int body;
  double side, layer;
};

std::vector<Passer> passers(const std::vector<LayeredPart>& parts) {
  std::vector<Passer> all;
  for (std::size_t i = 0; i < parts.size();) {
    Aabb box;
    double layer = 0;
    const int body = parts[i].body;
    const Pose frame = parts[i].pose;  // of the first shape: along its own axes
    const bool moves = parts[i].moves;
    for (; i < parts.size() && parts[i].body == body; ++i) {
      const Pose there = seen_from(frame, parts[i].pose);
      box.merge(moved_bounds(parts[i].soup->box(), there).inflated(parts[i].radius));
      layer = std::max(layer, parts[i].layer);
    }
    const Vec3d e = box.extent();
    if (moves) all.push_back({body, std::min({e[0], e[1], e[2]}), layer});
  }
  return all;
}

// The way [m] along a ray to a triangle that faces it; infinite where it meets none.
double way(const Vec3d& x, const Vec3d& n, const LayeredPart& part, double from, double to) {
  const TriangleSoup& s = *part.soup;
  const Mat3d back = transpose(to_matrix(part.pose.q));
  const Vec3d o = back * (x - part.pose.p), d = back * n;
  double found = std::numeric_limits<double>::infinity();
  s.tree().query(Aabb::of(o + from * d, o + to * d), [&](int item) {
    if (item >= static_cast<int>(s.faces().size())) return;
    const TriangleSoup::Face& f = s.faces()[at_index(item)];
    const TriangleSoup::Plane& p = s.planes()[at_index(f.plane)];
    const double slope = dot(p.n, d);
    if (!(slope < kFacing)) return;
    const double t = (p.offset - dot(p.n, o)) / slope;
    if (!(t > from && t <= to) || t >= found) return;
    const Vec3d y = o + t * d;
    for (int k = 0; k < 3; ++k) {
      const Vec3d& a = s.vertices()[at_index(f.v[k])];
      if (dot(cross(s.vertices()[at_index(f.v[(k + 1) % 3])] - a, y - a), p.n) < 0) return;
    }
    found = t;
  });
  return found;
}

struct Passage {
  double width, layers;  // layers: of its two sides
  int body[2];
};

// Passages that are at most `widest` between parts that stand still to each other. Returns the
// number of rays.
int find_passages(const std::vector<LayeredPart>& group, double widest, std::vector<Passage>& out) {
  int all = 0;
  const int rays = std::clamp(kAllRays / static_cast<int>(group.size()), 12, kRays);
  for (const LayeredPart& a : group) {
    const auto& faces = a.soup->faces();
    const int n = static_cast<int>(faces.size());
    if (n == 0) continue;
    const int each = std::clamp(rays / n, 1, 16), stride = std::max(n / rays, 1);
    for (int i = 0; i < n; i += stride)
      for (int k = 0; k < each; ++k) {
        const TriangleSoup::Face& f = faces[at_index(i)];
        // Spread over the triangle: the golden ratio of the plane.
        double u = std::fmod(0.5 + 0.7548776662466927 * k, 1.0);
        double v = std::fmod(0.5 + 0.5698402909980532 * k, 1.0);
        if (u + v > 1) u = 1 - u, v = 1 - v;
        if (k == 0) u = v = 1.0 / 3;
        const auto& x = a.soup->vertices();
        const Vec3d own =
            x[at_index(f.v[0])] * (1 - u - v) + x[at_index(f.v[1])] * u + x[at_index(f.v[2])] * v;
        const Vec3d at = a.pose * own;
        const Vec3d normal = to_matrix(a.pose.q) * a.soup->planes()[at_index(f.plane)].n;
        ++all;
        for (int stretch = 0; stretch < kStretches; ++stretch) {
          const double from = stretch == 0 ? 1e-9 * widest : widest * stretch / kStretches;
          double nearest = std::numeric_limits<double>::infinity();
          const LayeredPart* met = nullptr;
          for (const LayeredPart& b : group) {
            const double t = way(at, normal, b, from, widest * (stretch + 1) / kStretches);
            if (t < nearest) nearest = t, met = &b;
          }
          if (!met) continue;
          const double width = nearest - a.radius - met->radius;
          out.push_back({width, a.layer + met->layer, {a.body, met->body}});
          break;
        }
      }
  }
  return all;
}

std::string tell(const Model& model, const Passer& b, const Passage& p) {
  const auto name = [&](int body) {
    return "\"" + printable(model.body_names[at_index(body)]) + "\"";
  };
  const double whole = p.layers + 2 * b.layer;
  return name(b.body) + " is " + length_text(b.side) + " thick and fits into a passage of " +
         name(p.body[0]) + (p.body[0] == p.body[1] ? "" : " and " + name(p.body[1])) + " that is " +
         length_text(p.width) + " wide, but not with the layers on both sides, which are " +
         length_text(whole) + " together: it would be squeezed; take layers of " +
         length_text(p.width - b.side) + " together.";
}

}  // namespace

void doubt_passages(const Model& model, std::vector<std::string>& out) {
  const std::vector<LayeredPart> parts = layered_parts(model);
  const std::vector<Passer> passing = passers(parts);
  if (passing.empty()) return;
  double widest = 0, layer = 0;
  for (const LayeredPart& p : parts) layer = std::max(layer, p.layer);
  for (const Passer& p : passing) widest = std::max(widest, p.side + 2 * (p.layer + layer));
  // What stands still, and each body that moves.
  std::map<int, std::vector<LayeredPart>> groups;
  for (const LayeredPart& p : parts) groups[p.moves ? p.body : -1].push_back(p);
  std::vector<Passage> passages;
  for (const auto& [body, group] : groups) {
    passages.clear();
    const int rays = find_passages(group, widest, passages);
    for (const Passer& b : passing) {
      if (b.body == body) continue;
      const Passage* narrowest = nullptr;
      int narrow = 0;
      for (const Passage& p : passages) {
        const double whole = p.layers + 2 * b.layer;
        if (p.width < b.side || p.width >= b.side + whole || !(whole > 0)) continue;
        if (!may_touch(model.scene, model.body_names[at_index(b.body)],
                       model.body_names[at_index(p.body[0])]))
          continue;
        if (!narrowest || p.width < narrowest->width) narrowest = &p;
        ++narrow;
      }
      // Among stones some gap is always as wide as something: a passage is what many rays cross.
      if (narrow > kPassage * rays) out.push_back(tell(model, b, *narrowest));
    }
  }
}

}  // namespace haptos
