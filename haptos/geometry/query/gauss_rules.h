// Gauss rules on a triangle; weights add up to 1.
//
// Source: Dunavant, High degree efficient symmetrical Gaussian quadrature rules for the triangle,
// 1985.
#pragma once

#include <span>

namespace haptos {

struct TriangleNode {
  double a, b, c, weight;  ///< barycentric
};
namespace detail {
inline constexpr TriangleNode kDegree1[1] = {{1.0 / 3, 1.0 / 3, 1.0 / 3, 1}};
inline constexpr TriangleNode kDegree2[3] = {{2.0 / 3, 1.0 / 6, 1.0 / 6, 1.0 / 3},
                                             {1.0 / 6, 2.0 / 3, 1.0 / 6, 1.0 / 3},
                                             {1.0 / 6, 1.0 / 6, 2.0 / 3, 1.0 / 3}};
inline constexpr double kA4 = 0.445948490915964886, kB4 = 0.091576213509770743;
inline constexpr double kV4 = 0.223381589678011466, kW4 = 0.109951743655321868;
inline constexpr TriangleNode kDegree4[6] = {
    {1 - 2 * kA4, kA4, kA4, kV4}, {kA4, 1 - 2 * kA4, kA4, kV4}, {kA4, kA4, 1 - 2 * kA4, kV4},
    {1 - 2 * kB4, kB4, kB4, kW4}, {kB4, 1 - 2 * kB4, kB4, kW4}, {kB4, kB4, 1 - 2 * kB4, kW4}};
inline constexpr double kA6 = 0.063089014491502227, kB6 = 0.249286745170910421;
inline constexpr double kC6 = 0.310352451033784405, kD6 = 0.053145049844816947;
inline constexpr double kU6 = 0.050844906370206817, kV6 = 0.116786275726379366;
inline constexpr double kW6 = 0.082851075618373575;
inline constexpr TriangleNode kDegree6[12] = {
    {1 - 2 * kA6, kA6, kA6, kU6},   {kA6, 1 - 2 * kA6, kA6, kU6},   {kA6, kA6, 1 - 2 * kA6, kU6},
    {1 - 2 * kB6, kB6, kB6, kV6},   {kB6, 1 - 2 * kB6, kB6, kV6},   {kB6, kB6, 1 - 2 * kB6, kV6},
    {1 - kC6 - kD6, kC6, kD6, kW6}, {1 - kC6 - kD6, kD6, kC6, kW6}, {kC6, 1 - kC6 - kD6, kD6, kW6},
    {kD6, 1 - kC6 - kD6, kC6, kW6}, {kC6, kD6, 1 - kC6 - kD6, kW6}, {kD6, kC6, 1 - kC6 - kD6, kW6}};
}  // namespace detail

/// A rule that is exact for polynomials of at least this degree, 1 to 6.
inline std::span<const TriangleNode> triangle_rule(int degree) {
  if (degree <= 1) return detail::kDegree1;
  if (degree <= 2) return detail::kDegree2;
  if (degree <= 4) return detail::kDegree4;
  return detail::kDegree6;
}

}  // namespace haptos
