// Options are declared once: name, unit, range and sentence stand beside the member they set, and
// the default is the member's initialiser. YAML, the command line, Python, the documentation and
// every range error read that one line.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "haptos/base/text/error.h"

namespace haptos {

/// Words separated by single spaces.
std::vector<std::string> split_words(const char* words);

/// One option of the options struct S.
template <class S>
struct Option {
  using Member = std::variant<double S::*, int S::*, bool S::*>;
  const char* name;
  const char* unit;  ///< "s", "N", "" for a number without unit
  Member member;
  double lo, hi;  ///< inclusive range
  const char* doc;
  const char* words = "";  ///< names of the values 0, 1, 2, ... of a choice, separated by spaces

  double get(const S& s) const {
    return std::visit([&](auto m) { return static_cast<double>(s.*m); }, member);
  }
};

/// Specialised for each options struct: its name in scene files and its options.
template <class S>
struct OptionsOf;

namespace internal {
std::string format_number(double v);
[[noreturn]] void throw_range(const Diagnostic& where, const std::string& path, double value,
                              double lo, double hi, const char* unit, const char* doc, bool whole);
[[noreturn]] void throw_word(Diagnostic where, const std::string& path, const std::string& value,
                             const std::vector<std::string>& words);
[[noreturn]] void throw_unknown(Diagnostic where, const std::string& path,
                                const std::vector<std::string>& known);
}  // namespace internal

/// The entry of `known` nearest to `name` in edit distance, or "" when none is near.
std::string nearest_name(const std::string& name, const std::vector<std::string>& known);

/// Sets one option; throws InputError when the name is unknown or the value out of range.
/// `where` carries file and line for the message.
template <class S>
void set_option(S& s, const std::string& name, double value, const Diagnostic& where = {}) {
  std::vector<std::string> known;
  for (const Option<S>& o : OptionsOf<S>::table()) {
    if (name != o.name) {
      known.emplace_back(o.name);
      continue;
    }
    const std::string path = std::string(OptionsOf<S>::kName) + "." + name;
    const bool whole = !std::holds_alternative<double S::*>(o.member);
    if (!(value >= o.lo && value <= o.hi) ||
        (whole && value != static_cast<double>(static_cast<long long>(value)))) {
      if (*o.words)
        internal::throw_word(where, path, internal::format_number(value), split_words(o.words));
      internal::throw_range(where, path, value, o.lo, o.hi, o.unit, o.doc, whole);
    }
    std::visit([&](auto m) { s.*m = static_cast<std::decay_t<decltype(s.*m)>>(value); }, o.member);
    return;
  }
  internal::throw_unknown(where, std::string(OptionsOf<S>::kName) + "." + name, known);
}

/// Sets a choice by the name of its value; throws InputError for a name it does not have.
template <class S>
void set_option_word(S& s, const Option<S>& o, const std::string& word,
                     const Diagnostic& where = {}) {
  const std::vector<std::string> words = split_words(o.words);
  for (std::size_t k = 0; k < words.size(); ++k)
    if (word == words[k]) return set_option(s, o.name, static_cast<double>(k), where);
  internal::throw_word(where, std::string(OptionsOf<S>::kName) + "." + o.name, word, words);
}

/// The name of a choice's present value; `name` must be an option of words.
template <class S>
std::string option_word(const S& s, const std::string& name) {
  for (const Option<S>& o : OptionsOf<S>::table())
    if (name == o.name) return split_words(o.words).at(static_cast<std::size_t>(o.get(s)));
  return "";
}

/// Throws InputError for the first member of s that is out of its range.
template <class S>
void check_options(const S& s) {
  for (const Option<S>& o : OptionsOf<S>::table()) {
    S copy = s;
    set_option(copy, o.name, o.get(s));
  }
}

}  // namespace haptos
