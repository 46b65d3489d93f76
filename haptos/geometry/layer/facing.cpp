// Faces of boundary-layer contact that face each other (layer_contacts.h).
#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/base/math/tangent.h"
#include "haptos/geometry/layer/layer_contacts.h"

namespace haptos {
namespace {

// Of the feature of a corner that does not touch yet: apart from the same of what does.
constexpr std::int64_t kNear = std::int64_t{1} << 59;
// Radius over R of a region up to which its middle stands for it, and from which on its corners.
constexpr double kSmall = 0.25, kLarge = 0.5;

double turn(double ax, double ay, double bx, double by) { return ax * by - ay * bx; }

// Corners from the edges of the polygon on either side of them.
struct Namer {
  const TriangleSoup* soup[2];
  int face[2];

  std::int64_t id(int side, int before, int after, bool& rim) const {
    const TriangleSoup::Face& f = soup[side]->faces()[at_index(face[side])];
    const auto own = [&](int e) { return e != kCutEdge && (e >= 4) == (side == 1); };
    rim = false;
    if (own(before) && own(after)) {
      rim = soup[side]->border(face[side], before & 3) || soup[side]->border(face[side], after & 3);
      return feature_id(ShapeFeature::kVertex, f.v[after & 3]);
    }
    if (!own(before) && !own(after)) return feature_id(ShapeFeature::kFace, f.plane);
    const int k = (own(before) ? before : after) & 3;
    rim = soup[side]->border(face[side], k);
    return edge_id(f.v[k], f.v[(k + 1) % 3]);
  }
};

// Keeps the part of a convex polygon where f <= 0, f linear; the new edge is named `edge`.
template <class F>
void clip(const std::vector<OutlineCorner>& in, int edge, F&& f, std::vector<OutlineCorner>& out) {
  out.clear();
  const std::size_t n = in.size();
  for (std::size_t k = 0; k < n; ++k) {
    const OutlineCorner &c = in[k], &d = in[k + 1 < n ? k + 1 : 0];
    const double fc = f(c), fd = f(d);
    if (fc <= 0) {
      out.push_back(c);
      if (fd > 0 && fc < 0) {  // leaves: the cut goes on from here
        const double t = fc / (fc - fd);
        OutlineCorner x = c;
        x.u += t * (d.u - c.u), x.v += t * (d.v - c.v);
        x.za += t * (d.za - c.za), x.zb += t * (d.zb - c.zb);
        x.edge = edge;
        out.push_back(x);
      } else if (fd > 0) {
        out.back().edge = edge;
      }
    } else if (fd < 0) {  // comes in along the edge of c
      const double t = fc / (fc - fd);
      OutlineCorner x = c;
      x.u += t * (d.u - c.u), x.v += t * (d.v - c.v);
      x.za += t * (d.za - c.za), x.zb += t * (d.zb - c.zb);
      out.push_back(x);
    }
  }
}

}  // namespace

// Of pairs in order, those of two planes all among them.
void LayerContacts::find_facing(std::span<const FacePair> pairs) {
  for (std::size_t i = 0; i < pairs.size();) {
    std::size_t end = i;
    while (end < pairs.size() && pairs[end].same_planes(pairs[i])) ++end;
    Facing f;
    touching_.clear(), beyond_.clear();
    bool faces = false;
    for (std::size_t k = i; k < end; ++k) {
      if (k == i) faces = face_each_other(pairs[k], f);
      if (!faces) break;
      if (!overlap(pairs[k], f)) continue;
      cut_by_depth(pairs[k], f, f.behind, R_, part_);
      if (part_.size() >= 3) touching_.add(part_);
      if (!(reach_ > 0)) continue;
      cut_by_depth(pairs[k], f, R_, R_ + reach_, part_);
      if (part_.size() >= 3) beyond_.add(part_);
    }
    if (faces) {
      emit_outline(f, pairs[i], touching_, false);
      emit_outline(f, pairs[i], beyond_, true);
    }
    i = end;
  }
}

// Normals turned towards each other; false where the planes do not face each other.
bool LayerContacts::face_each_other(const FacePair& pair, Facing& f) const {
  bool sided[2];
  for (int k = 0; k < 2; ++k) {
    f.n[k] = plane_normal(k, pair.plane[k]);
    f.offset[k] = plane_offset(k, pair.plane[k]);
    sided[k] = soup(k).faces()[at_index(pair.face[k])].sided;
  }
  const auto flip = [&](int k) { f.n[k] = -f.n[k], f.offset[k] = -f.offset[k]; };
  if (dot(f.n[0], f.n[1]) > 0 && !(sided[0] && sided[1])) flip(sided[0] ? 1 : 0);
  const double cosine = -dot(f.n[0], f.n[1]);
  f.weight = ramp(cosine, kOblique, kParallel);
  if (!(f.weight > 0)) return false;
  // Behind a sheet is its other side; only of two solids what is behind has crossed.
  f.behind = sided[0] && sided[1] ? -R_ : 0;
  // Where neither has an inside each faces the other's side.
  if (!sided[0] && !sided[1]) {
    double side = 0;
    for (int k = 0; k < 3; ++k) {
      const Vec3d x = at(0, soup(0).faces()[at_index(pair.face[0])].v[k]);
      side += dot(f.n[1], x) - f.offset[1];
      const Vec3d y = at(1, soup(1).faces()[at_index(pair.face[1])].v[k]);
      side += dot(f.n[0], y) - f.offset[0];
    }
    if (side < 0) flip(0), flip(1);
  }
  f.m = normalized(f.n[1] - f.n[0]);
  f.cosine = dot(f.m, f.n[1]);
  f.t1 = tangent(f.m);
  f.t2 = cross(f.m, f.t1);
  return true;
}

// What two faces share, projected along m, to polygon_.
bool LayerContacts::overlap(const FacePair& pair, const Facing& f) {
  double u[2][3], v[2][3];
  for (int k = 0; k < 2; ++k) {
    const Vec3i& c = soup(k).faces()[at_index(pair.face[k])].v;
    for (int i = 0; i < 3; ++i) {
      const Vec3d x = at(k, c[i]);
      u[k][i] = dot(f.t1, x), v[k][i] = dot(f.t2, x);
    }
  }
  for (int k = 0; k < 2; ++k) {
    const auto less = [&](const double(&a)[3], const double(&b)[3]) {
      return std::max({a[0], a[1], a[2]}) <= std::min({b[0], b[1], b[2]});
    };
    if (less(u[k], u[1 - k]) || less(v[k], v[1 - k])) return false;
  }
  // Heights along m of the planes n_k . x = offset_k.
  double slope[2][3];
  for (int k = 0; k < 2; ++k) {
    const double along = dot(f.n[k], f.m);
    slope[k][0] = f.offset[k] / along;
    slope[k][1] = -dot(f.n[k], f.t1) / along;
    slope[k][2] = -dot(f.n[k], f.t2) / along;
  }
  // The smaller one is cut by the larger one's edges: digits are lost where polygons are large.
  const auto twice = [&](int k) {
    return turn(u[k][1] - u[k][0], v[k][1] - v[k][0], u[k][2] - u[k][0], v[k][2] - v[k][0]);
  };
  const double area[2] = {twice(0), twice(1)};
  const int first = vabs(area[0]) <= vabs(area[1]) ? 0 : 1, other = 1 - first;
  polygon_.clear();
  for (int i = 0; i < 3; ++i) {
    const bool forward = area[first] > 0;
    const int c = forward ? i : 2 - i;
    OutlineCorner x{};
    x.u = u[first][c], x.v = v[first][c];
    // Edge k of the triangle joins corners k and k + 1.
    x.edge = 4 * first + (forward ? c : (c + 2) % 3);
    for (int k = 0; k < 2; ++k)
      (k == 0 ? x.za : x.zb) = slope[k][0] + slope[k][1] * x.u + slope[k][2] * x.v;
    polygon_.push_back(x);
  }
  const double sign = area[other] > 0 ? 1 : -1;
  for (int k = 0; k < 3 && polygon_.size() >= 3; ++k) {
    const int l = (k + 1) % 3;
    const double eu = u[other][l] - u[other][k], ev = v[other][l] - v[other][k];
    clip(
        polygon_, 4 * other + k,
        [&](const OutlineCorner& c) {
          return -sign * turn(eu, ev, c.u - u[other][k], c.v - v[other][k]);
        },
        scratch_);
    polygon_.swap(scratch_);
  }
  if (polygon_.size() < 3) return false;
  return std::any_of(polygon_.begin(), polygon_.end(), [&](const OutlineCorner& c) {
    return f.cosine * (c.za - c.zb) <= R_ + std::max(reach_, 0.0);
  });
}

// The part of polygon_ whose distance is between two, with names.
void LayerContacts::cut_by_depth(const FacePair& pair, const Facing& f, double from, double to,
                                 std::vector<OutlineCorner>& out) {
  const auto gap = [&](const OutlineCorner& c) { return f.cosine * (c.za - c.zb); };
  clip(
      polygon_, kCutEdge, [&](const OutlineCorner& c) { return gap(c) - to; }, scratch_);
  clip(
      scratch_, kCutEdge, [&](const OutlineCorner& c) { return from - gap(c); }, out);
  const Namer namer{{surface_[0].soup, surface_[1].soup}, {pair.face[0], pair.face[1]}};
  const std::size_t n = out.size();
  for (std::size_t k = 0; k < n && n >= 3; ++k) {
    OutlineCorner& c = out[k];
    const int before = out[(k + n - 1) % n].edge;
    c.id_a = namer.id(0, before, c.edge, c.rim_a);
    c.id_b = namer.id(1, before, c.edge, c.rim_b);
    c.inner = !c.rim_a && !c.rim_b && before != kCutEdge && c.edge != kCutEdge;
  }
}

// Where a corner pushes: one of a's border over the flat of b along b's normal, and the other way
// round, so that its depth grows by what it moves along it. Elsewhere halfway between.
LayerContacts::Pushed LayerContacts::pushed(const Facing& f, double u, double v, double za,
                                            double zb, bool by_a, bool by_b) {
  const double gap = f.cosine * (za - zb);
  const Vec3d flat = u * f.t1 + v * f.t2, x_a = flat + za * f.m, x_b = flat + zb * f.m;
  if (by_a && !by_b) return {x_a, x_a - gap * f.n[1], f.n[1]};
  if (by_b && !by_a) return {x_b - gap * f.n[0], x_b, -f.n[0]};
  const Vec3d middle = 0.5 * (x_a + x_b), half = 0.5 * gap * f.m;
  return {middle + half, middle - half, f.m};
}

// A small region's sample is at its middle, and pushes as its corners would.
void LayerContacts::emit_middle(const Facing& f, const FacePair& pair, const Outline& outline,
                                double u, double v, double weight, std::int64_t mark) {
  const auto height = [&](int k) {
    return (f.offset[k] - u * dot(f.n[k], f.t1) - v * dot(f.n[k], f.t2)) / dot(f.n[k], f.m);
  };
  const double za = height(0), zb = height(1), gap = f.cosine * (za - zb);
  double part[3] = {0, 0, 0}, whole = 0;  // of a's border, of b's, of neither
  for (const OutlineCorner& c : outline.corners()) {
    part[c.rim_a == c.rim_b ? 2 : c.rim_a ? 0 : 1] += c.weight;
    whole += c.weight;
  }
  if (!(whole > 0)) part[2] = whole = 1;
  Pushed sum{Vec3d::zero(), Vec3d::zero(), Vec3d::zero()};
  for (int k = 0; k < 3; ++k) {
    if (part[k] == 0) continue;
    const Pushed p = pushed(f, u, v, za, zb, k == 0, k == 1);
    const double w = part[k] / whole;
    sum.x_a += w * p.x_a, sum.x_b += w * p.x_b, sum.n += w * p.n;
  }
  const Vec3d n = normalized(sum.n), middle = 0.5 * (sum.x_a + sum.x_b);
  emit(0, middle + 0.5 * gap * n, middle - 0.5 * gap * n, n, gap, weight,
       feature_id(ShapeFeature::kFace, pair.plane[0]) | mark,
       feature_id(ShapeFeature::kFace, pair.plane[1]) | mark, mark != 0);
}

// Samples of a larger one are at the corners.
void LayerContacts::emit_outline(const Facing& f, const FacePair& pair, Outline& outline,
                                 bool near) {
  if (!(outline.area() > 0)) return;
  const std::int64_t mark = near ? kNear : 0;
  const double large = ramp(outline.radius() / R_, kSmall, kLarge);
  const double area = f.weight * outline.area();
  const double u = outline.middle_u(), v = outline.middle_v();
  outline.finish();
  if (large < 1) emit_middle(f, pair, outline, u, v, (1 - large) * area, mark);
  if (!(large > 0)) return;
  for (const OutlineCorner& c : outline.corners()) {
    const Pushed p = pushed(f, c.u, c.v, c.za, c.zb, c.rim_a, c.rim_b);
    emit(0, p.x_a, p.x_b, p.n, f.cosine * (c.za - c.zb), large * c.weight * f.weight, c.id_a | mark,
         c.id_b | mark, near);
  }
}

}  // namespace haptos
