// Options as the C++ tables declare them: Python repeats no name, unit, range or sentence.
#include "bind.h"
#include "haptos/base/text/units.h"
#include "haptos/scene/scene.h"
#include "scene_options.h"

namespace haptos::python {
namespace {

template <class S>
void add_rows(nb::list& rows) {
  static const S defaults{};
  for (const Option<S>& o : OptionsOf<S>::table()) {
    nb::dict d;
    d["group"] = OptionsOf<S>::kName;
    d["name"] = o.name;
    d["unit"] = o.unit;
    d["default"] = option_value(o, defaults);
    d["lo"] = o.lo;
    d["hi"] = o.hi;
    d["doc"] = o.doc;
    nb::list words;
    for (const std::string& word : split_words(o.words)) words.append(word);
    d["words"] = nb::tuple(words);
    rows.append(d);
  }
}

template <class S>
nb::dict completed(const nb::dict& values) {
  S s;
  set_options(s, values);
  return options_dict(s);
}

}  // namespace

void bind_options(nb::module_& m) {
  m.def(
      "option_table",
      [] {
        nb::list rows;
        add_rows<Material>(rows);
        for_each_group([&](const auto& group) {
          using S = std::decay_t<decltype(std::declval<Scene>().*(group))>;
          add_rows<S>(rows);
        });
        return rows;
      },
      nb::sig("def option_table() -> list[dict]"),
      "Every option: group, name, unit, default, lo, hi (inclusive range), doc,\n"
      "words (names of the values 0, 1, 2, ... of a choice).");
  m.def(
      "complete_options",
      [](const std::string& group, const nb::dict& values) {
        nb::dict out;
        if (group == OptionsOf<Material>::kName) return completed<Material>(values);
        for_each_group([&](const auto& member) {
          using S = std::decay_t<decltype(std::declval<Scene>().*(member))>;
          if (group == OptionsOf<S>::kName) out = completed<S>(values);
        });
        return out;
      },
      nb::arg("group"), nb::arg("values"),
      "All options of a group: the values given, checked, and the defaults of the others.");
  m.def("known_units", &known_units, nb::arg("unit"),
        "The units that a number of this SI unit may be given in, the SI unit first.");
  m.def("convertible_units", &convertible_units, "The SI units that have others beside them.");
  m.def(
      "parse_quantity",
      [](const std::string& text, const std::string& unit, const std::string& name) {
        Diagnostic where;
        where.element = name;
        return read_quantity(text, unit, where);
      },
      nb::arg("text"), nb::arg("unit"), nb::arg("name"),
      "The finite number in SI that `text` means. text: a decimal number, with a unit or without "
      "(SI is meant then); unit: the SI unit, or \"\" for a number without; name: what it is, for "
      "the message. Raises InputError.");
  m.def("nearest_name", &nearest_name, nb::arg("name"), nb::arg("known"),
        "The entry of `known` nearest to `name`, or \"\" when none is near.");
}

}  // namespace haptos::python
