#include "haptos/geometry/pressure/pressure_law.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/text/refuse.h"
#include "haptos/base/text/text.h"

namespace haptos {
namespace {

using Row = PressureLaw::Row;

// The line that holds `at` of one column of the rows, as the row where it starts and its end.
std::pair<Row, Row> line_at(const std::vector<Row>& rows, double Row::*column, double at) {
  const auto end = std::lower_bound(rows.begin(), rows.end() - 1, at,
                                    [&](const Row& r, double x) { return r.*column < x; });
  return {end == rows.begin() ? Row{0, 0} : *(end - 1), *end};
}

double slope_of(const std::pair<Row, Row>& line) {
  return (line.second.second - line.first.second) / (line.second.first - line.first.first);
}

}  // namespace

PressureLaw::PressureLaw(const std::string& element, const std::vector<Row>& rows) : rows_(rows) {
  const char* const remedy = "give rows such as [[1 mm, 5 kPa], [2 mm, 20 kPa]]";
  if (!rows_.empty() && rows_.front() == Row{0, 0}) rows_.erase(rows_.begin());
  if (rows_.empty()) refuse(element, "", "has no row above depth 0", remedy);
  Row last{0, 0};
  for (const Row& r : rows_) {
    const std::string text = to_text(r.first) + " m, " + to_text(r.second) + " Pa";
    if (!(std::isfinite(r.first) && std::isfinite(r.second)))
      refuse(element, text, "must be finite", remedy);
    if (!(r.first > last.first && r.second > last.second))
      refuse(element, text, "must be deeper and of more pressure than the row before, and than 0",
             remedy);
    modulus_ = std::max(modulus_, slope_of({last, r}));
    last = r;
  }
}

double PressureLaw::pressure(double depth) const {
  if (rows_.empty()) return modulus_ * depth;
  const auto line = line_at(rows_, &Row::first, depth);
  return line.first.second + slope_of(line) * (depth - line.first.first);
}

double PressureLaw::slope(double depth) const {
  return rows_.empty() ? modulus_ : slope_of(line_at(rows_, &Row::first, depth));
}

double PressureLaw::depth(double pressure) const {
  if (rows_.empty()) return std::isinf(modulus_) ? 0 : pressure / modulus_;
  const auto line = line_at(rows_, &Row::second, pressure);
  return line.first.first + (pressure - line.first.second) / slope_of(line);
}

PressureLaw PressureLaw::of_both(const PressureLaw& a, const PressureLaw& b) {
  std::vector<double> pressures;
  for (const PressureLaw* law : {&a, &b})
    for (const Row& r : law->rows_) pressures.push_back(r.second);
  if (pressures.empty()) return 1 / (1 / a.modulus_ + 1 / b.modulus_);
  std::sort(pressures.begin(), pressures.end());
  pressures.erase(std::unique(pressures.begin(), pressures.end()), pressures.end());
  PressureLaw both;
  Row last{0, 0};
  // The last line goes on as those of both do.
  pressures.push_back(2 * pressures.back());
  for (const double p : pressures) {
    both.rows_.emplace_back(a.depth(p) + b.depth(p), p);
    both.modulus_ = std::max(both.modulus_, slope_of({last, both.rows_.back()}));
    last = both.rows_.back();
  }
  return both;
}

}  // namespace haptos
