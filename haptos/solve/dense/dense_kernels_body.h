// The bodies of dense_kernels.h, written once on a vector of 8 scalars and compiled once per
// instruction set and precision: dense_kernels.cpp and dense_kernels_single.cpp include this file
// inside namespaces that define kName, Scalar, V8, its operations, kTile (columns of a register
// tile) and kTileStrips (its rows, in strips). No guard.

// The strips of a register tile.
template <int kStrips>
struct Strips {
  Scalar* at[kStrips];
};
// Strips that lie `stride` apart.
template <int kStrips>
HAPTOS_KERNEL Strips<kStrips> apart(const Scalar* a, std::ptrdiff_t stride) {
  Strips<kStrips> s;
  for (int r = 0; r < kStrips; ++r) s.at[r] = const_cast<Scalar*>(a + r * stride);
  return s;
}
// Strips t, t + 1, ... of the pivots' triangle, from column `first` on.
template <int kStrips>
HAPTOS_KERNEL Strips<kStrips> triangle(const Scalar* strips, int t, int first) {
  Strips<kStrips> s;
  for (int r = 0; r < kStrips; ++r)
    s.at[r] = const_cast<Scalar*>(strips + triangle_strip(t + r) + first * kStrip);
  return s;
}

// acc[r][c] -= sum over k of a_r(k) b(k)[c].
template <int kStrips, int kColumns>
HAPTOS_KERNEL void accumulate(V8 (&acc)[kStrips][kColumns], Strips<kStrips> a, const Scalar* b,
                              int k_count) {
  for (int k = 0; k < k_count; ++k) {
    V8 row[kStrips];
#pragma GCC unroll 8
    for (int r = 0; r < kStrips; ++r) row[r] = load(a.at[r] + k * kStrip);
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
HAPTOS_KERNEL void update_tile(Strips<kStrips> a, const Scalar* b, int k_count, bool from_zero,
                               Scalar* to, std::ptrdiff_t ld) {
  V8 acc[kStrips][kColumns];
#pragma GCC unroll 8
  for (int c = 0; c < kColumns; ++c)
#pragma GCC unroll 8
    for (int r = 0; r < kStrips; ++r)
      acc[r][c] = from_zero ? zero() : load(to + c * ld + r * kStrip);
  accumulate<kStrips, kColumns>(acc, a, b, k_count);
#pragma GCC unroll 8
  for (int c = 0; c < kColumns; ++c)
#pragma GCC unroll 8
    for (int r = 0; r < kStrips; ++r) store(to + c * ld + r * kStrip, acc[r][c]);
}

// Calls f(first strip, number of strips as a constant) for groups that cover [begin, end).
template <class F>
HAPTOS_KERNEL void for_groups(int begin, int end, const F& f) {
  int s = begin;
  for (; s + kTileStrips <= end; s += kTileStrips) f(s, Width<kTileStrips>{});
  if constexpr (kTileStrips == 3) {
    if (s + 2 == end) return f(s, Width<2>{});
  }
  for (; s < end; ++s) f(s, Width<1>{});
}

// Strips [0, count) of one column tile.
template <int kColumns>
HAPTOS_KERNEL void update_column(const Scalar* a, std::ptrdiff_t stride, int count, const Scalar* b,
                                 int k_count, bool from_zero, Scalar* to, std::ptrdiff_t ld) {
  for_groups(0, count, [&](int s, auto n) HAPTOS_LAMBDA {
    constexpr int kStrips = decltype(n)::value;
    update_tile<kStrips, kColumns>(apart<kStrips>(a + s * stride, stride), b, k_count, from_zero,
                                   to + s * kStrip, ld);
  });
}

// Calls f with the width, 1 to 8, as a constant.
template <class F>
HAPTOS_KERNEL void with_any_width(int width, const F& f) {
  switch (width) {
    case 1:
      return f(Width<1>{});
    case 2:
      return f(Width<2>{});
    case 3:
      return f(Width<3>{});
    case 4:
      return f(Width<4>{});
    case 5:
      return f(Width<5>{});
    case 6:
      return f(Width<6>{});
    case 7:
      return f(Width<7>{});
    default:
      return f(Width<8>{});
  }
}

// The same for the width of a register tile, at most kTile.
template <class F>
HAPTOS_KERNEL void with_width(int width, const F& f) {
  if constexpr (kTile == 8) return with_any_width(width, f);
  switch (width) {
    case 1:
      return f(Width<1>{});
    case 2:
      return f(Width<2>{});
    case 3:
      return f(Width<3>{});
    default:
      return f(Width<4>{});
  }
}

// Cholesky of the columns in acc, whose diagonal stands in lanes kLane ...
// Returns the first column without a positive pivot, or -1.
template <int kColumns, int kLane>
HAPTOS_KERNEL int factor_diagonal(V8 (&acc)[1][kColumns], Scalar* inverse, Scalar* pivot) {
  int failed = -1;
  // The pivots run ahead as scalars, with the operations of their lanes: that chain is the longest.
  Scalar d = lane(acc[0][0], kLane);
#pragma GCC unroll 8
  for (int c = 0; c < kColumns; ++c) {
    if (!(d > 0) || !(d < kHuge)) [[unlikely]] {
      if (failed < 0) {
        failed = c;
        *pivot = d;
      }
    }
    const Scalar i = 1 / root(d);
    if (c + 1 < kColumns) {
      const Scalar below = lane(acc[0][c], kLane + c + 1) * i;
      d = fused(-below, below, lane(acc[0][c + 1], kLane + c + 1));
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

// One group of strips of a column tile: update by k_count columns, then divide by the tile's
// triangle `l` (8 scalars a column, rows from its first) and put the result behind those columns.
template <int kStrips, int kColumns>
HAPTOS_KERNEL void solve_tile(const Scalar* panel, std::ptrdiff_t ld, Strips<kStrips> a,
                              const Scalar* b, int k_count, const Scalar* l,
                              const Scalar* inverse) {
  V8 acc[kStrips][kColumns];
#pragma GCC unroll 8
  for (int c = 0; c < kColumns; ++c)
#pragma GCC unroll 8
    for (int r = 0; r < kStrips; ++r) acc[r][c] = load(panel + c * ld + r * kStrip);
  accumulate<kStrips, kColumns>(acc, a, b, k_count);
#pragma GCC unroll 8
  for (int c = 0; c < kColumns; ++c) {
    const V8 i = splat(inverse + c);
#pragma GCC unroll 8
    for (int r = 0; r < kStrips; ++r) {
      acc[r][c] = multiply(acc[r][c], i);
      store(a.at[r] + (k_count + c) * kStrip, acc[r][c]);
    }
#pragma GCC unroll 8
    for (int e = c + 1; e < kColumns; ++e) {
      const V8 s = splat(l + c * kStrip + e);
#pragma GCC unroll 8
      for (int r = 0; r < kStrips; ++r) acc[r][e] = subtract_product(acc[r][c], s, acc[r][e]);
    }
  }
}

// Columns a strip of the pivots' triangle keeps.
inline int strip_width(int s, int pivots) {
  return kStrip * s + kStrip < pivots ? kStrip * s + kStrip : pivots;
}

// Replaces the lower triangle in an 8 x 8 tile of kColumns columns by its inverse X, from X L = I,
// last column first. Rows from kColumns on come out as zero.
template <int kColumns>
HAPTOS_KERNEL void invert_tile(Scalar* tile, const Scalar* inverse) {
  alignas(64) static constexpr Scalar kUnit[kStrip][kStrip] = {
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
HAPTOS_KERNEL int factor_tile(int pivots, int updates, Scalar* panel, std::ptrdiff_t ld,
                              Scalar* strips, int from, int first, Scalar* inverse, Scalar* pivot) {
  const int s = first / kStrip, offset = first % kStrip;
  Scalar* own = strips + triangle_strip(s);
  const Scalar* column = panel + first * ld;
  const int k_count = first - from;
  int failed;
  {
    V8 acc[1][kColumns];
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) acc[0][c] = load(column + c * ld + s * kStrip);
    accumulate<1, kColumns>(acc, triangle<1>(strips, s, from), own + from * kStrip + offset,
                            k_count);
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
  const Scalar* b = own + from * kStrip + offset;
  const Scalar* l = own + first * kStrip + offset;
  const int triangle_strips = (pivots + kStrip - 1) / kStrip;
  for_groups(s + 1, triangle_strips, [&](int t, auto n) HAPTOS_LAMBDA {
    constexpr int kStrips = decltype(n)::value;
    solve_tile<kStrips, kColumns>(column + t * kStrip, ld, triangle<kStrips>(strips, t, from), b,
                                  k_count, l, inverse);
  });
  const Scalar* rows = strips + triangle_size(pivots) + from * kStrip;
  const std::ptrdiff_t stride = std::ptrdiff_t(kStrip) * pivots;
  for_groups(0, (updates + kStrip - 1) / kStrip, [&](int t, auto n) HAPTOS_LAMBDA {
    constexpr int kStrips = decltype(n)::value;
    solve_tile<kStrips, kColumns>(column + (triangle_strips + t) * kStrip, ld,
                                  apart<kStrips>(rows + t * stride, stride), b, k_count, l,
                                  inverse);
  });
  return -1;
}

// The columns after `end` in the panel, updated by columns [begin, end).
HAPTOS_KERNEL void update_panel(int pivots, int updates, Scalar* panel, std::ptrdiff_t ld,
                                const Scalar* strips, int begin, int end) {
  const int triangle_strips = (pivots + kStrip - 1) / kStrip;
  const int update_strips = (updates + kStrip - 1) / kStrip;
  const Scalar* b_strips = strips + triangle_size(pivots) + begin * kStrip;
  const std::ptrdiff_t stride = std::ptrdiff_t(kStrip) * pivots;
  for (int j = end; j < pivots; j += kTile) {
    const int width = pivots - j < kTile ? pivots - j : kTile;
    const int s = j / kStrip;
    const Scalar* b = strips + triangle_strip(s) + begin * kStrip + j % kStrip;
    with_width(width, [&](auto w) HAPTOS_LAMBDA {
      for_groups(s, triangle_strips, [&](int t, auto n) HAPTOS_LAMBDA {
        constexpr int kStrips = decltype(n)::value;
        update_tile<kStrips, decltype(w)::value>(triangle<kStrips>(strips, t, begin), b,
                                                 end - begin, false, panel + j * ld + t * kStrip,
                                                 ld);
      });
    });
  }
  constexpr int kRowStrips = 30;
  for (int r = 0; r < update_strips; r += kRowStrips) {
    const int count = update_strips - r < kRowStrips ? update_strips - r : kRowStrips;
    for (int j = end; j < pivots; j += kTile) {
      const int width = pivots - j < kTile ? pivots - j : kTile;
      const Scalar* b = strips + triangle_strip(j / kStrip) + begin * kStrip + j % kStrip;
      with_width(width, [&](auto w) HAPTOS_LAMBDA {
        update_column<decltype(w)::value>(b_strips + r * stride, stride, count, b, end - begin,
                                          false, panel + j * ld + (triangle_strips + r) * kStrip,
                                          ld);
      });
    }
  }
}

HAPTOS_KERNEL int factor_panel(int pivots, int updates, Scalar* panel, std::ptrdiff_t ld,
                               Scalar* strips, Scalar* pivot) {
  constexpr int kBlock = 64;
  alignas(64) Scalar inverse[kStrip];
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
        Scalar* tile = strips + triangle_strip(s) + std::ptrdiff_t(kStrip) * kStrip * s;
        with_any_width(first + width - kStrip * s, [&](auto w) HAPTOS_LAMBDA {
          invert_tile<decltype(w)::value>(tile, inverse);
        });
      }
    }
    if (end < pivots) update_panel(pivots, updates, panel, ld, strips, begin, end);
  }
  return -1;
}

HAPTOS_KERNEL void update(int pivots, int updates, const Scalar* b, Scalar* u, std::ptrdiff_t ld,
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
          update_column<decltype(w)::value>(b + s * stride + k * kStrip, stride, last - s,
                                            b + (j / kStrip) * stride + k * kStrip + j % kStrip,
                                            k_count, k == 0, u + j * ld + s * kStrip, ld);
        });
      }
    }
  }
}

HAPTOS_KERNEL void extend_add(const RowRun* runs, int run_count, int row_shift, bool to_panel,
                              const Scalar* child, std::ptrdiff_t child_ld, Scalar* parent,
                              std::ptrdiff_t parent_ld) {
  const int shift = to_panel ? 0 : row_shift;
  for (int b = 0; b < run_count; ++b) {
    const RowRun own = runs[b];
    if ((own.to < row_shift) != to_panel) {
      if (to_panel) return;
      continue;
    }
    const Scalar* from = child + own.from * child_ld;
    Scalar* to = parent + (own.to - shift) * parent_ld;
    for (int j = 0; j < own.count; ++j, from += child_ld, to += parent_ld) {
      add(to + own.to - shift + j, from + own.from + j, own.count - j);
      for (int r = b + 1; r < run_count; ++r)
        add(to + runs[r].to - shift, from + runs[r].from, runs[r].count);
    }
  }
}
