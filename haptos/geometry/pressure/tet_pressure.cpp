#include "haptos/geometry/pressure/tet_pressure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "haptos/base/math/index.h"

namespace haptos {
namespace {

// What distances may be off a linear function in a part that is not cut again: of the depth, and of
// the edges of tetrahedra.
constexpr double kOfDepth = 0.015, kOfEdge = 1e-3;
constexpr double kLeast = PressurePair::kLeast, kCull = PressurePair::kCull;
constexpr double kInf = std::numeric_limits<double>::infinity();
// The edges of a tetrahedron, and the eight parts by corners, 0 to 3, and middles of edges.
constexpr int kEdges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
constexpr int kEighths[8][4] = {{0, 4, 5, 6}, {4, 1, 7, 8}, {5, 7, 2, 9}, {6, 8, 9, 3},
                                {5, 8, 4, 6}, {5, 8, 6, 9}, {5, 8, 9, 7}, {5, 8, 7, 4}};

// As far as x is from a box at least, 0 in it.
double beyond(const Aabb& box, const Vec3d& x) {
  double most = 0;
  for (int k = 0; k < 3; ++k) most = std::max({most, box.lo[k] - x[k], x[k] - box.hi[k]});
  return most;
}

}  // namespace

RestDepth::RestDepth(TetMesh at_rest, std::shared_ptr<const DistanceField> distance)
    : mesh(std::move(at_rest)), field(std::move(distance)) {
  phi.reserve(mesh.vertices.size());
  for (const Vec3d& x : mesh.vertices) phi.push_back(field->phi(x));
}

void TetPressure::find(const RestDepth& body, const PressureLaw& law, const std::vector<Vec3d>& x,
                       const PressureSurface::Side& shape) {
  take(body, law, x, shape);
  // First roughly, which tells the depth.
  search(x, kInf);
  search(x, kOfDepth * deepest_);
}

void TetPressure::take(const RestDepth& body, const PressureLaw& law, const std::vector<Vec3d>& x,
                       const PressureSurface::Side& shape) {
  body_ = &body, shape_ = shape.field, pose_ = shape.pose;
  law_own_ = law, law_other_ = shape.table ? *shape.table : PressureLaw(shape.modulus);
  both_ = PressureLaw::of_both(law_own_, law_other_);
  const bool rigid = std::isinf(shape.modulus);
  share_other_ = rigid ? 1 : shape.modulus / (law.modulus() + shape.modulus);
  share_own_ = 1 - share_other_;
  bent_ = !rigid && (law_own_.is_table() || law_other_.is_table());
  longest_.clear();
  double reach = 0;
  for (const Vec4i& t : body.mesh.tets) {
    double most = 0;
    for (const auto& [a, b] : kEdges)
      most = std::max(most, squared_norm(x[at_index(t[a])] - x[at_index(t[b])]));
    longest_.push_back(sqrt(most));
    reach = std::max(reach, longest_.back());
  }
  other_.resize(x.size());
  for (std::size_t v = 0; v < x.size(); ++v) {
    const Vec3d local = to_local(pose_, x[v]);
    const double far = shape_->bounded() ? beyond(shape_->box(), local) : 0;
    other_[v] = far > reach ? far : shape_->phi(local);
  }
}

double TetPressure::g(double own, double other) const {
  if (!bent_) return share_own_ * own - share_other_ * other;
  return (law_other_.pressure(-other) - law_own_.pressure(-own)) /
         (law_own_.modulus() + law_other_.modulus());
}

// @param of_depth  what distances may be off a linear function, beside a part of the edges [m]
void TetPressure::search(const std::vector<Vec3d>& x, double of_depth) {
  patches_.clear(), deepest_ = 0;
  const std::vector<Vec4i>& tets = body_->mesh.tets;
  for (std::size_t t = 0; t < tets.size(); ++t) {
    double far = -kInf;
    for (int k = 0; k < 4; ++k) far = std::max(far, other_[at_index(tets[t][k])]);
    if (far > longest_[t]) continue;  // no place of it is in the shape
    Corner corner[4];
    for (int k = 0; k < 4; ++k) {
      const auto v = at_index(tets[t][k]);
      Corner& c = corner[k];
      c.x = x[v], c.rest = body_->mesh.vertices[v];
      for (int j = 0; j < 4; ++j) c.weight[j] = j == k ? 1 : 0;
      c.own = body_->phi[v], c.other = other_[v];
      c.g = g(c.own, c.other);
    }
    linear_ = std::max(of_depth, kOfEdge * longest_[t]);
    found_ = {};
    look_in({&corner[0], &corner[1], &corner[2], &corner[3]}, longest_[t], 0);
    if (found_.force > 0) finish(static_cast<int>(t), x);
  }
}

// Whether g may be zero where both distances are below it.
bool TetPressure::may_hold(const Corner* const (&c)[4], double longest) const {
  double rest = 0;
  for (const auto& [a, b] : kEdges) rest = std::max(rest, squared_norm(c[a]->rest - c[b]->rest));
  rest = sqrt(rest);
  const double room = share_own_ * rest + share_other_ * longest;
  for (const Corner* k : c)
    if (k->other > longest || k->own > rest || vabs(k->g) > room) return false;
  return true;
}

TetPressure::Corner TetPressure::between(const Corner& a, const Corner& b) const {
  Corner c;
  c.x = 0.5 * (a.x + b.x), c.rest = 0.5 * (a.rest + b.rest);
  for (int k = 0; k < 4; ++k) c.weight[k] = 0.5 * (a.weight[k] + b.weight[k]);
  c.own = body_->field->phi(c.rest), c.other = shape_->phi(to_local(pose_, c.x));
  c.g = g(c.own, c.other);
  return c;
}

// @param longest  its longest edge [m]
void TetPressure::look_in(const Corner* const (&c)[4], double longest, int level) {
  if (!may_hold(c, longest)) return;
  if (level == kFiner || std::isinf(linear_)) return cut(c);
  Corner middle[6];
  double off = 0;
  for (int e = 0; e < 6; ++e) {
    const Corner &a = *c[kEdges[e][0]], &b = *c[kEdges[e][1]];
    middle[e] = between(a, b);
    off = std::max({off, vabs(middle[e].own - 0.5 * (a.own + b.own)),
                    vabs(middle[e].other - 0.5 * (a.other + b.other))});
  }
  if (off < linear_) return cut(c);
  const Corner* all[10];
  for (int k = 0; k < 10; ++k) all[k] = k < 4 ? c[k] : &middle[k - 4];
  for (const auto& p : kEighths) {
    const Corner* const part[4] = {all[p[0]], all[p[1]], all[p[2]], all[p[3]]};
    double most = 0;
    for (const auto& [a, b] : kEdges) most = std::max(most, squared_norm(part[a]->x - part[b]->x));
    look_in(part, sqrt(most), level + 1);
  }
}

// The plane g = 0 of four corners, where the sum of the distances is below zero.
void TetPressure::cut(const Corner* const (&c)[4]) {
  int in[4], out[4], ins = 0, outs = 0;
  for (int k = 0; k < 4; ++k) (c[k]->g < 0 ? in[ins++] : out[outs++]) = k;
  if (ins == 0 || outs == 0) return;
  const auto on = [&](int i, int o) {
    const Corner &a = *c[in[i]], &b = *c[out[o]];
    const double t = a.g / (a.g - b.g);
    Place p;
    p.x = a.x + t * (b.x - a.x);
    for (int k = 0; k < 4; ++k) p.weight[k] = a.weight[k] + t * (b.weight[k] - a.weight[k]);
    p.sum = (a.own + a.other) + t * (b.own + b.other - a.own - a.other);
    return p;
  };
  Place ring[4];
  int count = 0;
  if (ins == 2) {
    ring[0] = on(0, 0), ring[1] = on(0, 1), ring[2] = on(1, 1), ring[3] = on(1, 0), count = 4;
  } else {
    for (int k = 0; k < 3; ++k) ring[count++] = ins == 1 ? on(0, k) : on(k, 0);
  }
  Place part[8];
  int n = 0;
  for (int i = 0; i < count; ++i) {
    const Place &a = ring[i], &b = ring[i + 1 < count ? i + 1 : 0];
    if (a.sum < 0) part[n++] = a;
    if ((a.sum < 0) == (b.sum < 0)) continue;
    const double t = a.sum / (a.sum - b.sum);
    Place& p = part[n++];
    p.x = a.x + t * (b.x - a.x), p.sum = 0;
    for (int k = 0; k < 4; ++k) p.weight[k] = a.weight[k] + t * (b.weight[k] - a.weight[k]);
  }
  if (n < 3) return;
  // How the distances change, in the world.
  Mat3d edges;
  double size = 0;
  for (int r = 0; r < 3; ++r) {
    const Vec3d e = c[r + 1]->x - c[0]->x;
    size = std::max(size, norm(e));
    for (int k = 0; k < 3; ++k) edges(r, k) = e[k];
  }
  constexpr double kFlat = 1e-9;  // of a cube of its edges
  if (!(vabs(det(edges)) > kFlat * size * size * size)) return;
  const Mat3d slopes = inverse(edges);
  Vec3d own, other;
  for (int r = 0; r < 3; ++r)
    own[r] = c[r + 1]->own - c[0]->own, other[r] = c[r + 1]->other - c[0]->other;
  own = slopes * own, other = slopes * other;
  Vec3d into = Vec3d::zero();  // the body: where g falls
  for (int r = 0; r < 3; ++r) into[r] = c[0]->g - c[r + 1]->g;
  into = slopes * into;
  into *= 1 / norm(into);
  press(part, n, into, -dot(own, into), dot(other, into));
}

// A polygon of S in a plane.
void TetPressure::press(const Place* p, int count, const Vec3d& into, double slope_own,
                        double slope_other) {
  const double k_other = law_other_.modulus();
  for (int i = 0; i < count; ++i) deepest_ = std::max(deepest_, -p[i].sum);
  if (slope_own < kCull || (!std::isinf(k_other) && slope_other < kCull)) return;
  for (int i = 1; i + 1 < count; ++i) {
    const Place* corner[3] = {&p[0], &p[i], &p[i + 1]};
    const double area = 0.5 * norm(cross(corner[1]->x - corner[0]->x, corner[2]->x - corner[0]->x));
    double pressure[3], sum = 0;
    for (int k = 0; k < 3; ++k) sum += pressure[k] = both_.pressure(-corner[k]->sum);
    if (!(sum > 0)) continue;
    const double force = area * sum / 3;
    found_.push += force * into, found_.force += force, found_.area += area;
    double all[4] = {0, 0, 0, 0};
    for (int j = 0; j < 4; ++j) {
      double each = 0;
      for (int k = 0; k < 3; ++k)
        all[j] += corner[k]->weight[j], each += pressure[k] * corner[k]->weight[j];
      found_.weight[j] += area / 3 * all[j];
      found_.pressed[j] += area / 12 * (sum * all[j] + each);
    }
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        double both = all[i] * all[j];
        for (int k = 0; k < 3; ++k) both += corner[k]->weight[i] * corner[k]->weight[j];
        found_.product[i][j] += area / 12 * both;
      }
    const auto give = [&](const PressureLaw& law, double slope) {
      if (std::isinf(law.modulus())) return 0.0;
      const double k = law.is_table() ? law.slope(law.depth(sum / 3)) : law.modulus();
      return 1 / (k * std::max(slope, kLeast));
    };
    found_.stiffness += area / (give(law_own_, slope_own) + give(law_other_, slope_other));
  }
}

// The patches of what has been found in a tetrahedron.
void TetPressure::finish(int tet, const std::vector<Vec3d>& x) {
  constexpr double kNothing = 1e-12;  // of what pushes either way, of weights that are all alike
  constexpr double kClearly = 1.1;    // rounding does not choose
  constexpr double kTurn = 0.8660254037844386, kRoot = 1.4142135623730951;
  const Found& f = found_;
  const double force = norm(f.push);
  if (!(force > kNothing * f.force)) return;
  double mean[4], spread[4][4], rises[4];
  for (int i = 0; i < 4; ++i) mean[i] = f.weight[i] / f.area;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) spread[i][j] = f.product[i][j] / f.area - mean[i] * mean[j];
    rises[i] = (f.pressed[i] - f.force * mean[i]) / f.area;
  }
  // Columns of L by Cholesky's rule, of the largest rows first, and how pressure goes along them.
  double along[2][4] = {}, slope[2] = {0, 0};
  for (int c = 0; c < 2; ++c) {
    int most = 0;
    for (int i = 1; i < 4; ++i)
      if (spread[i][i] > kClearly * spread[most][most]) most = i;
    if (!(spread[most][most] > kNothing)) break;
    const double size = sqrt(spread[most][most]);
    slope[c] = rises[most] / size;
    for (int i = 0; i < 4; ++i) along[c][i] = spread[i][most] / size;
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) spread[i][j] -= along[c][i] * along[c][j];
      rises[i] -= slope[c] * along[c][i];
    }
  }
  const double pressure = f.force / f.area;
  const double turns[3][2] = {
      {kRoot, 0}, {-0.5 * kRoot, kTurn * kRoot}, {-0.5 * kRoot, -kTurn * kRoot}};
  double least = 0;  // of what is added to the pressure
  for (const auto& t : turns) least = std::min(least, t[0] * slope[0] + t[1] * slope[1]);
  const double part = pressure + least < 0 ? -pressure / least : 1;  // none pulls
  for (int k = 0; k < 3; ++k) {
    TetPatch p;
    p.point = Vec3d::zero();
    for (int i = 0; i < 4; ++i) {
      p.weight[i] = mean[i] + turns[k][0] * along[0][i] + turns[k][1] * along[1][i];
      p.point += p.weight[i] * x[at_index(body_->mesh.tets[at_index(tet)][i])];
    }
    p.n = f.push * (1 / force);
    p.pressure = pressure + part * (turns[k][0] * slope[0] + turns[k][1] * slope[1]);
    p.area = f.area * force / f.force / 3;
    p.stiffness = f.stiffness / f.area;
    p.cell = 3 * std::int64_t{tet} + k;
    patches_.push_back(p);
  }
}

}  // namespace haptos
