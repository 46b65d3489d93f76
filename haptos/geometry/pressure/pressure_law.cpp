#include "haptos/geometry/pressure/pressure_law.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/text/refuse.h"
#include "haptos/base/text/text.h"

namespace haptos {

PressureLaw::PressureLaw(const std::string& element, const std::vector<Row>& rows) {
  const char* const remedy = "give rows such as [[1 mm, 5 kPa], [2 mm, 20 kPa]]";
  const bool from_zero = !rows.empty() && rows.front() == Row{0, 0};
  if (rows.size() == (from_zero ? 1 : 0)) refuse(element, "", "has no row above depth 0", remedy);
  Row last{0, 0};
  for (std::size_t i = from_zero ? 1 : 0; i < rows.size(); ++i) {
    const Row& r = rows[i];
    const std::string text = to_text(r.first) + " m, " + to_text(r.second) + " Pa";
    if (!(std::isfinite(r.first) && std::isfinite(r.second)))
      refuse(element, text, "must be finite", remedy);
    if (!(r.first > last.first && r.second > last.second))
      refuse(element, text, "must be deeper and of more pressure than the row before, and than 0",
             remedy);
    add(r);
    last = r;
  }
}

void PressureLaw::add(const Row& row) {
  const Row last = rows_.empty() ? Row{0, 0} : rows_.back();
  modulus_ = std::max(modulus_, (row.second - last.second) / (row.first - last.first));
  rows_.push_back(row);
}

PressureLaw PressureLaw::of_both(const PressureLaw& a, const PressureLaw& b) {
  std::vector<double> pressures;
  for (const PressureLaw* law : {&a, &b})
    for (const Row& r : law->rows_) pressures.push_back(r.second);
  if (pressures.empty()) return 1 / (1 / a.modulus_ + 1 / b.modulus_);
  std::sort(pressures.begin(), pressures.end());
  pressures.erase(std::unique(pressures.begin(), pressures.end()), pressures.end());
  PressureLaw both;
  // The last line goes on as those of both do.
  pressures.push_back(2 * pressures.back());
  for (const double p : pressures) both.add({a.depth(p) + b.depth(p), p});
  return both;
}

}  // namespace haptos
