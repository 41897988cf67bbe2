// SPDX-License-Identifier: Apache-2.0
#include "render/words/message_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.h"
#include "base/time.h"
#include "diagnosis/catalogue/catalogue.h"

namespace dsdoctor::render {
namespace {

using diagnosis::Argument;
using diagnosis::Message;
using diagnosis::MessageEntry;
using diagnosis::ParameterType;
using diagnosis::Token;
using Tokens = std::span<const Token>;

constexpr std::size_t unlimited = std::string::npos;

/// A title of the catalogue. It begins with Kubernetes' own word, as messages do.
MessageText titled(std::string_view title) { return {std::string(title), title.find(": ")}; }

/// A count with its noun: "restart", or "entry|entries" if the plural is irregular.
std::string count_text(std::int64_t count, std::string_view noun) {
  if (noun.empty()) return std::to_string(count);
  const std::size_t bar = noun.find('|');
  if (bar == std::string_view::npos) return base::counted(count, noun);
  return base::counted(count, noun.substr(0, bar), noun.substr(bar + 1));
}

/// The index of the token that closes the clause opened at `at`.
std::size_t end_of_clause(Tokens tokens, std::size_t at) {
  std::size_t depth = 0;
  for (std::size_t i = at; i < tokens.size(); ++i) {
    if (tokens[i].kind == Token::Kind::Open) ++depth;
    if (tokens[i].kind == Token::Kind::Close && --depth == 0) return i;
  }
  return tokens.size();
}

/// Turns messages into text.
class Writer {
 public:
  /// `foreign`: the longest foreign text, in bytes. `items`: the most items of a list that may be
  /// cut.
  explicit Writer(std::size_t foreign = unlimited, std::size_t items = unlimited)
      : foreign_(foreign), items_(items) {}

  /// Absent if a value outside of clauses is unknown or varies, and a value of the entry's `shared`
  /// does, too.
  [[nodiscard]] std::optional<MessageText> words(const Message& message) const {
    const MessageEntry& entry = diagnosis::entry_of(message.id);
    const bool is_title = message.arguments.size() < entry.parameters.size();
    if (entry.message.empty() || is_title) return titled(entry.title);
    auto result = filled(entry.message, entry, message, {});
    if (result && result->text.empty()) result.reset();  // all clauses were left out
    if (!result && !entry.shared.empty()) result = filled(entry.shared, entry, message, {});
    if (!result) return std::nullopt;
    for (const Message& note : message.notes) {
      const auto clause = words(note);
      if (!clause) break;
      result->text += "; " + clause->text;
      result->says_due = result->says_due || clause->says_due;
    }
    return result;
  }

  /// The same, with the entry's title as a fallback.
  [[nodiscard]] MessageText told(const Message& message) const {
    if (auto result = words(message)) return *std::move(result);
    return titled(diagnosis::entry_of(message.id).title);
  }

 private:
  struct Value {
    const Writer& writer;
    std::string_view how;     // Token::text: how to write the value
    std::string_view before;  // the beginning of the message

    // Empty if the value is unknown or varies.
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(diagnosis::Varying) const { return {}; }
    std::string operator()(bool) const { return {}; }
    std::string operator()(std::int64_t count) const { return count_text(count, how); }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(const diagnosis::ForeignText& foreign) const {
      return base::without_middle(foreign.text, writer.foreign_);
    }
    std::string operator()(base::Time::duration duration) const {
      return base::span_text(duration);
    }
    std::string operator()(const diagnosis::Moment& moment) const {
      std::string result = base::utc_text(moment.at);
      if (moment.age) result += fmt::format(" ({})", base::span_text(*moment.age));
      return result;
    }
    std::string operator()(const diagnosis::ObjectRef& object) const {
      return object.ns.empty() ? object.name : object.ns + "/" + object.name;
    }
    std::string operator()(const Argument::Names& names) const {
      if (!how.empty()) return fmt::format("{}", fmt::join(names, how));
      return base::listed(names, std::min<std::size_t>(5, writer.items_));
    }
    std::string operator()(const std::vector<Message>& phrases) const {
      if (how == "rest") return writer.rest_of(phrases.front(), before);
      std::vector<std::string> texts = writer.texts_of(phrases);
      if (base::is_number(how)) {
        return base::listed(texts,
                            std::min<std::size_t>(std::stoul(std::string(how)), writer.items_));
      }
      if (!how.empty()) return fmt::format("{}", fmt::join(texts, how));
      if (texts.size() > writer.items_) {
        texts.resize(writer.items_);
        texts.emplace_back("...");
      }
      return fmt::format("{}", fmt::join(texts, ", "));
    }
  };

  /// The phrases before the first one with a missing value.
  [[nodiscard]] std::vector<std::string> texts_of(const std::vector<Message>& phrases) const {
    std::vector<std::string> result;
    for (const Message& phrase : phrases) {
      auto clause = words(phrase);
      if (!clause) break;
      result.push_back(std::move(clause->text));
    }
    return result;
  }

  /// The phrase, without Kubernetes' own word if `before` begins with it.
  [[nodiscard]] std::string rest_of(const Message& phrase, std::string_view before) const {
    const MessageText all = told(phrase);
    const bool is_said = all.word != std::string::npos &&
                         before.starts_with(std::string_view(all.text).substr(0, all.word));
    return is_said ? all.text.substr(all.word + 2) : all.text;
  }

  /// The size of Kubernetes' own word in a phrase that begins a message, or npos.
  [[nodiscard]] std::size_t word_of(const Argument& argument) const {
    const auto* phrases = std::get_if<std::vector<Message>>(&argument.value);
    const auto first = phrases == nullptr ? std::nullopt : words(phrases->front());
    return first ? first->word : std::string::npos;
  }

  static bool stands(const Token& token, const Argument& argument) {
    return !argument.is_varying() && argument.holds() == (token.kind == Token::Kind::If);
  }

  /// False if the value is unknown or varies.
  bool add_value(const Token& token, const Argument& argument, ParameterType type,
                 std::string_view before, MessageText& into) const {
    const Value value{*this, token.text, before.empty() ? std::string_view(into.text) : before};
    const std::string text = std::visit(value, argument.value);
    if (text.empty()) return false;
    if (into.text.empty()) into.word = word_of(argument);
    into.text += text;
    into.says_since = into.says_since || type == ParameterType::Since;
    into.says_due = into.says_due || type == ParameterType::Due;
    return true;
  }

  void add_clause(Tokens clause, const MessageEntry& entry, const Message& message,
                  std::string_view before, MessageText& into) const {
    const std::string begin(before.empty() ? std::string_view(into.text) : before);
    const auto more = filled(clause, entry, message, begin);
    if (!more) return;
    into.text += more->text;
    into.says_since = into.says_since || more->says_since;
    into.says_due = into.says_due || more->says_due;
  }

  /// `before`: for a clause, the beginning of the message.
  [[nodiscard]] std::optional<MessageText> filled(Tokens tokens, const MessageEntry& entry,
                                                  const Message& message,
                                                  std::string_view before) const {
    using enum Token::Kind;
    MessageText result;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const Token& token = tokens[i];
      if (token.kind == Text) {
        result.text += token.text;
      } else if (token.kind == Colon) {
        result.word = result.text.size();
        result.text += ": ";
      } else if (token.kind == Open) {
        const std::size_t end = end_of_clause(tokens, i);
        add_clause(tokens.subspan(i + 1, end - i - 1), entry, message, before, result);
        i = end;
      } else if (token.kind == Value) {
        const ParameterType type = entry.parameters[token.parameter].type;
        if (!add_value(token, message.arguments[token.parameter], type, before, result)) {
          return std::nullopt;
        }
      } else if (!stands(token, message.arguments[token.parameter])) {
        return std::nullopt;
      }
    }
    return result;
  }

  std::size_t foreign_;
  std::size_t items_;
};

/// The result of `write` in at most `limit` bytes: foreign text is cut first, then lists, then the
/// middle.
template <typename Write>
MessageText fitted(const Write& write, std::size_t limit) {
  MessageText result = write(Writer());
  for (std::size_t items = 4; items > 0 && result.text.size() > limit; --items) {
    result = write(Writer(limit / 2, items == 4 ? unlimited : items));
  }
  result.text = base::without_middle(result.text, limit);
  return result;
}

}  // namespace

std::string text_of(const Message& message) { return Writer().told(message).text; }

MessageText title_of(const diagnosis::Problem& problem, std::size_t limit) {
  return fitted(
      [&](const Writer& writer) {
        if (auto words = writer.words(problem.title)) return *std::move(words);
        return titled(diagnosis::find_listed(problem.finding)->title);
      },
      limit);
}

std::string example_of(const diagnosis::Problem& problem, std::size_t limit) {
  if (problem.title == problem.message) return {};
  const MessageText title = title_of(problem);
  const MessageText message =
      fitted([&](const Writer& writer) { return writer.told(problem.message); }, limit);
  if (title.text == message.text) return {};
  const bool shares_word =
      message.word != std::string::npos &&
      title.text.compare(0, message.word, message.text, 0, message.word) == 0 &&
      (title.word == message.word || title.text.size() == message.word);
  return shares_word ? message.text.substr(message.word + 2) : message.text;
}

std::string text_of(const diagnosis::Evidence& evidence) {
  const diagnosis::ObjectRef& object = evidence.object;
  std::string result = fmt::format("{}/{} {}", object.kind, object.name, evidence.path);
  if (!evidence.value.empty()) result += ": " + evidence.value;
  return result;
}

}  // namespace dsdoctor::render
