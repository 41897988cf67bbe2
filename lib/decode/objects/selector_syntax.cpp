// SPDX-License-Identifier: Apache-2.0
#include "decode/objects/selector_syntax.h"

#include <fmt/format.h>

#include <optional>
#include <string>

namespace dsdoctor::decode {
namespace {

using model::NodeSelectorRequirement;

// Splits the text into words and the symbols = == != , ( ) ! < >.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  [[nodiscard]] std::string_view peek() {
    if (!token_) token_ = scan();
    return *token_;
  }
  std::string_view next() {
    const std::string_view token = peek();
    token_.reset();
    return token;
  }
  /// 1-based column of the token that `peek` returns.
  [[nodiscard]] std::size_t column() {
    (void)peek();
    return start_ + 1;
  }

  static bool is_symbol(std::string_view token) {
    return token.empty() || token.find_first_of("=!,()<>") != std::string_view::npos;
  }

 private:
  std::string_view scan() {
    at_ = text_.find_first_not_of(" \t\r\n", at_);
    if (at_ == std::string_view::npos) at_ = text_.size();
    start_ = at_;
    if (at_ == text_.size()) return {};
    const bool two = text_.substr(at_, 2) == "==" || text_.substr(at_, 2) == "!=";
    constexpr std::string_view symbols = "=!,()<>";
    if (symbols.find(text_[at_]) != std::string_view::npos) {
      at_ += two ? 2 : 1;
    } else {
      at_ = std::min(text_.find_first_of(" \t\r\n=!,()<>", at_), text_.size());
    }
    return text_.substr(start_, at_ - start_);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;
  std::optional<std::string_view> token_;
};

base::Error bad(Lexer& lexer, std::string_view expected) {
  const std::size_t column = lexer.column();
  const std::string_view found = lexer.peek();
  return {base::ErrorKind::Usage, fmt::format("column {}", column),
          fmt::format("found {}, expected {}",
                      found.empty() ? "the end" : fmt::format("\"{}\"", found), expected)};
}

base::Result<std::vector<model::Text>> parse_values(Lexer& lexer) {
  if (lexer.peek() != "(") return bad(lexer, "\"(\"");
  lexer.next();
  std::vector<model::Text> values;
  while (true) {
    // `in (a,,b)` contains the empty value, as in kubectl.
    values.emplace_back(Lexer::is_symbol(lexer.peek()) ? std::string_view() : lexer.next());
    const std::string_view separator = lexer.peek();
    if (separator != "," && separator != ")") return bad(lexer, "\",\" or \")\"");
    lexer.next();
    if (separator == ")") return values;
  }
}

base::Result<NodeSelectorRequirement> parse_requirement(Lexer& lexer) {
  const bool negated = lexer.peek() == "!";
  if (negated) lexer.next();
  if (Lexer::is_symbol(lexer.peek())) return bad(lexer, "a label key");
  NodeSelectorRequirement result{lexer.next(), "Exists", {}};
  const std::string_view op = lexer.peek();
  if (negated) {
    result.op = "DoesNotExist";
    return result;
  }
  if (op.empty() || op == ",") return result;
  if (op == "in" || op == "notin") {
    lexer.next();
    result.op = op == "in" ? "In" : "NotIn";
    auto values = parse_values(lexer);
    if (!values) return values.error();
    result.values = std::move(*values);
    return result;
  }
  const char* name = op == "=" || op == "==" ? "In"
                     : op == "!="            ? "NotIn"
                     : op == ">"             ? "Gt"
                     : op == "<"             ? "Lt"
                                             : nullptr;
  if (name == nullptr) return bad(lexer, "one of = == != in notin < > or a comma");
  lexer.next();
  result.op = name;
  result.values.emplace_back(Lexer::is_symbol(lexer.peek()) ? std::string_view() : lexer.next());
  return result;
}

}  // namespace

base::Result<std::vector<NodeSelectorRequirement>> parse_label_selector(std::string_view text) {
  std::vector<NodeSelectorRequirement> result;
  Lexer lexer(text);
  if (lexer.peek().empty()) return result;
  while (true) {
    auto requirement = parse_requirement(lexer);
    if (!requirement) return requirement.error();
    result.push_back(std::move(*requirement));
    if (lexer.peek().empty()) return result;
    if (lexer.peek() != ",") return bad(lexer, "a comma or the end");
    lexer.next();
  }
}

}  // namespace dsdoctor::decode
