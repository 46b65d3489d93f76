#include "haptos/files/yaml/yaml_value.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/text/options.h"
#include "haptos/base/text/text.h"
#include "haptos/base/text/units.h"

namespace haptos::yaml {

double length_unit(const Value& v) {
  const std::string name = v.text();
  if (const auto size = unit_size("m", name)) return *size;
  v.fail(printable(name), "must be a unit of length",
         "write " + unit_list("m") + ", without a number");
}

Diagnostic Value::where() const {
  Diagnostic d;
  d.file = document_->file();
  d.line = node_->line;
  d.column = node_->column;
  d.element = path_.empty() ? "the scene" : path_;
  return d;
}

void Value::fail(const std::string& value, const std::string& rule,
                 const std::string& remedy) const {
  Diagnostic d = where();
  d.value = value;
  d.rule = rule;
  d.remedy = remedy;
  throw InputError(d);
}

std::string Value::shown() const {
  switch (node_->kind) {
    case Kind::kNull:
      return "nothing";
    case Kind::kList:
      return "a list";
    case Kind::kMap:
      return "a map";
    case Kind::kScalar:
      break;
  }
  return node_->text.empty() ? "\"\"" : printable(node_->text);
}

void Value::map() const {
  if (!is_map()) fail(shown(), "must be a map", "write keys and values, \"key: value\"");
}

void Value::keys(const std::vector<const char*>& known) const {
  map();
  for (const Entry& e : node_->entries)
    if (std::none_of(known.begin(), known.end(), [&](const char* k) { return e.key == k; }))
      fail_unknown(e, {known.begin(), known.end()});
}

void Value::fail_unknown(const Entry& entry, const std::vector<std::string>& known) const {
  Diagnostic d = where();
  d.line = entry.line;
  d.column = entry.column;
  d.element = (path_.empty() ? "" : path_ + ".") + printable(entry.key);
  d.rule = "is an unknown key";
  const std::string near = nearest_name(entry.key, known);
  d.remedy = near.empty() ? "known keys are " : "the nearest known key is \"" + near + "\"";
  if (near.empty())
    for (std::size_t i = 0; i < known.size(); ++i) d.remedy += (i > 0 ? ", " : "") + known[i];
  throw InputError(d);
}

std::optional<Value> Value::find(const char* key) const {
  for (const Entry& e : node_->entries)
    if (e.key == key) return Value(document_, e.value, path_ + (path_.empty() ? "" : ".") + e.key);
  return std::nullopt;
}

Value Value::at(const char* key, const std::string& remedy) const {
  if (auto v = find(key)) return *v;
  Diagnostic d = where();
  d.element += " has no \"" + std::string(key) + "\"";
  d.remedy = remedy;
  throw InputError(d);
}

Value Value::entry(std::size_t i) const {
  const Entry& e = node_->entries[i];
  return Value(document_, e.value, path_ + (path_.empty() ? "" : ".") + printable(e.key));
}

std::size_t Value::list(std::size_t least, std::size_t most) const {
  if (!is_list()) fail(shown(), "must be a list", "write [a, b, c], or a line \"- a\" for each");
  const std::size_t n = node_->items.size();
  if (n < least || n > most)
    fail(std::to_string(n) + " items",
         least == most ? "must have " + std::to_string(least) + " items"
         : n < least   ? "must have at least " + std::to_string(least)
                       : "must have at most " + std::to_string(most),
         "count the items of the list");
  return n;
}

Value Value::item(std::size_t i) const {
  return Value(document_, node_->items[i], path_ + "[" + std::to_string(i) + "]");
}

std::string Value::text() const {
  if (!is_scalar() || node_->text.empty()) fail(shown(), "must be a word", "write its text");
  constexpr std::size_t kLongest = 1000;
  if (node_->text.size() > kLongest)
    fail(shown(), "must have at most " + std::to_string(kLongest) + " characters", "shorten it");
  // Escapes in quotes can make control characters that the text itself may not hold.
  for (const char c : node_->text)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f)
      fail(shown(), "must not hold control characters", "remove them");
  return node_->text;
}

bool Value::boolean() const {
  if (is_scalar() && node_->plain && node_->text == "true") return true;
  if (is_scalar() && node_->plain && node_->text == "false") return false;
  fail(shown(), "must be true or false", "yes, no, on, off, 0 and 1 are not read as such");
}

double Value::any_number(const std::string& unit) const {
  if (!is_scalar()) refuse_quantity(shown(), unit, where());
  return read_quantity(node_->text, unit, where(), true);
}

double Value::number(const std::string& unit) const {
  if (!is_scalar()) refuse_quantity(shown(), unit, where());
  return read_quantity(node_->text, unit, where());
}

double Value::number(const std::string& unit, double low, double high) const {
  const double v = any_number(unit);
  if (!(v >= low && v <= high))
    fail(shown(),
         "must be from " + to_text(low) + " to " + to_text(high) + (unit.empty() ? "" : " ") + unit,
         "write a number in that range");
  return v;
}

int Value::integer(int low, int high) const {
  const double v = any_number("");
  if (!(v >= low && v <= high) || v != std::floor(v))
    fail(shown(),
         "must be a whole number from " + std::to_string(low) + " to " + std::to_string(high),
         "write a number in that range");
  return static_cast<int>(v);
}

Vec3d Value::vector(const std::string& unit) const {
  list(3, 3);
  return {{item(0).number(unit), item(1).number(unit), item(2).number(unit)}};
}

}  // namespace haptos::yaml
