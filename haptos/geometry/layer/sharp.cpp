// Edges and vertices of boundary-layer contact that stand out (layer_contacts.h).
//
// With n towards the own side, an edge stands out by the lowest elevation of the faces beside it
// above the plane across n, a vertex by that of the edges that leave it; nothing below kFlat, in
// full from kSharp on (sines, soup.h). What is alone stands out in full.
//
//   vertex against the nearest point of a face, an edge or a vertex:  R^2, n along the distance
//   edge along a face that it is nearly parallel to:                  R times length, n the face's
//   edge across an edge:                     R times the length of either within R of the other
#include <algorithm>
#include <array>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/geometry/layer/layer_contacts.h"
#include "haptos/geometry/query/closest.h"

namespace haptos {
namespace {

// Sine of what is the same direction to a vertex: it shares the vertex's area, however many faces
// the other side has there.
constexpr double kSame = 0.5;
// Sine of the lowest elevation of a face or edge that still leads away from the nearest point.
constexpr double kRound = 1e-7;
// Features nearer than this have no direction between them [m].
constexpr double kNoDistance = 1e-12;
// What a feature is to another sharp one, apart from what it is to an outline.
constexpr std::int64_t kSharpMark = std::int64_t{1} << 60, kSecond = std::int64_t{1} << 61,
                       kNear = std::int64_t{1} << 59;

std::int64_t vertex_id(int v) { return feature_id(ShapeFeature::kVertex, v) | kSharpMark; }

}  // namespace

double LayerContacts::vertex_stands_out(int side, int v, const Vec3d& away) const {
  const Vec3d x = at(side, v);
  double lowest = 1;
  for (const int e : soup(side).vertex_edges(v)) {
    const Vec2i& w = soup(side).edges()[at_index(e)];
    const Vec3d d = at(side, w[0] == v ? w[1] : w[0]) - x;
    lowest = std::min(lowest, dot(away, d) / norm(d));
  }
  return ramp(lowest, kFlat, kSharp);
}

double LayerContacts::edge_stands_out(int side, int e, const Vec3d& away) const {
  double lowest = 1, out = 0;
  bool sided = true;
  for (const int f : soup(side).edge_faces(e)) {
    lowest = std::min(lowest, dot(away, turned(side, soup(side).inward(f, e))));
    const TriangleSoup::Face& face = soup(side).faces()[at_index(f)];
    out += dot(away, plane_normal(side, face.plane));
    sided = sided && face.sided;
  }
  if (sided && out > 0) return 0;  // from inside a solid
  return ramp(lowest, kFlat, kSharp);
}

// The ends of an edge in the frame of the other side.
std::array<Vec3d, 2> LayerContacts::ends_across(int side, int e) const {
  const TriangleSoup& s = soup(side);
  const Vec2i& v = s.edges()[at_index(e)];
  return {across(side, s.vertices()[at_index(v[0])]), across(side, s.vertices()[at_index(v[1])])};
}

// The box of the part of an edge that is near the box of the other side, in the frame of the other
// side: of a long edge at a slant its own box holds much that is nowhere near it. False for none.
bool LayerContacts::clip_to_other(int side, int e, Aabb& box) const {
  const auto [x, y] = ends_across(side, e);
  const Aabb near = soup(1 - side).box().inflated(far() * (1 + 1e-6));
  double from = 0, to = 1;
  for (int k = 0; k < 3; ++k) {
    const double d = y[k] - x[k];
    if (!(vabs(d) > 0)) continue;
    const double t0 = (near.lo[k] - x[k]) / d, t1 = (near.hi[k] - x[k]) / d;
    from = std::max(from, std::min(t0, t1)), to = std::min(to, std::max(t0, t1));
  }
  if (from > to) return false;
  box = Aabb::of(x + from * (y - x), x + to * (y - x)).inflated(1e-6 * far());
  return true;
}

// What can stand out of a side, against all of the other one.
void LayerContacts::find_sharp(int side) {
  const TriangleSoup &s = soup(side), &o = soup(1 - side);
  const auto vertices = static_cast<int>(s.sharp_vertices().size());
  const auto edge = [&](int item) { return s.sharp_edges()[at_index(item - vertices)]; };
  const auto corners = [&](int item) -> Vec3i {
    if (item < vertices) {
      const int v = s.sharp_vertices()[at_index(item)];
      return {{v, v, v}};
    }
    const TriangleSoup::Edge& v = s.edges()[at_index(edge(item))];
    return {{v[0], v[1], v[1]}};
  };
  const auto others = static_cast<int>(o.sharp_vertices().size());
  each_near(side, s.sharp_tree(), corners, [&](int item, const Aabb& own) {
    Aabb box = own;
    if (item >= vertices && !clip_to_other(side, edge(item), box)) return;
    box.inflate(far());
    close_.clear();
    o.tree().query(box, [&](int i) { close_.push_back(i); });
    if (item < vertices) {
      std::sort(close_.begin(), close_.end());
      return add_vertex(side, s.sharp_vertices()[at_index(item)]);
    }
    add_edge_on_faces(side, edge(item));
    if (side == 1) return;
    o.sharp_tree().query(box, [&](int i) {
      if (i >= others) add_edge_pair(edge(item), o.sharp_edges()[at_index(i - others)]);
    });
  });
}

// Whether a point of an element with weights beta is a nearest one of its whole surface to what is
// in direction `to`: no face beside it comes nearer.
bool LayerContacts::is_nearest(int side, const Vec3i& c, const Vec3d& beta, const Vec3d& to) const {
  int corner[3] = {c[0], c[1], c[2]}, count = 0;
  for (int k = 0; k < 3; ++k)
    if (beta[k] > 0 && (count == 0 || corner[count - 1] != c[k])) corner[count++] = c[k];
  if (count == 3) return true;
  const TriangleSoup& s = soup(side);
  if (count == 1) {
    const Vec3d x = at(side, corner[0]);
    for (const int e : s.vertex_edges(corner[0])) {
      const Vec2i& w = s.edges()[at_index(e)];
      const Vec3d d = at(side, w[0] == corner[0] ? w[1] : w[0]) - x;
      if (dot(to, d) > kRound * norm(d)) return false;
    }
    return true;
  }
  for (const int e : s.vertex_edges(corner[0])) {
    const Vec2i& w = s.edges()[at_index(e)];
    if (w[0] + w[1] != corner[0] + corner[1]) continue;
    for (const int f : s.edge_faces(e))
      if (dot(to, turned(side, s.inward(f, e))) > kRound) return false;
  }
  return true;
}

// A vertex against what is nearest to it of each part of the other surface. Nearest points that lie
// in nearly one direction share its area.
void LayerContacts::add_vertex(int side, int v) {
  const int other = 1 - side;
  const Vec3d x = at(side, v);
  near_.clear();
  for (const int element : close_) {
    const Vec3i c = soup(other).corners(element);
    const Vec3d y[3] = {at(other, c[0]), at(other, c[1]), at(other, c[2])};
    const TriangleClosest<double> best = closest_on_triangle(x, y[0], y[1], y[2]);
    NearPoint p;
    p.x = best.beta[0] * y[0] + best.beta[1] * y[1] + best.beta[2] * y[2];
    p.n = x - p.x;
    p.gap = norm(p.n);
    if (p.gap > far()) continue;
    p.feature = feature_id(ShapeFeature::kSurface, c[0]);
    const bool inside = best.beta[0] > 0 && best.beta[1] > 0 && best.beta[2] > 0;
    if (element < static_cast<int>(soup(other).faces().size()) && inside) {
      const TriangleSoup::Face& f = soup(other).faces()[at_index(element)];
      const Vec3d m = plane_normal(other, f.plane);
      const double height = dot(m, p.n);
      p.n = height >= 0 || f.sided ? m : -m;
      p.gap = f.sided ? height : vabs(height);
      p.feature = feature_id(ShapeFeature::kSurface, f.plane);
    } else if (p.gap > kNoDistance) {
      p.n = p.n * (1 / p.gap);
    } else {
      continue;
    }
    if (!is_nearest(other, c, best.beta, p.n)) continue;
    p.out = vertex_stands_out(side, v, p.n);
    // Triangles that share the edge or the vertex that is nearest have it once.
    const bool known = std::any_of(near_.begin(), near_.end(), [&](const NearPoint& q) {
      return squared_norm(p.x - q.x) <= square(kNoDistance) && dot(p.n, q.n) > 1 - 1e-12;
    });
    if (p.out > 0 && !known) near_.push_back(p);
  }
  for (const NearPoint& p : near_) {
    double same = 0;
    for (const NearPoint& q : near_) same += ramp(dot(p.n, q.n), 1 - 0.5 * kSame * kSame, 1);
    emit(side, x, p.x, p.n, p.gap, R_ * R_ * p.out / same, vertex_id(v), p.feature, p.gap > R_);
  }
}

// Tells in few operations which faces of the other side an edge cannot lie over: those that it
// leaves at a slant, that are too far above or below all of it, and that it does not stand out to.
class LayerContacts::EdgeReach {
 public:
  // In the frame of the other side, where its planes are as they stand.
  EdgeReach(const LayerContacts& c, int side, int e)
      : far_(c.far() * kRoom),
        other_(c.soup(1 - side)),
        x_(c.ends_across(side, e)),
        along_(normalized(x_[1] - x_[0])) {
    for (const int f : c.soup(side).edge_faces(e)) {
      if (beside_ == kBeside) break;
      const Vec3d in = c.soup(side).inward(f, e);
      in_[beside_++] = side == 0 ? c.r_ * in : transpose(c.r_) * in;
    }
  }

  bool may(int face) const {
    const TriangleSoup::Face& f = other_.faces()[at_index(face)];
    const TriangleSoup::Plane& p = other_.planes()[at_index(f.plane)];
    const double gap[2] = {dot(p.n, x_[0]) - p.offset, dot(p.n, x_[1]) - p.offset};
    const double sum = gap[0] + gap[1], sign = !f.sided && sum < 0 ? -1 : 1;
    const double low = vmin(sign * gap[0], sign * gap[1]),
                 high = vmax(sign * gap[0], sign * gap[1]);
    if (low > far_ || high < -far_ || vabs(dot(p.n, along_)) > kSharp * kRoom) return false;
    if (vabs(sum) < 1e-9 * far_) return true;  // either side, by rounding
    for (int k = 0; k < beside_; ++k)
      if (sign * dot(p.n, in_[k]) < kFlat / kRoom) return false;
    return true;
  }

 private:
  static constexpr int kBeside = 4;          // of a fan of more faces the rest is told later
  static constexpr double kRoom = 1 + 1e-6;  // for round-off
  double far_;
  const TriangleSoup& other_;
  std::array<Vec3d, 2> x_;
  Vec3d along_, in_[kBeside];
  int beside_ = 0;
};

// A length of an edge over a face, or over several in one plane.
void LayerContacts::add_edge_on_faces(int side, int edge) {
  const auto& faces = soup(1 - side).faces();
  const auto plane = [&](int f) { return faces[at_index(f)].plane; };
  if (close_.empty()) return;
  const EdgeReach reach(*this, side, edge);
  std::erase_if(close_,
                [&](int i) { return i >= static_cast<int>(faces.size()) || !reach.may(i); });
  std::sort(close_.begin(), close_.end(),
            [&](int i, int j) { return plane(i) != plane(j) ? plane(i) < plane(j) : i < j; });
  for (std::size_t i = 0; i < close_.size();) {
    std::size_t end = i;
    while (end < close_.size() && plane(close_[end]) == plane(close_[i])) ++end;
    add_edge_on_plane(side, edge, {&close_[i], end - i});
    i = end;
  }
}

// Of an edge over faces of one plane of the other side.
void LayerContacts::add_edge_on_plane(int side, int e, std::span<const int> faces) {
  const int other = 1 - side;
  const Vec2i& v = soup(side).edges()[at_index(e)];
  const Vec3d x[2] = {at(side, v[0]), at(side, v[1])};
  const TriangleSoup::Face& face = soup(other).faces()[at_index(faces[0])];
  Vec3d n = plane_normal(other, face.plane);
  double offset = plane_offset(other, face.plane);
  double gap[2] = {dot(n, x[0]) - offset, dot(n, x[1]) - offset};
  if (!face.sided && gap[0] + gap[1] < 0)
    n = -n, offset = -offset, gap[0] = -gap[0], gap[1] = -gap[1];
  const Vec3d along = x[1] - x[0];
  const double length = norm(along), tilt = vabs(dot(n, along)) / length;
  const double weight = R_ * edge_stands_out(side, e, n) * (1 - ramp(tilt, kFlat, kSharp));
  if (!(weight > 0)) return;
  // Two parts: what touches, and what is near.
  for (const bool near : {false, true}) {
    if (near && !(reach_ > 0)) break;
    const double low = near ? R_ : face.sided ? -R_ : 0, high = near ? R_ + reach_ : R_;
    double from = 2, to = -1, total = 0, moment = 0;
    for (const int i_face : faces) {
      double s0 = 0, s1 = 1;
      const auto keep = [&](double f0, double f1) {  // where a linear function is at most 0
        if (f0 > 0 && f1 > 0) s1 = -1;
        if ((f0 > 0) == (f1 > 0)) return;
        const double t = f0 / (f0 - f1);
        if (f0 > 0)
          s0 = std::max(s0, t);
        else
          s1 = std::min(s1, t);
      };
      const Vec3i& c = soup(other).faces()[at_index(i_face)].v;
      const Vec3d y[3] = {at(other, c[0]), at(other, c[1]), at(other, c[2])};
      const Vec3d up = cross(y[1] - y[0], y[2] - y[0]);
      for (int i = 0; i < 3; ++i) {
        const Vec3d in = cross(up, y[(i + 1) % 3] - y[i]);
        keep(-dot(in, x[0] - y[i]), -dot(in, x[1] - y[i]));
      }
      keep(gap[0] - high, gap[1] - high), keep(low - gap[0], low - gap[1]);
      if (!(s1 > s0)) continue;
      from = std::min(from, s0), to = std::max(to, s1);
      total += s1 - s0, moment += 0.5 * (s1 * s1 - s0 * s0);
    }
    if (!(total > 0)) continue;
    // The ends, so that length and its middle are kept.
    const double second = clamp((moment / total - from) / (to - from), 0.0, 1.0);
    for (int k = 0; k < 2; ++k) {
      const double s = k == 0 ? from : to, share = k == 0 ? 1 - second : second;
      const Vec3d p = x[0] + s * along;
      const double g = gap[0] + s * (gap[1] - gap[0]);
      const std::int64_t own = s <= 0   ? vertex_id(v[0])
                               : s >= 1 ? vertex_id(v[1])
                                        : edge_id(v[0], v[1]) | kSharpMark;
      emit(side, p, p - g * n, n, g, weight * length * total * share, own,
           feature_id(ShapeFeature::kFace, face.plane) | (k ? kSecond : 0) | (near ? kNear : 0),
           near);
    }
  }
}

// Of both edges the ends and the middle of the length that is within R of the other one.
void LayerContacts::add_edge_pair(int edge_a, int edge_b) {
  const int edge[2] = {edge_a, edge_b};
  Vec3d x[2], e[2];  // start and direction
  double length[2];
  for (int k = 0; k < 2; ++k) {
    const TriangleSoup::Edge& v = soup(k).edges()[at_index(edge[k])];
    x[k] = at(k, v[0]), e[k] = at(k, v[1]) - x[k];
    length[k] = norm(e[k]);
  }
  const SegmentsClosest<double> best = closest_on_segments(x[0], x[0] + e[0], x[1], x[1] + e[1]);
  const double nearest[2] = {best.s, best.t};
  Vec3d n = (x[0] + best.s * e[0]) - (x[1] + best.t * e[1]);
  const double d = norm(n);
  if (!(d > kNoDistance) || d > far()) return;
  n = n * (1 / d);
  // Across both: an end that is nearest is a vertex's matter.
  double out = 1;
  for (int k = 0; k < 2; ++k) out *= 1 - ramp(vabs(dot(n, e[k])) / length[k], 0, kFlat);
  if (!(out > 0)) return;
  out *= edge_stands_out(0, edge_a, n) * edge_stands_out(1, edge_b, -n);
  if (!(out > 0)) return;
  const double sine = norm(cross(e[0], e[1])) / (length[0] * length[1]);
  for (int k = 0; k < 2; ++k) {
    const int o = 1 - k;
    // The stretch beside the other one, at most R over the sine of their angle to each side; over R
    // where they cross squarely.
    const double s = nearest[k], l = length[k];
    const double t0 = dot(x[o] - x[k], e[k]) / (l * l), t1 = t0 + dot(e[o], e[k]) / (l * l);
    const double half = R_ / (std::max(sine, 1e-9) * l), spread = 0.5 * sine * R_ / l;
    const double from =
        std::max(0.0, std::min(std::max(std::min(t0, t1), s - half), s - std::min(half, spread)));
    const double to =
        std::min(1.0, std::max(std::min(std::max(t0, t1), s + half), s + std::min(half, spread)));
    if (!(to > from)) continue;
    constexpr double kSimpson[3] = {1.0 / 6, 4.0 / 6, 1.0 / 6};
    const double stop[3] = {from, clamp(s, from, to), to};
    for (int i = 0; i < 3; ++i) {
      const Vec3d p = x[k] + stop[i] * e[k];
      const Vec3d q = x[o] + closest_on_segment(p, x[o], x[o] + e[o]) * e[o];
      const double g = norm(p - q);
      if (!(g > kNoDistance)) continue;
      const TriangleSoup::Edge &v = soup(k).edges()[at_index(edge[k])],
                               &w = soup(o).edges()[at_index(edge[o])];
      emit(k, p, q, (p - q) * (1 / g), g, 0.5 * R_ * out * (to - from) * l * kSimpson[i],
           edge_id(v[0], v[1]) | kSharpMark, edge_id(w[0], w[1]) | i * kSecond, g > R_);
    }
  }
}

}  // namespace haptos
