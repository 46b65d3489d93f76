// XML text with its lines, for readers written in Python.
#include "haptos/files/urdf/xml.h"
#include "bind.h"

namespace haptos::python {
namespace {

// (name, line, [(attribute, value, line)], [children]); as deep as the limits allow.
nb::tuple to_tuple(const xml::Element& e) {
  nb::list attributes, children;
  for (const xml::Attribute& a : e.attributes)
    attributes.append(nb::make_tuple(a.name, a.value, a.line));
  for (const xml::Element* c : e.children) children.append(to_tuple(*c));
  return nb::make_tuple(e.name, e.line, attributes, children);
}

}  // namespace

void bind_xml(nb::module_& m) {
  m.def(
      "parse_xml",
      [](const nb::bytes& text, std::string file, std::int64_t max_bytes) {
        xml::Limits limits;
        limits.max_bytes = max_bytes;
        const xml::Document document({text.c_str(), text.size()}, std::move(file), limits);
        return to_tuple(document.root());
      },
      nb::arg("text"), nb::arg("file"), nb::arg("max_bytes"));
}

}  // namespace haptos::python
