"""Hooks of mkdocs.yml: pages of the checkout that lie outside docs/, and links to sources.

CHANGELOG.md and CONTRIBUTING.md become pages of the site. A link from a page to any other file of
the checkout becomes its path as text, since the site holds no sources; that the file is there is
what scripts/check_links asks.
"""

import posixpath
import re

from mkdocs.structure.files import File

PAGES = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def on_files(files, config):
    for name, uri in PAGES.items():
        with open(name, encoding="utf-8") as file:
            files.append(File.generated(config, uri, content=file.read()))
    return files


def on_page_markdown(markdown, page, config, files):
    here = page.file.src_uri
    # Where the page lies in the checkout, as a folder.
    folder = "" if here in PAGES.values() else posixpath.join("docs", posixpath.dirname(here))

    def site_link(match):
        text, target, heading = match.group(1), match.group(2), match.group(3) or ""
        if re.match(r"[a-z]+:", target):
            return match.group(0)
        path = posixpath.normpath(posixpath.join(folder, target))
        uri = PAGES.get(path) or ("index.md" if path == "README.md" else None)
        if uri is None and path.startswith("docs/"):
            uri = path.removeprefix("docs/")
            if files.get_file_from_path(uri) is None and not uri.endswith(".md"):
                uri = None
        if uri is None:
            return text if text.startswith("`") else f"{text} (`{path}`)"
        return f"[{text}]({posixpath.relpath(uri, posixpath.dirname(here) or '.')}{heading})"

    out, fence = [], None
    for line in markdown.splitlines():
        mark = re.match(r"\s*(```|~~~)", line)
        if mark and (fence is None or mark.group(1) == fence):
            fence = mark.group(1) if fence is None else None
        out.append(line if fence or mark else LINK.sub(site_link, line))
    return "\n".join(out)
