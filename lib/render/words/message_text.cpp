#include "render/words/message_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <variant>

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

/// Absent where a value outside of a clause is not known, or varies. `before`: of a clause, the
/// words that the message begins with.
std::optional<MessageText> filled(Tokens tokens, const MessageEntry& entry, const Message& message,
                                  std::string_view before = {});
MessageText told(const Message& message);

/// A title of the catalogue, which begins with Kubernetes' own word as messages do.
MessageText titled(std::string_view title) { return {std::string(title), title.find(": ")}; }

std::optional<MessageText> words_of(const Message& message) {
  const MessageEntry& entry = diagnosis::entry_of(message.id);
  if (entry.message.empty()) return titled(entry.title);
  auto result = filled(entry.message, entry, message);
  if (!result && !entry.shared.empty()) return filled(entry.shared, entry, message);
  if (!result) return std::nullopt;
  for (const Message& note : message.notes) {
    const auto words = words_of(note);
    if (!words) break;
    result->text += "; " + words->text;
    result->says_due = result->says_due || words->says_due;
  }
  return result;
}

/// A count with its noun: "restart", or "entry|entries" where the plural has no s.
std::string counted(std::int64_t count, std::string_view noun) {
  if (noun.empty()) return std::to_string(count);
  const std::size_t bar = noun.find('|');
  if (bar == std::string_view::npos) return base::counted(count, noun);
  return base::counted(count, noun.substr(0, bar), noun.substr(bar + 1));
}

/// The first phrases, up to one that cannot be told.
std::vector<std::string> texts_of(const std::vector<Message>& phrases) {
  std::vector<std::string> result;
  for (const Message& phrase : phrases) {
    auto words = words_of(phrase);
    if (!words) break;
    result.push_back(std::move(words->text));
  }
  return result;
}

/// The phrase without Kubernetes' own word, where `before` begins with that.
std::string rest_of(const Message& phrase, std::string_view before) {
  const MessageText words = told(phrase);
  const bool is_said = words.word != std::string::npos &&
                       before.starts_with(std::string_view(words.text).substr(0, words.word));
  return is_said ? words.text.substr(words.word + 2) : words.text;
}

/// `how`: as Token::text says it of a value; `before`: the words that the message begins with.
/// Empty where it is not known, or varies.
struct ValueText {
  std::string_view how;
  std::string_view before;

  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(diagnosis::Varying) const { return {}; }
  std::string operator()(bool) const { return {}; }
  std::string operator()(std::int64_t count) const { return counted(count, how); }
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(const diagnosis::ForeignText& foreign) const { return foreign.text; }
  std::string operator()(base::Time::duration duration) const { return base::span_text(duration); }
  std::string operator()(const diagnosis::Moment& moment) const {
    std::string result = base::utc_text(moment.at);
    if (moment.age) result += fmt::format(" ({})", base::span_text(*moment.age));
    return result;
  }
  std::string operator()(const diagnosis::ObjectRef& object) const {
    return object.ns.empty() ? object.name : object.ns + "/" + object.name;
  }
  std::string operator()(const Argument::Names& names) const {
    return how.empty() ? base::listed(names) : fmt::format("{}", fmt::join(names, how));
  }
  std::string operator()(const std::vector<Message>& phrases) const {
    if (how == "rest") return rest_of(phrases.front(), before);
    const std::vector<std::string> texts = texts_of(phrases);
    if (base::is_number(how)) return base::listed(texts, std::stoul(std::string(how)));
    return fmt::format("{}", fmt::join(texts, how.empty() ? ", " : how));
  }
};

bool clause_stands(const Token& token, const Argument& argument) {
  if (argument.is_varying()) return false;
  return argument.holds() == (token.kind == Token::Kind::If);
}

/// Of the clause that opens at `at`.
std::size_t end_of_clause(Tokens tokens, std::size_t at) {
  std::size_t depth = 0;
  for (std::size_t i = at; i < tokens.size(); ++i) {
    if (tokens[i].kind == Token::Kind::Open) ++depth;
    if (tokens[i].kind == Token::Kind::Close && --depth == 0) return i;
  }
  return tokens.size();
}

void add_clause(Tokens clause, const MessageEntry& entry, const Message& message,
                std::string_view before, MessageText& into) {
  const auto words = filled(clause, entry, message, before.empty() ? into.text : before);
  if (!words) return;
  into.text += words->text;
  into.says_since = into.says_since || words->says_since;
  into.says_due = into.says_due || words->says_due;
}

std::optional<MessageText> filled(Tokens tokens, const MessageEntry& entry, const Message& message,
                                  std::string_view before) {
  static const Argument unknown;
  MessageText result;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    const std::size_t index = token.parameter;
    const Argument& argument =
        index < message.arguments.size() ? message.arguments[index] : unknown;
    switch (token.kind) {
      case Token::Kind::Text: result.text += token.text; break;
      case Token::Kind::Colon:
        result.word = result.text.size();
        result.text += ": ";
        break;
      case Token::Kind::Open: {
        const std::size_t end = end_of_clause(tokens, i);
        add_clause(tokens.subspan(i + 1, end - i - 1), entry, message, before, result);
        i = end;
        break;
      }
      case Token::Kind::Close: break;  // of the clause that Open has passed over
      case Token::Kind::If:
      case Token::Kind::Unless:
        if (!clause_stands(token, argument)) return std::nullopt;
        break;
      case Token::Kind::Value: {
        const std::string value = std::visit(
            ValueText{token.text, before.empty() ? result.text : before}, argument.value);
        if (value.empty()) return std::nullopt;
        result.text += value;
        const ParameterType type = entry.parameters[index].type;
        result.says_since = result.says_since || type == ParameterType::Since;
        result.says_due = result.says_due || type == ParameterType::Due;
        break;
      }
    }
  }
  return result;
}

/// "NotReady since 2026-11-20 23:20:00 UTC (40m): ..." needs no second age, nor does "(marked
/// 2020-10-02 13:44:31 UTC)". What follows a semicolon is told of something else.
bool tells_since(std::string_view title) {
  constexpr std::string_view word = " since ";
  constexpr std::size_t time_width = std::string_view("2026-11-20 23:20:00").size();
  const std::string_view clause = title.substr(0, title.find("; "));
  if (clause.find(" (marked ") != clause.npos) return true;
  const std::size_t at = clause.find(word);
  return at != clause.npos && clause.find(" UTC (", at) == at + word.size() + time_width;
}

MessageText plain(const Message& message) {
  MessageText result;
  result.text = diagnosis::plain_text(message);
  result.word = result.text.find(": ");
  result.says_since = tells_since(result.text);
  result.says_due = result.text.find("overdue since ") != std::string::npos;
  return result;
}

MessageText told(const Message& message) {
  if (diagnosis::is_plain(message)) return plain(message);
  return words_of(message).value_or(MessageText());
}

}  // namespace

std::string text_of(const Message& message) { return told(message).text; }

MessageText title_of(const diagnosis::Problem& problem) {
  if (diagnosis::is_plain(problem.title)) return plain(problem.title);
  if (auto words = words_of(problem.title)) return *std::move(words);
  return titled(diagnosis::find_listed(problem.finding)->title);
}

std::string example_of(const diagnosis::Problem& problem) {
  const MessageText title = title_of(problem);
  MessageText message = told(problem.message);
  if (title.text == message.text) return {};
  const bool shares_word =
      message.word != std::string::npos &&
      title.text.substr(0, message.word) == message.text.substr(0, message.word) &&
      (title.word == message.word || title.text.size() == message.word);
  return shares_word ? message.text.substr(message.word + 2) : message.text;
}

std::string text_of(const diagnosis::Evidence& evidence) {
  const diagnosis::ObjectRef& object = evidence.object;
  std::string result;
  if (!object.name.empty()) {
    result = fmt::format("{}/{}", object.kind, object.name);
    if (!evidence.path.empty()) result += " " + evidence.path;
    if (!evidence.value.empty()) result += ": ";
  }
  return result + evidence.value;
}

}  // namespace dsdoctor::render
