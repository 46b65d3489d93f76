#include "haptos/base/text/units.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>

#include "haptos/base/text/text.h"

namespace haptos {
namespace {

// One `name` is times / over of the SI unit. Two factors, since 1 / 1000 is exact and 0.001 is not.
struct Unit {
  const char* si;
  const char* name;
  double times, over;
};

constexpr Unit kUnits[] = {
    {"m", "m", 1, 1},
    {"m", "cm", 1, 1e2},
    {"m", "mm", 1, 1e3},
    {"m", "um", 1, 1e6},
    {"m", "in", 254, 1e4},
    {"s", "s", 1, 1},
    {"s", "ms", 1, 1e3},
    {"s", "us", 1, 1e6},
    {"s", "min", 60, 1},
    {"s", "h", 3600, 1},
    {"kg", "kg", 1, 1},
    {"kg", "g", 1, 1e3},
    {"kg", "mg", 1, 1e6},
    {"N", "N", 1, 1},
    {"N", "mN", 1, 1e3},
    {"N", "kN", 1e3, 1},
    {"Pa", "Pa", 1, 1},
    {"Pa", "kPa", 1e3, 1},
    {"Pa", "MPa", 1e6, 1},
    {"Pa", "GPa", 1e9, 1},
    {"rad", "rad", 1, 1},
    {"rad", "deg", std::numbers::pi, 180},
    {"rad/s", "rad/s", 1, 1},
    {"rad/s", "deg/s", std::numbers::pi, 180},
    {"rad/s", "rpm", std::numbers::pi, 30},
    {"m2", "m2", 1, 1},
    {"m2", "cm2", 1, 1e4},
    {"m2", "mm2", 1, 1e6},
    {"m/s", "m/s", 1, 1},
    {"m/s", "cm/s", 1, 1e2},
    {"m/s", "mm/s", 1, 1e3},
    {"m/s", "um/s", 1, 1e6},
    {"m/s2", "m/s2", 1, 1},
    {"m/s2", "mm/s2", 1, 1e3},
    {"kg/m3", "kg/m3", 1, 1},
    {"kg/m3", "g/cm3", 1e3, 1},
    {"N/m", "N/m", 1, 1},
    {"N/m", "N/mm", 1e3, 1},
    {"Pa/m", "Pa/m", 1, 1},
    {"Pa/m", "kPa/mm", 1e6, 1},
    {"Pa/m", "MPa/mm", 1e9, 1},
    {"Pa/m", "N/m3", 1, 1},
    {"Pa/m", "N/mm3", 1e9, 1},
    {"1/s", "1/s", 1, 1},
    {"1/s", "1/ms", 1e3, 1},
    {"1/s", "Hz", 1, 1},
    {"N m", "N m", 1, 1},
    {"N m", "N mm", 1, 1e3},
    {"kg m2", "kg m2", 1, 1},
    {"kg m2", "kg mm2", 1, 1e6},
    {"kg m2", "g mm2", 1, 1e9},
    {"Pa s", "Pa s", 1, 1},
    {"Pa s", "mPa s", 1, 1e3},
    {"N m s", "N m s", 1, 1},
    {"N m s", "N mm s", 1, 1e3},
};

// The spelling of the table: no caret before a power, and u for the micro sign and for the Greek
// letter mu.
std::string plain_spelling(std::string_view name) {
  std::string s;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const std::string_view two = name.substr(i, 2);
    if (two == "\xc2\xb5" || two == "\xce\xbc") {
      s += 'u';
      ++i;
    } else if (name[i] != '^' || i + 1 == name.size() || name[i + 1] < '2' || name[i + 1] > '3') {
      s += name[i];
    }
  }
  return s;
}

const Unit* find_unit(const std::string& si, std::string_view name) {
  const std::string plain = plain_spelling(name);
  for (const Unit& u : kUnits)
    if (si == u.si && plain == u.name) return &u;
  return nullptr;
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

// Takes a number off the front of `s`: as in base/text/text.h, and YAML's .inf and .nan. False
// where there is none.
bool take_number(std::string_view& s, double& value) {
  const std::string_view whole = s;
  if (s.size() > 1 && s[0] == '+' && s[1] != '-' && s[1] != '+') s.remove_prefix(1);
  std::string_view word = s;
  const bool minus = word.starts_with('-');
  if (minus) word.remove_prefix(1);
  for (const char* special : {".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"})
    if (word.starts_with(special)) {
      const double inf = std::numeric_limits<double>::infinity();
      value = (special[1] | 32) == 'n' ? std::nan("") : minus ? -inf : inf;
      s = word.substr(4);
      return true;
    }
  double unused = 0;
  const char* end = std::from_chars(s.data(), s.data() + s.size(), unused).ptr;
  if (end == s.data()) return s = whole, false;
  const auto length = static_cast<std::size_t>(end - s.data());
  const bool read = parse_double(s.substr(0, length), value);
  s.remove_prefix(length);
  return read;
}

[[noreturn]] void refuse(Diagnostic d, const std::string& value, const std::string& rule,
                         const std::string& remedy) {
  d.value = value;
  d.rule = rule;
  d.remedy = remedy;
  throw InputError(d);
}

}  // namespace

std::vector<std::string> known_units(const std::string& unit) {
  std::vector<std::string> names;
  for (const Unit& u : kUnits)
    if (unit == u.si) names.emplace_back(u.name);
  if (names.empty() && !unit.empty()) names.push_back(unit);
  return names;
}

std::string unit_list(const std::string& unit) {
  const std::vector<std::string> names = known_units(unit);
  std::string s;
  for (std::size_t i = 0; i < names.size(); ++i)
    s += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return s;
}

std::vector<std::string> convertible_units() {
  std::vector<std::string> names;
  for (const Unit& u : kUnits)
    if (names.empty() || names.back() != u.si) names.emplace_back(u.si);
  return names;
}

std::optional<double> unit_size(const std::string& unit, std::string_view name) {
  const Unit* u = find_unit(unit, name);
  if (u == nullptr) return std::nullopt;
  return u->times / u->over;
}

void refuse_quantity(const std::string& shown, const std::string& unit, const Diagnostic& where) {
  if (unit.empty())
    refuse(where, shown, "must be a number", "write it without a unit and with a decimal point");
  refuse(where, shown, "must be a number in " + unit,
         "write for example " + std::string(unit == "rad" ? "30 deg" : "0.5 " + unit) +
             "; units are " + unit_list(unit));
}

double read_quantity(std::string_view text, const std::string& unit, const Diagnostic& where,
                     bool any) {
  const std::string shown = text.empty() ? "\"\"" : printable(text);
  std::string_view s = trimmed(text);
  double value = 0;
  if (!take_number(s, value)) refuse_quantity(shown, unit, where);
  s = trimmed(s);
  if (s.empty()) {
    if (unit == "rad" && std::isfinite(value) && value != 0)
      refuse(where, shown, "must be an angle with its unit",
             "write " + shown + " deg or " + shown + " rad");
  } else if (const Unit* u = find_unit(unit, s)) {
    value = value * u->times / u->over;
  } else if (unit.empty() || s != unit) {
    refuse_quantity(shown, unit, where);
  }
  if (!any && !std::isfinite(value)) refuse(where, shown, "must be finite", "write a number");
  return value;
}

}  // namespace haptos
