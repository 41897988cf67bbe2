// SPDX-License-Identifier: Apache-2.0
#include "decode/catalogue/message_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace dsdoctor::decode {
namespace {

using Kind = WrittenToken::Kind;

constexpr std::string_view clause_begin = "<<";
constexpr std::string_view clause_end = ">>";

class TemplateParser {
 public:
  TemplateParser(std::string_view text, const std::vector<WrittenParameter>& parameters)
      : rest_(text), parameters_(parameters) {}

  base::Result<WrittenMessage> parse() {
    std::size_t open = 0;
    while (!rest_.empty() && !error_) {
      if (take(clause_begin)) {
        ++open;
        add({Kind::Open});
      } else if (take(clause_end)) {
        if (open == 0) fail("\">>\" ends no clause");
        --open;
        add({Kind::Close});
      } else if (take("{:}")) {
        if (open != 0) fail("\"{:}\" is in a clause");
        add({Kind::Colon});
      } else if (take("{{")) {
        literal_ += '{';
      } else if (take("}}")) {
        literal_ += '}';
      } else if (take("{")) {
        placeholder(open != 0);
      } else {
        literal_ += rest_.front();
        rest_.remove_prefix(1);
      }
    }
    if (!error_ && open != 0) fail("a clause does not end with \">>\"");
    if (error_) return base::Error{base::ErrorKind::Malformed, "", *error_};
    end_literal();
    return std::move(result_);
  }

 private:
  bool take(std::string_view mark) {
    if (!rest_.starts_with(mark)) return false;
    rest_.remove_prefix(mark.size());
    return true;
  }
  void fail(std::string what) {
    if (!error_) error_ = std::move(what);
  }
  void end_literal() {
    if (!literal_.empty()) result_.tokens.push_back({Kind::Text, 0, std::exchange(literal_, {})});
  }
  void add(WrittenToken token) {
    end_literal();
    result_.tokens.push_back(std::move(token));
  }

  /// Parses the placeholder after "{".
  void placeholder(bool in_clause) {
    const std::size_t end = rest_.find('}');
    if (end == std::string_view::npos) return fail("\"{\" is not closed");
    std::string_view name = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    Kind kind = Kind::Value;
    for (const auto& [word, meaning] : {std::pair{std::string_view("if "), Kind::If},
                                        {std::string_view("unless "), Kind::Unless}}) {
      if (!name.starts_with(word)) continue;
      kind = meaning;
      name.remove_prefix(word.size());
    }
    std::string detail;
    if (const std::size_t colon = name.find(':'); colon != std::string_view::npos) {
      detail = name.substr(colon + 1);
      name = name.substr(0, colon);
    }
    const auto at = std::ranges::find(parameters_, name, &WrittenParameter::name);
    if (at == parameters_.end()) {
      return fail(fmt::format("{{{}}} is not a declared parameter", name));
    }
    if (kind == Kind::Value && at->type == "condition") {
      return fail(fmt::format("{{{}}} is a condition, which has no words", name));
    }
    if (kind != Kind::Value && !in_clause) {
      return fail(fmt::format("a condition about {} is outside of a clause", name));
    }
    add({kind, static_cast<std::size_t>(at - parameters_.begin()), std::move(detail)});
  }

  std::string_view rest_;
  const std::vector<WrittenParameter>& parameters_;
  std::string literal_;
  WrittenMessage result_;
  std::optional<std::string> error_;
};

}  // namespace

base::Result<WrittenMessage> parse_message_template(
    std::string_view text, const std::vector<WrittenParameter>& parameters) {
  return TemplateParser(text, parameters).parse();
}

}  // namespace dsdoctor::decode
