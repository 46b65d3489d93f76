// Contact samples from a direction and the flat parts that face each other along it.
#include "haptos/geometry/collide/manifold.h"

namespace haptos::detail {
namespace {

// By how much, of its radius, the four points of a disc may miss its lowest point (convex.cpp).
constexpr double kDiscMiss = 3e-5;
constexpr double kSteep = 1e-3;      // cosine below which a flat part does not face along n
constexpr double kSideBySide = 0.2;  // sine up to which two lines have an overlap
constexpr double kTilted = 1e-6;     // squared sine of n and a normal from which on an edge touches

struct Frame {
  Vec3d n, t1, t2;
};

class Builder {
 public:
  Builder(const ShapePair& pair, const Witness& w, int max_points, ContactSample* out,
          bool flat_only)
      : pair_(pair),
        w_(w),
        max_points_(max_points),
        out_(out),
        flat_only_(flat_only),
        extent_(pair.extent()) {
    f_.n = w.n;
    tangents(w.n, f_.t1, f_.t2);
    gap_ = w.distance - pair.radius();
  }

  int run() {
    patch_.count = 0;
    patch_.area = 0;
    flat_part(*pair_.core.a, -w_.n, w_.vertex_a, a_);
    drop_steep(a_);
    if (pair_.core.b == nullptr) {
      over_plane();
    } else if (a_.count > 1) {
      const Mat3d& r = pair_.core.r;
      flat_part(*pair_.core.b, transpose(r) * w_.n, w_.vertex_b, b_);
      for (int k = 0; k < b_.count; ++k) b_.x[k] = r * b_.x[k] + pair_.core.p;
      b_.normal = r * b_.normal;
      b_.disc_centre = r * b_.disc_centre + pair_.core.p;
      drop_steep(b_);
      if (b_.count == 2) take_edge(a_, b_, 1);
      if (a_.count == 2) take_edge(b_, a_, -1);
      if (a_.count > 2 && b_.count > 2)
        polygons();
      else if (a_.count == 2 && b_.count == 2)
        segments();
      else if (a_.count == 2 && b_.count > 2)
        segment_on_polygon(a_, b_, true);
      else if (a_.count > 2 && b_.count == 2)
        segment_on_polygon(b_, a_, false);
    }
    return finish();
  }

 private:
  const ShapePair& pair_;
  Witness w_;
  const int max_points_;
  ContactSample* const out_;
  const bool flat_only_;
  const double extent_;
  Frame f_;
  double gap_;
  Flat a_, b_;
  Patch patch_;
  double slack_ = 0;          // by how much the samples may miss the gap of the witness [m]
  double witness_part_ = -1;  // share of the witness beside the samples; below 0: by need
  bool whole_disc_ = false;   // the corners are four rim points of a disc that lies on the other

  void drop_steep(Flat& f) const {
    if (f.count > 2 && vabs(dot(f.normal, w_.n)) < kSteep) f.count = 1;
  }
  // Of a tilted polygon the edge that comes nearest, where the other's line lies along it: over the
  // polygon that line would be there or not by round-off. sign: 1 where n points out of the other.
  void take_edge(Flat& f, const Flat& line, double sign) const {
    if (f.count < 3 || f.disc || 1 - square(dot(f.normal, f_.n)) < kTilted) return;
    const auto high = [&](int k) { return sign * dot(f_.n, f.x[k]); };
    const auto after = [&](int k) { return k + 1 < f.count ? k + 1 : 0; };
    const auto top = [&](int k) { return vmax(high(k), high(after(k))); };
    int nearest = 0;
    for (int k = 1; k < f.count; ++k)
      if (top(k) < top(nearest)) nearest = k;
    const int i = nearest, j = after(i);
    const Vec3d d = f.x[j] - f.x[i], e = line.x[1] - line.x[0];
    const double sine = u(d) * v(e) - v(d) * u(e);
    const double lengths = (square(u(d)) + square(v(d))) * (square(u(e)) + square(v(e)));
    if (square(sine) > square(kSideBySide) * lengths) return;
    if (square(high(i) - high(j)) > square(kSideBySide) * squared_norm(d)) return;
    f.face = edge_id(static_cast<int>(f.id[i] >> 28 & 0xfffffff),
                     static_cast<int>(f.id[j] >> 28 & 0xfffffff));
    const Vec3d ends[2] = {f.x[i], f.x[j]};
    const std::int64_t ids[2] = {f.id[i], f.id[j]};
    for (int k = 0; k < 2; ++k) f.x[k] = ends[k], f.id[k] = ids[k], f.curvature_radius[k] = 0;
    f.count = 2;
  }

  double u(const Vec3d& x) const { return dot(f_.t1, x); }
  double v(const Vec3d& x) const { return dot(f_.t2, x); }

  // Height along n of the plane of a polygon.
  double height(const Flat& f, double pu, double pv) const {
    const Vec3d& m = f.normal;
    return (dot(m, f.x[0]) - dot(m, f_.t1) * pu - dot(m, f_.t2) * pv) / dot(m, f_.n);
  }

  void outline(const Flat& f, bool reverse, Outline& o) const {
    o.count = f.count;
    o.face = f.face;
    for (int k = 0; k < f.count; ++k) {
      const int i = reverse ? f.count - 1 - k : k;
      o.u[k] = u(f.x[i]), o.v[k] = v(f.x[i]), o.id[k] = f.id[i];
    }
  }

  void corner(double pu, double pv, double za, double zb, std::int64_t ia, std::int64_t ib,
              double weight) {
    const double gap = za - zb - pair_.radius();
    if (gap > pair_.margin) return;
    patch_.c[patch_.count++] = {pu, pv, gap, za, weight, ia, ib, 0, false};
  }

  void over_plane() {
    const double zb = dot(f_.n, pair_.core.p);
    if (a_.count > 2) {
      for (int k = 0; k < a_.count; ++k) {
        const int i = a_.count - 1 - k;
        const double za = dot(f_.n, a_.x[i]);
        patch_.c[k] = {u(a_.x[i]), v(a_.x[i]), za - zb - pair_.radius(),        za,
                       0,          a_.id[i],   feature_id(ShapeFeature::kFace), k,
                       false};
      }
      patch_.count = a_.count;
      settle();
      if (a_.disc) slack_ = kDiscMiss * a_.disc_radius, whole_disc_ = true;
    } else if (a_.count == 2) {
      // One that stands on end touches with its lower end only.
      const Vec3d d = a_.x[1] - a_.x[0];
      if (square(u(d)) + square(v(d)) < 1e-18 * extent_ * extent_) return;
      for (int k = 0; k < 2; ++k)
        corner(u(a_.x[k]), v(a_.x[k]), dot(f_.n, a_.x[k]), zb, a_.id[k],
               feature_id(ShapeFeature::kFace), 0.5);
    }
  }

  // Weights, the part within the margin, the corners that stay.
  void settle() {
    cut(patch_, pair_.margin);
    weigh(patch_);
    if (a_.disc && patch_.count == 4 && patch_.area > 0) patch_.area *= 1.57079632679489661923;
    int kept = 0;
    for (int k = 0; k < patch_.count; ++k)
      if (!patch_.c[k].cut) patch_.c[kept++] = patch_.c[k];
    patch_.count = kept;
    thin(patch_, max_points_, 1e-7 * extent_);
  }

  // Whether the shadow of a disc lies inside the other flat part.
  bool within(const Flat& disc, const Flat& other) const {
    const double cu = u(disc.disc_centre), cv = v(disc.disc_centre), r = disc.disc_radius;
    const double slack = 1e-9 * extent_;
    if (other.disc) {
      const double du = cu - u(other.disc_centre), dv = cv - v(other.disc_centre);
      return sqrt(du * du + dv * dv) + r <=
             other.disc_radius * vabs(dot(other.normal, f_.n)) + slack;
    }
    const double sign = dot(other.normal, f_.n) > 0 ? 1 : -1;
    for (int k = 0; k < other.count; ++k) {
      const Vec3d &x = other.x[k], &y = other.x[k + 1 < other.count ? k + 1 : 0];
      const double eu = u(y) - u(x), ev = v(y) - v(x), l = sqrt(eu * eu + ev * ev);
      if (l > 0 && sign * (eu * (cv - v(x)) - ev * (cu - u(x))) / l < r - slack) return false;
    }
    return true;
  }

  void polygons() {
    const bool a_free = a_.disc && within(a_, b_);
    const bool b_free = !a_free && b_.disc && within(b_, a_);
    if (a_.disc && !a_free && !b_free) refine_disc(a_);
    if (b_.disc && !a_free && !b_free) refine_disc(b_);
    slack_ = kDiscMiss * vmax(a_.disc ? a_.disc_radius : 0, b_.disc ? b_.disc_radius : 0) +
             pair_.core.a->polytope.flatness + pair_.core.b->polytope.flatness;
    if (a_free || b_free) {
      const Flat& f = a_free ? a_ : b_;
      for (int k = 0; k < 4; ++k) {
        const int i = a_free ? 3 - k : k;
        patch_.c[k] = {
            u(f.x[i]), v(f.x[i]), 0, 0, 0, a_free ? f.id[i] : a_.face, a_free ? b_.face : f.id[i],
            k,         false};
      }
      patch_.count = 4;
      whole_disc_ = true;
    } else {
      Outline oa, ob;
      outline(a_, true, oa);
      outline(b_, false, ob);
      intersect(oa, ob, 1e-7 * extent_, patch_);
    }
    for (int k = 0; k < patch_.count; ++k) {
      Corner& c = patch_.c[k];
      c.za = height(a_, c.u, c.v);
      c.gap = c.za - height(b_, c.u, c.v) - pair_.radius();
    }
    settle();
  }

  // The part of a segment over a polygon or a disc: its two ends.
  void segment_on_polygon(const Flat& s, const Flat& p, bool segment_is_a) {
    const double su = u(s.x[0]), sv = v(s.x[0]), du = u(s.x[1]) - su, dv = v(s.x[1]) - sv;
    const double length = sqrt(du * du + dv * dv);
    if (length < 1e-9 * extent_) return;
    const double tolerance = 1e-10 * extent_;
    double lo = 0, hi = 1;
    std::int64_t id_lo = p.face, id_hi = p.face;  // on the polygon
    if (p.disc) {
      // |x(t) - centre| <= r in the plane of the disc, along n.
      const auto in_plane = [&](const Vec3d& x) {
        return x - f_.n * (dot(p.normal, x - p.disc_centre) / dot(p.normal, f_.n)) - p.disc_centre;
      };
      const Vec3d x0 = in_plane(s.x[0]), d = in_plane(s.x[1]) - x0;
      const double dd = dot(d, d), xd = dot(x0, d), xx = dot(x0, x0) - square(p.disc_radius);
      const double q = xd * xd - dd * xx;
      if (!(q >= 0)) return;
      lo = vmax(0.0, (-xd - sqrt(q)) / dd), hi = vmin(1.0, (-xd + sqrt(q)) / dd);
      if (lo > 0) id_lo = feature_id(ShapeFeature::kRim, 2, 0);
      if (hi < 1) id_hi = feature_id(ShapeFeature::kRim, 2, 1);
    } else {
      Outline o;
      outline(p, segment_is_a ? false : true, o);
      for (int k = 0; k < o.count; ++k) {
        const int l = k + 1 < o.count ? k + 1 : 0;
        const double eu = o.u[l] - o.u[k], ev = o.v[l] - o.v[k], e = sqrt(eu * eu + ev * ev);
        if (!(e > 0)) continue;
        const double s0 = (eu * (sv - o.v[k]) - ev * (su - o.u[k])) / e + tolerance;
        const double s1 = s0 + (eu * dv - ev * du) / e;
        if (s0 < 0 && s1 < 0) return;
        const std::int64_t id = feature_id(ShapeFeature::kEdge, static_cast<int>(o.id[k] >> 28),
                                           static_cast<int>(o.id[l] >> 28 & 0xfffffff));
        if (s0 < 0 && s0 / (s0 - s1) > lo) lo = s0 / (s0 - s1), id_lo = id;
        if (s1 < 0 && s0 / (s0 - s1) < hi) hi = s0 / (s0 - s1), id_hi = id;
      }
    }
    if (hi < lo) return;
    const double z0 = dot(f_.n, s.x[0]), dz = dot(f_.n, s.x[1]) - z0;
    const bool point = (hi - lo) * length < 1e-7 * extent_;
    for (int k = 0; k < (point ? 1 : 2); ++k) {
      const double t = k ? hi : lo;
      const double pu = su + t * du, pv = sv + t * dv, zs = z0 + t * dz, zp = height(p, pu, pv);
      const std::int64_t is = t <= 0 ? s.id[0] : (t >= 1 ? s.id[1] : s.face);
      const std::int64_t ip = k ? id_hi : id_lo;
      if (segment_is_a)
        corner(pu, pv, zs, zp, is, ip, 0.5);
      else
        corner(pu, pv, zp, zs, ip, is, 0.5);
    }
  }

  // Share of the witness where the samples miss its gap by so much [m]: most of it from a hundredth
  // of the room below the margin on.
  double part_of_miss(double miss, double room) const {
    return miss > 0 ? miss / (miss + 0.01 * room + 1e-12 * extent_) : 0;
  }

  // Two lines side by side: the ends of their overlap, and the witness as far as they cross.
  void segments() {
    const Vec3d da = a_.x[1] - a_.x[0], db = b_.x[1] - b_.x[0];
    const double au = u(da), av = v(da), bu = u(db), bv = v(db);
    const double la = sqrt(au * au + av * av), lb = sqrt(bu * bu + bv * bv);
    const double tiny = 1e-9 * extent_;
    if (la < tiny || lb < tiny) return;
    const double sine = (au * bv - av * bu) / (la * lb);
    if (vabs(sine) > 1e-3) {
      // Where they cross, which a walk over the curved surface finds less sharply.
      const double du = u(b_.x[0]) - u(a_.x[0]), dv = v(b_.x[0]) - v(a_.x[0]);
      const double s = (du * bv - dv * bu) / (sine * la * lb);
      const double t = (du * av - dv * au) / (sine * la * lb);
      if (s >= 0 && s <= 1 && t >= 0 && t <= 1) {
        w_.a = a_.x[0] + da * s;
        w_.b = w_.a - f_.n * w_.distance;
        w_.feature_a = a_.face, w_.feature_b = b_.face;
      }
    }
    if (vabs(sine) > kSideBySide) return;
    const double eu = au / la, ev = av / la;
    const auto along = [&](const Vec3d& x) { return eu * u(x) + ev * v(x); };
    const double sa = along(a_.x[0]), sb0 = along(b_.x[0]), sb1 = along(b_.x[1]);
    const bool b_lo_first = sb0 < sb1;
    const double b_lo = b_lo_first ? sb0 : sb1, b_hi = b_lo_first ? sb1 : sb0;
    const double lo = vmax(sa, b_lo), hi = vmin(sa + la, b_hi);
    if (hi - lo < 1e-7 * extent_) return;
    double gap[2], end[2] = {lo, hi};
    Corner c[2];
    for (int k = 0; k < 2; ++k) {
      const double ta = (end[k] - sa) / la, tb = (end[k] - sb0) / (sb1 - sb0);
      const Vec3d xa = a_.x[0] + da * ta, xb = b_.x[0] + db * tb;
      const double side = ev * (u(xa) - u(xb)) - eu * (v(xa) - v(xb));
      const double ra = a_.curvature_radius[0] * (1 - ta) + a_.curvature_radius[1] * ta;
      const double rb = b_.curvature_radius[0] * (1 - tb) + b_.curvature_radius[1] * tb;
      const double za = dot(f_.n, xa), zb = dot(f_.n, xb);
      // Round surfaces side by side: the gap grows with the square of the offset.
      const double round = ra + rb > 0 ? side * side / (2 * (ra + rb)) : 0;
      gap[k] = za - zb - pair_.radius() + round;
      const std::int64_t ia = ta <= 0 ? a_.id[0] : (ta >= 1 ? a_.id[1] : a_.face);
      const std::int64_t ib = tb <= 0 ? b_.id[0] : (tb >= 1 ? b_.id[1] : b_.face);
      c[k] = {u(xa), v(xa), gap[k], za, 0, ia, ib, 0, false};
    }
    const double s = clamp((along(w_.a) - lo) / (hi - lo), 0.0, 1.0);
    const double line = gap[0] + s * (gap[1] - gap[0]);
    const double room = pair_.margin - gap_;
    const double part = part_of_miss(line - gap_ - 1e-8 * extent_, room);
    witness_part_ = part < 1e-9 ? 0 : part;
    for (int k = 0; k < 2; ++k)
      if (gap[k] <= pair_.margin && part < 1) {
        c[k].weight = 0.5 * (1 - part);
        patch_.c[patch_.count++] = c[k];
      }
    if (patch_.count == 0) witness_part_ = 1;
  }

  // Shares fade to zero where a gap reaches the margin; then samples come and go without a jump.
  int finish() {
    whole_disc_ = whole_disc_ && patch_.count == 4 && max_points_ >= 4;
    if (whole_disc_) fill_disc(patch_, pair_.margin);
    const int most = whole_disc_ ? patch_.count + 1 : max_points_;
    double least = 1e300, sum = 0, weights = 0;
    for (int k = 0; k < patch_.count; ++k) {
      least = vmin(least, patch_.c[k].gap);
      weights += patch_.c[k].weight;
    }
    if (patch_.count > 0 && !(weights > 0))
      for (int k = 0; k < patch_.count; ++k) weights += patch_.c[k].weight = 1;
    // What the samples miss of the gap the witness makes up for.
    double part = flat_only_ ? 0 : witness_part_;
    if (part < 0) {
      const double miss = vmin(least, pair_.margin) - gap_;
      const double room = pair_.margin - gap_;
      part = patch_.count == 0 ? 1 : part_of_miss(miss - slack_ - 1e-8 * extent_, room);
      if (patch_.count > 0)
        for (int k = 0; k < patch_.count; ++k) patch_.c[k].weight *= (1 - part) / weights;
    }
    if (part > 0 && patch_.count >= most) {
      if (max_points_ > 1)
        thin(patch_, max_points_ - 1, 0);
      else
        patch_.count = 0, part = 1;
    }
    int count = 0;
    const double lowest = part > 0 ? vmin(gap_, least) : least;
    const double room = pair_.margin - lowest;
    const auto fade = [&](double gap) {
      return room > 0 ? clamp((pair_.margin - gap) / room, 0.0, 1.0) : 1.0;
    };
    if (part > 0) {
      ContactSample& s = out_[count++];
      s.n = f_.n;
      s.gap = gap_;
      s.p_a = w_.a - f_.n * pair_.core.a->radius;
      s.p_b = s.p_a - f_.n * gap_;
      s.feature_a = w_.feature_a, s.feature_b = w_.feature_b;
      s.area = 0;
      s.share = part;
      sum += part;
    }
    for (int k = 0; k < patch_.count && count < most; ++k) {
      const Corner& c = patch_.c[k];
      const double share = c.weight * fade(c.gap);
      if (!(share > 0) && room > 0) continue;
      ContactSample& s = out_[count++];
      s.n = f_.n;
      s.gap = c.gap;
      s.p_a = f_.t1 * c.u + f_.t2 * c.v + f_.n * (c.za - pair_.core.a->radius);
      s.p_b = s.p_a - f_.n * c.gap;
      s.feature_a = c.id_a, s.feature_b = c.id_b;
      s.share = share;
      sum += share;
    }
    for (int k = 0; k < count; ++k) {
      out_[k].share = sum > 0 ? out_[k].share / sum : 1.0 / count;
      out_[k].area = patch_.area * out_[k].share;
    }
    return count;
  }
};

}  // namespace

int manifold(const ShapePair& pair, const Witness& w, int max_points, ContactSample* out,
             bool flat_only) {
  if (w.distance - pair.radius() > pair.margin) return 0;
  const int n =
      max_points < 1 ? 1 : (max_points > kMaxContactSamples ? kMaxContactSamples : max_points);
  return Builder(pair, w, n, out, flat_only).run();
}

}  // namespace haptos::detail
