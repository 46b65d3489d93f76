// Every operation of a pack equals the scalar one in every lane, bit for bit, at widths below, at
// and above the vector of the target, for ordinary and special values.
#include "haptos/base/math/lanes.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace haptos {
namespace {

template <class T>
std::vector<T> values() {
  using L = std::numeric_limits<T>;
  return {T(0),     -T(0),         T(1),    T(-2.5), T(1) / 3,      L::min(), L::denorm_min(),
          L::max(), -L::max(),     T(1e-7), T(-1e7), L::infinity(), T(7),     -L::infinity(),
          T(0.1),   L::quiet_NaN()};
}

/// The same bits, or both not a number (whose sign and payload are free).
template <class T>
bool same(T a, T b) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
}

template <class P>
void check() {
  using T = typename ScalarTraits<P>::Plain;
  constexpr int n = ScalarTraits<P>::kLanes;
  const auto list = values<T>();
  const int count = static_cast<int>(list.size());
  for (int shift = 0; shift < count; ++shift)
    for (int start = 0; start < count; start += n) {
      T x[n], y[n], z[n];
      for (int k = 0; k < n; ++k) {
        x[k] = list[(start + k) % count];
        y[k] = list[(start + k + shift) % count];
        z[k] = list[(start + 3 * k + 5) % count];
      }
      const P a = P::load(x), b = P::load(y), c = P::load(z);
      const auto lt = a<b, gt = a> b, le = a <= b, ge = a >= b;
      bool any_lt = false, all_lt = true;
      const auto test = [&](P r, int k, T expected, const char* name) {
        EXPECT_TRUE(same(r[k], expected)) << name << " of " << x[k] << ", " << y[k] << ", " << z[k];
      };
      for (int k = 0; k < n; ++k) {
        test(a + b, k, x[k] + y[k], "+");
        test(a - b, k, x[k] - y[k], "-");
        test(a * b, k, x[k] * y[k], "*");
        test(a / b, k, x[k] / y[k], "/");
        test(-a, k, -x[k], "negation");
        test(fma(a, b, c), k, fma(x[k], y[k], z[k]), "fma");
        test(sqrt(a), k, sqrt(x[k]), "sqrt");
        test(vmin(a, b), k, vmin(x[k], y[k]), "vmin");
        test(vmax(a, b), k, vmax(x[k], y[k]), "vmax");
        test(vabs(a), k, vabs(x[k]), "vabs");
        test(clamp(a, b, c), k, clamp(x[k], y[k], z[k]), "clamp");
        test(select(lt, a, c), k, select(x[k] < y[k], x[k], z[k]), "<");
        test(select(gt, a, c), k, select(x[k] > y[k], x[k], z[k]), ">");
        test(select(le, a, c), k, select(x[k] <= y[k], x[k], z[k]), "<=");
        test(select(ge, a, c), k, select(x[k] >= y[k], x[k], z[k]), ">=");
        test(select((!le) & (gt | lt), a, c), k, select(x[k] > y[k], x[k], z[k]), "masks");
        any_lt = any_lt || x[k] < y[k];
        all_lt = all_lt && x[k] < y[k];
      }
      EXPECT_EQ(any(lt), any_lt);
      EXPECT_EQ(all(lt), all_lt);
      P d(2), e = a;
      d.set(n - 1, x[0]);
      EXPECT_TRUE(same(d[n - 1], x[0]));
      EXPECT_TRUE(n == 1 || d[0] == T(2));
      e += b;
      e -= c;
      e *= b;
      T out[n];
      e.store(out);
      for (int k = 0; k < n; ++k) EXPECT_TRUE(same(out[k], ((x[k] + y[k]) - z[k]) * y[k]));
    }
}

TEST(Lanes, DoublePacksEqualScalarsBitForBit) {
  check<Pack<double, 2>>();
  check<Pack<double, 4>>();
  check<Pack<double, 8>>();
  check<Pack<double, 16>>();
}

TEST(Lanes, FloatPacksEqualScalarsBitForBit) {
  check<Pack<float, 4>>();
  check<Pack<float, 8>>();
  check<Pack<float, 16>>();
}

}  // namespace
}  // namespace haptos
