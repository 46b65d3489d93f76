// Quantities as people write them: "0.5 mm", "435 kPa", "1e-3".
//
// A number is plain and then in SI units, or is followed by a unit of the right dimension. Numbers
// are read by std::from_chars and must fill their text, so they mean the same in every locale.
// Scene files, the command line and Python read this one table.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "haptos/base/text/error.h"

namespace haptos {

/// The units that numbers of SI unit `unit` may be given in, the SI unit first; `unit` alone where
/// there is no other, nothing for "". Other spellings of one of them pass too: a micro sign for the
/// u of "um", a caret as in "m/s^2".
std::vector<std::string> known_units(const std::string& unit);

/// The same as a person lists them: "m, cm, mm, um or in".
std::string unit_list(const std::string& unit);

/// The SI units that have others beside them, for the documentation.
std::vector<std::string> convertible_units();

/// How many of the SI unit `unit` one `name` is; none where `name` is no unit of it.
std::optional<double> unit_size(const std::string& unit, std::string_view name);

/// The number in the SI unit `unit` that `text` means; unit "" takes a number without one. An
/// angle, unit "rad", that is not 0 must name its unit. Throws InputError at `where` (file, line,
/// column, element) for anything else, and for what is not finite unless `any` lets it pass.
double read_quantity(std::string_view text, const std::string& unit, const Diagnostic& where,
                     bool any = false);

/// Throws the InputError that read_quantity() throws for something that is no number at all.
[[noreturn]] void refuse_quantity(const std::string& shown, const std::string& unit,
                                  const Diagnostic& where);

}  // namespace haptos
