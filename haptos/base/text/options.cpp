#include "haptos/base/text/options.h"

#include <algorithm>
#include <charconv>

namespace haptos {
namespace internal {

std::string format_number(double v) {
  char buffer[40];
  const auto r = std::to_chars(buffer, buffer + sizeof buffer, v);
  return std::string(buffer, r.ptr);
}

void throw_range(const Diagnostic& where, const std::string& path, double value, double lo,
                 double hi, const char* unit, const char* doc, bool whole) {
  Diagnostic d = where;
  const std::string u = *unit ? std::string(" ") + unit : "";
  d.element = path;
  d.value = format_number(value) + u;
  d.rule = std::string("must be ") + (whole ? "a whole number " : "") + "from " +
           format_number(lo) + " to " + format_number(hi) + u;
  d.remedy = std::string("it is the ") + doc;
  throw InputError(d);
}

void throw_word(Diagnostic where, const std::string& path, const std::string& value,
                const std::vector<std::string>& words) {
  std::string all;
  for (std::size_t k = 0; k < words.size(); ++k)
    all += (k == 0 ? "" : ", ") + words[k] + " (" + std::to_string(k) + ")";
  const std::string near = nearest_name(value, words);
  where.element = path;
  where.value = value;
  where.rule = "must be one of " + all;
  where.remedy = near.empty() ? "write the name or the number" : "did you mean \"" + near + "\"?";
  throw InputError(where);
}

void throw_unknown(Diagnostic where, const std::string& path,
                   const std::vector<std::string>& known) {
  const std::string name = path.substr(path.rfind('.') + 1);
  const std::string near = nearest_name(name, known);
  where.element = path;
  where.rule = "unknown option";
  if (!near.empty()) {
    where.remedy = "did you mean \"" + near + "\"?";
  } else {
    where.remedy = "known options are";
    for (const std::string& k : known) where.remedy += " " + k;
  }
  throw InputError(where);
}

}  // namespace internal

std::vector<std::string> split_words(const char* words) {
  std::vector<std::string> list;
  for (const char* c = words; *c; ++c) {
    if (c == words || *c == ' ') list.emplace_back();
    if (*c != ' ') list.back() += *c;
  }
  return list;
}

std::string nearest_name(const std::string& name, const std::vector<std::string>& known) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 2) + 1;
  for (const std::string& k : known) {
    std::vector<std::size_t> row(k.size() + 1);
    for (std::size_t j = 0; j <= k.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= name.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= k.size(); ++j) {
        const std::size_t up = row[j];
        row[j] = std::min({up + 1, row[j - 1] + 1, diagonal + (name[i - 1] == k[j - 1] ? 0 : 1)});
        diagonal = up;
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = k;
    }
  }
  return best;
}

}  // namespace haptos
