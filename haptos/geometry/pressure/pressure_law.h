// Pressure inside a body as a function of depth: in proportion to it, or a table.
//
//   p = k d,   or straight lines through (0, 0) and the rows (d_i, p_i), which both rise; the last
//   line goes on.
//
// On the surface where the pressures of two bodies are equal their depths add up, so that both
// together have the law whose depth at a pressure is the sum of both.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "haptos/geometry/pressure/pressure_law_view.h"

namespace haptos {

class PressureLaw {
 public:
  using Row = PressureLawView::Row;  ///< depth [m] and pressure [Pa]

  /// @param modulus  k [Pa/m]; infinite, or 0 in a scene: rigid
  PressureLaw(double modulus = 0) : modulus_(modulus) {}  // NOLINT(google-explicit-constructor)
  /// @param element  as errors name it
  /// @throws InputError where there is no row, and for depths and pressures that are not finite,
  ///         not above 0 or do not rise
  PressureLaw(const std::string& element, const std::vector<Row>& rows);

  /// Of a table the steepest slope [Pa/m].
  double modulus() const { return modulus_; }
  bool is_table() const { return !rows_.empty(); }
  const std::vector<Row>& rows() const { return rows_; }  ///< of a table

  /// For kernels; this law must outlive it.
  PressureLawView view() const { return {modulus_, rows_.data(), static_cast<int>(rows_.size())}; }
  /// At a depth, below 0 outside: along the first line [Pa].
  double pressure(double depth) const { return view().pressure(depth); }
  /// Pressure per depth there; where two lines meet that of the lower one [Pa/m].
  double slope(double depth) const { return view().slope(depth); }
  double depth(double pressure) const { return view().depth(pressure); }  ///< 0 of a rigid one [m]
  /// That of two bodies, one of which may be rigid.
  static PressureLaw of_both(const PressureLaw& a, const PressureLaw& b);

 private:
  void add(const Row& row);  // deeper, and of more pressure, than the last one

  double modulus_ = 0;
  std::vector<Row> rows_;
};

}  // namespace haptos
