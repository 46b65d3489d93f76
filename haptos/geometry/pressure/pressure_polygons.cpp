// From the cells of a grid to the patches of a pressure surface (pressure_surface.h).
#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/geometry/pressure/cell_polygons.h"
#include "haptos/geometry/pressure/pressure_surface.h"

namespace haptos {
namespace {

// Cosine of 5/8 pi.
constexpr double kCull = -0.3826834;
// A cell is cut again where depth differs from linear by more than this part of the deepest.
constexpr double kLinear = 0.04;
// Places that are looked at for the border on a side of a polygon, and how well it is found.
constexpr int kBorder = 30, kBorderOfSamples = 2;
constexpr double kOnBorder = 0.001;
// Newton steps to the surface.
constexpr int kDrawn = 2, kDrawnOfSamples = 1;
// Lines to the surface of bodies with tables.
constexpr int kBent = 4;
// Most corners of a polygon that is cut.
constexpr int kCorners = 16;

}  // namespace

void PressureSurface::cut_cell(const Vec3d& low, double size, const Both (&d)[8], const int* known,
                               std::int64_t id, int level) {
  unsigned inside = 0;
  for (int k = 0; k < 8; ++k)
    if (g(d[k]) < 0) inside |= 1u << k;
  if (inside == 0 || inside == 255 || !may_overlap(d, inside)) return;
  ++cut_cells_;
  const CellPolygons& p = cell_polygons(inside);
  Corner corner[kCorners];
  for (int m = 0, count = 0; m < p.count; ++m, count = 0) {
    for (int e = p.start[at_index(m)]; e < p.start[at_index(m) + 1]; ++e) {
      const int edge = p.edge[at_index(e)], s = edge_start(edge), axis = edge / 4;
      const Vec3d from = low + size * Vec3d{{double(s & 1), double(s >> 1 & 1), double(s >> 2)}};
      Corner& to = corner[count++];
      if (!known) {
        to = cross(from, axis, size, d[s], d[s + (1 << axis)]);
        continue;
      }
      const std::size_t place = at_index(3 * known[s] + axis);
      if (edge_known_[place] != block_) {
        edge_known_[place] = block_;
        edge_[place] = cross(from, axis, size, d[s], d[s + (1 << axis)]);
      }
      to = edge_[place];
    }
    if (level < kFiner && m == 0 && !is_linear(corner, count))
      return cut_finer(low, size, id, level);
    add_polygon(corner, count, id | m);
  }
}

// Whether the sum of distances may be below zero where edges of a cell cross the surface.
bool PressureSurface::may_overlap(const Both (&d)[8], unsigned inside) const {
  for (int axis = 0; axis < 3; ++axis) {
    const int step = 1 << axis;
    for (int k = 0; k < 8; ++k) {
      if (k & step || !((inside >> k ^ inside >> (k + step)) & 1)) continue;
      const Both &a = d[k], &b = d[k + step];
      if (std::min(a.own + a.other, b.own + b.other) < bend_[axis]) return true;
    }
  }
  return false;
}

// Whether depth at the middle of a polygon is about what its corners make it, and g about zero.
bool PressureSurface::is_linear(const Corner* corner, int count) {
  Corner middle{Vec3d::zero(), 0};
  for (int i = 0; i < count; ++i) {
    if (corner[i].sum >= 0) return true;  // its border is looked for
    middle.x += corner[i].x, middle.sum += corner[i].sum;
  }
  middle.x *= 1.0 / count, middle.sum /= count;
  const Both d = both(middle.x);
  return vabs(d.own + d.other - middle.sum) + 2 * vabs(g(d)) < kLinear * deepest_;
}

void PressureSurface::cut_finer(const Vec3d& low, double size, std::int64_t id, int level) {
  constexpr int kThree = 3;
  const double half = 0.5 * size;
  Both d[kThree * kThree * kThree];
  const auto place = [](int i, int j, int k) { return at_index((k * kThree + j) * kThree + i); };
  for (int k = 0; k < kThree; ++k)
    for (int j = 0; j < kThree; ++j)
      for (int i = 0; i < kThree; ++i)
        d[place(i, j, k)] = both(low + half * Vec3d{{double(i), double(j), double(k)}});
  for (int c = 0; c < 8; ++c) {
    const int i = c & 1, j = c >> 1 & 1, k = c >> 2;
    Both part[8];
    for (int n = 0; n < 8; ++n) part[n] = d[place(i + (n & 1), j + (n >> 1 & 1), k + (n >> 2))];
    // Mixed up, so that no two parts of a cell have one number.
    const auto own = static_cast<std::int64_t>(
        (static_cast<std::uint64_t>(id) * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(c + 1)) &
        0x0ffffffffffffff8u);
    cut_cell(low + half * Vec3d{{double(i), double(j), double(k)}}, half, part, nullptr, own,
             level + 1);
  }
}

// Where g is zero on an edge: by a straight line, then by two with what is found there; of tables,
// where g bends, by some more.
PressureSurface::Corner PressureSurface::cross(const Vec3d& from, int axis, double size,
                                               const Both& d0, const Both& d1) {
  double t0 = 0, t1 = 1, g0 = g(d0), g1 = g(d1);
  double t = g0 / (g0 - g1), sum = 0;
  Vec3d x = from;
  x[axis] += t * size;
  for (int i = 0; i < (bent_ ? kBent : 1); ++i) {
    const Both d = both(x);
    const double gm = g(d);
    const bool first = (gm < 0) == (g0 < 0);
    (first ? t0 : t1) = t, (first ? g0 : g1) = gm;
    if (g0 != g1) t = t0 + (t1 - t0) * g0 / (g0 - g1);
    x[axis] = from[axis] + t * size;
    sum = d.own + d.other;
  }
  return {x, sum};
}

// The point of the surface next to x, by Newton's rule, with the sum of the distances there.
PressureSurface::Corner PressureSurface::drawn_to(Vec3d x) {
  double sum = 0;
  for (int i = 0; i < (sampled_ ? kDrawnOfSamples : kDrawn); ++i) {
    const SignedDistance<double> own = own_->at(x), other = other_->at(turn_ * x + shift_);
    ++asked_;
    const Vec3d across = transpose(turn_) * other.gradient;
    const Both d{own.phi, other.phi};
    double share_own = share_own_, share_other = share_other_;
    if (bent_) shares_at(d, share_own, share_other);
    const Vec3d slope = share_own * own.gradient - share_other * across;
    const double size = squared_norm(slope);
    if (!(size > 1e-6 * square(share_own + share_other))) break;
    const Vec3d step = slope * (-g(d) / size);
    sum = own.phi + other.phi + dot(step, own.gradient + across);
    x += step;
  }
  return {x, sum};
}

// Where the sum of the distances is zero between a corner inside and one outside: in a thin rim
// that is far from where a straight line says, and the surface bends there. Illinois' rule, halving
// in between: the sum may be a thousand times as large outside as inside.
Vec3d PressureSurface::border(const Corner& in, const Corner& out) {
  double t0 = 0, t1 = 1, s0 = in.sum, s1 = out.sum;
  int side = 0;
  Vec3d x = in.x;
  const int most = sampled_ ? kBorderOfSamples : kBorder;
  for (int i = 0; i < most; ++i) {
    const double t = i % 2 ? 0.5 * (t0 + t1) : (t0 * s1 - t1 * s0) / (s1 - s0);
    const Corner c = drawn_to(in.x + t * (out.x - in.x));
    x = c.x;
    if (vabs(c.sum) < kOnBorder * vabs(in.sum) || t1 - t0 < kOnBorder) break;
    if (c.sum < 0) {
      t0 = t, s0 = c.sum;
      if (side < 0) s1 *= 0.5;
      side = -1;
    } else {
      t1 = t, s1 = c.sum;
      if (side > 0) s0 *= 0.5;
      side = 1;
    }
  }
  return x;
}

// Of a polygon the part where both are inside, as a patch.
void PressureSurface::add_polygon(const Corner* corner, int count, std::int64_t id) {
  Corner part[kCorners];
  int n = 0, border_at[kCorners], borders = 0;  // places in part
  for (int i = 0; i < count; ++i) {
    const Corner &a = corner[i], &b = corner[i + 1 < count ? i + 1 : 0];
    if (a.sum < 0) part[n++] = a;
    if ((a.sum < 0) == (b.sum < 0)) continue;
    const bool in = a.sum < 0;
    border_at[borders++] = n;
    part[n++] = {
        choosing_ ? a.x + a.sum / (a.sum - b.sum) * (b.x - a.x) : border(in ? a : b, in ? b : a),
        0};
  }
  if (n < 3) return;
  const bool cut = borders > 0;
  Corner middle{Vec3d::zero(), 0};
  for (int i = 0; i < n; ++i) middle.x += part[i].x, middle.sum += part[i].sum;
  middle.x *= 1.0 / n, middle.sum /= n;
  if (cut && !choosing_) middle = drawn_to(middle.x);
  if (by_table_ && !choosing_) {
    for (int i = 0; i < n; ++i) part[i].sum = as_linear(part[i].sum);
    middle.sum = as_linear(middle.sum);
  }
  // The fan about the middle: depths are linear on each triangle, or where a border cuts it looked
  // at in three places of each.
  Vec3d push = Vec3d::zero(), moment = Vec3d::zero();
  double area = 0, depth = 0;
  for (int i = 0; i < n; ++i) {
    const Corner &a = part[i], &b = part[i + 1 < n ? i + 1 : 0];
    const Vec3d s = 0.5 * haptos::cross(a.x - middle.x, b.x - middle.x);
    const double size = norm(s);
    area += size;
    if (cut && !choosing_) {
      const Vec3d* x[3] = {&a.x, &b.x, &middle.x};
      for (int k = 0; k < 3; ++k) {
        const Vec3d y = (1.0 / 6) * (*x[0] + *x[1] + *x[2] + 3.0 * *x[k]);
        const Both d = both(y);
        const double sum = d.own + d.other;
        const double deep = std::max(-(by_table_ ? as_linear(sum) : sum), 0.0) / 3;
        depth += size * deep, push += s * deep, moment += (size * deep) * y;
      }
      continue;
    }
    const double sum = -(a.sum + b.sum + middle.sum);
    depth += size * sum / 3, push += s * (sum / 3);
    moment += (size / 12) *
              (sum * (a.x + b.x + middle.x) - (a.sum * a.x + b.sum * b.x + middle.sum * middle.x));
  }
  const double force = norm(push);
  if (!(depth > 0) || !(force > 1e-12 * depth)) return;
  if (choosing_) {
    area_ += area, ++seen_;
    // Two places of the border with nothing between them that is in: one follows the other.
    for (int i = 0; i < borders; ++i) {
      const int from = border_at[i], to = border_at[(i + 1) % borders];
      if (to == (from + 1) % n) rim_ += norm(part[to].x - part[from].x);
    }
    for (int i = 0; i < n; ++i)
      cut_box_.merge(part[i].x), deepest_ = std::max(deepest_, -part[i].sum);
    return;
  }
  const Vec3d x = moment * (1 / depth), n_out = push * (1 / force);  // out of own
  const Vec3d out_own = own_->at(x).gradient, out_other = other_->at(turn_ * x + shift_).gradient;
  presses_ += k_ * depth, opposes_ += k_ * depth * dot(turn_ * out_own, out_other);
  const double slope_own = dot(out_own, n_out), slope_other = -dot(out_other, turn_ * n_out);
  if ((!std::isinf(k_own_) && slope_own < kCull) || (!std::isinf(k_other_) && slope_other < kCull))
    return;
  PressurePatch p;
  p.point = frame_.p + to_world_ * x;
  p.n = to_world_ * n_out;
  if (own_is_a_) p.n = -p.n;
  p.pressure = k_ * depth / area;
  p.area = area * force / depth;
  double k_own = k_own_, k_other = k_other_;
  if (by_table_) moduli_at(p.pressure, k_own, k_other);
  const double give_own = std::isinf(k_own) ? 0 : 1 / (k_own * std::max(slope_own, kLeast));
  const double give_other = std::isinf(k_other) ? 0 : 1 / (k_other * std::max(slope_other, kLeast));
  p.stiffness = 1 / (give_own + give_other);
  p.cell = id;
  patches_.push_back(p);
  if (!keep_triangles) return;
  const auto world = [&](const Vec3d& y) { return frame_.p + to_world_ * y; };
  for (int i = 0; i < n; ++i) {
    const Corner &a = part[i], &b = part[i + 1 < n ? i + 1 : 0];
    triangles_.push_back(
        {{world(middle.x), world(a.x), world(b.x)}, {-k_ * middle.sum, -k_ * a.sum, -k_ * b.sum}});
  }
}

}  // namespace haptos
