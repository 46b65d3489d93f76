#include "haptos/system/assembly.h"

#include <algorithm>
#include <cassert>

#include "haptos/base/math/index.h"
#include "haptos/system/block_room.h"

namespace haptos {

using internal::add_dense;
using internal::kSmallBlock;
using internal::thread_room;

namespace {

// a^T h b of vectors of n and m entries.
double bilinear(const double* a, int n, const double* h, const double* b, int m) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    double row = 0;
    for (int j = 0; j < m; ++j) row = fma(h[i * m + j], b[j], row);
    s = fma(a[i], row, s);
  }
  return s;
}

// h J of a dense Jacobian of n columns, in `few` where it fits.
const double* product(const Mat3d& h, const double* j, int n, double (&few)[3 * kSmallBlock]) {
  double* hj = n <= kSmallBlock ? few : thread_room<0>(at_index(3 * n));
  std::fill_n(hj, 3 * n, 0.0);
  internal::add_product(h, j, n, hj);
  return hj;
}

// out += w (x) (h J) of m weights and a dense Jacobian of n columns; its transpose where the block
// is stored the other way round.
void add_mixed(const double* w, int m, const Mat3d& h, const double* j, int n, bool turned,
               double* out) {
  double few[3 * kSmallBlock];
  const double* hj = product(h, j, n, few);
  for (int a = 0; a < m; ++a)
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < n; ++c) {
        const int row = 3 * a + r;
        double& to = out[turned ? c * 3 * m + row : row * n + c];
        to = fma(w[a], hj[r * n + c], to);
      }
}

// out += (wi wj^T) (x) h of n and m weights, row-major; its transpose where the block is stored the
// other way round.
void add_weighted(const double* wi, int n, const Mat3d& h, const double* wj, int m, bool turned,
                  double* out) {
  if (turned) return add_weighted(wj, m, transpose(h), wi, n, false, out);
  double hw[3][12];
  for (int r = 0; r < 3; ++r)
    for (int b = 0; b < m; ++b)
      for (int c = 0; c < 3; ++c) hw[r][3 * b + c] = wj[b] * h(r, c);
  for (int a = 0; a < n; ++a)
    for (int r = 0; r < 3; ++r, out += 3 * m)
      for (int k = 0; k < 3 * m; ++k) out[k] = fma(wi[a], hw[r][k], out[k]);
}

}  // namespace

void Assembly::reset(std::shared_ptr<const BlockPattern> pattern) {
  matrix_ = BlockMatrix(std::move(pattern));
  missing_.clear();
}

void Assembly::begin_along(const Points& points, const std::vector<double>& dz,
                           const std::vector<Vec3d>& du) {
  points_ = &points;
  dz_ = &dz;
  du_ = &du;
  driven_motion_ = nullptr;
  hessian_ = true;
  slope_ = curvature_ = 0;
  missing_.clear();
}

void Assembly::begin(const Points& points, bool hessian, const std::vector<Vec3d>* driven_motion) {
  points_ = &points;
  dz_ = nullptr;
  du_ = nullptr;
  hessian_ = hessian;
  driven_motion_ = hessian && driven_motion && !driven_motion->empty() ? driven_motion : nullptr;
  const auto scalars = at_index(matrix_.pattern().scalar_count());
  gradient_.assign(scalars, 0.0);
  point_gradient_.assign(at_index(points.size()), Vec3d::zero());
  missing_.clear();
  if (hessian) {
    matrix_.set_zero();
    driven_rhs_.assign(scalars, 0.0);
    driven_point_rhs_.assign(at_index(points.size()), Vec3d::zero());
  }
}

// Of two blocks, stored below the diagonal; nullptr, and noted as missing, outside the pattern.
double* Assembly::entry_of(int i, int j) {
  const int e = i >= j ? matrix_.pattern().find(i, j) : matrix_.pattern().find(j, i);
  if (e < 0) missing_.push_back({i, j});
  return e < 0 ? nullptr : matrix_.entry(e);
}

// Adds Ji^T h Jj to the blocks of points p and q; stored below the diagonal.
void Assembly::add_block_pair(int p, int q, const Mat3d& h) {
  const Points& pts = *points_;
  const int bi = pts.block(p), bj = pts.block(q);
  const bool below = bi >= bj;
  double* out = entry_of(bi, bj);
  if (out == nullptr) return;
  const int ci = pts.columns(p), cj = pts.columns(q);
  const double *ji = pts.jacobian(p), *jj = pts.jacobian(q), *wi = pts.weights(p),
               *wj = pts.weights(q);
  if (ji && jj)
    return below ? add_dense(ji, ci, h, jj, cj, out) : add_dense(jj, cj, transpose(h), ji, ci, out);
  if (jj) return add_mixed(wi, ci / 3, h, jj, cj, !below, out);
  if (ji) return add_mixed(wj, cj / 3, transpose(h), ji, ci, below, out);
  add_weighted(wi, ci / 3, h, wj, cj / 3, !below, out);
}

void Assembly::add_hessian(int p, int q, const Mat3d& h) {
  const Points& pts = *points_;
  if (du_) {
    const double c = dot((*du_)[at_index(p)], h * (*du_)[at_index(q)]);
    curvature_ += hessian_factor_ * (p == q ? c : 2 * c);
    return;
  }
  if (pts.is_sum(p) || pts.is_sum(q)) return add_sum_pair(p, q, h);
  const bool p_driven = pts.driven(p), q_driven = pts.driven(q);
  if (p_driven && q_driven) return;
  if (driven_motion_) {
    const auto follow = [&](int moved, int free, const Mat3d& block) {
      if (!pts.driven(free) && pts.on_path(moved))
        driven_point_rhs_[at_index(free)] +=
            hessian_factor_ * (block * (*driven_motion_)[at_index(moved)]);
    };
    follow(q, p, h);
    if (p != q) follow(p, q, transpose(h));
  }
  if (p_driven || q_driven) return;
  const Mat3d scaled = hessian_factor_ * h;
  add_block_pair(p, q, scaled);
  // Two different points of one block: the block is on the diagonal and needs both halves.
  if (p != q && pts.block(p) == pts.block(q)) add_block_pair(q, p, transpose(scaled));
}

// Every part of one with every part of the other.
void Assembly::add_sum_pair(int p, int q, const Mat3d& h) {
  const Points& pts = *points_;
  const Points::Part own[2] = {{p, 1}, {q, 1}};
  const Points::Part* a = pts.is_sum(p) ? pts.parts(p) : &own[0];
  const Points::Part* b = pts.is_sum(q) ? pts.parts(q) : &own[1];
  const int n = pts.is_sum(p) ? pts.part_count(p) : 1;
  const int m = pts.is_sum(q) ? pts.part_count(q) : 1;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < (p == q ? i + 1 : m); ++j) {
      const Mat3d w = (a[i].weight * b[j].weight) * h;
      const bool twice = a[i].point == b[j].point && (p != q || i != j);
      add_hessian(a[i].point, b[j].point, twice ? w + transpose(w) : w);
    }
}

// The weights of a point on each block that moves it, so that one on an affine body is one piece.
// What is driven has none. -1 where a point is a sum or has a Jacobian.
int Assembly::pieces(const WeightedPoint& point, Piece (&out)[3]) const {
  const Points& pts = *points_;
  int n = 0;
  for (int i = 0; i < point.count; ++i) {
    const int p = point.point[i];
    if (pts.driven(p)) continue;
    if (pts.is_sum(p) || pts.jacobian(p)) return -1;
    int k = 0;
    while (k < n && out[k].block != pts.block(p)) ++k;
    const double* w = pts.weights(p);
    const int count = pts.columns(p) / 3;
    if (k == n) out[n++] = {pts.block(p), count, {0, 0, 0, 0}};
    for (int a = 0; a < count; ++a) out[k].weight[a] = fma(point.weight[i], w[a], out[k].weight[a]);
  }
  return n;
}

void Assembly::add_pieces(const Piece& i, const Piece& j, const Mat3d& h) {
  if (double* out = entry_of(i.block, j.block))
    add_weighted(i.weight, i.count, h, j.weight, j.count, i.block < j.block, out);
}

void Assembly::add_hessian(const WeightedPoint& i, const WeightedPoint& j, const Mat3d& h,
                           bool diagonal) {
  Piece own[3], other[3];
  const bool plain = !du_ && !driven_motion_;
  const int n = plain ? pieces(i, own) : -1, m = n < 0 ? -1 : diagonal ? n : pieces(j, other);
  if (m >= 0) {
    const Mat3d scaled = hessian_factor_ * h;
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < (diagonal ? a + 1 : m); ++b) {
        const Piece& to = diagonal ? own[b] : other[b];
        add_pieces(own[a], to, scaled);
        if (!diagonal && own[a].block == to.block) add_pieces(to, own[a], transpose(scaled));
      }
    return;
  }
  if (diagonal) {
    for (int a = 0; a < i.count; ++a)
      for (int b = 0; b <= a; ++b)
        add_hessian(i.point[a], i.point[b], (i.weight[a] * i.weight[b]) * h);
    return;
  }
  for (int a = 0; a < i.count; ++a)
    for (int b = 0; b < j.count; ++b) {
      const Mat3d w = (i.weight[a] * j.weight[b]) * h;
      if (i.point[a] == j.point[b])
        add_hessian(i.point[a], j.point[b], w + transpose(w));
      else
        add_hessian(i.point[a], j.point[b], w);
    }
}

void Assembly::add_coordinates(int block, const double* gradient, const double* hessian) {
  const BlockPattern& pattern = matrix_.pattern();
  const int n = pattern.size(block), o = pattern.offset(block);
  if (du_) {
    const double* d = direction(block);
    for (int i = 0; i < n; ++i) slope_ += gradient_factor_ * gradient[i] * d[i];
    if (hessian) curvature_ += hessian_factor_ * bilinear(d, n, hessian, d, n);
    return;
  }
  for (int i = 0; i < n; ++i) gradient_[at_index(o + i)] += gradient_factor_ * gradient[i];
  if (!hessian_ || !hessian) return;
  double* out = matrix_.entry(pattern.diagonal(block));
  for (int i = 0; i < n * n; ++i) out[i] += hessian_factor_ * hessian[i];
}

void Assembly::add_combination(int block, std::span<const int> dof, const double* weight,
                               double gradient, double hessian) {
  const BlockPattern& pattern = matrix_.pattern();
  const double g = gradient_factor_ * gradient, s = hessian_factor_ * hessian;
  if (du_) {
    double along = 0;
    for (std::size_t k = 0; k < dof.size(); ++k) along += weight[k] * direction(block)[dof[k]];
    slope_ += g * along;
    curvature_ += s * along * along;
    return;
  }
  double* first = gradient_.data() + pattern.offset(block);
  for (std::size_t k = 0; k < dof.size(); ++k) first[dof[k]] += g * weight[k];
  if (!hessian_) return;
  double* out = matrix_.entry(pattern.diagonal(block));
  for (std::size_t i = 0; i < dof.size(); ++i)
    for (std::size_t j = 0; j < dof.size(); ++j)
      out[dof[i] * pattern.size(block) + dof[j]] += s * weight[i] * weight[j];
}

void Assembly::add_coupling(int i, int j, const double* hessian) {
  const BlockPattern& pattern = matrix_.pattern();
  if (du_) {
    curvature_ += 2 * hessian_factor_ *
                  bilinear(direction(i), pattern.size(i), hessian, direction(j), pattern.size(j));
    return;
  }
  const bool below = i > j;
  double* out = entry_of(i, j);
  if (out == nullptr) return;
  const int rows = pattern.size(i), columns = pattern.size(j);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c)
      out[below ? r * columns + c : c * rows + r] += hessian_factor_ * hessian[r * columns + c];
}

void Assembly::add_coupling(const WeightedPoint& point, int block, const double* hessian) {
  const Points& pts = *points_;
  const int n = matrix_.pattern().size(block);
  const auto add = [&](int p, double weight) {
    if (driven_motion_ && pts.on_path(p)) {
      const Vec3d& way = (*driven_motion_)[at_index(p)];
      double* out = driven_rhs_.data() + matrix_.pattern().offset(block);
      for (int c = 0; c < n; ++c)
        out[c] += hessian_factor_ * weight *
                  (hessian[c] * way[0] + hessian[n + c] * way[1] + hessian[2 * n + c] * way[2]);
    }
    if (pts.driven(p)) return;
    const int rows = pts.columns(p);
    const double *j = pts.jacobian(p), *w = pts.weights(p);
    if (pts.block(p) == block && j && !du_) return add_within(block, j, weight, hessian);
    double* pulled = thread_room<1>(at_index(rows * n));
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < n; ++c)
        pulled[r * n + c] = weight * (j ? j[r] * hessian[c] + j[rows + r] * hessian[n + c] +
                                              j[2 * rows + r] * hessian[2 * n + c]
                                        : w[r / 3] * hessian[r % 3 * n + c]);
    add_coupling(pts.block(p), block, pulled);
  };
  for (int i = 0; i < point.count; ++i) {
    const int p = point.point[i];
    if (!pts.is_sum(p)) {
      add(p, point.weight[i]);
      continue;
    }
    for (int k = 0; k < pts.part_count(p); ++k)
      add(pts.parts(p)[k].point, point.weight[i] * pts.parts(p)[k].weight);
  }
}

// weight (J^T h + its transpose) where the block moves the point.
void Assembly::add_within(int block, const double* j, double weight, const double* h) {
  const int n = matrix_.pattern().size(block);
  double* out = matrix_.entry(matrix_.pattern().diagonal(block));
  const double f = hessian_factor_ * weight;
  for (int r = 0; r < n; ++r) {
    const double a = f * j[r], b = f * j[n + r], d = f * j[2 * n + r];
    if (a == 0 && b == 0 && d == 0) continue;
    for (int c = 0; c < n; ++c) {
      const double v = a * h[c] + b * h[n + c] + d * h[2 * n + c];
      out[r * n + c] += v;
      out[c * n + r] += v;
    }
  }
}

void Assembly::add_driven_rhs(int block, const double* change) {
  if (du_) return;
  const BlockPattern& pattern = matrix_.pattern();
  for (int i = 0; i < pattern.size(block); ++i)
    driven_rhs_[at_index(pattern.offset(block) + i)] += hessian_factor_ * change[i];
}

void Assembly::add_block(int block, const double* gradient, const double* matrix) {
  const BlockPattern& pattern = matrix_.pattern();
  const int n = pattern.size(block), o = pattern.offset(block);
  if (du_) {
    const double* d = direction(block);
    for (int i = 0; i < n; ++i) slope_ += gradient[i] * d[i];
    curvature_ += bilinear(d, n, matrix, d, n);
    return;
  }
  for (int i = 0; i < n; ++i) gradient_[at_index(o + i)] += gradient[i];
  if (!hessian_) return;
  double* out = matrix_.entry(pattern.diagonal(block));
  for (int i = 0; i < n * n; ++i) out[i] += matrix[i];
}

void Assembly::finish() {
  const Points& pts = *points_;
  const BlockPattern& pattern = matrix_.pattern();
  auto pull_back = [&](std::vector<Vec3d>& from, std::vector<double>& to) {
    for (int p = pts.permanent(); p < pts.size(); ++p) {
      if (!pts.is_sum(p)) continue;
      for (int k = 0; k < pts.part_count(p); ++k)
        from[at_index(pts.parts(p)[k].point)] += pts.parts(p)[k].weight * from[at_index(p)];
    }
    for (int p = 0; p < pts.size(); ++p) {
      if (pts.driven(p) || pts.is_sum(p)) continue;
      const Vec3d& g = from[at_index(p)];
      double* out = to.data() + pattern.offset(pts.block(p));
      if (const double* j = pts.jacobian(p)) {
        const int n = pts.columns(p);
        for (int c = 0; c < n; ++c)
          out[c] += fma(j[c], g[0], fma(j[n + c], g[1], j[2 * n + c] * g[2]));
      } else {
        const double* w = pts.weights(p);
        for (int k = 0; k < pts.columns(p) / 3; ++k)
          for (int c = 0; c < 3; ++c) out[3 * k + c] += w[k] * g[c];
      }
    }
  };
  pull_back(point_gradient_, gradient_);
  if (hessian_ && driven_motion_) pull_back(driven_point_rhs_, driven_rhs_);
}

}  // namespace haptos
