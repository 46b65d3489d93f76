#include "haptos/contact/barrier/affine_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "haptos/base/clamp_positive.h"
#include "haptos/base/lanes.h"
#include "haptos/base/parallel.h"
#include "haptos/contact/barrier/barrier_law.h"

namespace haptos {
namespace {

constexpr int kLanes = 4;
constexpr int kGroups = 16;  // packs of pairs in a chunk
using Lane = Pack<double, kLanes>;
using Vec3l = Vec3<Lane>;

std::size_t at_index(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

// Pairs of one sort share a kernel.
enum Sort { kVertex, kEdge, kFace, kEdges, kMollified, kSorts };

Sort sort_of(const BarrierPair& p, const std::vector<Vec3d>& x) {
  if (p.kind != PairKind::kEdges)
    return p.target_count == 1 ? kVertex : p.target_count == 2 ? kEdge : kFace;
  const auto along = [&](const int* ends) { return x[at_index(ends[1])] - x[at_index(ends[0])]; };
  return squared_norm(cross(along(p.source.point), along(p.target))) < p.mollifier ? kMollified
                                                                                   : kEdges;
}

constexpr int point_count(Sort s) { return s == kVertex ? 2 : s == kEdge ? 3 : 4; }
constexpr int free_count(Sort s) { return s == kVertex ? 0 : s == kEdge ? 1 : 2; }
constexpr int most_columns(Sort s) { return 3 + free_count(s) + (s == kMollified ? 8 : 0); }

// The four components per point of a body that moves: its weights, or for a driven body the motion
// of the point, of which three are used.
using Weight = Vec<Lane, 4>;

// omega (x) n of an affine body; of a driven one the sum of products.
template <bool kDriven>
struct Side {
  static constexpr int kSize = kDriven ? 1 : 12;
  static void outer(const Weight& w, const Vec3l& n, Lane* out) {
    if constexpr (kDriven) {
      out[0] = fma(w[0], n[0], fma(w[1], n[1], w[2] * n[2]));
    } else {
      for (int a = 0; a < 4; ++a)
        for (int c = 0; c < 3; ++c) out[3 * a + c] = w[a] * n[c];
    }
  }
  static void add_outer(const Weight& w, const Vec3l& n, Lane* out) {
    if constexpr (kDriven) {
      out[0] = fma(w[0], n[0], fma(w[1], n[1], fma(w[2], n[2], out[0])));
    } else {
      for (int a = 0; a < 4; ++a)
        for (int c = 0; c < 3; ++c) out[3 * a + c] = fma(w[a], n[c], out[3 * a + c]);
    }
  }
};

// The unknowns of the pair: those of body A, then those of body B, or the driven motion of either.
template <bool kADriven, bool kBDriven>
struct Unknowns {
  using A = Side<kADriven>;
  using B = Side<kBDriven>;
  static constexpr int kSize = A::kSize + B::kSize;

  static void outer(const Weight (&w)[2], const Vec3l& n, Lane* out) {
    A::outer(w[0], n, out);
    B::outer(w[1], n, out + A::kSize);
  }
  static void add_outer(const Weight (&w)[2], const Vec3l& n, Lane* out) {
    A::add_outer(w[0], n, out);
    B::add_outer(w[1], n, out + A::kSize);
  }
};

// What a kernel reads of a pack of pairs.
struct Group {
  Vec3l x[4];
  Weight w[4];  // per point
  Lane gap, scale, threshold;
  int side[4];  // 0: body A, the soft surface's; 1: body B
};

// What it leaves: energy, and the derivative by each point.
struct GroupForce {
  Lane energy;
  Vec3l point[4];
};

// A sum over the points of each body.
void sum_sides(const Group& g, int points, const Lane* factor, Weight (&out)[2]) {
  out[0] = out[1] = Weight::zero();
  for (int i = 0; i < points; ++i)
    for (int a = 0; a < 4; ++a) out[g.side[i]][a] = fma(factor[i], g.w[i][a], out[g.side[i]][a]);
}

template <Sort kSort>
Stencil<Lane> stencil_of(const Group& g) {
  if constexpr (kSort == kVertex)
    return point_point_stencil(g.x[0], g.x[1]);
  else if constexpr (kSort == kEdge)
    return point_edge_stencil(g.x[0], g.x[1], g.x[2]);
  else if constexpr (kSort == kFace)
    return point_triangle_stencil(g.x[0], g.x[1], g.x[2], g.x[3]);
  else
    return edge_edge_stencil(g.x[0], g.x[1], g.x[2], g.x[3]);
}

// Columns (u, v): the Hessian is the sum of u v^T + v u^T.
template <class U>
struct Columns {
  Lane* next;  // u then v, U::kSize each
  Lane* u() { return next; }
  Lane* v() { return next + U::kSize; }
  void done() { next += 2 * U::kSize; }
};

// A unit vector normal to the unit vector n, and a third normal to both.
void tangents(const Vec3l& n, Vec3l& t, Vec3l& s) {
  const Lane one(1), zero(0);
  const Lane sign = select(n[2] < zero, Lane(-1), one);
  const Lane a = Lane(-1) / (sign + n[2]), b = n[0] * n[1] * a;
  t = {{one + sign * n[0] * n[0] * a, sign * b, -sign * n[0]}};
  s = {{b, sign + n[1] * n[1] * a, -n[1]}};
}

// The columns of (omega (x) t)(omega (x) t)^T first / d for every direction t normal to n along
// which neither feature extends: none for face and interior pairs, one for an edge, two for
// vertices.
template <class U>
void bent_columns(const Group& g, const Stencil<Lane>& s, const Weight (&omega)[2], Lane first,
                  Columns<U>& c) {
  const Lane zero(0), one(1);
  Vec3l e[2];
  Lane length[2];
  for (int k = 0; k < 2; ++k) {
    e[k] = Vec3l::zero();
    for (int i = 0; i < 4; ++i) e[k] += (g.x[i] - g.x[0]) * s.dw(i, k);
    length[k] = squared_norm(e[k]);
  }
  const Mask<Lane> free0 = length[0] > zero, free1 = length[1] > zero;
  const Mask<Lane> bends = !(free0 & free1) & (s.d > zero);
  if (!any(bends)) return;
  const Mask<Lane> none = bends & !(free0 | free1);
  const Lane k = first * Lane(0.5) / select(bends, s.d, one);
  const Vec3l et = cross(detail::select3(free0, e[0], e[1]), s.n);
  Vec3l t[2];
  tangents(s.n, t[0], t[1]);
  t[0] = detail::select3(none, t[0], et * detail::inverse_norm(et));
  const Mask<Lane> when[2] = {bends, none};
  for (int i = 0; i < 2; ++i) {
    if (!any(when[i])) return;
    U::outer(omega, t[i] * select(when[i], k, zero), c.u());
    U::outer(omega, t[i], c.v());
    c.done();
  }
}

// The mollifier m(c), c = |e1 x e2|^2, of energy k m B(d): its part of the columns, and of the
// derivative by the points. gamma is grad d.
template <class U>
void mollified_columns(const Group& g, const MollifierValue<Lane>& f, const Vec3l (&y)[2],
                       const BarrierValue<Lane>& b, const Lane* gamma, Columns<U>& c) {
  const Lane one(1), zero(0);
  const Vec3l &e1 = y[0], &e2 = y[1];
  const Lane first[4] = {-one, one, zero, zero}, second[4] = {zero, zero, -one, one};
  Weight beta1[2], beta2[2];
  sum_sides(g, 4, first, beta1);
  sum_sides(g, 4, second, beta2);
  const Vec3l cr = cross(e1, e2);
  const Vec3l g1 = cross(e2, cr) * Lane(2), g2 = cross(cr, e1) * Lane(2);  // of c by e1 and by e2
  Lane gradient[U::kSize];
  U::outer(beta1, g1, gradient);
  U::add_outer(beta2, g2, gradient);
  // Mixed: B' (grad m grad d^T + its transpose); then B m'' grad c grad c^T.
  const Lane mixed = g.scale * b.first * f.m1, curved = g.scale * b.value * f.m2 * Lane(0.5);
  for (int i = 0; i < U::kSize; ++i) {
    c.u()[i] = mixed * gradient[i];
    c.v()[i] = gamma[i];
  }
  c.done();
  for (int i = 0; i < U::kSize; ++i) {
    c.u()[i] = curved * gradient[i];
    c.v()[i] = gradient[i];
  }
  c.done();
  // B m' hess c, of c = |y|^2 with y = e1 x e2: 2 |dy|^2 + 4 y . (de1 x de2).
  const Lane slope = g.scale * b.value * f.m1;
  for (int k = 0; k < 3; ++k) {
    Vec3l axis = Vec3l::zero();
    axis[k] = one;
    Lane dy[U::kSize];
    U::outer(beta1, cross(e2, axis), dy);
    U::add_outer(beta2, cross(axis, e1), dy);
    for (int i = 0; i < U::kSize; ++i) {
      c.u()[i] = slope * dy[i];
      c.v()[i] = dy[i];
    }
    c.done();
    U::outer(beta1, axis * (slope * Lane(2)), c.u());
    U::outer(beta2, cross(cr, axis), c.v());
    c.done();
  }
}

template <Sort kSort, class U, bool kHessian>
void kernel(const Group& g, Lane support, GroupForce& out, Columns<U>& c) {
  constexpr int kPoints = point_count(kSort);
  const Stencil<Lane> s = stencil_of<kSort>(g);
  const BarrierValue<Lane> b = barrier(g.gap, support);
  MollifierValue<Lane> f{Lane(0), Lane(1), Lane(0), Lane(0)};
  if constexpr (kSort == kMollified)
    f = edge_edge_mollifier(g.x[0], g.x[1], g.x[2], g.x[3], g.threshold);
  const Lane first = g.scale * f.m * b.first, second = g.scale * f.m * b.second;
  out.energy = g.scale * f.m * b.value;
  for (int i = 0; i < 4; ++i) out.point[i] = s.n * (s.w[i] * first);
  const Vec3l e[2] = {g.x[1] - g.x[0], g.x[3] - g.x[2]};
  if constexpr (kSort == kMollified) {
    const Vec3l cr = cross(e[0], e[1]);
    const Lane k = g.scale * b.value * f.m1 * Lane(2);
    const Vec3l g1 = cross(e[1], cr) * k, g2 = cross(cr, e[0]) * k;
    out.point[0] -= g1, out.point[1] += g1;
    out.point[2] -= g2, out.point[3] += g2;
  }
  if constexpr (!kHessian) return;

  Weight omega[2];
  sum_sides(g, kPoints, s.w.a, omega);
  Lane gamma[U::kSize];
  U::outer(omega, s.n, gamma);
  for (int i = 0; i < U::kSize; ++i) {
    c.u()[i] = second * Lane(0.5) * gamma[i];
    c.v()[i] = gamma[i];
  }
  c.done();
  const DistanceCurvature<Lane> k = distance_curvature(s, g.x[0], g.x[1], g.x[2], g.x[3]);
  constexpr int kFree = free_count(kSort);
  Weight alpha[2][2];
  for (int j = 0; j < kFree; ++j) {
    Lane dw[4];
    for (int i = 0; i < 4; ++i) dw[i] = s.dw(i, j);
    sum_sides(g, kPoints, dw, alpha[j]);
  }
  for (int j = 0; j < kFree; ++j) {
    Weight turned[2] = {Weight::zero(), Weight::zero()};
    for (int l = 0; l < kFree; ++l) {
      const Lane r = dot(k.r[j], k.r[l]) * s.d * Lane(0.5);
      for (int side = 0; side < 2; ++side) turned[side] += alpha[l][side] * r;
    }
    U::outer(alpha[j], s.n * -first, c.u());
    U::outer(omega, k.r[j], c.v());
    U::add_outer(turned, s.n, c.v());
    c.done();
  }
  bent_columns<U>(g, s, omega, first, c);
  if constexpr (kSort == kMollified) mollified_columns<U>(g, f, e, b, gamma, c);
}

// sum of u v^T over the columns, blocks of 4 x 3 in registers, all lanes added up.
template <int kSize>
void multiply(const Lane* columns, std::ptrdiff_t count, double* out) {
  constexpr int kRows = 4, kColumns = 3, kStride = 2 * kSize;
  for (int i0 = 0; i0 < kSize; i0 += kRows)
    for (int j0 = 0; j0 < kSize; j0 += kColumns) {
      const int rows = std::min(kRows, kSize - i0), cols = std::min(kColumns, kSize - j0);
      Lane sum[kRows][kColumns];
      for (auto& r : sum)
        for (Lane& s : r) s = Lane(0);
      if (rows == kRows && cols == kColumns) {
        for (std::ptrdiff_t k = 0; k < count; ++k) {
          const Lane *u = columns + k * kStride + i0, *v = columns + k * kStride + kSize + j0;
          for (int i = 0; i < kRows; ++i)
            for (int j = 0; j < kColumns; ++j) sum[i][j] = fma(u[i], v[j], sum[i][j]);
        }
      } else {
        for (std::ptrdiff_t k = 0; k < count; ++k) {
          const Lane *u = columns + k * kStride + i0, *v = columns + k * kStride + kSize + j0;
          for (int i = 0; i < rows; ++i)
            for (int j = 0; j < cols; ++j) sum[i][j] = fma(u[i], v[j], sum[i][j]);
        }
      }
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j) {
          double s = 0;
          for (int l = 0; l < kLanes; ++l) s += sum[i][j][l];
          out[(i0 + i) * kSize + j0 + j] += s;
        }
    }
}

// Pairs of one sort and direction, by number.
struct Batch {
  Sort sort;
  bool corner;
  std::vector<int> pairs;
};

class StiffPairs {
 public:
  StiffPairs(std::span<const BarrierPair> pairs, double support, const ContactSurface& soft,
             const ContactSurface& collider, const Points& points, Assembly* assembly, bool project)
      : pairs_(pairs),
        surface_{&soft, &collider},
        project_(project),
        support_(support),
        points_(points),
        assembly_(assembly),
        block_{points.block(soft.point[0]), points.block(collider.point[0])},
        driven_{soft.driven, collider.driven} {
    motion_ = assembly ? assembly->driven_motion() : nullptr;
    for (int s = 0; s < kSorts; ++s)
      for (int corner = 0; corner < 2; ++corner)
        batches_[at_index(2 * s + corner)] = {static_cast<Sort>(s), corner == 1, {}};
    for (std::size_t i = 0; i < pairs.size(); ++i)
      batches_[at_index(2 * sort_of(pairs[i], points.x) + (pairs[i].kind == PairKind::kCorner))]
          .pairs.push_back(static_cast<int>(i));
  }

  Energy run() {
    if (driven_[0]) return run_with<Unknowns<true, false>>();
    if (driven_[1]) return run_with<Unknowns<false, true>>();
    return run_with<Unknowns<false, false>>();
  }

 private:
  template <class U>
  Energy run_with() {
    Energy total;
    std::vector<double> hessian(U::kSize * U::kSize, 0.0);
    for (const Batch& b : batches_) {
      if (b.pairs.empty()) continue;
      switch (b.sort) {
        case kVertex:
          total += run_batch<kVertex, U>(b, hessian);
          break;
        case kEdge:
          total += run_batch<kEdge, U>(b, hessian);
          break;
        case kFace:
          total += run_batch<kFace, U>(b, hessian);
          break;
        case kEdges:
          total += run_batch<kEdges, U>(b, hessian);
          break;
        default:
          total += run_batch<kMollified, U>(b, hessian);
      }
    }
    if (assembly_ && assembly_->wants_hessian()) add_hessian<U>(hessian);
    return total;
  }

  template <Sort kSort, class U>
  Energy run_batch(const Batch& b, std::vector<double>& hessian) {
    const bool wanted = assembly_ && assembly_->wants_hessian();
    const auto groups = static_cast<std::ptrdiff_t>((b.pairs.size() + kLanes - 1) / kLanes);
    const std::ptrdiff_t chunks = (groups + kGroups - 1) / kGroups;
    force_.resize(at_index(groups));
    const std::size_t size = wanted ? U::kSize * U::kSize : 0;
    std::vector<double> part(at_index(chunks) * size, 0.0);
    for_each(
        chunks,
        [&](std::ptrdiff_t chunk) {
          Lane buffer[kGroups * most_columns(kSort) * 2 * U::kSize];
          Columns<U> columns{buffer};
          const std::ptrdiff_t end = std::min(groups, (chunk + 1) * kGroups);
          for (std::ptrdiff_t i = chunk * kGroups; i < end; ++i) {
            const Group g = gather<kSort>(b, i);
            if (wanted)
              kernel<kSort, U, true>(g, Lane(support_), force_[at_index(i)], columns);
            else
              kernel<kSort, U, false>(g, Lane(support_), force_[at_index(i)], columns);
          }
          if (wanted)
            multiply<U::kSize>(buffer, (columns.next - buffer) / (2 * U::kSize),
                               part.data() + at_index(chunk) * size);
        },
        1);
    for (std::ptrdiff_t chunk = 0; chunk < chunks && wanted; ++chunk)
      for (std::size_t i = 0; i < size; ++i) hessian[i] += part[at_index(chunk) * size + i];
    return scatter(b);
  }

  // Lanes beyond the last pair repeat it with no energy.
  template <Sort kSort>
  Group gather(const Batch& b, std::ptrdiff_t group) const {
    Group g;
    const int points = point_count(kSort);
    for (int k = 0; k < 4; ++k) g.side[k] = kSort >= kEdges ? k / 2 : (k == 0) == b.corner;
    for (int k = points; k < 4; ++k) {
      g.x[k] = Vec3l::zero();
      g.w[k] = Weight::zero();
    }
    const auto last = static_cast<std::ptrdiff_t>(b.pairs.size()) - 1;
    for (int l = 0; l < kLanes; ++l) {
      const std::ptrdiff_t i = std::min(group * kLanes + l, last);
      const BarrierPair& p = pairs_[at_index(b.pairs[at_index(i)])];
      g.gap.set(l, p.gap);
      g.scale.set(l, i == group * kLanes + l ? p.count * p.scale : 0.0);
      g.threshold.set(l, p.mollifier);
      for (int k = 0; k < points; ++k) set_point(p, k, kSort, l, g);
    }
    return g;
  }

  void set_point(const BarrierPair& p, int k, Sort sort, int lane, Group& g) const {
    const bool of_source = k < (sort >= kEdges ? 2 : 1);
    if (of_source && sort < kEdges && p.source.count > 1) {
      Vec3d x = Vec3d::zero();
      double w[4] = {0, 0, 0, 0};
      for (int i = 0; i < p.source.count; ++i) {
        double part[4];
        weights(p.source.point[i], g.side[k], part);
        for (int a = 0; a < 4; ++a) w[a] = fma(p.source.weight[i], part[a], w[a]);
      }
      x = at(points_.x, p.source);
      store(x, w, k, lane, g);
      return;
    }
    const int point = of_source ? p.source.point[k] : p.target[k - (sort >= kEdges ? 2 : 1)];
    double w[4];
    weights(point, g.side[k], w);
    store(points_.x[at_index(point)], w, k, lane, g);
  }

  void weights(int point, int side, double* w) const {
    if (!driven_[side]) {
      const double* from = points_.weights(point);
      for (int a = 0; a < 4; ++a) w[a] = from[a];
      return;
    }
    for (int a = 0; a < 4; ++a) w[a] = motion_ && a < 3 ? (*motion_)[at_index(point)][a] : 0.0;
  }

  static void store(const Vec3d& x, const double* w, int k, int lane, Group& g) {
    for (int c = 0; c < 3; ++c) g.x[k][c].set(lane, x[c]);
    for (int a = 0; a < 4; ++a) g.w[k][a].set(lane, w[a]);
  }

  // Energies and derivatives by points, pair by pair.
  Energy scatter(const Batch& b) {
    Energy total;
    for (std::size_t i = 0; i < b.pairs.size(); ++i) {
      const GroupForce& f = force_[i / kLanes];
      const int l = static_cast<int>(i % kLanes);
      total += {f.energy[l], std::abs(f.energy[l])};
      if (!assembly_) continue;
      const BarrierPair& p = pairs_[at_index(b.pairs[i])];
      const auto gradient = [&](int k) {
        return Vec3d{{f.point[k][0][l], f.point[k][1][l], f.point[k][2][l]}};
      };
      int k = 0;
      if (b.sort >= kEdges)
        for (; k < 2; ++k) assembly_->add_gradient(p.source.point[k], gradient(k));
      else
        assembly_->add_gradient(p.source, gradient(k++));
      for (int j = 0; j < p.target_count; ++j)
        assembly_->add_gradient(p.target[j], gradient(k + j));
    }
    return total;
  }

  template <class U>
  void add_hessian(std::vector<double>& h) {
    const int n = U::kSize, first = U::A::kSize;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) {
        const double s = h[at_index(i * n + j)] + h[at_index(j * n + i)];
        h[at_index(i * n + j)] = h[at_index(j * n + i)] = s;
      }
    if (project_) clamp<U>(h);
    const auto block = [&](int row, int column, int rows, int columns) {
      std::array<double, 144> out{};
      for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c)
          out[at_index(r * columns + c)] = h[at_index((row + r) * n + column + c)];
      return out;
    };
    const std::array<double, 12> none{};
    for (int side = 0; side < 2; ++side) {
      if (driven_[side]) continue;
      const int o = side * first;
      assembly_->add_coordinates(block_[side], none.data(), block(o, o, 12, 12).data());
      if (driven_[1 - side] && motion_)
        assembly_->add_driven_rhs(block_[side], block(o, side == 0 ? 12 : 0, 12, 1).data());
    }
    if (!driven_[0] && !driven_[1])
      assembly_->add_coupling(block_[1], block_[0], block(first, 0, 12, 12).data());
  }

  // Of the free bodies together: eigenvalues of a matrix in newtons per metre at the radii.
  template <class U>
  void clamp(std::vector<double>& h) const {
    Mat<double, 24, 24> m;
    double scale[24];
    int at[24], n = 0;
    for (int side = 0; side < 2; ++side) {
      if (driven_[side]) continue;
      const double r = radius(*surface_[side]);
      for (int i = 0; i < 12; ++i, ++n) {
        at[n] = side * U::A::kSize + i;
        scale[n] = i < 3 ? 1.0 : r;
      }
    }
    const auto entry = [&](int i, int j) -> double& {
      return h[at_index(at[i] * U::kSize + at[j])];
    };
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) m(i, j) = entry(i, j) / (scale[i] * scale[j]);
    if (positive(m, n)) return;
    clamp_positive_block(m, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) entry(i, j) = m(i, j) * (scale[i] * scale[j]);
  }

  // Whether the leading n x n block, singular with few contacts, has a Cholesky factor but for
  // round-off: far cheaper than its eigenvalues.
  static bool positive(Mat<double, 24, 24> m, int n) {
    double largest = 0;
    for (int i = 0; i < n; ++i) largest = std::max(largest, m(i, i));
    for (int i = 0; i < n; ++i) m(i, i) += 1e-11 * largest;
    for (int j = 0; j < n; ++j) {
      if (!(m(j, j) > 0)) return false;
      for (int i = j + 1; i < n; ++i) {
        const double l = m(i, j) / m(j, j);
        for (int k = j + 1; k <= i; ++k) m(i, k) = fma(-l, m(k, j), m(i, k));
      }
    }
    return true;
  }

  // Root mean square of the points' coordinates along an axis [m].
  double radius(const ContactSurface& s) const {
    double sum = 0;
    for (int p : s.point) {
      const double* w = points_.weights(p);
      sum += w[1] * w[1] + w[2] * w[2] + w[3] * w[3];
    }
    return sqrt(sum / (3 * static_cast<double>(s.point.size())));
  }

  std::span<const BarrierPair> pairs_;
  const ContactSurface* surface_[2];
  bool project_;
  double support_;
  const Points& points_;
  Assembly* assembly_;
  int block_[2];
  bool driven_[2];
  const std::vector<Vec3d>* motion_ = nullptr;
  std::array<Batch, 2 * kSorts> batches_;
  std::vector<GroupForce> force_;
};

bool affine(const ContactSurface& s, const Points& points) {
  return !s.point.empty() && std::all_of(s.point.begin(), s.point.end(), [&](int p) {
    return points.columns(p) == 12 && !points.jacobian(p) &&
           points.block(p) == points.block(s.point[0]);
  });
}

}  // namespace

bool both_stiff(const ContactSurface& soft, const ContactSurface& collider, const Points& points) {
  const bool a = affine(soft, points), b = affine(collider, points);
  return (a && b && points.block(soft.point[0]) != points.block(collider.point[0])) ||
         (a && collider.driven) || (b && soft.driven);
}

Energy evaluate_stiff_pairs(std::span<const BarrierPair> pairs, double support,
                            const ContactSurface& soft, const ContactSurface& collider,
                            const Points& points, Assembly* assembly, bool project) {
  if (pairs.empty()) return {};
  return StiffPairs(pairs, support, soft, collider, points, assembly, project).run();
}

}  // namespace haptos
