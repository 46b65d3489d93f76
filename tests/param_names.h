// Parameters of tests as words, for the names that gtest, ctest and --gtest_filter show.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <ostream>
#include <string>
#include <tuple>

#include "haptos/bodies/elastic/elastic_laws.h"
#include "haptos/scene/spec.h"

namespace haptos {

// gtest finds these beside their types; without them it prints the bytes of the value.
inline void PrintTo(Element element, std::ostream* out) {
  *out << (element == Element::kComposite ? "composite" : "linear");
}
inline void PrintTo(ElasticLaw law, std::ostream* out) {
  *out << (law == ElasticLaw::kLogNeoHookean ? "log_neo_hookean" : "stable_neo_hookean");
}

namespace test {

/// A word of letters, digits and underscores; a number keeps its decimal point as "p".
template <class T>
std::string param_word(const T& value) {
  std::string word;
  for (const char c : testing::PrintToString(value))
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_')
      word += c;
    else if (c == '.' || c == '-')
      word += c == '.' ? 'p' : 'm';
  return word;
}

/// The name of a parameter set: its words, joined by underscores: "composite_0p49".
struct ParamName {
  template <class T>
  std::string operator()(const testing::TestParamInfo<T>& info) const {
    return param_word(info.param);
  }
  template <class... T>
  std::string operator()(const testing::TestParamInfo<std::tuple<T...>>& info) const {
    std::string name;
    std::apply([&](const T&... v) { ((name += (name.empty() ? "" : "_") + param_word(v)), ...); },
               info.param);
    return name;
  }
};

}  // namespace test
}  // namespace haptos
