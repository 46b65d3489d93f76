#include "haptos/scene/parts/trajectory.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "haptos/base/text/error.h"
#include "haptos/base/text/options.h"
#include "haptos/base/text/text.h"
#include "haptos/base/text/utf8.h"

namespace haptos {
namespace {

constexpr std::uintmax_t kMostBytes = 256u << 20;
constexpr std::size_t kMostColumns = 10000;

[[noreturn]] void refuse(const Diagnostic& where, const std::string& element,
                         const std::string& value, const std::string& rule,
                         const std::string& remedy) {
  Diagnostic d = where;
  d.element = element;
  d.value = value;
  d.rule = rule;
  d.remedy = remedy;
  throw InputError(d);
}

void check_names(const std::vector<std::string>& names, const Diagnostic& where) {
  if (names.empty())
    refuse(where, "header", "", "must name a joint beside the time", "write time,joint1,joint2");
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty())
      refuse(where, "column " + std::to_string(i + 2), "", "must have a name",
             "give the joint's, or delete a comma");
    if (!is_plain_text(names[i]))
      refuse(where, "column " + std::to_string(i + 2), printable(names[i]),
             "must have a name of printable characters in UTF-8", "save the file as UTF-8");
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i))
      refuse(where, "column " + std::to_string(i + 2), printable(names[i]),
             "must have a name of its own", "give each joint one column");
  }
}

std::string_view trimmed(std::string_view s) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!s.empty() && blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && blank(s.back())) s.remove_suffix(1);
  return s;
}

// A line cut at its commas; columns are those of the text, counted from 1.
struct Cell {
  std::string_view text;
  int column = 0;
};
void split(std::string_view line, std::vector<Cell>& out) {
  out.clear();
  std::size_t from = 0;
  while (true) {
    const std::size_t to = std::min(line.find(',', from), line.size());
    const std::string_view raw = line.substr(from, to - from), cell = trimmed(raw);
    const std::size_t lead = cell.empty() ? 0 : static_cast<std::size_t>(cell.data() - raw.data());
    out.push_back({cell, static_cast<int>(from + lead) + 1});
    if (to == line.size()) return;
    from = to + 1;
  }
}

std::string_view unquoted(std::string_view s) {
  return s.size() >= 2 && s.front() == '"' && s.back() == '"' ? s.substr(1, s.size() - 2) : s;
}

std::vector<std::string> read_header(const std::vector<Cell>& cells, Diagnostic where) {
  if (unquoted(cells[0].text) != "time")
    refuse(where, "first column", printable(cells[0].text), "must be called time",
           "begin the file with the header time,joint1,joint2");
  if (cells.size() > kMostColumns)
    refuse(where, "header", std::to_string(cells.size()) + " columns", "must have at most 10000",
           "leave out what is not played");
  std::vector<std::string> names;
  for (std::size_t i = 1; i < cells.size(); ++i) {
    names.emplace_back(unquoted(cells[i].text));
    where.column = cells[i].column;
    if (i + 1 < cells.size() && names.back().empty()) check_names(names, where);
  }
  where.column = 0;
  check_names(names, where);
  return names;
}

double read_number(const Cell& cell, const std::string& name, Diagnostic where) {
  where.column = cell.column;
  double v = 0;
  if (cell.text.empty())
    refuse(where, name, "", "has no number in this row", "fill it, or leave out the row");
  if (!parse_double(cell.text, v))
    refuse(where, name, printable(cell.text), "must be a number with a decimal point",
           "correct it");
  if (!std::isfinite(v)) refuse(where, name, printable(cell.text), "must be finite", "correct it");
  return v;
}

}  // namespace

Trajectory::Trajectory(std::vector<std::string> names, std::vector<double> times,
                       std::vector<double> values, Interpolation interpolation, bool loop)
    : names_(std::move(names)),
      times_(std::move(times)),
      values_(std::move(values)),
      interpolation_(interpolation),
      loop_(loop) {
  check_names(names_, {});
  if (times_.empty())
    refuse({}, "trajectory", "", "must have a row of numbers", "give one for each time");
  if (values_.size() != times_.size() * names_.size())
    refuse({}, "trajectory", std::to_string(values_.size()) + " numbers",
           "must have " + std::to_string(times_.size() * names_.size()),
           "give one for each time and joint");
  for (std::size_t i = 0; i < times_.size(); ++i) {
    const std::string row = "row " + std::to_string(i);
    if (!std::isfinite(times_[i]) || (i > 0 && !(times_[i] > times_[i - 1])))
      refuse({}, row + ".time", internal::format_number(times_[i]),
             "must be finite and later than that of the row before", "sort the rows by time");
    for (std::size_t k = 0; k < names_.size(); ++k)
      if (!std::isfinite(value(i, k)))
        refuse({}, row + "." + names_[k], internal::format_number(value(i, k)), "must be finite",
               "correct it");
  }
  if (loop_ && times_.size() < 2)
    refuse({}, "trajectory", "1 row", "must have two or more to be looped",
           "end it with a row that equals the first");
}

int Trajectory::column(const std::string& name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) return static_cast<int>(found - names_.begin());
  const std::string near = nearest_name(name, names_);
  refuse({}, "trajectory", printable(name), "has no column of this name",
         near.empty() ? "look for it in the header" : "did you mean " + near + "?");
}

// Of the parabola through a row and its neighbours, at the row.
double Trajectory::slope(std::size_t row, std::size_t k) const {
  const std::size_t last = times_.size() - 1;
  // Slope of the chord that ends at row i; beyond the first row that of the round before.
  const auto width = [&](std::size_t i) { return times_[i] - times_[i - 1]; };
  const auto chord = [&](std::size_t i) { return (value(i, k) - value(i - 1, k)) / width(i); };
  const auto middle = [&](std::size_t a, std::size_t b) {
    return (width(b) * chord(a) + width(a) * chord(b)) / (width(a) + width(b));
  };
  if (last == 1) return chord(1);
  if (row > 0 && row < last) return middle(row, row + 1);
  if (loop_) return middle(last, 1);
  const std::size_t a = row == 0 ? 1 : last, b = row == 0 ? 2 : last - 1;
  return chord(a) + (chord(a) - chord(b)) * width(a) / (width(a) + width(b));
}

TrajectorySample Trajectory::at(int column, double time) const {
  const auto k = static_cast<std::size_t>(column);
  const std::size_t last = times_.size() - 1;
  if (loop_) {
    const double period = end() - start(), since = time - start();
    time = start() + (since - period * std::floor(since / period));
  } else if (time < start() || last == 0) {
    return {value(time < start() ? 0 : last, k), 0};
  } else if (time > end()) {
    return {value(last, k), 0};
  }
  const auto after = std::upper_bound(times_.begin(), times_.end(), time);
  const std::size_t i =
      std::clamp<std::size_t>(static_cast<std::size_t>(after - times_.begin()), 1, last);
  const double h = times_[i] - times_[i - 1], s = std::clamp((time - times_[i - 1]) / h, 0.0, 1.0);
  const double a = value(i - 1, k), d = value(i, k) - a;
  if (interpolation_ == Interpolation::kLinear) return {a + s * d, d / h};
  // a + s d, and a cubic with slopes p and q at the ends beside it.
  const double p = slope(i - 1, k) * h - d, q = slope(i, k) * h - d, r = 1 - s;
  return {a + s * d + s * r * (r * p - s * q), (d + r * (1 - 3 * s) * p + s * (3 * s - 2) * q) / h};
}

Trajectory parse_trajectory(std::string_view text, const std::string& file,
                            Interpolation interpolation, bool loop) {
  Diagnostic where;
  where.file = file;
  text.remove_prefix(check_text(text, file));
  std::vector<std::string> names;
  std::vector<double> times, values;
  std::vector<Cell> cells;
  while (!text.empty()) {
    const std::size_t to = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, to);
    text.remove_prefix(std::min(to + 1, text.size()));
    ++where.line;
    const std::string_view content = trimmed(line);
    if (content.empty() || content.front() == '#') continue;
    split(line, cells);
    if (names.empty()) {
      names = read_header(cells, where);
      continue;
    }
    if (cells.size() != names.size() + 1)
      refuse(where, "row", std::to_string(cells.size()) + " columns",
             "must have " + std::to_string(names.size() + 1) + " as the header has",
             "check its commas; decimals are written with a point");
    times.push_back(read_number(cells[0], "time", where));
    if (times.size() > 1 && !(times.back() > times[times.size() - 2])) {
      Diagnostic at = where;
      at.column = cells[0].column;
      refuse(at, "time", printable(cells[0].text), "must be later than in the row before",
             "sort the rows by time");
    }
    for (std::size_t k = 0; k < names.size(); ++k)
      values.push_back(read_number(cells[k + 1], names[k], where));
  }
  where.line = 0;
  if (names.empty())
    refuse(where, "file", "", "must have a header", "begin it with time,joint1,joint2");
  try {
    return {std::move(names), std::move(times), std::move(values), interpolation, loop};
  } catch (const InputError& e) {
    Diagnostic d = e.diagnostic;
    d.file = file;
    throw InputError(d);
  }
}

Trajectory read_trajectory(const std::filesystem::path& path, Interpolation interpolation,
                           bool loop) {
  Diagnostic where;
  where.file = path.string();
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  std::ifstream in(path, std::ios::binary);
  if (error || !in) refuse(where, "trajectory", "", "cannot be read", "check the path");
  if (size > kMostBytes)
    refuse(where, "trajectory", std::to_string(size) + " bytes", "must have at most 256 MB",
           "leave out rows or joints that are not played");
  const std::string text(std::istreambuf_iterator<char>(in), {});
  return parse_trajectory(text, path.string(), interpolation, loop);
}

}  // namespace haptos
