// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include "model/fields.h"

namespace dsdoctor::redaction {

namespace description = model::description;
using description::Holds;

/// The names of the fields of the types in a list or an object.
template <typename Form>
struct NamesOf {
  using Type = description::UsualNames;
};
template <typename Names>
struct NamesOf<description::CalledAs<Names>> {
  using Type = Names;
};

/// Calls `visit(owner, text, holds)` for each text of a value, including those in lists and maps;
/// `owner` is the struct that has it. Values that objects share are visited once.
template <typename Visit>
class TextWalker {
 public:
  explicit TextWalker(Visit visit) : visit_(std::move(visit)) {}

  template <typename Names = description::UsualNames, typename T>
  void walk(const T& of) {
    description::each_member<Names>(
        of, [&](const auto& value, const auto& member) { each(of, value, member); });
  }

 private:
  template <auto Member, typename Form>
  void each(const auto& owner, const auto& value, const description::Field<Member, Form>& field) {
    texts<typename NamesOf<Form>::Type>(owner, value, field.holds);
  }
  void each(const auto& owner, const auto& value, const auto& member) {
    if constexpr (requires { member.holds; }) {
      texts<description::UsualNames>(owner, value, member.holds);
    } else {  // a list of objects
      texts<description::UsualNames>(owner, value, Holds::Nothing);
    }
  }

  template <typename Names, typename T>
  void texts(const auto& owner, const T& value, Holds holds) {
    if constexpr (std::is_same_v<T, model::Text>) {
      visit_(owner, value, holds);
    } else if constexpr (std::is_same_v<T, model::UniqueText>) {
      visit_(owner, model::Text(value.str()), holds);
    } else if constexpr (std::is_same_v<T, model::Labels>) {
      for (const auto& entry : value) {
        visit_(owner, entry.first, Holds::Key);
        visit_(owner, entry.second, holds);
      }
    } else if constexpr (description::Described<T>) {
      walk<Names>(value);
    }
  }
  template <typename Names, typename T>
  void texts(const auto& owner, const std::vector<T>& list, Holds holds) {
    for (const T& element : list) texts<Names>(owner, element, holds);
  }
  template <typename Names, description::KeptList List>
  void texts(const auto& owner, const List& list, Holds holds) {
    for (const auto& element : list) texts<Names>(owner, element, holds);
  }
  template <typename Names, typename T>
  void texts(const auto& owner, const std::optional<T>& value, Holds holds) {
    if (value) texts<Names>(owner, *value, holds);
  }
  template <typename Names, typename T>
  void texts(const auto& owner, const model::SharedOptional<T>& value, Holds holds) {
    if (value) texts<Names>(owner, *value, holds);
  }
  template <typename Names, typename T>
  void texts(const auto& owner, const model::Shared<T>& value, Holds holds) {
    if (shared_.insert(&*value).second) texts<Names>(owner, *value, holds);
  }

  Visit visit_;
  std::unordered_set<const void*> shared_;
};

}  // namespace dsdoctor::redaction
