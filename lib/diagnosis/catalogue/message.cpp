// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/catalogue/message.h"

#include <algorithm>
#include <utility>

namespace dsdoctor::diagnosis {
namespace {

Argument common(const Argument& a, const Argument& b);

/// The common prefix of the two lists; the arguments of a phrase may differ.
std::vector<Message> common(const std::vector<Message>& a, const std::vector<Message>& b) {
  std::vector<Message> result;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()) && a[i].id == b[i].id; ++i) {
    result.push_back(diagnosis::common(a[i], b[i]));
  }
  return result;
}

Argument common(const Argument& a, const Argument& b) {
  if (a == b) return a;
  const auto* phrases = std::get_if<std::vector<Message>>(&a.value);
  const auto* others = std::get_if<std::vector<Message>>(&b.value);
  if (phrases == nullptr || others == nullptr) return {Varying()};
  auto shared = common(*phrases, *others);
  return shared.empty() ? Argument{Varying()} : Argument{std::move(shared)};
}

}  // namespace

Message::Message() = default;

Message::Message(MessageId its_id) : id(its_id) {}

Message::Message(MessageId its_id, std::vector<Argument> its_arguments)
    : id(its_id), arguments(std::move(its_arguments)) {}

bool operator==(const Message& a, const Message& b) {
  return a.id == b.id && a.arguments == b.arguments && a.notes == b.notes;
}

std::strong_ordering operator<=>(const Message& a, const Message& b) {
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads the comparison
  if (const auto order = a.id <=> b.id; order != 0) return order;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads the comparison
  if (const auto order = a.arguments <=> b.arguments; order != 0) return order;
  return a.notes <=> b.notes;
}

bool Argument::holds() const {
  if (const auto* condition = std::get_if<bool>(&value)) return *condition;
  return !std::holds_alternative<std::monostate>(value);
}

const MessageEntry& entry_of(MessageId id) {
  return message_entries()[static_cast<std::size_t>(id)];
}

Message common(const Message& a, const Message& b) {
  Message result(a.id);
  for (std::size_t i = 0; i < std::min(a.arguments.size(), b.arguments.size()); ++i) {
    result.arguments.push_back(common(a.arguments[i], b.arguments[i]));
  }
  result.notes = common(a.notes, b.notes);
  return result;
}

}  // namespace dsdoctor::diagnosis
