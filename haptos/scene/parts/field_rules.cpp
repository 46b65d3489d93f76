#include "haptos/scene/parts/field_rules.h"

#include <cmath>

#include "haptos/base/text/options.h"
#include "haptos/base/text/refuse.h"
#include "haptos/base/text/text.h"

namespace haptos {
namespace {

void check_finite(const std::string& element, const Vec3d& v) {
  for (int c = 0; c < 3; ++c)
    if (!std::isfinite(v[c]))
      refuse(element, internal::format_number(v[c]), "must be finite", "give three numbers");
}

}  // namespace

void check_range(const std::string& element, double v, double low, double high,
                 const std::string& unit, const std::string& or_word) {
  if (v >= low && v <= high) return;
  const std::string after = unit.empty() ? "" : " " + unit;
  refuse(element, to_text(v) + after,
         "must be " + or_word + "from " + to_text(low) + " to " + to_text(high) + after,
         unit.empty() ? "give a number in this range" : "give it in " + unit);
}

std::vector<std::string> words_of(const FieldInfo& row) { return split_words(row.words); }

void check_number(const FieldInfo& row, const std::string& element, double v) {
  const std::string word = row.words;
  check_range(element, v, row.lo, row.hi, row.unit,
              word.empty() || word == "none" ? "" : word + " or ");
}

void check_value(const FieldInfo& row, const std::string& element, double v) {
  if (!stands_for_word(row, v)) check_number(row, element, v);
}

void check_value(const FieldInfo& row, const std::string& element, int v) {
  check_range(element, v, row.lo, row.hi, row.unit);
}

void check_value(const FieldInfo& row, const std::string& element, const Vec3d& v) {
  check_finite(element, v);
  if (!(row.marks & kDirection)) {
    for (int c = 0; c < 3; ++c) check_range(element, v[c], row.lo, row.hi, row.unit);
    return;
  }
  if (std::abs(norm(v) - 1) > 1e-9)
    refuse(element, "length " + internal::format_number(norm(v)), "must have length 1",
           "divide it by its length");
}

void check_value(const FieldInfo& row, const std::string& element, const std::optional<Vec3d>& v) {
  if (v) check_value(row, element, *v);
}

// The moments of a body are checked with its mass (bodies/stiff/rigid_body.h).
void check_value(const FieldInfo& row, const std::string& element, const Mat3d& m) {
  for (int i = 0; i < 3; ++i) {
    check_finite(element, {{m(i, 0), m(i, 1), m(i, 2)}});
    for (int j = 0; j < 3; ++j) check_range(element, m(i, j), -row.hi, row.hi, row.unit);
  }
}

void check_value(const FieldInfo&, const std::string& element, const Pose& p) {
  check_finite(element + " position", p.p);
  for (int c = 0; c < 3; ++c)
    check_range(element + " position", p.p[c], -limits::kLargestLength, limits::kLargestLength,
                "m");
  const double n = p.q.w * p.q.w + p.q.x * p.q.x + p.q.y * p.q.y + p.q.z * p.q.z;
  if (!(std::abs(n - 1) < 1e-6))
    refuse(element + " quaternion",
           internal::format_number(p.q.w) + " " + internal::format_number(p.q.x) + " " +
               internal::format_number(p.q.y) + " " + internal::format_number(p.q.z),
           "must have length 1 (w x y z)", "no turn is 1 0 0 0");
}

void check_value(const FieldInfo& row, const std::string& element, const Friction& f) {
  if (row.lo < 0 && f.sticking < 0) return;  // left out
  check_range(element, f.sticking, 0, row.hi, "");
  if (f.sliding < 0) return;
  if (!(f.sliding <= f.sticking))
    refuse(element, to_text(f.sliding) + " after " + to_text(f.sticking),
           "must be [static, kinetic], the kinetic one not above the static one",
           "exchange the two, or give one number for both");
}

void check_value(const FieldInfo& row, const std::string& element, const PressureLaw& p) {
  check_range(element, p.modulus(), row.lo, row.hi, row.unit);
}

Vec3d direction_of(const std::string& element, const Vec3d& v) {
  const double length = norm(v);
  if (!(length > 1e-12 && length < 1e12))
    refuse(element, "length " + to_text(length), "must have a direction", "for example [0, 0, 1]");
  return v * (1 / length);
}

void add_value(Hash& h, double v) { h.add(v); }

void add_value(Hash& h, int v) { h.add(static_cast<std::uint64_t>(v)); }

void add_value(Hash& h, const Pose& v) {
  add_value(h, v.p);
  for (const double q : {v.q.w, v.q.x, v.q.y, v.q.z}) h.add(q);
}

void add_value(Hash& h, const Vec3d& v) {
  for (int c = 0; c < 3; ++c) h.add(v[c]);
}

void add_value(Hash& h, const std::optional<Vec3d>& v) {
  if (v) add_value(h, *v);
}

}  // namespace haptos
