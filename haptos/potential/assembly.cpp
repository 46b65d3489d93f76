#include "haptos/potential/assembly.h"

#include <cassert>

namespace haptos {
namespace {

std::size_t at_index(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void Assembly::reset(std::shared_ptr<const BlockPattern> pattern) {
  matrix_ = BlockMatrix(std::move(pattern));
  missing_.clear();
}

void Assembly::begin(const Points& points, bool hessian, const std::vector<Vec3d>* driven_motion) {
  points_ = &points;
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

void Assembly::add_block_pair(int bi, int bj, const double* ji, int ci, const double* jj, int cj,
                              const Mat3d& h) {
  // K = Ji^T h Jj, with the identity where a Jacobian is absent; stored below the diagonal.
  double k[BlockPattern::kMaxBlockSize * BlockPattern::kMaxBlockSize];
  double hj[3 * BlockPattern::kMaxBlockSize];
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < cj; ++c) {
      double s = 0;
      if (jj) {
        for (int m = 0; m < 3; ++m) s = fma(h(r, m), jj[m * cj + c], s);
      } else {
        s = h(r, c);
      }
      hj[r * cj + c] = s;
    }
  for (int r = 0; r < ci; ++r)
    for (int c = 0; c < cj; ++c) {
      double s = 0;
      if (ji) {
        for (int m = 0; m < 3; ++m) s = fma(ji[m * ci + r], hj[m * cj + c], s);
      } else {
        s = hj[r * cj + c];
      }
      k[r * cj + c] = s;
    }
  const int e = bi >= bj ? matrix_.pattern().find(bi, bj) : matrix_.pattern().find(bj, bi);
  if (e < 0) {
    missing_.push_back({bi, bj});
    return;
  }
  double* out = matrix_.entry(e);
  if (bi >= bj) {
    for (int i = 0; i < ci * cj; ++i) out[i] += k[i];
  } else {
    for (int r = 0; r < ci; ++r)
      for (int c = 0; c < cj; ++c) out[c * ci + r] += k[r * cj + c];
  }
}

void Assembly::add_hessian(int p, int q, const Mat3d& h) {
  const Points& pts = *points_;
  const bool p_driven = pts.driven(p), q_driven = pts.driven(q);
  if (p_driven && q_driven) return;
  if (p_driven || q_driven) {
    if (!driven_motion_) return;
    const int free = p_driven ? q : p, moved = p_driven ? p : q;
    const Vec3d& du = (*driven_motion_)[at_index(moved)];
    const Mat3d block = p_driven ? transpose(h) : h;
    driven_point_rhs_[at_index(free)] += hessian_factor_ * (block * du);
    return;
  }
  const Mat3d scaled = hessian_factor_ * h;
  const int bp = pts.block(p), bq = pts.block(q);
  add_block_pair(bp, bq, pts.jacobian(p), pts.columns(p), pts.jacobian(q), pts.columns(q), scaled);
  // Two different points of one block: the block is on the diagonal and needs both halves.
  if (p != q && bp == bq)
    add_block_pair(bq, bp, pts.jacobian(q), pts.columns(q), pts.jacobian(p), pts.columns(p),
                   transpose(scaled));
}

void Assembly::add_hessian(const WeightedPoint& i, const WeightedPoint& j, const Mat3d& h,
                           bool diagonal) {
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

void Assembly::add_coordinate(int block, int dof, double gradient, double hessian) {
  const BlockPattern& pattern = matrix_.pattern();
  gradient_[at_index(pattern.offset(block) + dof)] += gradient_factor_ * gradient;
  if (hessian_) {
    const int n = pattern.size(block);
    matrix_.entry(pattern.diagonal(block))[dof * n + dof] += hessian_factor_ * hessian;
  }
}

void Assembly::add_block(int block, const double* gradient, const double* matrix) {
  const BlockPattern& pattern = matrix_.pattern();
  const int n = pattern.size(block), o = pattern.offset(block);
  for (int i = 0; i < n; ++i) gradient_[at_index(o + i)] += gradient[i];
  if (!hessian_) return;
  double* out = matrix_.entry(pattern.diagonal(block));
  for (int i = 0; i < n * n; ++i) out[i] += matrix[i];
}

void Assembly::finish() {
  const Points& pts = *points_;
  const BlockPattern& pattern = matrix_.pattern();
  auto pull_back = [&](const std::vector<Vec3d>& from, std::vector<double>& to) {
    for (int p = 0; p < pts.size(); ++p) {
      if (pts.driven(p)) continue;
      const Vec3d& g = from[at_index(p)];
      double* out = to.data() + pattern.offset(pts.block(p));
      if (const double* j = pts.jacobian(p)) {
        const int n = pts.columns(p);
        for (int c = 0; c < n; ++c)
          out[c] += fma(j[c], g[0], fma(j[n + c], g[1], j[2 * n + c] * g[2]));
      } else {
        for (int c = 0; c < 3; ++c) out[c] += g[c];
      }
    }
  };
  pull_back(point_gradient_, gradient_);
  if (hessian_ && driven_motion_) pull_back(driven_point_rhs_, driven_rhs_);
}

}  // namespace haptos
