// Products of small dense row-major blocks, with the sizes that matter known to the compiler.
//
// Every scalar is summed by fma in the order of the inner index, so sizes known or not, the bits
// are the same.
#pragma once

#include <cmath>

namespace haptos::block {

/// Calls f(integral constants) where (m, k, n) are sizes that nodes and aggregates have, else with
/// zeros: 3 scalars of a node, 6 rigid modes of an aggregate.
template <int kM, int kK, int kN>
struct Sizes {
  static constexpr int m = kM, k = kK, n = kN;
};
template <class F>
inline void dispatch(int m, int k, int n, const F& f) {
  if (m == 3 && k == 3 && n == 6) return f(Sizes<3, 3, 6>());
  if (m == 6 && k == 3 && n == 6) return f(Sizes<6, 3, 6>());
  if (m == 3 && k == 6 && n == 6) return f(Sizes<3, 6, 6>());
  if (m == 6 && k == 6 && n == 6) return f(Sizes<6, 6, 6>());
  if (m == 3 && k == 3 && n == 3) return f(Sizes<3, 3, 3>());
  f(Sizes<0, 0, 0>());
}

/// C += s A B with A m x k, B k x n.
inline void add_product(int m, int k, int n, double s, const double* a, const double* b,
                        double* c) {
  dispatch(m, k, n, [&](auto z) {
    const int mm = z.m ? z.m : m, kk = z.m ? z.k : k, nn = z.m ? z.n : n;
    for (int i = 0; i < mm; ++i)
      for (int l = 0; l < kk; ++l) {
        const double v = s * a[i * kk + l];
        for (int j = 0; j < nn; ++j) c[i * nn + j] = std::fma(v, b[l * nn + j], c[i * nn + j]);
      }
  });
}

/// C += s A^T B with A k x m, B k x n.
inline void add_transposed_product(int m, int k, int n, double s, const double* a, const double* b,
                                   double* c) {
  dispatch(m, k, n, [&](auto z) {
    const int mm = z.m ? z.m : m, kk = z.m ? z.k : k, nn = z.m ? z.n : n;
    for (int l = 0; l < kk; ++l)
      for (int i = 0; i < mm; ++i) {
        const double v = s * a[l * mm + i];
        for (int j = 0; j < nn; ++j) c[i * nn + j] = std::fma(v, b[l * nn + j], c[i * nn + j]);
      }
  });
}

/// y += s A x with A m x n.
inline void add_times(int m, int n, double s, const double* a, const double* x, double* y) {
  const auto run = [&](auto z) {
    const int mm = z.m ? z.m : m, nn = z.m ? z.n : n;
    for (int i = 0; i < mm; ++i) {
      double t = 0;
      for (int j = 0; j < nn; ++j) t = std::fma(a[i * nn + j], x[j], t);
      y[i] = std::fma(s, t, y[i]);
    }
  };
  if (m == 3 && n == 3) return run(Sizes<3, 0, 3>());
  if (m == 3 && n == 6) return run(Sizes<3, 0, 6>());
  if (m == 6 && n == 6) return run(Sizes<6, 0, 6>());
  run(Sizes<0, 0, 0>());
}

/// y += A^T x with A m x n.
inline void add_transposed_times(int m, int n, const double* a, const double* x, double* y) {
  const auto run = [&](auto z) {
    const int mm = z.m ? z.m : m, nn = z.m ? z.n : n;
    for (int i = 0; i < mm; ++i)
      for (int j = 0; j < nn; ++j) y[j] = std::fma(a[i * nn + j], x[i], y[j]);
  };
  if (m == 3 && n == 3) return run(Sizes<3, 0, 3>());
  if (m == 3 && n == 6) return run(Sizes<3, 0, 6>());
  if (m == 6 && n == 6) return run(Sizes<6, 0, 6>());
  run(Sizes<0, 0, 0>());
}

/// out <- A^-1 of a symmetric n x n block, whose lower triangle is read; n <= 64.
/// @return false where a pivot is not positive or not a number
bool invert(int n, const double* a, double* out);

}  // namespace haptos::block
