#include "haptos/files/yaml/yaml_reader.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <unordered_map>

#include "haptos/base/text/error.h"
#include "haptos/base/text/text.h"
#include "haptos/base/text/utf8.h"

namespace haptos::yaml {
namespace {

constexpr std::size_t kLongestKey = 100;

struct Place {
  int line = 0, column = 0;
};

Place place_of(const YAML::Mark& m) {
  return m.is_null() ? Place{} : Place{m.line + 1, m.column + 1};
}

// Where a byte of the text stands.
Place place_of(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n');
  return {static_cast<int>(lines) + 1,
          static_cast<int>(start == before.npos ? byte : byte - start - 1) + 1};
}

[[noreturn]] void fail(const std::string& file, const Place& at, const std::string& element,
                       const std::string& value, const std::string& rule,
                       const std::string& remedy) {
  throw InputError(Diagnostic{file, at.line, at.column, element, value, rule, remedy});
}

// Checks that the bytes are text and returns them without their byte order mark.
std::string_view checked_text(std::string_view bytes, const std::string& file,
                              const Limits& limits) {
  if (static_cast<std::int64_t>(bytes.size()) > limits.max_bytes)
    fail(file, {}, "the text", std::to_string(bytes.size()) + " bytes",
         "must have at most " + std::to_string(limits.max_bytes) + " bytes",
         "keep meshes in files of their own");
  const std::string_view text = bytes.substr(check_text(bytes, file));
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t n = utf8_length(text.substr(i, 4));
    if (n == 0)
      fail(file, place_of(text, i), "byte", printable(text.substr(i, 1)), "is not UTF-8 text",
           "save the file as UTF-8");
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c < ' ' && c != '\n' && c != '\r' && c != '\t') || c == 0x7f)
      fail(file, place_of(text, i), "byte", printable(text.substr(i, 1)),
           "is a control character inside the text", "remove it");
    i += n;
  }
  // A list in brackets is held as tokens until it closes, some 200 bytes for each of these. Data
  // has no more of them than nodes.
  const auto marks = std::count_if(text.begin(), text.end(),
                                   [](char c) { return c == '[' || c == '{' || c == ','; });
  if (marks > limits.max_nodes)
    fail(file, {}, "the text", std::to_string(marks) + " brackets and commas",
         "must have at most " + std::to_string(limits.max_nodes),
         "keep meshes in files of their own");
  return text;
}

// Builds the tree from the parser's events.
class Builder final : public YAML::EventHandler {
 public:
  Builder(std::string_view text, const std::string& file, const Limits& limits,
          std::deque<Node>& nodes)
      : text_(text), file_(file), limits_(limits), nodes_(nodes) {}

  const Node* root() const { return root_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0)
      fail_at(mark, "a second document", "", "a file holds one document", "remove the line ---");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (at_key())
      fail_at(mark, "an empty key", "", "keys must be words", "write a word before the colon");
    Node& n = add(Kind::kNull, mark);
    if (!stack_.empty() && stack_.back().node->kind == Kind::kMap) {
      // The parser marks the token that follows; the key is the better place.
      n.line = stack_.back().key.line;
      n.column = stack_.back().key.column;
    }
    name(anchor, n);
    place(n);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (at_key()) fail_at(mark, "an alias", "", "keys must be words", "write the key out");
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end())
      fail_at(mark, "an alias", "", "names nothing that stands before it", "define it first");
    const Named& named = found->second;
    if (named.count == 0)
      fail_at(mark, "an alias", "", "stands inside what it names", "write the value out");
    count(named.count, mark);
    check_depth(static_cast<int>(stack_.size()) + named.height, mark);
    raise(named.height);
    place(*named.node);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const bool plain = tag == "?";
    if (!plain && (tag != "!" || has_tag(mark))) refuse_tag(mark, tag);
    if (at_key()) return take_key(mark, anchor, value, plain);
    Node& n = add(Kind::kScalar, mark);
    n.text = value;
    n.plain = plain;
    name(anchor, n);
    place(n);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Kind::kList, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Kind::kMap, mark, tag, anchor);
  }
  void OnMapEnd() override {
    check_repeated(stack_.back().node->entries);
    close();
  }

 private:
  struct Open {
    Node* node;
    YAML::anchor_t anchor;
    std::int64_t count_before;
    int height = 1;  // of the node, as far as it has been read
    Entry key;       // of a map: the key whose value comes next
    bool has_key = false;
  };
  struct Named {
    const Node* node = nullptr;
    std::int64_t count = 0;  // nodes in it, 0 while it is still being read
    int height = 0;
  };

  [[noreturn]] void fail_at(const YAML::Mark& mark, const std::string& element,
                            const std::string& value, const std::string& rule,
                            const std::string& remedy) const {
    fail(file_, place_of(mark), element, value, rule, remedy);
  }

  bool at_key() const {
    return !stack_.empty() && stack_.back().node->kind == Kind::kMap && !stack_.back().has_key;
  }

  // Whether the text has a tag here; quoted scalars come with the tag "!" too.
  bool has_tag(const YAML::Mark& mark) const {
    std::size_t i = mark.pos < 0 ? text_.size() : static_cast<std::size_t>(mark.pos);
    if (i < text_.size() && text_[i] == '&') {  // an anchor stands before it
      i = text_.find_first_of(" \t\r\n", i);
      i = i == text_.npos ? i : text_.find_first_not_of(" \t\r\n", i);
    }
    return i < text_.size() && text_[i] == '!';
  }

  [[noreturn]] void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    fail_at(mark, "tag", printable(tag), "tags are not allowed",
            "remove it; write the value alone");
  }

  void count(std::int64_t n, const YAML::Mark& mark) {
    count_ += n;
    if (count_ > limits_.max_nodes)
      fail_at(mark, "the text", "",
              "must hold at most " + std::to_string(limits_.max_nodes) +
                  " keys and values with its aliases written out",
              "keep meshes in files of their own");
  }

  void check_depth(int depth, const YAML::Mark& mark) const {
    if (depth > limits_.max_depth)
      fail_at(mark, "the text", "",
              "must be nested at most " + std::to_string(limits_.max_depth) + " deep",
              "check its brackets and indentation");
  }

  Node& add(Kind kind, const YAML::Mark& mark) {
    count(1, mark);
    Node& n = nodes_.emplace_back();
    n.kind = kind;
    const Place p = place_of(mark);
    n.line = p.line;
    n.column = p.column;
    return n;
  }

  // A scalar is complete as soon as it is named; lists and maps when they close.
  void name(YAML::anchor_t anchor, const Node& n) {
    if (anchor != YAML::NullAnchor) anchors_[anchor] = {&n, 1, 1};
  }

  void raise(int height) {
    if (!stack_.empty()) stack_.back().height = std::max(stack_.back().height, height + 1);
  }

  // Puts a value where it belongs.
  void place(const Node& n) {
    if (stack_.empty()) {
      root_ = &n;
    } else if (Open& o = stack_.back(); o.node->kind == Kind::kList) {
      o.node->items.push_back(&n);
    } else {
      o.key.value = &n;
      o.node->entries.push_back(std::move(o.key));
      o.key = {};
      o.has_key = false;
    }
  }

  void take_key(const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& value,
                bool plain) {
    if (anchor != YAML::NullAnchor)
      fail_at(mark, "an anchor", "", "keys cannot be named", "put it on the value");
    if (plain && value == "<<")
      fail_at(mark, "key", "<<", "merge keys are not allowed", "write the entries out");
    if (value.empty() || value.size() > kLongestKey)
      fail_at(mark, "key", printable(value),
              "keys must have 1 to " + std::to_string(kLongestKey) + " characters",
              "write a word before the colon");
    count(1, mark);
    const Place p = place_of(mark);
    stack_.back().key = Entry{value, p.line, p.column, nullptr};
    stack_.back().has_key = true;
  }

  void open(Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (tag != "?" && !tag.empty()) refuse_tag(mark, tag);
    if (at_key())
      fail_at(mark, "a key", "", "must be a word, not a map or a list",
              "close every bracket and check the indentation");
    check_depth(static_cast<int>(stack_.size()) + 1, mark);
    const std::int64_t before = count_;
    Node& n = add(kind, mark);
    if (anchor != YAML::NullAnchor) anchors_[anchor] = {&n, 0, 0};
    stack_.push_back(Open{&n, anchor, before, 1, {}, false});
  }

  void close() {
    const Open o = std::move(stack_.back());
    stack_.pop_back();
    if (o.anchor != YAML::NullAnchor)
      anchors_[o.anchor] = {o.node, count_ - o.count_before, o.height};
    raise(o.height);
    place(*o.node);
  }

  void check_repeated(const std::vector<Entry>& entries) const {
    std::vector<const Entry*> sorted;
    sorted.reserve(entries.size());
    for (const Entry& e : entries) sorted.push_back(&e);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Entry* a, const Entry* b) { return a->key < b->key; });
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      const Entry &first = *sorted[i - 1], &second = *sorted[i];
      if (first.key == second.key)
        fail(file_, {second.line, second.column}, "key", printable(second.key),
             "stands on line " + std::to_string(first.line) + " already", "remove one of the two");
    }
  }

  std::string_view text_;
  const std::string& file_;
  const Limits& limits_;
  std::deque<Node>& nodes_;
  const Node* root_ = nullptr;
  std::vector<Open> stack_;
  std::unordered_map<YAML::anchor_t, Named> anchors_;
  std::int64_t count_ = 0;
  int documents_ = 0;
};

}  // namespace

Document::Document(std::string_view bytes, std::string file, const Limits& limits)
    : file_(std::move(file)) {
  const std::string_view text = checked_text(bytes, file_, limits);
  Builder builder(text, file_, limits, nodes_);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& e) {
    fail(file_, place_of(e.mark), "the text", "", "is not YAML: " + printable(e.msg),
         "check indentation, colons, quotes and brackets here");
  }
  root_ = builder.root();
  if (root_ == nullptr || root_->kind == Kind::kNull)
    fail(file_, {}, "the text", "", "is empty but for comments", "write at least one entry");
}

}  // namespace haptos::yaml
