// The option groups of a Scene, listed once.
#pragma once

#include <algorithm>

#include "bind.h"
#include "haptos/files/scene/scene_file.h"
#include "haptos/scene/scene.h"

namespace haptos::python {

/// Calls f(member pointer) for each options struct of a Scene.
template <class F>
void for_each_group(const F& f) {
  f(&Scene::sim);
  f(&Scene::newton);
  f(&Scene::solver);
  f(&Scene::contact);
  f(&Scene::point_contact);
}

/// A member as the Python number it is: float, int or bool.
template <class S>
nb::object option_value(const Option<S>& o, const S& s) {
  return std::visit(
      [&](auto member) {
        const auto value = s.*member;
        return nb::cast(value);
      },
      o.member);
}

template <class S>
nb::dict options_dict(const S& s) {
  nb::dict d;
  for (const Option<S>& o : OptionsOf<S>::table()) d[o.name] = option_value(o, s);
  return d;
}

/// Sets options from a dict of numbers, and names of choices; throws InputError for an unknown name
/// or a value out of range.
template <class S>
void set_options(S& s, const nb::dict& values) {
  for (auto [name, value] : values) {
    const std::string key = text_of(name);
    std::string word;
    const Option<S>* choice = nullptr;
    for (const Option<S>& o : OptionsOf<S>::table())
      if (key == o.name && *o.words) choice = &o;
    if (choice && nb::try_cast<std::string>(value, word)) {
      set_option_word(s, *choice, word);
      continue;
    }
    const char* unit = "";
    for (const Option<S>& o : OptionsOf<S>::table())
      if (key == o.name) unit = o.unit;
    double number = 0;
    if (!nb::try_cast<double>(value, number))
      number = to_quantity(value, unit, std::string(OptionsOf<S>::kName) + "." + key);
    set_option(s, key, number);
  }
}

}  // namespace haptos::python
