// Kernels at one point of an element: parts of energy, stress and tangent that the laws share; each
// law puts them together in bodies/elastic/elastic_point.h.
//
// F = sum_a x_a g_a^T with the rest gradients g_a of the element's nodes. For the energy
// mu/2 (tr F^T F - 3) + w(J), with k = w'(J) + p, where p = U'(Jbar) is the element's pressure
// (frozen here; its own derivative is rank one over the element and is added there), per unit
// volume:
//
//   P    = mu F + k cof F                                nodal gradient  P g_a
//   H_ab = mu (g_a . g_b) I + w'' c_a c_b^T - k skew(F (g_a x g_b)),   c_a = cof(F) g_a
//
// H is exact; it may be indefinite. The projected tangent works in the principal frame F = U S V^T,
// where it falls apart into three pairs mu -+ k s_i (twist and flip) and a 3 x 3 stretch matrix,
// each clamped to be positive semi-definite (Smith, de Goes, Kim 2019).
#pragma once

#include "haptos/base/math/math.h"
#include "haptos/bodies/elastic/elastic_laws.h"

namespace haptos {

/// F - I.
template <class T>
HAPTOS_HD Mat3<T> less_identity(const Mat3<T>& F) {
  Mat3<T> d = F;
  for (int i = 0; i < 3; ++i) d(i, i) = F(i, i) - T(1);
  return d;
}

/// (|F|^2 - 3) / 2 through F - I, so that small strains keep their digits.
template <class T>
HAPTOS_HD T half_norm_excess(const Mat3<T>& F) {
  const Mat3<T> d = less_identity(F);
  return T(0.5) * inner(d, d) + trace(d);
}

/// What the exact tangent of one point needs for every pair of nodes.
template <class T>
struct ShearTangent {
  Mat3<T> F, cof;
  T mu, w2, k;

  HAPTOS_HD ShearTangent(const Mat3<T>& F_, T mu_, T w2_, T k_)
      : F(F_), cof(cofactor(F_)), mu(mu_), w2(w2_), k(k_) {}

  /// What a node with rest gradient g brings to its blocks.
  struct Node {
    Vec3<T> g, c;
  };
  HAPTOS_HD Node node(const Vec3<T>& g) const { return {g, cof * g}; }

  /// H_ab of two nodes.
  HAPTOS_HD Mat3<T> block(const Node& a, const Node& b) const {
    const Vec3<T>& ca = a.c;
    const Vec3<T> cb = b.c * w2;
    const Vec3<T> v = (F * cross(a.g, b.g)) * k;
    const T m = mu * dot(a.g, b.g);
    return {{fma(ca[0], cb[0], m), fma(ca[0], cb[1], v[2]), fma(ca[0], cb[2], -v[1]),
             fma(ca[1], cb[0], -v[2]), fma(ca[1], cb[1], m), fma(ca[1], cb[2], v[0]),
             fma(ca[2], cb[0], v[1]), fma(ca[2], cb[1], -v[0]), fma(ca[2], cb[2], m)}};
  }
};

/// Eigenvalues and eigenvectors (columns of q) of a symmetric 3 x 3 matrix by a fixed number of
/// cyclic Jacobi sweeps; no data branches. Accurate to a few units in the last place of |a|.
template <class T>
HAPTOS_HD void symmetric_eigen(Mat3<T> a, Vec3<T>& values, Mat3<T>& q) {
  q = Mat3<T>::identity();
  for (int sweep = 0; sweep < 6; ++sweep)
    for (int pair = 0; pair < 3; ++pair) {
      const int i = pair == 2 ? 1 : 0, j = pair == 0 ? 1 : 2;
      const T apq = a(i, j), d = a(j, j) - a(i, i);
      // t = tan of the angle that zeroes a(i, j); the smaller root.
      const T denominator = vabs(d) + sqrt(d * d + T(4) * apq * apq);
      const Mask<T> turn = denominator > T(0);
      const T safe = select(turn, denominator, T(1));
      const T t0 = T(2) * apq / safe;
      const T t = select(turn, select(d < T(0), -t0, t0), T(0));
      const T c = T(1) / sqrt(t * t + T(1)), s = t * c;
      for (int k = 0; k < 3; ++k) {
        const T x = a(k, i), y = a(k, j);
        a(k, i) = c * x - s * y;
        a(k, j) = s * x + c * y;
      }
      for (int k = 0; k < 3; ++k) {
        const T x = a(i, k), y = a(j, k);
        a(i, k) = c * x - s * y;
        a(j, k) = s * x + c * y;
      }
      for (int k = 0; k < 3; ++k) {
        const T x = q(k, i), y = q(k, j);
        q(k, i) = c * x - s * y;
        q(k, j) = s * x + c * y;
      }
    }
  values = {{a(0, 0), a(1, 1), a(2, 2)}};
}

/// The symmetric matrix nearest to a among the positive semi-definite ones.
template <class T>
HAPTOS_HD Mat3<T> clamp_positive(const Mat3<T>& a) {
  Vec3<T> d;
  Mat3<T> q;
  symmetric_eigen(a, d, q);
  Mat3<T> r = Mat3<T>::zero();
  for (int k = 0; k < 3; ++k) {
    const Vec3<T> v = column(q, k);
    r += outer(v, v) * vmax(d[k], T(0));
  }
  return r;
}

/// Singular values and frames F = U diag(s) V^T for det F > 0, from the eigenvectors of F^T F.
template <class T>
HAPTOS_HD void svd(const Mat3<T>& F, Mat3<T>& U, Vec3<T>& s, Mat3<T>& V) {
  Vec3<T> d;
  symmetric_eigen(transpose(F) * F, d, V);
  const Mat3<T> FV = F * V;
  Vec3<T> u[3];
  for (int k = 0; k < 3; ++k) {
    u[k] = column(FV, k);
    s[k] = norm(u[k]);
    u[k] = u[k] * (T(1) / vmax(s[k], T(1e-30)));
  }
  U = columns(u[0], u[1], u[2]);
}

/// (x, y) turned into (c x - s y, s x + c y).
template <class T>
HAPTOS_HD void turn_pair(Vec3<T>& x, Vec3<T>& y, T c, T s) {
  const Vec3<T> old = x;
  x = old * c - y * s;
  y = old * s + y * c;
}

/// Rotations U, V and signed values, F = U diag(s) V^T with s0 >= s1 >= |s2| and the sign of det F
/// on s2, for any F: one-sided Jacobi on the columns of F, so small values keep their digits. The
/// rotation of the polar decomposition is U V^T; it is smooth where s1 + s2 > 0.
template <class T>
HAPTOS_HD void rotation_svd(const Mat3<T>& F, Mat3<T>& U, Vec3<T>& s, Mat3<T>& V) {
  const T o = T(0), l = T(1);
  Vec3<T> a[3] = {column(F, 0), column(F, 1), column(F, 2)};
  Vec3<T> v[3] = {{{l, o, o}}, {{o, l, o}}, {{o, o, l}}};
  for (int sweep = 0; sweep < 6; ++sweep)
    for (int pair = 0; pair < 3; ++pair) {
      const int i = pair == 2 ? 1 : 0, j = pair == 0 ? 1 : 2;
      const T g = dot(a[i], a[j]), d = dot(a[j], a[j]) - dot(a[i], a[i]);
      const T denominator = vabs(d) + sqrt(d * d + T(4) * g * g);
      const Mask<T> turn = denominator > o;
      const T t0 = T(2) * g / select(turn, denominator, l);
      const T t = select(turn, select(d < o, -t0, t0), o);
      const T cosine = l / sqrt(t * t + l), sine = t * cosine;
      turn_pair(a[i], a[j], cosine, sine);
      turn_pair(v[i], v[j], cosine, sine);
    }
  // The longest column first. (x, y) -> (y, -x) keeps V a rotation.
  for (int pass = 0; pass < 3; ++pass) {
    const int i = pass == 1 ? 1 : 0;
    const Mask<T> swap = dot(a[i], a[i]) < dot(a[i + 1], a[i + 1]);
    const T c = select(swap, o, l), s = select(swap, -l, o);
    turn_pair(a[i], a[i + 1], c, s);
    turn_pair(v[i], v[i + 1], c, s);
  }
  // U by orthogonalising the two longest; where F has lower rank, any completion.
  const T epsilon = T(std::numeric_limits<typename ScalarTraits<T>::Plain>::epsilon());
  s[0] = norm(a[0]);
  const Mask<T> some = s[0] > o;
  const T inverse0 = l / select(some, s[0], l);
  Vec3<T> u0 = a[0] * inverse0;
  u0[0] = select(some, u0[0], l);
  Vec3<T> second = a[1] - u0 * dot(u0, a[1]);
  const T length = norm(second);
  const Mask<T> plane = length > epsilon * s[0];
  const Mask<T> along_x = vabs(u0[0]) > T(0.6);
  const Vec3<T> other = cross(u0, Vec3<T>{{select(along_x, o, l), select(along_x, l, o), o}});
  for (int k = 0; k < 3; ++k) second[k] = select(plane, second[k], other[k]);
  const Vec3<T> u1 = second * (l / norm(second));
  const Vec3<T> u2 = cross(u0, u1);
  s[1] = dot(u1, a[1]);
  s[2] = dot(u2, a[2]);
  U = columns(u0, u1, u2);
  V = columns(v[0], v[1], v[2]);
}

/// A tangent of an isotropic law in the principal frame F = U diag(s) V^T. With psi(s):
///   stretch_ij = d2 psi / ds_i ds_j            couples dF_ii and dF_jj
///   even_m     = (psi_i - psi_j) / (s_i - s_j) of the symmetric part of (dF_ij, dF_ji), m the
///   third odd_m      = (psi_i + psi_j) / (s_i + s_j) of the antisymmetric part
template <class T>
struct PrincipalTangent {
  Mat3<T> U, V, stretch;
  T sum[3], difference[3];  // of the pairs' eigenvalues, halved, by the third axis

  HAPTOS_HD void set_pair(int m, T even, T odd) {
    sum[m] = T(0.5) * (even + odd);
    difference[m] = T(0.5) * (even - odd);
  }
  HAPTOS_HD void set_clamped_pair(int m, T even, T odd) {
    set_pair(m, vmax(even, T(0)), vmax(odd, T(0)));
  }

  using Node = Vec3<T>;  // the node's gradient in the principal frame
  HAPTOS_HD Node node(const Vec3<T>& g) const { return transpose(V) * g; }

  HAPTOS_HD Mat3<T> block(const Node& a, const Node& b) const {
    Mat3<T> h;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        T v = stretch(i, j) * a[i] * b[j];
        if (i == j) {
          for (int l = 0; l < 3; ++l)
            if (l != i) v = fma(sum[3 - i - l], a[l] * b[l], v);
        } else {
          v = fma(difference[3 - i - j], a[j] * b[i], v);
        }
        h(i, j) = v;
      }
    return U * h * transpose(U);
  }
};

/// As ShearTangent, clamped to be positive semi-definite as a form on F.
template <class T>
struct ProjectedTangent : PrincipalTangent<T> {
  HAPTOS_HD ProjectedTangent(const Mat3<T>& F, T mu, T w2, T k) {
    Vec3<T> s;
    svd(F, this->U, s, this->V);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const T gi = s[(i + 1) % 3] * s[(i + 2) % 3], gj = s[(j + 1) % 3] * s[(j + 2) % 3];
        this->stretch(i, j) = w2 * gi * gj + (i == j ? mu : k * s[3 - i - j]);
      }
    this->stretch = clamp_positive(this->stretch);
    for (int m = 0; m < 3; ++m) this->set_clamped_pair(m, mu - k * s[m], mu + k * s[m]);
  }
};

}  // namespace haptos
