// The triangular solves of dense_kernels.h, and the table of all kernels; included after
// dense_kernels_body.h, which says how. No guard.

inline V8 sum_of_rows(const V8 (&a)[8]) {
  return plus(plus(plus(a[0], a[4]), plus(a[2], a[6])), plus(plus(a[1], a[5]), plus(a[3], a[7])));
}

HAPTOS_KERNEL void forward(int pivots, int updates, const Scalar* strips, Scalar* x, Scalar* t) {
  const int triangle_strips = (pivots + kStrip - 1) / kStrip;
  for (int s = 0; s < triangle_strips; ++s) {
    const int width = strip_width(s, pivots) - kStrip * s;
    const Scalar* tile = strips + triangle_strip(s) + std::ptrdiff_t(kStrip) * kStrip * s;
    Scalar* xs = x + kStrip * s;
    V8 y = zero();
    for (int c = 0; c < width; ++c) y = add_product(load(tile + c * kStrip), splat(xs + c), y);
    store(xs, y);
    for (int e = s + 1; e < triangle_strips; ++e) {
      const Scalar* l = strips + triangle_strip(e) + std::ptrdiff_t(kStrip) * kStrip * s;
      V8 v = load(x + kStrip * e);
#pragma GCC unroll 8
      for (int c = 0; c < kStrip; ++c) v = subtract_product(load(l + c * kStrip), splat(xs + c), v);
      store(x + kStrip * e, v);
    }
  }
  const Scalar* b = strips + triangle_size(pivots);
  const std::ptrdiff_t stride = std::ptrdiff_t(kStrip) * pivots;
  const int update_strips = (updates + kStrip - 1) / kStrip;
  int s = 0;
  for (; s + 4 <= update_strips; s += 4, b += 4 * stride) {
    V8 a0 = zero(), a1 = zero(), a2 = zero(), a3 = zero();
    for (int k = 0; k < pivots; ++k) {
      const V8 xk = splat(x + k);
      a0 = add_product(load(b + k * kStrip), xk, a0);
      a1 = add_product(load(b + stride + k * kStrip), xk, a1);
      a2 = add_product(load(b + 2 * stride + k * kStrip), xk, a2);
      a3 = add_product(load(b + 3 * stride + k * kStrip), xk, a3);
    }
    store(t + kStrip * s, a0);
    store(t + kStrip * s + kStrip, a1);
    store(t + kStrip * s + 2 * kStrip, a2);
    store(t + kStrip * s + 3 * kStrip, a3);
  }
  for (; s < update_strips; ++s, b += stride) {
    V8 a = zero();
    for (int k = 0; k < pivots; ++k) a = add_product(load(b + k * kStrip), splat(x + k), a);
    store(t + kStrip * s, a);
  }
}

// x[c] -= sum of the lanes of acc[c].
template <int kColumns>
HAPTOS_KERNEL void backward_strip(int s, int pivots, int updates, const Scalar* strips, Scalar* x,
                                  const Scalar* t) {
  const int triangle_strips = (pivots + kStrip - 1) / kStrip;
  const int update_strips = (updates + kStrip - 1) / kStrip;
  V8 acc[kColumns];
#pragma GCC unroll 8
  for (int c = 0; c < kColumns; ++c) acc[c] = zero();
  const Scalar* b = strips + triangle_size(pivots) + std::ptrdiff_t(kStrip) * kStrip * s;
  for (int e = 0; e < update_strips; ++e, b += std::ptrdiff_t(kStrip) * pivots) {
    const V8 te = load(t + kStrip * e);
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) acc[c] = add_product(load(b + c * kStrip), te, acc[c]);
  }
  for (int e = s + 1; e < triangle_strips; ++e) {
    const Scalar* l = strips + triangle_strip(e) + std::ptrdiff_t(kStrip) * kStrip * s;
    const V8 xe = load(x + kStrip * e);
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) acc[c] = add_product(load(l + c * kStrip), xe, acc[c]);
  }
  Scalar* xs = x + kStrip * s;
#pragma GCC unroll 8
  for (int c = 0; c < kColumns; ++c) xs[c] -= sum(acc[c]);
  const Scalar* tile = strips + triangle_strip(s) + std::ptrdiff_t(kStrip) * kStrip * s;
  const V8 v = load(xs);
#pragma GCC unroll 8
  for (int c = 0; c < kColumns; ++c) xs[c] = sum(multiply(load(tile + c * kStrip), v));
}

HAPTOS_KERNEL void backward(int pivots, int updates, const Scalar* strips, Scalar* x,
                            const Scalar* t) {
  for (int s = (pivots + kStrip - 1) / kStrip - 1; s >= 0; --s)
    with_any_width(strip_width(s, pivots) - kStrip * s, [&](auto w) HAPTOS_LAMBDA {
      backward_strip<decltype(w)::value>(s, pivots, updates, strips, x, t);
    });
}

// Eight right-hand sides: the same sums, a lane each.
HAPTOS_KERNEL void forward8(int pivots, int updates, const Scalar* strips, Scalar* x, Scalar* t) {
  const int triangle_strips = (pivots + kStrip - 1) / kStrip;
  for (int s = 0; s < triangle_strips; ++s) {
    const int width = strip_width(s, pivots) - kStrip * s;
    const Scalar* tile = strips + triangle_strip(s) + std::ptrdiff_t(kStrip) * kStrip * s;
    Scalar* xs = x + kStrip * kStrip * s;
    V8 in[kStrip];
    for (int c = 0; c < width; ++c) in[c] = load(xs + c * kStrip);
    for (int r = 0; r < width; ++r) {
      V8 y = zero();
      for (int c = 0; c < width; ++c) y = add_product(splat(tile + c * kStrip + r), in[c], y);
      store(xs + r * kStrip, y);
    }
    for (int e = s + 1; e < triangle_strips; ++e) {
      const Scalar* l = strips + triangle_strip(e) + std::ptrdiff_t(kStrip) * kStrip * s;
      for (int r = 0; r < kStrip; ++r) {
        Scalar* to = x + (kStrip * e + r) * kStrip;
        V8 v = load(to);
        for (int c = 0; c < kStrip; ++c)
          v = subtract_product(splat(l + c * kStrip + r), load(xs + c * kStrip), v);
        store(to, v);
      }
    }
  }
  const Scalar* b = strips + triangle_size(pivots);
  const int update_strips = (updates + kStrip - 1) / kStrip;
  for (int s = 0; s < update_strips; ++s, b += std::ptrdiff_t(kStrip) * pivots) {
    V8 a[kStrip];
#pragma GCC unroll 8
    for (int r = 0; r < kStrip; ++r) a[r] = zero();
    for (int k = 0; k < pivots; ++k) {
      const V8 xk = load(x + k * kStrip);
#pragma GCC unroll 8
      for (int r = 0; r < kStrip; ++r) a[r] = add_product(splat(b + k * kStrip + r), xk, a[r]);
    }
#pragma GCC unroll 8
    for (int r = 0; r < kStrip; ++r) store(t + (kStrip * s + r) * kStrip, a[r]);
  }
}

HAPTOS_KERNEL void backward8(int pivots, int updates, const Scalar* strips, Scalar* x,
                             const Scalar* t) {
  const int triangle_strips = (pivots + kStrip - 1) / kStrip;
  const int update_strips = (updates + kStrip - 1) / kStrip;
  for (int s = triangle_strips - 1; s >= 0; --s) {
    const int width = strip_width(s, pivots) - kStrip * s;
    Scalar* xs = x + kStrip * kStrip * s;
    for (int c = 0; c < width; ++c) {
      V8 a[kStrip];
#pragma GCC unroll 8
      for (int r = 0; r < kStrip; ++r) a[r] = zero();
      const Scalar* b = strips + triangle_size(pivots) + (std::ptrdiff_t(kStrip) * s + c) * kStrip;
      for (int e = 0; e < update_strips; ++e, b += std::ptrdiff_t(kStrip) * pivots)
#pragma GCC unroll 8
        for (int r = 0; r < kStrip; ++r)
          a[r] = add_product(splat(b + r), load(t + (kStrip * e + r) * kStrip), a[r]);
      for (int e = s + 1; e < triangle_strips; ++e) {
        const Scalar* l = strips + triangle_strip(e) + (std::ptrdiff_t(kStrip) * s + c) * kStrip;
#pragma GCC unroll 8
        for (int r = 0; r < kStrip; ++r)
          a[r] = add_product(splat(l + r), load(x + (kStrip * e + r) * kStrip), a[r]);
      }
      store(xs + c * kStrip, subtract(load(xs + c * kStrip), sum_of_rows(a)));
    }
    const Scalar* tile = strips + triangle_strip(s) + std::ptrdiff_t(kStrip) * kStrip * s;
    V8 in[kStrip], out[kStrip];
    for (int r = 0; r < kStrip; ++r) in[r] = load(xs + r * kStrip);
    for (int c = 0; c < width; ++c) {
      V8 a[kStrip];
      for (int r = 0; r < kStrip; ++r) a[r] = multiply(splat(tile + c * kStrip + r), in[r]);
      out[c] = sum_of_rows(a);
    }
    for (int c = 0; c < width; ++c) store(xs + c * kStrip, out[c]);
  }
}

inline constexpr DenseKernels<Scalar> kKernels{kName,   factor_panel, update,   extend_add,
                                               forward, backward,     forward8, backward8};
