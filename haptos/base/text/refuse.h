// Turns input down that did not come from a file.
#pragma once

#include <string>
#include <utility>

#include "haptos/base/text/error.h"

namespace haptos {

/// Throws InputError with these parts; see Diagnostic.
[[noreturn]] inline void refuse(std::string element, std::string value, std::string rule,
                                std::string remedy) {
  throw InputError(Diagnostic{
      {}, 0, 0, std::move(element), std::move(value), std::move(rule), std::move(remedy)});
}

}  // namespace haptos
