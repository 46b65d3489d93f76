// Errors that a person caused and a person can mend.
//
// Bad input throws InputError with one sentence that names where, what, the rule and the remedy.
// A bug of ours is an assert. A step never throws for physics: it sets status bits
// (base/text/status.h).
#pragma once

#include <stdexcept>
#include <string>

namespace haptos {

/// Where an input is wrong and how to mend it. Leave out what does not apply.
struct Diagnostic {
  std::string file;     ///< path as the person gave it
  int line = 0;         ///< 1-based; 0 when the input has no lines
  int column = 0;       ///< 1-based; 0 when unknown
  std::string element;  ///< what is wrong: "triangle 12", "gel.young", "vertex 7"
  std::string value;    ///< the offending value as read
  std::string rule;     ///< what must hold: "must be greater than 0"
  std::string remedy;   ///< what to do: "give Young's modulus in Pa, for example 1e5"

  /// One sentence, for example
  /// `scene.yaml:12: gel.young = -3: must be greater than 0; give Young's modulus in Pa.`
  /// It ends once: with the mark of the last part if that asks or exclaims, else with a full stop.
  std::string sentence() const;
};

class InputError : public std::runtime_error {
 public:
  explicit InputError(Diagnostic d) : std::runtime_error(d.sentence()), diagnostic(std::move(d)) {}
  Diagnostic diagnostic;
};

}  // namespace haptos
