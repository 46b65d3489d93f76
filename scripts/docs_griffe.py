"""Griffe extensions for the reference: what it does not see by itself."""

import griffe


class Overloads(griffe.Extension):
    """Functions of which a stub file has overloads only."""

    def on_module_members(self, *, mod, **kwargs):
        for name, overloads in mod.overloads.items():
            if not overloads or name in mod.members:
                continue
            text = "\n\n".join(o.docstring.value for o in overloads if o.docstring)
            both = griffe.Function(name, lineno=overloads[0].lineno, endlineno=overloads[-1].endlineno,
                                   docstring=griffe.Docstring(text))
            both.overloads = overloads
            mod.set_member(name, both)


class Comments(griffe.Extension):
    """Attributes that a comment `#: ...` on their line describes."""

    def on_attribute_instance(self, *, attr, **kwargs):
        if attr.docstring or not attr.lineno:
            return
        lines = attr.lines_collection[attr.filepath][attr.lineno - 1:attr.endlineno]
        comment = lines[-1].partition("#:")[2].strip() if lines else ""
        if comment:
            attr.docstring = griffe.Docstring(comment, parent=attr)
