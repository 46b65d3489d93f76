// InputError and StepError as Python exceptions, and the texts of status bits.
#include "bind.h"
#include "haptos/base/text/status.h"
#include "haptos/sim/sim.h"

namespace haptos::python {
namespace {

// Made in haptos/base/errors.py, so that they can be documented, pickled and derived from.
nb::object exception(const char* name) {
  return nb::module_::import_("haptos.base.errors").attr(name);
}

// As Python text: bytes of a file or a path may be none.
nb::object shown(const std::string& s) {
  return nb::steal(
      PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), "backslashreplace"));
}

void translate(const std::exception_ptr& p, void*) {
  try {
    std::rethrow_exception(p);
  } catch (const InputError& e) {
    const Diagnostic& d = e.diagnostic;
    nb::object type = exception("InputError");
    nb::object error = type(shown(e.what()), shown(d.file), d.line, d.column, shown(d.element),
                            shown(d.value), shown(d.rule), shown(d.remedy));
    PyErr_SetObject(type.ptr(), error.ptr());
  } catch (const StepError& e) {
    nb::object type = exception("StepError");
    nb::object error = type(e.what(), nb::cast(e.report));
    PyErr_SetObject(type.ptr(), error.ptr());
  }
}

}  // namespace

void rethrow(const nb::python_error& e) {
  if (!e.matches(nb::module_::import_("haptos.base.errors").attr("InputError"))) throw;
  const nb::object error = nb::borrow(e.value());
  const auto text = [&](const char* name) { return text_of(nb::object(error.attr(name))); };
  Diagnostic d;
  d.file = text("file");
  d.line = nb::cast<int>(error.attr("line"));
  d.element = text("element");
  d.value = text("value");
  d.rule = text("rule");
  d.remedy = text("remedy");
  throw InputError(d);
}

std::function<TriMesh(const std::filesystem::path&)> surface_reader(const nb::object& function) {
  // The last copy may go where the interpreter is not held.
  const std::shared_ptr<nb::object> kept(new nb::object(function), [](nb::object* f) {
    const nb::gil_scoped_acquire held;
    delete f;
  });
  return [kept](const std::filesystem::path& path) {
    const nb::gil_scoped_acquire held;
    try {
      return nb::cast<TriMesh>((*kept)(path.string()));
    } catch (const nb::python_error& e) {
      rethrow(e);
    }
  };
}

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
