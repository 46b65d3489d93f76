#include <algorithm>

#include "haptos/geometry/collide/manifold.h"

namespace haptos::detail {
namespace {

// A disc that lies flat: four more samples within, halfway between those of the rim, at this part
// of the radius and with this part of the load. Fitted to the friction of a disc under even
// pressure that turns about any centre: force and moment within .05 of their largest values
// (docs/contact/shapes.md).
constexpr std::int64_t kInnerIds = 16;  // beyond the rim's
constexpr double kInner = 0.54, kInnerLoad = 0.68;

// The number that names a corner of a flat part in an edge id.
int number(std::int64_t id) {
  const int i = static_cast<int>(id >> 28 & 0xfffffff), j = static_cast<int>(id & 0xfffffff);
  return static_cast<ShapeFeature>(id >> 56) == ShapeFeature::kRim ? 16 * i + j : i;
}

std::int64_t edge_of(const Outline& o, int k) {
  return edge_id(number(o.id[k]), number(o.id[k + 1 < o.count ? k + 1 : 0]));
}

double turn(double ax, double ay, double bx, double by) { return ax * by - ay * bx; }

// The angle between two directions [rad], 0 to pi: 16 atan of a sixteenth's tangent.
double angle(double au, double av, double bu, double bv) {
  const double s = vabs(turn(au, av, bu, bv)), c = au * bu + av * bv, n = sqrt(s * s + c * c);
  if (!(n > 0)) return 0;
  double t = n + c > 0 ? s / (n + c) : 1e300;  // of a half
  if (t > 1e150) t = 1e150;
  for (int k = 0; k < 3; ++k) t = t / (1 + sqrt(1 + t * t));
  const double z = t * t;
  double p = 1.0 / 17;
  for (int k = 15; k > 0; k -= 2) p = 1.0 / k - z * p;
  return 16 * t * p;
}

struct Sums {
  double w = 0, u = 0, v = 0;
};

Sums moments(const Patch& p) {
  Sums s;
  for (int k = 0; k < p.count; ++k)
    s.w += p.c[k].weight, s.u += p.c[k].weight * p.c[k].u, s.v += p.c[k].weight * p.c[k].v;
  return s;
}

void remove(Patch& p, int k) {
  for (; k + 1 < p.count; ++k) p.c[k] = p.c[k + 1];
  --p.count;
}

// Scales the weights by a linear function so that they have the given sum and first moment; by a
// constant, and false, where that would make one negative.
bool restore(Patch& p, const Sums& target) {
  const Sums s = moments(p);
  if (!(s.w > 0)) return false;
  const double cu = target.u / target.w, cv = target.v / target.w;
  Mat3d m = Mat3d::zero();
  for (int k = 0; k < p.count; ++k) {
    const Vec3d f{{1, p.c[k].u - cu, p.c[k].v - cv}};
    m += outer(f, f) * p.c[k].weight;
  }
  Vec3d x{{target.w / s.w, 0, 0}};
  const double size = m(1, 1) + m(2, 2);
  if (det(m) > 1e-9 * m(0, 0) * size * size) x = column(inverse(m), 0) * target.w;
  double least = 1e300;
  for (int k = 0; k < p.count; ++k)
    least = vmin(least, x[0] + x[1] * (p.c[k].u - cu) + x[2] * (p.c[k].v - cv));
  const bool whole = least >= 0;
  if (!whole) x = {{target.w / s.w, 0, 0}};
  for (int k = 0; k < p.count; ++k)
    p.c[k].weight *= x[0] + x[1] * (p.c[k].u - cu) + x[2] * (p.c[k].v - cv);
  return whole;
}

}  // namespace

void intersect(const Outline& a, const Outline& b, double tolerance, Patch& out) {
  static thread_local Patch other;
  Patch *in = &other, *to = &out;
  to->count = a.count;
  for (int k = 0; k < a.count; ++k) {
    Corner& c = to->c[k];
    c = {a.u[k], a.v[k], 0, 0, 0, a.id[k], b.face, k, false};
  }
  for (int j = 0; j < b.count && to->count > 0; ++j) {
    std::swap(in, to);
    to->count = 0;
    const int jn = j + 1 < b.count ? j + 1 : 0;
    const double eu = b.u[jn] - b.u[j], ev = b.v[jn] - b.v[j];
    const double length = sqrt(eu * eu + ev * ev);
    if (!(length > 0)) {
      std::swap(in, to);
      continue;
    }
    const auto side = [&](const Corner& c) {
      return turn(eu, ev, c.u - b.u[j], c.v - b.v[j]) / length;
    };
    for (int k = 0; k < in->count; ++k) {
      const Corner &c = in->c[k], &d = in->c[k + 1 < in->count ? k + 1 : 0];
      const double sc = side(c), sd = side(d);
      const bool in_c = sc >= -tolerance, in_d = sd >= -tolerance;
      if (in_c) to->c[to->count++] = c;
      if (in_c == in_d) continue;
      const double t = clamp(sc / (sc - sd), 0.0, 1.0);
      Corner x = c;
      x.u += t * (d.u - c.u), x.v += t * (d.v - c.v);
      if (c.edge >= 0) {
        x.id_a = edge_of(a, c.edge), x.id_b = edge_of(b, j);
      } else {
        // A corner of b between its edge i and this one.
        const int i = -1 - c.edge, in_next = i + 1 < b.count ? i + 1 : 0;
        const int corner = in_next == j ? j : (jn == i ? i : -1);
        x.id_a = a.face;
        x.id_b = corner >= 0 ? b.id[corner] : edge_of(b, j);
        if (corner >= 0) x.u = b.u[corner], x.v = b.v[corner];
      }
      x.edge = in_c ? -1 - j : c.edge;
      to->c[to->count++] = x;
    }
  }
  if (to != &out) out.take(*to);
}

void weigh(Patch& p) {
  double u0 = 0, v0 = 0;
  for (int k = 0; k < p.count; ++k) u0 += p.c[k].u / p.count, v0 += p.c[k].v / p.count;
  // The centroid, about the mean of the corners for the sake of digits.
  double area = 0, mu = 0, mv = 0;
  for (int k = 0; k < p.count; ++k) {
    const Corner &c = p.c[k], &d = p.c[k + 1 < p.count ? k + 1 : 0];
    const double t = 0.5 * turn(c.u - u0, c.v - v0, d.u - u0, d.v - v0);
    area += t;
    mu += t * (c.u + d.u - 2 * u0) / 3, mv += t * (c.v + d.v - 2 * v0) / 3;
  }
  p.area = vmax(area, 0.0);
  double size = 0;
  for (int k = 0; k < p.count; ++k)
    size = vmax(size, square(p.c[k].u - u0) + square(p.c[k].v - v0));
  if (!(area > 1e-12 * size)) {
    for (int k = 0; k < p.count; ++k) p.c[k].weight = 1;
    p.area = 0;
    return;
  }
  // Turning angles: they add up where a corner splits, and are zero at a corner that is none.
  const auto next = [&](int k) -> const Corner& { return p.c[k + 1 < p.count ? k + 1 : 0]; };
  double sum = 0;
  int last = p.count - 1;  // the last edge with a length
  const auto length = [&](int k) {
    return square(next(k).u - p.c[k].u) + square(next(k).v - p.c[k].v);
  };
  while (last > 0 && !(length(last) > 1e-28 * size)) --last;
  for (int k = 0; k < p.count; ++k) {
    p.c[k].weight = 0;
    if (!(length(k) > 1e-28 * size)) continue;
    p.c[k].weight = angle(next(last).u - p.c[last].u, next(last).v - p.c[last].v,
                          next(k).u - p.c[k].u, next(k).v - p.c[k].v);
    sum += p.c[k].weight;
    last = k;
  }
  for (int k = 0; k < p.count; ++k) p.c[k].weight *= area / sum;
  if (restore(p, {area, area * u0 + mu, area * v0 + mv})) return;
  // So oblique that the angles cannot have the centroid: half of the triangles of a fan about it.
  u0 += mu / area, v0 += mv / area;
  for (int k = 0; k < p.count; ++k) p.c[k].weight = 0;
  for (int k = 0; k < p.count; ++k) {
    Corner &c = p.c[k], &d = p.c[k + 1 < p.count ? k + 1 : 0];
    const double t = 0.25 * vmax(0.0, turn(c.u - u0, c.v - v0, d.u - u0, d.v - v0));
    c.weight += t, d.weight += t;
  }
}

void cut(Patch& p, double margin) {
  static thread_local Patch in;
  bool all = true;
  for (int k = 0; k < p.count; ++k) all = all && p.c[k].gap <= margin;
  if (all) return;
  in.take(p);
  p.count = 0;
  for (int k = 0; k < in.count; ++k) {
    const Corner &c = in.c[k], &d = in.c[k + 1 < in.count ? k + 1 : 0];
    if (c.gap <= margin) p.c[p.count++] = c;
    if ((c.gap <= margin) == (d.gap <= margin)) continue;
    const double t = (margin - c.gap) / (d.gap - c.gap);
    Corner x = c;
    x.u += t * (d.u - c.u), x.v += t * (d.v - c.v), x.za += t * (d.za - c.za);
    x.gap = margin;
    x.cut = true;
    p.c[p.count++] = x;
  }
}

void thin(Patch& p, int max_points, double radius) {
  const auto apart = [&](int k, int l) {
    return square(p.c[k].u - p.c[l].u) + square(p.c[k].v - p.c[l].v);
  };
  for (int k = 0; p.count > 1 && k < p.count;) {
    const int l = k + 1 < p.count ? k + 1 : 0;
    if (apart(k, l) > radius * radius) {
      ++k;
      continue;
    }
    const int gone = l > k ? l : k, left = l > k ? k : l;
    p.c[left].weight += p.c[gone].weight;
    if (p.c[gone].gap < p.c[left].gap) p.c[left].gap = p.c[gone].gap, p.c[left].za = p.c[gone].za;
    remove(p, gone);
  }
  if (p.count <= max_points) return;
  const Sums target = moments(p);
  int deepest = 0;
  for (int k = 1; k < p.count; ++k)
    if (p.c[k].gap < p.c[deepest].gap) deepest = k;
  double lo = p.c[deepest].gap, size = 0;
  for (int k = 0; k < p.count; ++k) size = vmax(size, apart(k, 0));
  // Only a corner that is deeper than others beyond round-off must stay.
  const bool flat = [&] {
    double hi = lo;
    for (int k = 0; k < p.count; ++k) hi = vmax(hi, p.c[k].gap);
    return hi - lo <= 1e-6 * sqrt(size);
  }();
  while (p.count > max_points) {
    int least = -1;
    double value = 1e300;
    for (int k = 0; k < p.count; ++k) {
      if (!flat && k == deepest) continue;
      const Corner &a = p.c[k > 0 ? k - 1 : p.count - 1], &b = p.c[k],
                   &c = p.c[k + 1 < p.count ? k + 1 : 0];
      const double t = vabs(turn(b.u - a.u, b.v - a.v, c.u - b.u, c.v - b.v));
      if (t < value - 1e-9 * size) value = t, least = k;
    }
    if (least < deepest) --deepest;
    remove(p, least);
  }
  if (p.count >= 3) {
    const double area = p.area;
    weigh(p);
    p.area = area;
  }
  restore(p, target);
}

// The samples within a disc; what they carry fades where its far side leaves the margin.
void fill_disc(Patch& p, double margin) {
  double hi = -1e300, lo = 1e300, sum = 0;
  Corner middle{};
  for (int k = 0; k < 4; ++k) {
    const Corner& c = p.c[k];
    hi = vmax(hi, c.gap), lo = vmin(lo, c.gap);
    middle.u += 0.25 * c.u, middle.v += 0.25 * c.v;
    middle.gap += 0.25 * c.gap, middle.za += 0.25 * c.za;
    sum += c.weight;
  }
  const double room = margin - lo;
  const double part = kInnerLoad * (room > 0 ? clamp((margin - hi) / room, 0.0, 1.0) : 1);
  const double reach = kInner * 0.70710678118654752440;
  for (int k = 0; k < 4; ++k) {
    const Corner &c = p.c[k], &d = p.c[(k + 1) % 4];
    Corner& x = p.c[4 + k];
    x = c;
    x.u = middle.u + reach * (c.u + d.u - 2 * middle.u);
    x.v = middle.v + reach * (c.v + d.v - 2 * middle.v);
    x.gap = middle.gap + reach * (c.gap + d.gap - 2 * middle.gap);
    x.za = middle.za + reach * (c.za + d.za - 2 * middle.za);
    x.weight = 0.25 * part * sum;
    const auto inner = [](std::int64_t id) {
      return static_cast<ShapeFeature>(id >> 56) == ShapeFeature::kRim ? id + kInnerIds : id;
    };
    x.id_a = inner(x.id_a), x.id_b = inner(x.id_b);
  }
  for (int k = 0; k < 4; ++k) p.c[k].weight *= 1 - part;
  p.count = 8;
}

}  // namespace haptos::detail
