// The bodies of dense_kernels.h, written once on a vector of 8 scalars and compiled once per
// instruction set: dense_kernels.cpp includes this file inside a namespace that defines V8, its
// operations, kTile (columns of a register tile) and kTileStrips (its rows, in strips). No guard.

// acc[r][c] -= sum over k of a_r(k) b(k)[c]; strips of a lie `stride` apart.
template <int kStrips, int kColumns>
HAPTOS_KERNEL void accumulate(V8 (&acc)[kStrips][kColumns], const double* a, std::ptrdiff_t stride,
                              const double* b, int k_count) {
  for (int k = 0; k < k_count; ++k) {
    V8 row[kStrips];
#pragma GCC unroll 8
    for (int r = 0; r < kStrips; ++r) row[r] = load(a + r * stride + k * kStrip);
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) {
      const V8 s = splat(b + k * kStrip + c);
#pragma GCC unroll 8
      for (int r = 0; r < kStrips; ++r) acc[r][c] = subtract_product(row[r], s, acc[r][c]);
    }
  }
}

// A register tile of a column-major matrix: to <- (to or zero) - A B^T.
template <int kStrips, int kColumns>
HAPTOS_KERNEL void update_tile(const double* a, std::ptrdiff_t stride, const double* b, int k_count,
                               bool from_zero, double* to, std::ptrdiff_t ld) {
  V8 acc[kStrips][kColumns];
#pragma GCC unroll 8
  for (int c = 0; c < kColumns; ++c)
#pragma GCC unroll 8
    for (int r = 0; r < kStrips; ++r)
      acc[r][c] = from_zero ? zero() : load(to + c * ld + r * kStrip);
  accumulate<kStrips, kColumns>(acc, a, stride, b, k_count);
#pragma GCC unroll 8
  for (int c = 0; c < kColumns; ++c)
#pragma GCC unroll 8
    for (int r = 0; r < kStrips; ++r) store(to + c * ld + r * kStrip, acc[r][c]);
}

// Strips [0, count) of one column tile.
template <int kColumns>
HAPTOS_KERNEL void update_column(const double* a, std::ptrdiff_t stride, int count, const double* b,
                                 int k_count, bool from_zero, double* to, std::ptrdiff_t ld) {
  int s = 0;
  for (; s + kTileStrips <= count; s += kTileStrips)
    update_tile<kTileStrips, kColumns>(a + s * stride, stride, b, k_count, from_zero,
                                       to + s * kStrip, ld);
  if constexpr (kTileStrips == 3) {
    if (s + 2 == count)
      return update_tile<2, kColumns>(a + s * stride, stride, b, k_count, from_zero,
                                      to + s * kStrip, ld);
  }
  for (; s < count; ++s)
    update_tile<1, kColumns>(a + s * stride, stride, b, k_count, from_zero, to + s * kStrip, ld);
}

// Calls f with the width, 1 to 8, as a constant.
template <class F>
HAPTOS_KERNEL void with_any_width(int width, const F& f) {
  switch (width) {
    case 1: return f(Width<1>{});
    case 2: return f(Width<2>{});
    case 3: return f(Width<3>{});
    case 4: return f(Width<4>{});
    case 5: return f(Width<5>{});
    case 6: return f(Width<6>{});
    case 7: return f(Width<7>{});
    default: return f(Width<8>{});
  }
}

// The same for the width of a register tile, at most kTile.
template <class F>
HAPTOS_KERNEL void with_width(int width, const F& f) {
  if constexpr (kTile == 8) return with_any_width(width, f);
  switch (width) {
    case 1: return f(Width<1>{});
    case 2: return f(Width<2>{});
    case 3: return f(Width<3>{});
    default: return f(Width<4>{});
  }
}

// Cholesky of the columns in acc, whose diagonal stands in lanes kLane ...
// Returns the first column without a positive pivot, or -1.
template <int kColumns, int kLane>
HAPTOS_KERNEL int factor_diagonal(V8 (&acc)[1][kColumns], double* inverse, double* pivot) {
  int failed = -1;
  // The pivots run ahead as scalars, with the operations of their lanes: that chain is the longest.
  double d = lane(acc[0][0], kLane);
#pragma GCC unroll 8
  for (int c = 0; c < kColumns; ++c) {
    if (!(d > 0) || !(d < kHuge)) [[unlikely]] {
      if (failed < 0) {
        failed = c;
        *pivot = d;
      }
    }
    const double i = 1 / __builtin_sqrt(d);
    if (c + 1 < kColumns) {
      const double below = lane(acc[0][c], kLane + c + 1) * i;
      d = __builtin_fma(-below, below, lane(acc[0][c + 1], kLane + c + 1));
    }
    inverse[c] = i;
    const V8 l = multiply(acc[0][c], splat_value(i));
    acc[0][c] = l;
#pragma GCC unroll 8
    for (int b = c + 1; b < kColumns; ++b)
      acc[0][b] = subtract_product(l, splat_lane(l, kLane + b), acc[0][b]);
  }
  return failed;
}

// One group of strips of a column tile: update by columns [from, from + k_count), then divide by the
// tile's triangle `l` (8 scalars a column, rows from its first).
template <int kStrips, int kColumns>
HAPTOS_KERNEL void solve_tile(const double* panel, std::ptrdiff_t ld, double* a,
                              std::ptrdiff_t stride, const double* b, int from, int k_count,
                              const double* l, const double* inverse) {
  V8 acc[kStrips][kColumns];
#pragma GCC unroll 8
  for (int c = 0; c < kColumns; ++c)
#pragma GCC unroll 8
    for (int r = 0; r < kStrips; ++r) acc[r][c] = load(panel + c * ld + r * kStrip);
  accumulate<kStrips, kColumns>(acc, a + from * kStrip, stride, b, k_count);
  double* to = a + (from + k_count) * kStrip;
#pragma GCC unroll 8
  for (int c = 0; c < kColumns; ++c) {
    const V8 i = splat(inverse + c);
#pragma GCC unroll 8
    for (int r = 0; r < kStrips; ++r) {
      acc[r][c] = multiply(acc[r][c], i);
      store(to + r * stride + c * kStrip, acc[r][c]);
    }
#pragma GCC unroll 8
    for (int e = c + 1; e < kColumns; ++e) {
      const V8 s = splat(l + c * kStrip + e);
#pragma GCC unroll 8
      for (int r = 0; r < kStrips; ++r) acc[r][e] = subtract_product(acc[r][c], s, acc[r][e]);
    }
  }
}

template <int kColumns>
HAPTOS_KERNEL void solve_column(const double* panel, std::ptrdiff_t ld, double* a,
                                std::ptrdiff_t stride, int count, const double* b, int from,
                                int k_count, const double* l, const double* inverse) {
  int s = 0;
  for (; s + kTileStrips <= count; s += kTileStrips)
    solve_tile<kTileStrips, kColumns>(panel + s * kStrip, ld, a + s * stride, stride, b, from,
                                      k_count, l, inverse);
  if constexpr (kTileStrips == 3) {
    if (s + 2 == count)
      return solve_tile<2, kColumns>(panel + s * kStrip, ld, a + s * stride, stride, b, from,
                                     k_count, l, inverse);
  }
  for (; s < count; ++s)
    solve_tile<1, kColumns>(panel + s * kStrip, ld, a + s * stride, stride, b, from, k_count, l,
                            inverse);
}

// Columns a strip of the pivots' triangle keeps.
inline int strip_width(int s, int pivots) {
  return kStrip * s + kStrip < pivots ? kStrip * s + kStrip : pivots;
}

// Replaces the lower triangle in an 8 x 8 tile of kColumns columns by its inverse X, from X L = I,
// last column first. Rows from kColumns on come out as zero.
template <int kColumns>
HAPTOS_KERNEL void invert_tile(double* tile, const double* inverse) {
  alignas(64) static constexpr double kUnit[kStrip][kStrip] = {
      {1, 0, 0, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0, 0, 0},
      {0, 0, 0, 1, 0, 0, 0, 0}, {0, 0, 0, 0, 1, 0, 0, 0}, {0, 0, 0, 0, 0, 1, 0, 0},
      {0, 0, 0, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 0, 0, 0, 1}};
  V8 x[kColumns];
#pragma GCC unroll 8
  for (int c = kColumns - 1; c >= 0; --c) {
    V8 v = load(kUnit[c]);
#pragma GCC unroll 8
    for (int k = kColumns - 1; k > c; --k)
      v = subtract_product(x[k], splat(tile + c * kStrip + k), v);
    x[c] = multiply(v, splat(inverse + c));
  }
#pragma GCC unroll 8
  for (int c = 0; c < kColumns; ++c) store(tile + c * kStrip, x[c]);
}

// One column tile [first, first + kColumns) of the panel, updated by columns [from, first).
template <int kColumns>
HAPTOS_KERNEL int factor_tile(int pivots, int updates, double* panel, std::ptrdiff_t ld,
                              double* strips, int from, int first, double* inverse,
                              double* pivot) {
  const int s = first / kStrip, offset = first % kStrip;
  double* own = strips + triangle_strip(s);
  const double* column = panel + first * ld;
  const int k_count = first - from;
  int failed;
  {
    V8 acc[1][kColumns];
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) acc[0][c] = load(column + c * ld + s * kStrip);
    accumulate<1, kColumns>(acc, own + from * kStrip, 0, own + from * kStrip + offset, k_count);
    if constexpr (kTile == 4) {
      failed = offset == 0 ? factor_diagonal<kColumns, 0>(acc, inverse, pivot)
                           : factor_diagonal<kColumns, 4>(acc, inverse, pivot);
    } else {
      failed = factor_diagonal<kColumns, 0>(acc, inverse, pivot);
    }
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) store(own + (first + c) * kStrip, acc[0][c]);
  }
  if (failed >= 0) return first + failed;
  const double* b = own + from * kStrip + offset;
  const double* l = own + first * kStrip + offset;
  const int triangle_strips = (pivots + kStrip - 1) / kStrip;
  for (int t = s + 1; t < triangle_strips; ++t)
    solve_tile<1, kColumns>(column + t * kStrip, ld, strips + triangle_strip(t), 0, b, from,
                            k_count, l, inverse);
  solve_column<kColumns>(column + triangle_strips * kStrip, ld, strips + triangle_size(pivots),
                         std::ptrdiff_t(kStrip) * pivots, (updates + kStrip - 1) / kStrip, b, from,
                         k_count, l, inverse);
  return -1;
}

// The columns after `end` in the panel, updated by columns [begin, end).
HAPTOS_KERNEL void update_panel(int pivots, int updates, double* panel, std::ptrdiff_t ld,
                                const double* strips, int begin, int end) {
  const int triangle_strips = (pivots + kStrip - 1) / kStrip;
  const int update_strips = (updates + kStrip - 1) / kStrip;
  const double* b_strips = strips + triangle_size(pivots) + begin * kStrip;
  const std::ptrdiff_t stride = std::ptrdiff_t(kStrip) * pivots;
  for (int j = end; j < pivots; j += kTile) {
    const int width = pivots - j < kTile ? pivots - j : kTile;
    const int s = j / kStrip;
    const double* b = strips + triangle_strip(s) + begin * kStrip + j % kStrip;
    for (int t = s; t < triangle_strips; ++t)
      with_width(width, [&](auto w) HAPTOS_LAMBDA {
        update_tile<1, decltype(w)::value>(strips + triangle_strip(t) + begin * kStrip, 0, b,
                                           end - begin, false, panel + j * ld + t * kStrip, ld);
      });
  }
  constexpr int kRowStrips = 30;
  for (int r = 0; r < update_strips; r += kRowStrips) {
    const int count = update_strips - r < kRowStrips ? update_strips - r : kRowStrips;
    for (int j = end; j < pivots; j += kTile) {
      const int width = pivots - j < kTile ? pivots - j : kTile;
      const double* b = strips + triangle_strip(j / kStrip) + begin * kStrip + j % kStrip;
      with_width(width, [&](auto w) HAPTOS_LAMBDA {
        update_column<decltype(w)::value>(b_strips + r * stride, stride, count, b, end - begin,
                                          false, panel + j * ld + (triangle_strips + r) * kStrip,
                                          ld);
      });
    }
  }
}

HAPTOS_KERNEL int factor_panel(int pivots, int updates, double* panel, std::ptrdiff_t ld,
                               double* strips, double* pivot) {
  constexpr int kBlock = 64;
  alignas(64) double inverse[kStrip];
  for (int begin = 0; begin < pivots; begin += kBlock) {
    const int end = pivots - begin < kBlock ? pivots : begin + kBlock;
    for (int first = begin; first < end; first += kTile) {
      const int width = end - first < kTile ? end - first : kTile;
      int failed = -1;
      with_width(width, [&](auto w) HAPTOS_LAMBDA {
        failed = factor_tile<decltype(w)::value>(pivots, updates, panel, ld, strips, begin, first,
                                                 inverse + first % kStrip, pivot);
      });
      if (failed >= 0) return failed;
      const int s = first / kStrip;
      if (first + width == strip_width(s, pivots)) {
        double* tile = strips + triangle_strip(s) + std::ptrdiff_t(kStrip) * kStrip * s;
        with_any_width(first + width - kStrip * s,
                       [&](auto w) HAPTOS_LAMBDA { invert_tile<decltype(w)::value>(tile, inverse); });
      }
    }
    if (end < pivots) update_panel(pivots, updates, panel, ld, strips, begin, end);
  }
  return -1;
}

HAPTOS_KERNEL void update(int pivots, int updates, const double* b, double* u, std::ptrdiff_t ld,
                          int begin, int end) {
  constexpr int kBlock = 256, kRowStrips = 30;
  const int strips = (updates + kStrip - 1) / kStrip;
  const std::ptrdiff_t stride = std::ptrdiff_t(kStrip) * pivots;
  for (int k = 0; k < pivots; k += kBlock) {
    const int k_count = pivots - k < kBlock ? pivots - k : kBlock;
    for (int r = begin; r < strips; r += kRowStrips) {
      const int last = strips - r < kRowStrips ? strips : r + kRowStrips;
      const int j_end = kStrip * (last < end ? last : end);
      for (int j = kStrip * begin; j < j_end && j < updates; j += kTile) {
        const int width = updates - j < kTile ? updates - j : kTile;
        const int s = j / kStrip > r ? j / kStrip : r;
        with_width(width, [&](auto w) HAPTOS_LAMBDA {
          update_column<decltype(w)::value>(
              b + s * stride + k * kStrip, stride, last - s,
              b + (j / kStrip) * stride + k * kStrip + j % kStrip, k_count, k == 0,
              u + j * ld + s * kStrip, ld);
        });
      }
    }
  }
}

HAPTOS_KERNEL void extend_add(const RowRun* runs, int run_count, int row_shift, bool to_panel,
                              const double* child, std::ptrdiff_t child_ld, double* parent,
                              std::ptrdiff_t parent_ld) {
  const int shift = to_panel ? 0 : row_shift;
  for (int b = 0; b < run_count; ++b) {
    const RowRun own = runs[b];
    if ((own.to < row_shift) != to_panel) {
      if (to_panel) return;
      continue;
    }
    const double* from = child + own.from * child_ld;
    double* to = parent + (own.to - shift) * parent_ld;
    for (int j = 0; j < own.count; ++j, from += child_ld, to += parent_ld) {
      add(to + own.to - shift + j, from + own.from + j, own.count - j);
      for (int r = b + 1; r < run_count; ++r)
        add(to + runs[r].to - shift, from + runs[r].from, runs[r].count);
    }
  }
}

HAPTOS_KERNEL void forward(int pivots, int updates, const double* strips, double* x, double* t) {
  const int triangle_strips = (pivots + kStrip - 1) / kStrip;
  for (int s = 0; s < triangle_strips; ++s) {
    const int width = strip_width(s, pivots) - kStrip * s;
    const double* tile = strips + triangle_strip(s) + std::ptrdiff_t(kStrip) * kStrip * s;
    double* xs = x + kStrip * s;
    V8 y = zero();
    for (int c = 0; c < width; ++c) y = add_product(load(tile + c * kStrip), splat(xs + c), y);
    store(xs, y);
    for (int e = s + 1; e < triangle_strips; ++e) {
      const double* l = strips + triangle_strip(e) + std::ptrdiff_t(kStrip) * kStrip * s;
      V8 v = load(x + kStrip * e);
#pragma GCC unroll 8
      for (int c = 0; c < kStrip; ++c) v = subtract_product(load(l + c * kStrip), splat(xs + c), v);
      store(x + kStrip * e, v);
    }
  }
  const double* b = strips + triangle_size(pivots);
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
HAPTOS_KERNEL void backward_strip(int s, int pivots, int updates, const double* strips, double* x,
                                  const double* t) {
  const int triangle_strips = (pivots + kStrip - 1) / kStrip;
  const int update_strips = (updates + kStrip - 1) / kStrip;
  V8 acc[kColumns];
#pragma GCC unroll 8
  for (int c = 0; c < kColumns; ++c) acc[c] = zero();
  const double* b = strips + triangle_size(pivots) + std::ptrdiff_t(kStrip) * kStrip * s;
  for (int e = 0; e < update_strips; ++e, b += std::ptrdiff_t(kStrip) * pivots) {
    const V8 te = load(t + kStrip * e);
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) acc[c] = add_product(load(b + c * kStrip), te, acc[c]);
  }
  for (int e = s + 1; e < triangle_strips; ++e) {
    const double* l = strips + triangle_strip(e) + std::ptrdiff_t(kStrip) * kStrip * s;
    const V8 xe = load(x + kStrip * e);
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) acc[c] = add_product(load(l + c * kStrip), xe, acc[c]);
  }
  double* xs = x + kStrip * s;
#pragma GCC unroll 8
  for (int c = 0; c < kColumns; ++c) xs[c] -= sum(acc[c]);
  const double* tile = strips + triangle_strip(s) + std::ptrdiff_t(kStrip) * kStrip * s;
  const V8 v = load(xs);
#pragma GCC unroll 8
  for (int c = 0; c < kColumns; ++c) xs[c] = sum(multiply(load(tile + c * kStrip), v));
}

HAPTOS_KERNEL void backward(int pivots, int updates, const double* strips, double* x,
                            const double* t) {
  for (int s = (pivots + kStrip - 1) / kStrip - 1; s >= 0; --s)
    with_any_width(strip_width(s, pivots) - kStrip * s, [&](auto w) HAPTOS_LAMBDA {
      backward_strip<decltype(w)::value>(s, pivots, updates, strips, x, t);
    });
}

// Eight right-hand sides: the same sums, a lane each.
HAPTOS_KERNEL void forward8(int pivots, int updates, const double* strips, double* x, double* t) {
  const int triangle_strips = (pivots + kStrip - 1) / kStrip;
  for (int s = 0; s < triangle_strips; ++s) {
    const int width = strip_width(s, pivots) - kStrip * s;
    const double* tile = strips + triangle_strip(s) + std::ptrdiff_t(kStrip) * kStrip * s;
    double* xs = x + kStrip * kStrip * s;
    V8 in[kStrip];
    for (int c = 0; c < width; ++c) in[c] = load(xs + c * kStrip);
    for (int r = 0; r < width; ++r) {
      V8 y = zero();
      for (int c = 0; c < width; ++c) y = add_product(splat(tile + c * kStrip + r), in[c], y);
      store(xs + r * kStrip, y);
    }
    for (int e = s + 1; e < triangle_strips; ++e) {
      const double* l = strips + triangle_strip(e) + std::ptrdiff_t(kStrip) * kStrip * s;
      for (int r = 0; r < kStrip; ++r) {
        double* to = x + (kStrip * e + r) * kStrip;
        V8 v = load(to);
        for (int c = 0; c < kStrip; ++c)
          v = subtract_product(splat(l + c * kStrip + r), load(xs + c * kStrip), v);
        store(to, v);
      }
    }
  }
  const double* b = strips + triangle_size(pivots);
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

HAPTOS_KERNEL void backward8(int pivots, int updates, const double* strips, double* x,
                             const double* t) {
  const int triangle_strips = (pivots + kStrip - 1) / kStrip;
  const int update_strips = (updates + kStrip - 1) / kStrip;
  for (int s = triangle_strips - 1; s >= 0; --s) {
    const int width = strip_width(s, pivots) - kStrip * s;
    double* xs = x + kStrip * kStrip * s;
    for (int c = 0; c < width; ++c) {
      V8 a[kStrip];
#pragma GCC unroll 8
      for (int r = 0; r < kStrip; ++r) a[r] = zero();
      const double* b =
          strips + triangle_size(pivots) + (std::ptrdiff_t(kStrip) * s + c) * kStrip;
      for (int e = 0; e < update_strips; ++e, b += std::ptrdiff_t(kStrip) * pivots)
#pragma GCC unroll 8
        for (int r = 0; r < kStrip; ++r)
          a[r] = add_product(splat(b + r), load(t + (kStrip * e + r) * kStrip), a[r]);
      for (int e = s + 1; e < triangle_strips; ++e) {
        const double* l = strips + triangle_strip(e) + (std::ptrdiff_t(kStrip) * s + c) * kStrip;
#pragma GCC unroll 8
        for (int r = 0; r < kStrip; ++r)
          a[r] = add_product(splat(l + r), load(x + (kStrip * e + r) * kStrip), a[r]);
      }
      store(xs + c * kStrip, subtract(load(xs + c * kStrip), sum_of_rows(a)));
    }
    const double* tile = strips + triangle_strip(s) + std::ptrdiff_t(kStrip) * kStrip * s;
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

