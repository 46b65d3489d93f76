// The option tables as text, written from the one place where options are declared.
#include "haptos/base/text/text.h"
#include "haptos/files/scene/scene_file.h"

namespace haptos {
namespace {

template <class S>
std::string range_of(const Option<S>& o) {
  if (std::holds_alternative<bool S::*>(o.member)) return "true, false";
  if (*o.words) {
    const std::vector<std::string> words = split_words(o.words);
    std::string all;
    for (std::size_t k = 0; k < words.size(); ++k)
      all += (k == 0 ? "`" : ", `") + words[k] + "` (" + std::to_string(k) + ")";
    return all;
  }
  const std::string range = to_text(o.lo) + " to " + to_text(o.hi);
  return std::holds_alternative<int S::*>(o.member) ? "whole, " + range : range;
}

template <class S>
std::string default_of(const Option<S>& o) {
  static const S defaults;
  const double v = o.get(defaults);
  if (std::holds_alternative<bool S::*>(o.member)) return v != 0 ? "true" : "false";
  return to_text(v);
}

template <class S>
std::string table_of(const std::string& where) {
  std::string s = "### " + std::string(OptionsOf<S>::kName) + "\n\n" + where + "\n\n" +
                  "| key | unit | default | range | meaning |\n|---|---|---|---|---|\n";
  for (const Option<S>& o : OptionsOf<S>::table())
    s += "| `" + std::string(o.name) + "` | " + (*o.unit ? o.unit : "-") + " | " + default_of(o) +
         " | " + range_of(o) + " | " + o.doc + " |\n";
  return s;
}

}  // namespace

std::string describe_options() {
  return table_of<SimOptions>("Section `sim`.") + "\n" +
         table_of<NewtonOptions>("Section `newton`.") + "\n" +
         table_of<SolverOptions>("Section `solver`.") + "\n" +
         table_of<LiveOptions>("Section `contact`.") + "\n" +
         table_of<PointContactOptions>("Section `point_contact`.") + "\n" +
         table_of<Material>("Key `material` of a soft body.");
}

}  // namespace haptos
