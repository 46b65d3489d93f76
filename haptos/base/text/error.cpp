#include "haptos/base/text/error.h"

#include <string_view>

namespace haptos {

namespace {

// A part without its full stop, since whoever writes a part does not know where it will stand;
// three dots are a cut and stay.
std::string_view open_end(std::string_view part) {
  if (part.ends_with('.') && !part.ends_with("...")) part.remove_suffix(1);
  return part;
}

}  // namespace

std::string Diagnostic::sentence() const {
  std::string s = file;
  if (line > 0) s += ":" + std::to_string(line);
  if (line > 0 && column > 0) s += ":" + std::to_string(column);
  if (!s.empty()) s += ": ";
  s += element;
  if (!value.empty()) s += " = " + value;
  if (!rule.empty()) {
    if (!element.empty() || !value.empty()) s += ": ";
    s += open_end(rule);
  }
  if (!remedy.empty()) {
    s += "; ";
    s += open_end(remedy);
  }
  if (!s.ends_with('?') && !s.ends_with('!') && !s.ends_with("...")) s += '.';
  return s;
}

}  // namespace haptos
