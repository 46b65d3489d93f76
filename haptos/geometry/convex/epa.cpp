// The expanding polytope: depth and direction of overlap (see gjk.h).
#include <algorithm>

#include "haptos/geometry/convex/gjk.h"
#include "haptos/geometry/query/closest.h"

namespace haptos::detail {
namespace {

constexpr int kMaxVertices = 200;
constexpr int kMaxFaces = 2 * kMaxVertices;
constexpr int kMaxEntries = 8 * kMaxVertices;

struct Face {
  int v[3];
  int next[3];  // neighbour across edge v[k] v[k+1]
  Vec3d n;      // outward unit normal
  double d;     // n . x on the face: its distance from the origin
  bool alive;
  int mark;
  int birth;  // how many were made before it
};

class Epa {
 public:
  Epa(const CorePair& pair, const MinkowskiPoint* simplex, int count) : pair_(pair) {
    scale_ = pair.a->extent + pair.b->extent + norm(pair.p);
    for (int i = 0; i < count; ++i) p_[i] = simplex[i];
    points_ = count;
    ha_ = simplex[0].vertex_a, hb_ = simplex[0].vertex_b;
  }

  Witness run() {
    if (!grow_to_tetrahedron()) return flat();
    // Smooth cores are left to Newton near the end.
    const double tolerance = (smooth() ? 1e-6 : curved() ? 1e-12 : 1e-14) * scale_;
    int best = -1;
    double best_height = 0;
    bool converged = false;
    Face best_face{};
    for (int iteration = 0;; ++iteration) {
      const int f = nearest();
      if (f < 0) break;
      const Face& face = faces_[f];
      const MinkowskiPoint m = minkowski(pair_, face.n, ha_, hb_);
      const double height = dot(face.n, m.w);
      if (best < 0 || height < best_height) best = f, best_height = height, best_face = face;
      if (height - face.d <= tolerance) {
        best_face = face, best_height = height, converged = true;
        break;
      }
      // Bounds meet: every direction is at least this deep.
      if (best_height - face.d <= tolerance) {
        converged = true;
        break;
      }
      if (points_ == kMaxVertices || !expand(f, m)) {
        converged = best_height - face.d <= 1e-9 * scale_;
        break;
      }
    }
    Witness out;
    if (best < 0) return flat();
    out.converged = converged;
    out.distance = -best_height;
    out.n = -best_face.n;
    const MinkowskiPoint s[3] = {p_[best_face.v[0]], p_[best_face.v[1]], p_[best_face.v[2]]};
    const auto r = closest_on_triangle(best_face.n * best_face.d, s[0].w, s[1].w, s[2].w);
    finish(pair_, s, r.beta.a, 3, out);
    if (curved()) polish(pair_, out);
    return out;
  }

 private:
  // Faces by distance, the nearest on top; those gone or replaced since are passed over.
  struct Entry {
    double d;
    int face, birth;
    bool operator<(const Entry& o) const { return d != o.d ? d > o.d : birth > o.birth; }
  };

  const CorePair& pair_;
  double scale_;
  MinkowskiPoint p_[kMaxVertices];
  Face faces_[kMaxFaces];
  int free_[kMaxFaces];
  Entry heap_[kMaxEntries];
  int points_ = 0, face_count_ = 0, frees_ = 0, stamp_ = 0;
  int entries_ = 0, births_ = 0;
  int ha_ = 0, hb_ = 0;

  static bool is_smooth(Core c) { return c == Core::kEllipsoid || c == Core::kPoint; }
  bool smooth() const { return is_smooth(pair_.a->core) && is_smooth(pair_.b->core); }
  bool curved() const { return is_curved(pair_.a->core) || is_curved(pair_.b->core); }

  int make(int a, int b, int c) {
    const int slot = frees_ > 0 ? free_[--frees_] : face_count_++;
    Face& f = faces_[slot];
    f.v[0] = a, f.v[1] = b, f.v[2] = c;
    f.alive = true, f.mark = 0;
    const Vec3d &x = p_[a].w, &y = p_[b].w, &z = p_[c].w;
    const Vec3d e = y - x, g = z - x, h = z - y;
    const Vec3d m = cross(e, g);
    const double area2 = squared_norm(m);
    const double ee = squared_norm(e), gg = squared_norm(g), hh = squared_norm(h);
    if (area2 > 1e-22 * vmax(vmax(ee * gg, ee * hh), gg * hh) && area2 > 0) {
      f.n = m * (1 / sqrt(area2));
      f.d = (dot(f.n, x) + dot(f.n, y) + dot(f.n, z)) / 3;
      f.birth = births_++;
      if (entries_ < kMaxEntries) {
        heap_[entries_++] = {f.d, slot, f.birth};
        std::push_heap(heap_, heap_ + entries_);
      }
    } else {
      f.n = Vec3d::zero();  // a sliver faces nowhere: never nearest, never seen
      f.d = 1e300;
      f.birth = births_++;
    }
    return slot;
  }

  int nearest() {
    while (entries_ > 0) {
      const Entry& e = heap_[0];
      if (faces_[e.face].alive && faces_[e.face].birth == e.birth) return e.face;
      std::pop_heap(heap_, heap_ + entries_--);
    }
    return -1;
  }

  // Adds to the simplex until it is a tetrahedron with a volume; false when the difference is flat.
  bool grow_to_tetrahedron() {
    const double tiny = 1e-9 * scale_;
    if (points_ == 4) {
      const Vec3d m = cross(p_[1].w - p_[0].w, p_[2].w - p_[0].w);
      if (!(vabs(dot(m, p_[3].w - p_[0].w)) > tiny * norm(m))) points_ = 3;
    }
    if (points_ == 3) {
      const Vec3d e = p_[1].w - p_[0].w, g = p_[2].w - p_[0].w;
      if (!(norm(cross(e, g)) > tiny * vmax(norm(e), norm(g)))) {
        if (squared_norm(g) > squared_norm(e)) p_[1] = p_[2];
        points_ = 2;
      }
    }
    if (points_ == 2 && !(norm(p_[1].w - p_[0].w) > tiny)) points_ = 1;
    if (points_ == 1) {
      for (int k = 0; k < 6 && points_ == 1; ++k) {
        Vec3d d = Vec3d::zero();
        d[k / 2] = k % 2 ? -1 : 1;
        p_[1] = minkowski(pair_, d, ha_, hb_);
        if (norm(p_[1].w - p_[0].w) > tiny) points_ = 2;
      }
      if (points_ == 1) return false;
    }
    if (points_ == 2) {
      const Vec3d e = normalized(p_[1].w - p_[0].w);
      int k = 0;
      for (int i = 1; i < 3; ++i)
        if (vabs(e[i]) < vabs(e[k])) k = i;
      Vec3d axis = Vec3d::zero();
      axis[k] = 1;
      const Vec3d u = normalized(cross(e, axis)), v = cross(e, u);
      const Vec3d d[6] = {u, -u, v, -v, u + v, -u - v};
      double best = tiny;
      for (const Vec3d& x : d) {
        const MinkowskiPoint m = minkowski(pair_, x, ha_, hb_);
        const double off = norm(cross(e, m.w - p_[0].w));
        if (off > best) best = off, p_[2] = m, points_ = 3;
      }
      if (points_ == 2) return false;
    }
    if (points_ == 3) {
      const Vec3d m = normalized(cross(p_[1].w - p_[0].w, p_[2].w - p_[0].w));
      double best = tiny;
      for (const double sign : {1.0, -1.0}) {
        const MinkowskiPoint q = minkowski(pair_, m * sign, ha_, hb_);
        const double off = vabs(dot(m, q.w - p_[0].w));
        if (off > best) best = off, p_[3] = q, points_ = 4;
      }
      if (points_ == 3) return false;
    }
    const Vec3d m = cross(p_[1].w - p_[0].w, p_[2].w - p_[0].w);
    if (dot(m, p_[3].w - p_[0].w) > 0) {
      const MinkowskiPoint t = p_[1];
      p_[1] = p_[2], p_[2] = t;
    }
    // Point 3 lies below triangle 0 1 2.
    make(0, 1, 2), make(0, 3, 1), make(1, 3, 2), make(2, 3, 0);
    constexpr int kNext[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    for (int f = 0; f < 4; ++f)
      for (int s = 0; s < 3; ++s) faces_[f].next[s] = kNext[f][s];
    return true;
  }

  // Puts the point into the polytope; false when there is no room or round-off gets in the way.
  bool expand(int seen, const MinkowskiPoint& m) {
    for (int i = 0; i < points_; ++i)
      if (squared_norm(p_[i].w - m.w) == 0) return false;
    const double doubt = 1e-15 * scale_;
    ++stamp_;
    int stack[kMaxFaces], visible[kMaxFaces];
    int top = 0, count = 0;
    stack[top++] = seen;
    faces_[seen].mark = stamp_;
    while (top > 0) {
      const int f = stack[--top];
      visible[count++] = f;
      for (int s = 0; s < 3; ++s) {
        Face& g = faces_[faces_[f].next[s]];
        if (g.mark == stamp_ || !(dot(g.n, m.w) - g.d > doubt)) continue;
        g.mark = stamp_;
        stack[top++] = faces_[f].next[s];
      }
    }
    struct Rim {
      int a, b, beyond;
    };
    Rim rim[kMaxFaces];
    int from[kMaxVertices], rims = 0;
    for (int i = 0; i < points_; ++i) from[i] = -1;
    for (int k = 0; k < count; ++k)
      for (int s = 0; s < 3; ++s) {
        const Face& f = faces_[visible[k]];
        if (faces_[f.next[s]].mark == stamp_) continue;
        if (rims == kMaxFaces) return false;
        rim[rims++] = {f.v[s], f.v[s < 2 ? s + 1 : 0], f.next[s]};
      }
    if (face_count_ - frees_ - count + rims > kMaxFaces) return false;
    for (int k = 0; k < count; ++k) {
      faces_[visible[k]].alive = false;
      free_[frees_++] = visible[k];
    }
    const int v = points_;
    p_[points_++] = m;
    for (int k = 0; k < rims; ++k) {
      const Rim& r = rim[k];
      if (from[r.a] >= 0) return false;  // the rim is no simple loop
      const int f = make(r.a, r.b, v);
      from[r.a] = f;
      faces_[f].next[0] = r.beyond;
      for (int e = 0; e < 3; ++e)
        if (faces_[r.beyond].v[e] == r.b && faces_[r.beyond].v[e < 2 ? e + 1 : 0] == r.a)
          faces_[r.beyond].next[e] = f;
    }
    for (int k = 0; k < rims; ++k) {
      const int f = from[rim[k].a], after = from[rim[k].b];
      if (after < 0) return false;
      faces_[f].next[1] = after;
      faces_[after].next[2] = f;
    }
    return true;
  }

  // The difference has no volume (both cores are thin and in one plane): no depth is needed.
  Witness flat() {
    Witness out;
    out.distance = 0;
    Vec3d n{{0, 0, 1}};
    if (points_ >= 3) {
      n = cross(p_[1].w - p_[0].w, p_[2].w - p_[0].w);
    } else if (points_ == 2) {
      const Vec3d e = p_[1].w - p_[0].w;
      n = vabs(e[0]) < vabs(e[1]) ? Vec3d{{0, -e[2], e[1]}} : Vec3d{{e[2], 0, -e[0]}};
    }
    const double length = norm(n);
    if (length > 0) out.n = n * (1 / length);
    const double weight[1] = {1};
    finish(pair_, p_, weight, 1, out);
    return out;
  }
};

}  // namespace

Witness penetration(const CorePair& pair, const MinkowskiPoint* simplex, int count) {
  return Epa(pair, simplex, count).run();
}

}  // namespace haptos::detail
