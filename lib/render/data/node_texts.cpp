// SPDX-License-Identifier: Apache-2.0
#include "render/data/node_texts.h"

namespace dsdoctor::render {
namespace {

// Bounds the memory if the nodes have many different values.
constexpr std::size_t most_known = 1000;

}  // namespace

std::string_view NodeTexts::rest(std::size_t at, std::size_t opening) {
  const diagnosis::NodeReport node = nodes_[at];
  key_ = std::to_string(nodes_.state_of(at));
  const diagnosis::ReasonsOfNode reasons = node.reasons();
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    if (!reasons.has_value(i)) continue;
    const model::Text* value = reasons.value(i);
    key_ += value == nullptr ? '-' : '=';
    if (value == nullptr) continue;
    key_.append(std::to_string(value->view().size())).push_back(':');
    key_.append(value->view());
  }
  if (const auto known = known_.find(key_); known != known_.end()) return known->second;
  if (known_.size() == most_known) known_.clear();
  std::string text = text_of_(object_of_(node));
  std::size_t from = 0;
  for (std::size_t line = 0; line <= opening; ++line) from = text.find('\n', from) + 1;
  text.erase(0, from);
  return known_.emplace(key_, std::move(text)).first->second;
}

}  // namespace dsdoctor::render
