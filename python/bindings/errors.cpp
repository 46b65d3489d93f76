// InputError and StepError as Python exceptions, and the texts of status bits.
#include "bind.h"
#include "haptos/base/status.h"
#include "haptos/sim/sim.h"

namespace haptos::python {
namespace {

// Made in haptos/errors.py, so that they can be documented, pickled and derived from.
nb::object exception(const char* name) { return nb::module_::import_("haptos.errors").attr(name); }

void translate(const std::exception_ptr& p, void*) {
  try {
    std::rethrow_exception(p);
  } catch (const InputError& e) {
    const Diagnostic& d = e.diagnostic;
    nb::object type = exception("InputError");
    nb::object error =
        type(e.what(), d.file, d.line, d.column, d.element, d.value, d.rule, d.remedy);
    PyErr_SetObject(type.ptr(), error.ptr());
  } catch (const StepError& e) {
    nb::object type = exception("StepError");
    nb::object error = type(e.what(), nb::cast(e.report));
    PyErr_SetObject(type.ptr(), error.ptr());
  }
}

}  // namespace

void bind_errors(nb::module_& m) {
  nb::register_exception_translator(translate);

  m.def(
      "sentence",
      [](const std::string& file, const std::string& element, const std::string& value,
         const std::string& rule, const std::string& remedy,
         int line) { return Diagnostic{file, line, 0, element, value, rule, remedy}.sentence(); },
      nb::arg("file"), nb::arg("element"), nb::arg("value"), nb::arg("rule"), nb::arg("remedy"),
      nb::arg("line") = 0,
      "The sentence of an InputError with these parts; any of them may be empty.");
  m.def("describe_status", &describe_status, nb::arg("bits"),
        "The sentences of the status bits that are set, with their remedies; \"ok\" when none is.");
  m.def(
      "status_table",
      [] {
        nb::list rows;
        for (const StatusText& t : status_table())
          rows.append(nb::make_tuple(static_cast<unsigned>(t.bit), t.name, t.meaning, t.remedy));
        return rows;
      },
      nb::sig("def status_table() -> list[tuple[int, str, str, str]]"),
      "All status bits: (bit, name, meaning, remedy).");
}

}  // namespace haptos::python
