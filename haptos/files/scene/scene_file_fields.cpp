#include "haptos/files/scene/scene_file_fields.h"

namespace haptos::scene_file {

void read_value(Reading&, const Value& v, const FieldInfo& row, double& out) {
  if (*row.words && v.is_scalar() && v.text() == row.words)
    out = 0;
  else
    out = v.number(row.unit, row.lo, row.hi);
}

void read_value(Reading&, const Value& v, const FieldInfo& row, int& out) {
  out = *row.words ? static_cast<int>(read_word(v, words_of(row)))
                   : v.integer(static_cast<int>(row.lo), static_cast<int>(row.hi));
}

void read_value(Reading&, const Value& v, const FieldInfo& row, Element& out) {
  out = static_cast<Element>(read_word(v, words_of(row)));
}

void read_value(Reading&, const Value& v, const FieldInfo&, bool& out) { out = v.boolean(); }

void read_value(Reading&, const Value& v, const FieldInfo& row, Vec3d& out) {
  if (row.marks & kDirection) {
    out = read_direction(v);
    return;
  }
  v.list(3, 3);
  for (int k = 0; k < 3; ++k)
    out[k] = v.item(static_cast<std::size_t>(k)).number(row.unit, row.lo, row.hi);
}

void read_value(Reading& r, const Value& v, const FieldInfo& row, std::optional<Vec3d>& out) {
  out.emplace();
  read_value(r, v, row, *out);
}

// Three principal moments along the axes of the body's frame, or three rows of three.
void read_value(Reading&, const Value& v, const FieldInfo& row, Mat3d& out) {
  v.list(3, 3);
  out = Mat3d::zero();
  for (int i = 0; i < 3; ++i) {
    const Value line = v.item(static_cast<std::size_t>(i));
    if (!line.is_list()) {
      out(i, i) = line.number(row.unit, row.lo, row.hi);
      continue;
    }
    line.list(3, 3);
    for (int j = 0; j < 3; ++j)
      out(i, j) = line.item(static_cast<std::size_t>(j)).number(row.unit, -row.hi, row.hi);
  }
}

void read_value(Reading&, const Value& v, const FieldInfo&, Pose& out) { out = read_pose(v); }

// One coefficient, or [static, kinetic].
void read_value(Reading&, const Value& v, const FieldInfo& row, Friction& out) {
  if (!v.is_list()) {
    out = {v.number("", 0, row.hi), -1};
    if (out.sticking == 0) out.sliding = 0;  // said, not left out: doubts.h
    return;
  }
  v.list(2, 2);
  out = {v.item(0).number("", 0, row.hi), v.item(1).number("", 0, row.hi)};
  located(v, [&] { check_value(row, "", out); });
}

// A modulus, {modulus: ...} or {pressure: [[depth, pressure], ...]}.
void read_value(Reading&, const Value& v, const FieldInfo& row, PressureLaw& out) {
  if (!v.is_map()) {
    out = v.number(row.unit, row.lo, row.hi);
    return;
  }
  v.keys({"modulus", "pressure"});
  const auto modulus = v.find("modulus"), pressure = v.find("pressure");
  if (!modulus == !pressure)
    v.fail("", "must have either modulus or pressure", "for example {modulus: 1e7 Pa/m}");
  if (modulus) {
    out = modulus->number(row.unit, row.lo, row.hi);
    return;
  }
  std::vector<PressureLaw::Row> rows;
  const std::size_t count = pressure->list(1, 1000);
  for (std::size_t i = 0; i < count; ++i) {
    const Value line = pressure->item(i);
    line.list(2, 2);
    rows.emplace_back(line.item(0).number("m"), line.item(1).number("Pa"));
  }
  located(*pressure, [&] {
    out = PressureLaw("", rows);
    check_value(row, "", out);
  });
}

void read_value(Reading& r, const Value& v, const FieldInfo&, std::string& out) {
  out = v.text();
  if (out.size() > 100) v.fail("", "must have at most 100 characters", "shorten it");
  r.names.emplace(out, Reading::Named{"group", v.where().line, false});
}

}  // namespace haptos::scene_file
