#include "haptos/base/error.h"

namespace haptos {

std::string Diagnostic::sentence() const {
  std::string s = file;
  if (line > 0) s += ":" + std::to_string(line);
  if (line > 0 && column > 0) s += ":" + std::to_string(column);
  if (!s.empty()) s += ": ";
  s += element;
  if (!value.empty()) s += " = " + value;
  if (!rule.empty()) s += (element.empty() && value.empty() ? "" : ": ") + rule;
  if (!remedy.empty()) s += "; " + remedy;
  return s + ".";
}

}  // namespace haptos
