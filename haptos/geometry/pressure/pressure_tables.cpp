// Surfaces of equal pressure where the pressure of a body is a table (pressure_surface.h).
#include <cmath>

#include "haptos/geometry/pressure/pressure_surface.h"

namespace haptos {

void PressureSurface::take_tables(const Side& own, const Side& other) {
  by_table_ = own.table || other.table;
  bent_ = by_table_ && share_own_ > 0 && share_other_ > 0;
  if (!by_table_) return;
  law_own_ = own.table ? *own.table : PressureLaw(own.modulus);
  law_other_ = other.table ? *other.table : PressureLaw(other.modulus);
}

// Of the same sign as the difference of the pressures, and no steeper than without tables.
double PressureSurface::g_of_tables(const Both& d) const {
  return (law_other_.pressure(-d.other) - law_own_.pressure(-d.own)) / (k_own_ + k_other_);
}

// By how much g changes with each of the distances.
void PressureSurface::shares_at(const Both& d, double& own, double& other) const {
  own = law_own_.slope(-d.own) / (k_own_ + k_other_);
  other = law_other_.slope(-d.other) / (k_own_ + k_other_);
}

// The sum of distances at which the moduli alone would give the pressure that the tables give.
double PressureSurface::as_linear(double sum) const { return -law_both_.pressure(-sum) / k_; }

// Pressure per depth in each body where it has that pressure.
void PressureSurface::moduli_at(double pressure, double& own, double& other) const {
  if (!std::isinf(own)) own = law_own_.slope(law_own_.depth(pressure));
  if (!std::isinf(other)) other = law_other_.slope(law_other_.depth(pressure));
}

}  // namespace haptos
