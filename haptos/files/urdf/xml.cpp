#include "haptos/files/urdf/xml.h"

#include <algorithm>
#include <pugixml.hpp>
#include <utility>

#include "haptos/base/text/text.h"
#include "haptos/base/text/utf8.h"

namespace haptos::xml {

namespace {

struct Place {
  int line = 0, column = 0;
};

// Turns byte offsets into lines and columns.
class Lines {
 public:
  explicit Lines(std::string_view text) {
    starts_.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n') starts_.push_back(i + 1);
  }
  Place at(std::size_t offset) const {
    const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
    return {static_cast<int>(next - starts_.begin()), static_cast<int>(offset - *(next - 1)) + 1};
  }

 private:
  std::vector<std::size_t> starts_;
};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Reading {
 public:
  Reading(std::string_view text, const std::string& file, const Limits& limits)
      : text_(text), file_(file), limits_(limits) {
    if (static_cast<std::int64_t>(text.size()) > limits.max_bytes)
      fail({}, "", "",
           "the file has " + std::to_string(text.size()) + " bytes and the limit is " +
               std::to_string(limits.max_bytes),
           "raise max_bytes if it is meant");
    text_.remove_prefix(check_text(text_, file_));
    lines_ = Lines(text_);
    check_characters();
    if (std::count(text_.begin(), text_.end(), '<') > limits.max_elements)
      fail({}, "", "",
           "the file has more than " + std::to_string(limits.max_elements) + " elements",
           "raise max_elements if it is meant");
  }

  void read(std::deque<Element>& out) {
    pugi::xml_document document;
    const pugi::xml_parse_result result = document.load_buffer(
        text_.data(), text_.size(), pugi::parse_default | pugi::parse_doctype, pugi::encoding_utf8);
    // The type declaration first: what follows a broken one is of no use.
    for (const pugi::xml_node n : document.children())
      if (n.type() == pugi::node_doctype) refuse_doctype();
    if (!result) refuse(result);
    pugi::xml_node root;
    for (const pugi::xml_node n : document.children()) {
      if (n.type() != pugi::node_element) continue;
      if (root)
        fail(place(n), "<" + printable(n.name()) + ">", "",
             "stands beside <" + printable(root.name()) + ">, and a file has one outermost element",
             "put everything into one element");
      root = n;
    }
    copy(root, out);
  }

 private:
  [[noreturn]] void fail(Place at, std::string element, std::string value, std::string rule,
                         std::string remedy) const {
    throw InputError(Diagnostic{file_, at.line, at.column, std::move(element), std::move(value),
                                std::move(rule), std::move(remedy)});
  }

  Place place(pugi::xml_node n) const { return lines_.at(offset(n)); }
  static std::size_t offset(pugi::xml_node n) {
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(n.offset_debug(), 0));
  }

  void check_characters() const {
    for (std::size_t i = 0; i < text_.size();) {
      const std::size_t n = utf8_length(text_.substr(i, 4));
      if (n == 0)
        fail(lines_.at(i), "byte", printable(text_.substr(i, 1)), "is not UTF-8 text",
             "save the file as UTF-8");
      i += n;
    }
  }

  [[noreturn]] void refuse_doctype() const {
    const std::size_t at = text_.find("<!DOCTYPE");
    fail(at == text_.npos ? Place{} : lines_.at(at), "<!DOCTYPE>", "",
         "document type declarations and the entities in them are not read",
         "delete the declaration and write out what its entities stand for");
  }

  [[noreturn]] void refuse(const pugi::xml_parse_result& result) const {
    if (result.status == pugi::status_bad_doctype) refuse_doctype();
    if (result.status == pugi::status_no_document_element)
      fail({}, "", "", "the file holds no XML element", "check that this is the right file");
    const Place at = lines_.at(std::min(
        static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0)), text_.size()));
    if (result.status == pugi::status_out_of_memory)
      fail({}, "", "", "there is not enough memory for this file", "");
    std::string what = result.description();
    if (!what.empty() && what[0] >= 'A' && what[0] <= 'Z')
      what[0] = static_cast<char>(what[0] + 32);
    if (result.status == pugi::status_end_element_mismatch)
      what = "an element is closed that is not the last one opened, or one is never closed";
    fail(at, "", "", "this is not XML: " + what, "mend the file here or a little before");
  }

  // Breadth does not matter and depth is limited, yet the tree may be deeper than any stack.
  void copy(pugi::xml_node root, std::deque<Element>& out) const {
    out.clear();
    pugi::xml_node n = root;
    std::vector<Element*> open;
    while (n) {
      out.emplace_back();
      Element& e = out.back();
      fill(n, e);
      if (!open.empty()) open.back()->children.push_back(&e);
      pugi::xml_node next = first_element(n.first_child());
      if (next) {
        open.push_back(&e);
        if (static_cast<int>(open.size()) >= limits_.max_depth)
          fail(place(next), "<" + printable(next.name()) + ">", "",
               "elements are nested deeper than " + std::to_string(limits_.max_depth),
               "close the elements before this one");
      }
      while (!next && n != root) {
        next = first_element(n.next_sibling());
        if (next) break;
        n = n.parent();
        open.pop_back();
      }
      n = next;
    }
  }

  static pugi::xml_node first_element(pugi::xml_node n) {
    while (n && n.type() != pugi::node_element) n = n.next_sibling();
    return n;
  }

  void fill(pugi::xml_node n, Element& e) const {
    std::size_t at = offset(n);
    const Place p = lines_.at(at);
    e.name = n.name();
    e.line = p.line, e.column = p.column;
    at += e.name.size();
    for (const pugi::xml_attribute a : n.attributes()) {
      while (at < text_.size() && is_space(text_[at])) ++at;
      const Place q = lines_.at(at);
      e.attributes.push_back({a.name(), a.value(), q.line, q.column});
      skip_attribute(at);
    }
    // Few attributes are the rule; sorting keeps a file of one element with a million in time.
    std::vector<const Attribute*> sorted;
    for (const Attribute& a : e.attributes) sorted.push_back(&a);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Attribute* a, const Attribute* b) { return a->name < b->name; });
    for (std::size_t i = 1; i < sorted.size(); ++i)
      if (sorted[i]->name == sorted[i - 1]->name)
        fail({sorted[i]->line, sorted[i]->column}, "<" + printable(e.name) + ">", "",
             "the attribute " + printable(sorted[i]->name) + " is given twice", "keep one of them");
  }

  // Past name, equals sign and quoted value; the parser has seen that they are there.
  void skip_attribute(std::size_t& at) const {
    at = std::min(text_.find_first_of("\"'", at), text_.size());
    if (at < text_.size()) at = std::min(text_.find(text_[at], at + 1), text_.size() - 1) + 1;
  }

  std::string_view text_;
  const std::string& file_;
  const Limits& limits_;
  Lines lines_{""};
};

}  // namespace

const Attribute* Element::find(std::string_view attribute) const {
  for (const Attribute& a : attributes)
    if (a.name == attribute) return &a;
  return nullptr;
}

const Element* Element::child(std::string_view element) const {
  for (const Element* e : children)
    if (e->name == element) return e;
  return nullptr;
}

Document::Document(std::string_view text, std::string file, const Limits& limits)
    : file_(std::move(file)) {
  Reading(text, file_, limits).read(elements_);
}

}  // namespace haptos::xml
