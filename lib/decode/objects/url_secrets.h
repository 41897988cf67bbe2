// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "model/fields.h"

/// URLs in messages and images may contain passwords and tokens; the kubelet repeats them, for
/// example when a probe fails.
namespace dsdoctor::decode {

/// The text with "xxxxx" in place of possible secrets in URLs: userinfo, including that of images,
/// and the values in a query or fragment, except those that Kubernetes and registries use
/// ("timeout", "scope"). Absent if there are none.
[[nodiscard]] std::optional<std::string> without_url_secrets(std::string_view text);

/// The same for all messages and images of an object.
template <typename T>
void hide_url_secrets(T& value, model::description::Holds holds = {});

namespace detail {

inline void hide_in_text(model::Text& text) {
  if (auto hidden = without_url_secrets(text)) text = model::Text(*hidden);
}

/// For a PodSpec only the images; copies it only if one of them changes.
inline void hide_in_spec(model::Shared<model::PodSpec>& spec) {
  const auto shows = [](const model::Container& container) {
    return without_url_secrets(container.image).has_value();
  };
  if (std::ranges::none_of(spec->containers, shows) &&
      std::ranges::none_of(spec->init_containers, shows)) {
    return;
  }
  model::PodSpec copy = *spec;
  for (model::Container& container : copy.containers) hide_in_text(container.image);
  for (model::Container& container : copy.init_containers) hide_in_text(container.image);
  spec = std::move(copy);
}

}  // namespace detail

template <typename T>
void hide_url_secrets(T& value, model::description::Holds holds) {
  using model::description::Holds;
  if constexpr (std::is_same_v<T, model::Text>) {
    if (holds == Holds::Message || holds == Holds::Image) detail::hide_in_text(value);
  } else if constexpr (std::is_same_v<T, model::Shared<model::PodSpec>>) {
    detail::hide_in_spec(value);
  } else if constexpr (model::description::Described<T>) {
    model::description::each_member(value, [](auto& member, const auto& described) {
      hide_url_secrets(member, described.holds);
    });
  } else if constexpr (requires { value.emplace_back(); }) {
    for (auto& element : value) hide_url_secrets(element, holds);
  } else if constexpr (requires {
                         value->message;
                         value.is_same(value);
                       }) {
    if (!value) return;
    T hidden = value;
    hide_url_secrets(*hidden, holds);
    if (hidden != value) value = std::move(hidden);
  } else if constexpr (requires { value.is_same(value); }) {
    // no message, and shared
  } else if constexpr (requires { value.has_value(); }) {
    if (value) hide_url_secrets(*value, holds);
  }
}

}  // namespace dsdoctor::decode
