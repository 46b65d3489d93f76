// Small fixed-size vectors and matrices for kernels: trivially copyable, templated on the scalar,
// usable on host and device. Eigen stays on the host, in reference solutions and tests.
//
// Mat<T, R, C> is stored row by row: m(i, j) is m.a[i * C + j]. Vec<T, N> is Mat<T, N, 1>.
#pragma once

#include "haptos/base/math/scalar.h"

namespace haptos {

template <class T, int R, int C>
struct Mat {
  T a[R * C];

  HAPTOS_HD T& operator()(int i, int j) { return a[i * C + j]; }
  HAPTOS_HD const T& operator()(int i, int j) const { return a[i * C + j]; }
  HAPTOS_HD T& operator[](int i) { return a[i]; }
  HAPTOS_HD const T& operator[](int i) const { return a[i]; }

  static HAPTOS_HD Mat zero() {
    Mat m;
    HAPTOS_UNROLL
    for (int i = 0; i < R * C; ++i) m.a[i] = T(0);
    return m;
  }
  static HAPTOS_HD Mat identity() {
    static_assert(R == C, "identity() needs a square matrix");
    Mat m = zero();
    HAPTOS_UNROLL
    for (int i = 0; i < R; ++i) m(i, i) = T(1);
    return m;
  }

  HAPTOS_HD Mat& operator+=(const Mat& b) {
    HAPTOS_UNROLL
    for (int i = 0; i < R * C; ++i) a[i] += b.a[i];
    return *this;
  }
  HAPTOS_HD Mat& operator-=(const Mat& b) {
    HAPTOS_UNROLL
    for (int i = 0; i < R * C; ++i) a[i] -= b.a[i];
    return *this;
  }
  HAPTOS_HD Mat& operator*=(T s) {
    HAPTOS_UNROLL
    for (int i = 0; i < R * C; ++i) a[i] *= s;
    return *this;
  }
  friend HAPTOS_HD Mat operator+(Mat x, const Mat& y) { return x += y; }
  friend HAPTOS_HD Mat operator-(Mat x, const Mat& y) { return x -= y; }
  friend HAPTOS_HD Mat operator*(Mat x, T s) { return x *= s; }
  friend HAPTOS_HD Mat operator*(T s, Mat x) { return x *= s; }
  friend HAPTOS_HD Mat operator-(Mat x) {
    HAPTOS_UNROLL
    for (int i = 0; i < R * C; ++i) x.a[i] = -x.a[i];
    return x;
  }
};

template <class T, int N>
using Vec = Mat<T, N, 1>;
template <class T>
using Vec3 = Vec<T, 3>;
template <class T>
using Mat3 = Mat<T, 3, 3>;

using Vec2d = Vec<double, 2>;
using Vec3d = Vec<double, 3>;
using Vec6d = Vec<double, 6>;
using Mat3d = Mat<double, 3, 3>;
using Vec2i = Vec<int, 2>;
using Vec3i = Vec<int, 3>;
using Vec4i = Vec<int, 4>;

template <class T, int R, int K, int C>
HAPTOS_HD Mat<T, R, C> operator*(const Mat<T, R, K>& x, const Mat<T, K, C>& y) {
  Mat<T, R, C> m;
  for (int i = 0; i < R; ++i) HAPTOS_UNROLL
  for (int j = 0; j < C; ++j) {
    T s = x(i, 0) * y(0, j);
    HAPTOS_UNROLL
    for (int k = 1; k < K; ++k) s = fma(x(i, k), y(k, j), s);
    m(i, j) = s;
  }
  return m;
}

template <class T, int R, int C>
HAPTOS_HD Mat<T, C, R> transpose(const Mat<T, R, C>& m) {
  Mat<T, C, R> t;
  for (int i = 0; i < R; ++i) HAPTOS_UNROLL
  for (int j = 0; j < C; ++j) t(j, i) = m(i, j);
  return t;
}

template <class T, int N>
HAPTOS_HD T dot(const Vec<T, N>& x, const Vec<T, N>& y) {
  T s = x[0] * y[0];
  HAPTOS_UNROLL
  for (int i = 1; i < N; ++i) s = fma(x[i], y[i], s);
  return s;
}

/// The sum of the products of all entries, A : B.
template <class T, int R, int C>
HAPTOS_HD T inner(const Mat<T, R, C>& x, const Mat<T, R, C>& y) {
  T s = x.a[0] * y.a[0];
  HAPTOS_UNROLL
  for (int i = 1; i < R * C; ++i) s = fma(x.a[i], y.a[i], s);
  return s;
}

template <class T, int N>
HAPTOS_HD T squared_norm(const Vec<T, N>& x) {
  return dot(x, x);
}
template <class T, int N>
HAPTOS_HD T norm(const Vec<T, N>& x) {
  return sqrt(dot(x, x));
}
template <class T, int N>
HAPTOS_HD Vec<T, N> normalized(const Vec<T, N>& x) {
  return x * (T(1) / norm(x));
}

template <class T>
HAPTOS_HD Vec3<T> cross(const Vec3<T>& x, const Vec3<T>& y) {
  return {{x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]}};
}

/// x y^T.
template <class T, int R, int C>
HAPTOS_HD Mat<T, R, C> outer(const Vec<T, R>& x, const Vec<T, C>& y) {
  Mat<T, R, C> m;
  for (int i = 0; i < R; ++i) HAPTOS_UNROLL
  for (int j = 0; j < C; ++j) m(i, j) = x[i] * y[j];
  return m;
}

/// The matrix [w]x with [w]x v = w x v.
template <class T>
HAPTOS_HD Mat3<T> skew(const Vec3<T>& w) {
  const T o = T(0);
  return {{o, -w[2], w[1], w[2], o, -w[0], -w[1], w[0], o}};
}

template <class T>
HAPTOS_HD T trace(const Mat3<T>& m) {
  return m(0, 0) + m(1, 1) + m(2, 2);
}

/// The matrix of cofactors: d det(m) / d m.
template <class T>
HAPTOS_HD Mat3<T> cofactor(const Mat3<T>& m) {
  return {{m(1, 1) * m(2, 2) - m(1, 2) * m(2, 1), m(1, 2) * m(2, 0) - m(1, 0) * m(2, 2),
           m(1, 0) * m(2, 1) - m(1, 1) * m(2, 0), m(0, 2) * m(2, 1) - m(0, 1) * m(2, 2),
           m(0, 0) * m(2, 2) - m(0, 2) * m(2, 0), m(0, 1) * m(2, 0) - m(0, 0) * m(2, 1),
           m(0, 1) * m(1, 2) - m(0, 2) * m(1, 1), m(0, 2) * m(1, 0) - m(0, 0) * m(1, 2),
           m(0, 0) * m(1, 1) - m(0, 1) * m(1, 0)}};
}

template <class T>
HAPTOS_HD T det(const Mat3<T>& m) {
  const Mat3<T> c = cofactor(m);
  return m(0, 0) * c(0, 0) + m(0, 1) * c(0, 1) + m(0, 2) * c(0, 2);
}

/// The inverse of a matrix whose determinant is not zero.
template <class T>
HAPTOS_HD Mat3<T> inverse(const Mat3<T>& m) {
  const Mat3<T> c = cofactor(m);
  const T d = m(0, 0) * c(0, 0) + m(0, 1) * c(0, 1) + m(0, 2) * c(0, 2);
  return transpose(c) * (T(1) / d);
}

template <class T>
HAPTOS_HD Mat3<T> columns(const Vec3<T>& x, const Vec3<T>& y, const Vec3<T>& z) {
  return {{x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]}};
}

template <class T, int R, int C>
HAPTOS_HD Vec<T, R> column(const Mat<T, R, C>& m, int j) {
  Vec<T, R> v;
  HAPTOS_UNROLL
  for (int i = 0; i < R; ++i) v[i] = m(i, j);
  return v;
}

}  // namespace haptos
