#include "base/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

namespace dsdoctor::base {
namespace {

constexpr int max_nesting = 50;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void add(std::vector<bool>& places, const std::vector<bool>& more) {
  std::transform(places.begin(), places.end(), more.begin(), places.begin(), std::logical_or());
}

}  // namespace

/// Recursive descent; the first error sticks, and everything read after it is empty.
class Pattern::Parser {
 public:
  Parser(std::string_view text, Pattern& into) : text_(text), into_(into) {}

  Status run() {
    into_.root_ = choice(0);
    if (!error_ && at_ < text_.size()) fail("this ) closes nothing");
    if (error_) return *error_;
    return std::monostate{};
  }

 private:
  void fail(std::string_view what) {
    if (error_) return;
    error_ = Error{ErrorKind::Malformed, "", fmt::format("character {}: {}", at_ + 1, what)};
    at_ = text_.size();
  }
  [[nodiscard]] bool ahead(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool take(char c) {
    if (!ahead(c)) return false;
    ++at_;
    return true;
  }
  std::size_t add(Part part) {
    into_.parts_.push_back(std::move(part));
    return into_.parts_.size() - 1;
  }

  std::size_t choice(int nesting) {
    Part result;
    result.kind = Kind::Choice;
    do {
      result.parts.push_back(sequence(nesting));
    } while (take('|'));
    return add(std::move(result));
  }

  std::size_t sequence(int nesting) {
    Part result;
    while (at_ < text_.size() && !ahead('|') && !ahead(')')) {
      result.parts.push_back(repeated(one(nesting)));
    }
    return add(std::move(result));
  }

  std::size_t one(int nesting) {
    Part part;
    part.kind = Kind::Bytes;
    const char c = text_[at_];
    if (c == '(') return group(nesting);
    if (c == '[') return bytes_in_brackets();
    if (c == '*' || c == '+' || c == '?' || c == '{') fail("nothing to repeat stands before this");
    ++at_;
    if (c == '^') {
      part.kind = Kind::Start;
    } else if (c == '$') {
      part.kind = Kind::End;
    } else if (c == '.') {
      part.bytes.set();
    } else if (c == '\\') {
      part.bytes.set(static_cast<unsigned char>(escaped()));
    } else {
      part.bytes.set(static_cast<unsigned char>(c));
    }
    return add(std::move(part));
  }

  std::size_t group(int nesting) {
    ++at_;
    if (nesting >= max_nesting) fail("groups are nested too deep");
    if (ahead('?')) fail("(? is not known; a plain group is (...)");
    const std::size_t inner = choice(nesting + 1);
    if (!take(')')) fail("a ) is missing");
    return inner;
  }

  /// Behind a backslash: itself. A letter or digit would be a class or a back reference.
  char escaped() {
    if (at_ >= text_.size()) {
      fail("nothing follows the backslash");
      return '\0';
    }
    const char c = text_[at_];
    if (is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      fail(fmt::format("\\{} is not known; write a class in brackets, such as [0-9]", c));
      return '\0';
    }
    ++at_;
    return c;
  }

  std::size_t bytes_in_brackets() {
    ++at_;
    Part part;
    part.kind = Kind::Bytes;
    const bool negated = take('^');
    for (bool first = true; !error_ && (first || !ahead(']')); first = false) {
      if (at_ >= text_.size()) {
        fail("a ] is missing");
        break;
      }
      if (text_.substr(at_).starts_with("[:")) fail("named classes are not known; write [a-z]");
      add_range(part);
    }
    take(']');
    if (negated) part.bytes.flip();
    return add(std::move(part));
  }

  void add_range(Part& part) {
    if (error_) return;
    const auto low = static_cast<unsigned char>(text_[at_++]);
    unsigned char high = low;
    if (ahead('-') && at_ + 1 < text_.size() && text_[at_ + 1] != ']') {
      high = static_cast<unsigned char>(text_[at_ + 1]);
      at_ += 2;
      if (high < low) return fail("this range runs backwards");
    }
    for (unsigned byte = low; byte <= high; ++byte) part.bytes.set(byte);
  }

  std::size_t repeated(std::size_t inner) {
    while (at_ < text_.size()) {
      Part part;
      part.kind = Kind::Repeat;
      part.parts = {inner};
      if (take('?')) {
        part.most = 1;
      } else if (take('+')) {
        part.least = 1;
      } else if (ahead('{')) {
        read_counts(part);
      } else if (!take('*')) {
        break;
      }
      inner = add(std::move(part));
    }
    return inner;
  }

  void read_counts(Part& part) {
    ++at_;
    part.least = count();
    part.most = part.least;
    if (take(',')) part.most = ahead('}') ? -1 : count();
    if (!take('}')) fail("a } is missing");
    if (part.most >= 0 && part.most < part.least) fail("these counts run backwards");
  }

  int count() {
    int result = 0;
    if (at_ >= text_.size() || !is_digit(text_[at_])) fail("a count is missing");
    while (at_ < text_.size() && is_digit(text_[at_])) {
      result = result * 10 + (text_[at_++] - '0');
      if (result > max_count) fail(fmt::format("a count is at most {}", max_count));
    }
    return result;
  }

  std::string_view text_;
  Pattern& into_;
  std::size_t at_ = 0;
  std::optional<Error> error_;
};

Result<Pattern> Pattern::parse(std::string_view text) {
  Pattern result;
  const Status parsed = Parser(text, result).run();
  if (!parsed) return parsed.error();
  return result;
}

bool Pattern::matches(std::string_view text) const {
  const Places anywhere(text.size() + 1, true);
  const Places reached = after(root_, anywhere, text);
  return std::ranges::find(reached, true) != reached.end();
}

/// Where one can be after `part`, when one can be at any of `before`.
Pattern::Places Pattern::after(std::size_t index, const Places& before,
                               std::string_view text) const {
  const Part& part = parts_[index];
  Places result(before.size(), false);
  switch (part.kind) {
    case Kind::Bytes:
      for (std::size_t i = 0; i < text.size(); ++i) {
        result[i + 1] = before[i] && part.bytes.test(static_cast<unsigned char>(text[i]));
      }
      break;
    case Kind::Start: result.front() = before.front(); break;
    case Kind::End: result.back() = before.back(); break;
    case Kind::Sequence:
      result = before;
      for (const std::size_t next : part.parts) result = after(next, result, text);
      break;
    case Kind::Choice:
      for (const std::size_t option : part.parts) {
        const Places reached = after(option, before, text);
        add(result, reached);
      }
      break;
    case Kind::Repeat: result = after_repeat(part, before, text); break;
  }
  return result;
}

Pattern::Places Pattern::after_repeat(const Part& part, const Places& before,
                                      std::string_view text) const {
  Places last = before;
  for (int i = 0; i < part.least; ++i) last = after(part.parts.front(), last, text);
  Places result = last;
  // Without a limit: until nothing new is reached, at the latest once for each byte.
  for (int i = part.least; part.most < 0 || i < part.most; ++i) {
    last = after(part.parts.front(), last, text);
    Places wider = result;
    add(wider, last);
    if (wider == result) break;
    result = std::move(wider);
  }
  return result;
}

}  // namespace dsdoctor::base
