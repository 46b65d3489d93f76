// Kernels at one point of an element: energy, forces and tangent of the shear part of a law.
//
// F = sum_a x_a g_a^T with the rest gradients g_a of the element's nodes. With k = w'(J) + p, where
// p = U'(Jbar) is the element's pressure (frozen here; its own derivative is rank one over the
// element and is added there), per unit volume:
//
//   P    = mu F + k cof F                                nodal gradient  P g_a
//   H_ab = mu (g_a . g_b) I + w'' c_a c_b^T - k skew(F (g_a x g_b)),   c_a = cof(F) g_a
//
// H is exact; it may be indefinite. The projected tangent works in the principal frame F = U S V^T,
// where it falls apart into three pairs mu -+ k s_i (twist and flip) and a 3 x 3 stretch matrix,
// each clamped to be positive semi-definite (Smith, de Goes, Kim 2019).
#pragma once

#include "haptos/base/math.h"
#include "haptos/dynamics/elastic_laws.h"

namespace haptos {

/// Shear part mu/2 (tr F^T F - 3) + w(J), and J.
template <class Law, class T>
HAPTOS_HD T shear_energy(const Mat3<T>& F, T mu, T J) {
  // |F|^2 - 3 through F - I, so that small strains keep their digits.
  Mat3<T> d = F;
  for (int i = 0; i < 3; ++i) d(i, i) = F(i, i) - T(1);
  return mu * (T(0.5) * inner(d, d) + trace(d)) + Law::template shear_volume<T>(mu, J).value;
}

/// What the exact tangent of one point needs for every pair of nodes.
template <class T>
struct ShearTangent {
  Mat3<T> F, cof;
  T mu, w2, k;

  HAPTOS_HD ShearTangent(const Mat3<T>& F_, T mu_, T w2_, T k_)
      : F(F_), cof(cofactor(F_)), mu(mu_), w2(w2_), k(k_) {}

  /// H_ab of nodes with gradients ga and gb.
  HAPTOS_HD Mat3<T> block(const Vec3<T>& ga, const Vec3<T>& gb) const {
    const Vec3<T> ca = cof * ga, cb = (cof * gb) * w2;
    const Vec3<T> v = (F * cross(ga, gb)) * k;
    const T m = mu * dot(ga, gb);
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

/// Singular values and frames F = U diag(s) V^T for det F > 0.
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

/// As ShearTangent, clamped to be positive semi-definite as a form on F.
template <class T>
struct ProjectedTangent {
  Mat3<T> U, V, stretch;
  T sum[3], difference[3];  // of the clamped pair eigenvalues, halved, by the third axis

  HAPTOS_HD ProjectedTangent(const Mat3<T>& F, T mu, T w2, T k) {
    Vec3<T> s;
    svd(F, U, s, V);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const T gi = s[(i + 1) % 3] * s[(i + 2) % 3], gj = s[(j + 1) % 3] * s[(j + 2) % 3];
        stretch(i, j) = w2 * gi * gj + (i == j ? mu : k * s[3 - i - j]);
      }
    stretch = clamp_positive(stretch);
    for (int m = 0; m < 3; ++m) {
      // dF_ij and dF_ji couple by -k s_m: symmetric combination mu - k s_m, antisymmetric mu + k
      // s_m.
      const T even = vmax(mu - k * s[m], T(0)), odd = vmax(mu + k * s[m], T(0));
      sum[m] = T(0.5) * (even + odd);
      difference[m] = T(0.5) * (even - odd);
    }
  }

  HAPTOS_HD Mat3<T> block(const Vec3<T>& ga, const Vec3<T>& gb) const {
    const Vec3<T> a = transpose(V) * ga, b = transpose(V) * gb;
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

}  // namespace haptos
