// Kernels of one linear tetrahedron: energy, forces and tangent of the shear part of a law.
//
// Shape: the columns of B (3 x 3) are the rest gradients of the shape functions of nodes 1 to 3,
// b_1 b_2 b_3; b_0 = -(b_1 + b_2 + b_3). F = sum_a x_a b_a^T. With rest volume V and k = w'(J) + p,
// where p = U'(J_patch) is the patch's pressure (frozen here, its own derivative is rank one over
// the patch and is added by the element):
//
//   P    = mu F + k cof F                                 nodal gradient  V P b_a
//   H_ab = V [ mu (b_a . b_b) I + w'' c_a c_b^T - k skew(F (b_a x b_b)) ],   c_a = cof(F) b_a
//
// H is exact; it may be indefinite. The projected tangent works in the principal frame F = U S V^T,
// where it falls apart into three pairs mu -+ k s_i (twist and flip) and a 3 x 3 stretch matrix,
// each clamped to be positive semi-definite (Smith, de Goes, Kim 2019).
#pragma once

#include "haptos/base/math.h"
#include "haptos/dynamics/elastic_laws.h"

namespace haptos {

/// The deformation gradient from edge vectors x_a - x_0 of nodes 1 to 3.
template <class T>
HAPTOS_HD Mat3<T> deformation_gradient(const Mat3<T>& edges, const Mat3<T>& B) {
  return edges * transpose(B);
}

/// Shear part mu/2 (tr F^T F - 3) + w(J), and J.
template <class Law, class T>
HAPTOS_HD T shear_energy(const Mat3<T>& F, T mu, T J) {
  // |F|^2 - 3 through F - I, so that small strains keep their digits.
  Mat3<T> d = F;
  for (int i = 0; i < 3; ++i) d(i, i) = F(i, i) - T(1);
  return mu * (T(0.5) * inner(d, d) + trace(d)) + Law::template shear_volume<T>(mu, J).value;
}

/// The nodal tangent blocks H_ab (unscaled by V) for a, b in 1..3, a >= b, in the order
/// 11, 21, 22, 31, 32, 33.
template <class T>
HAPTOS_HD void shear_tangent(const Mat3<T>& F, const Mat3<T>& B, T mu, T w2, T k, Mat3<T> out[6]) {
  const Mat3<T> cof = cofactor(F);
  const Mat3<T> C = cof * B;
  int n = 0;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b <= a; ++b, ++n) {
      const Vec3<T> ba = column(B, a), bb = column(B, b);
      Mat3<T> h = outer(column(C, a), column(C, b)) * w2 - skew(F * cross(ba, bb)) * k;
      const T m = mu * dot(ba, bb);
      for (int i = 0; i < 3; ++i) h(i, i) += m;
      out[n] = h;
    }
}

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

/// As shear_tangent, clamped to be positive semi-definite as a form on F.
template <class T>
HAPTOS_HD void projected_tangent(const Mat3<T>& F, const Mat3<T>& B, T mu, T w2, T k,
                                 Mat3<T> out[6]) {
  Mat3<T> U, V;
  Vec3<T> s;
  svd(F, U, s, V);
  // The handedness of V carries over to U; k's terms below need det U det V = 1, true for det F > 0.
  Mat3<T> stretch;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const T gi = s[(i + 1) % 3] * s[(i + 2) % 3], gj = s[(j + 1) % 3] * s[(j + 2) % 3];
      stretch(i, j) = w2 * gi * gj + (i == j ? mu : k * s[3 - i - j]);
    }
  stretch = clamp_positive(stretch);
  // In the principal frame: b' = V^T b_a, and H' acts on U^T x.
  const Mat3<T> Bp = transpose(V) * B;
  T plus[3], minus[3];
  for (int m = 0; m < 3; ++m) {
    // On the pair (i, j) with third axis m: dF_ij dF_ji couple with -k s_m.
    plus[m] = vmax(mu - k * s[m], T(0));   // symmetric combination
    minus[m] = vmax(mu + k * s[m], T(0));  // antisymmetric combination
  }
  int n = 0;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b <= a; ++b, ++n) {
      Mat3<T> h;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          // Coefficient of x_i y_j in the form on (x b_a^T, y b_b^T).
          T v = stretch(i, j) * Bp(i, a) * Bp(j, b);
          if (i == j) {
            for (int l = 0; l < 3; ++l)
              if (l != i)
                v += T(0.5) * (plus[3 - i - l] + minus[3 - i - l]) * Bp(l, a) * Bp(l, b);
          } else {
            v += T(0.5) * (plus[3 - i - j] - minus[3 - i - j]) * Bp(j, a) * Bp(i, b);
          }
          h(i, j) = v;
        }
      out[n] = U * h * transpose(U);
    }
}

}  // namespace haptos
