// What a block's unknowns make of a point that is no sum: its velocity, u_p = J_p z_block(p).
#pragma once

#include "haptos/base/math/lanes.h"
#include "haptos/system/block_matrix.h"
#include "haptos/system/points.h"

namespace haptos::internal {

// Row r, column c of J_p: dense for a link's or a guided body's point, else weights of triples.
inline double jacobian_entry(const Points& points, int p, int r, int c) {
  if (const double* j = points.jacobian(p)) return j[r * points.columns(p) + c];
  return c % 3 == r ? points.weights(p)[c / 3] : 0.0;
}

// The velocity of point p under the unknowns z.
inline Vec3d velocity(const Points& points, const BlockPattern& pattern, int p,
                      const std::vector<double>& z) {
  const double* zb = z.data() + pattern.offset(points.block(p));
  const double* j = points.jacobian(p);
  const int n = points.columns(p);
  Vec3d u = Vec3d::zero();
  if (!j) {
    const double* w = points.weights(p);
    for (int k = 0; k < n / 3; ++k)
      for (int c = 0; c < 3; ++c) u[c] = fma(w[k], zb[3 * k + c], u[c]);
    return u;
  }
  // Four sums a row side by side, and the rows: one sum would wait for itself.
  using Four = Pack<double, 4>;
  Four s[3] = {Four(0), Four(0), Four(0)};
  int c = 0;
  for (; c + 4 <= n; c += 4) {
    const Four z4 = Four::load(zb + c);
    for (int r = 0; r < 3; ++r) s[r] = fma(Four::load(j + r * n + c), z4, s[r]);
  }
  for (int r = 0; r < 3; ++r) u[r] = (s[r][0] + s[r][2]) + (s[r][1] + s[r][3]);
  for (; c < n; ++c)
    for (int r = 0; r < 3; ++r) u[r] = fma(j[r * n + c], zb[c], u[r]);
  return u;
}

}  // namespace haptos::internal
