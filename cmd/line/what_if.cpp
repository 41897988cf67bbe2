// SPDX-License-Identifier: Apache-2.0
#include "line/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "line/values.h"
#include "placement/label_syntax.h"

namespace dsdoctor::cmd {
namespace {

using fixes::NodeEdit;
using fixes::NodePick;

struct EditFlag {
  std::string_view name;
  std::string_view form;
  std::vector<std::string> WhatIfOptions::*values = nullptr;
  NodeEdit::Kind kind = NodeEdit::Kind::Taint;

  [[nodiscard]] base::Error error(std::string_view argument, std::string_view why) const {
    return {base::ErrorKind::Usage, "",
            fmt::format("invalid argument \"{}\" for \"{}\" flag: {}; the form is {}", argument,
                        name, why, form)};
  }
};

constexpr EditFlag tolerate_flag{"--tolerate", "KEY[=VALUE][:EFFECT]"};
constexpr EditFlag node_flags[] = {
    {"--taint", "NODE=KEY[=VALUE]:EFFECT", &WhatIfOptions::taint, NodeEdit::Kind::Taint},
    {"--untaint", "NODE=KEY[:EFFECT]", &WhatIfOptions::untaint, NodeEdit::Kind::Untaint},
    {"--label", "NODE=KEY=VALUE", &WhatIfOptions::label, NodeEdit::Kind::Label},
    {"--unlabel", "NODE=KEY", &WhatIfOptions::unlabel, NodeEdit::Kind::Unlabel},
    {"--cordon", "NODE", &WhatIfOptions::cordon, NodeEdit::Kind::Cordon},
    {"--drain", "NODE", &WhatIfOptions::drain, NodeEdit::Kind::Drain},
    {"--delete-node", "NODE", &WhatIfOptions::delete_node, NodeEdit::Kind::Delete},
    {"--reboot", "NODE", &WhatIfOptions::reboot, NodeEdit::Kind::Reboot},
};

/// The parts after the node; empty if they were not given.
struct EditWords {
  std::string key;
  std::optional<std::string> value;
  std::optional<std::string> effect;
};

/// KEY[=VALUE][:EFFECT]
EditWords split_words(std::string_view text) {
  EditWords result;
  if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    result.effect = std::string(text.substr(colon + 1));
    text = text.substr(0, colon);
  }
  if (const std::size_t equals = text.find('='); equals != std::string_view::npos) {
    result.value = std::string(text.substr(equals + 1));
    text = text.substr(0, equals);
  }
  result.key = std::string(text);
  return result;
}

/// Whether the text is a glob for keys of labels.
bool is_key_glob(std::string key) {
  std::ranges::replace(key, '*', 'x');
  return placement::is_label_key(key);
}

/// The fault of the words themselves; empty if there is none.
std::string fault_of(NodeEdit::Kind kind, const EditWords& words) {
  constexpr std::array<std::string_view, 3> effects = {
      model::effect::no_schedule, model::effect::prefer_no_schedule, model::effect::no_execute};
  if (words.key.empty()) return "the key is missing";
  const bool is_key =
      kind == NodeEdit::Kind::Unlabel ? is_key_glob(words.key) : placement::is_label_key(words.key);
  if (!is_key) {
    return fmt::format("\"{}\" is not a valid key", words.key);
  }
  if (words.value && !placement::is_label_value(*words.value)) {
    return fmt::format("\"{}\" is not a valid value", *words.value);
  }
  if (words.effect && std::ranges::find(effects, *words.effect) == effects.end()) {
    return fmt::format("the effect \"{}\" must be one of {}", *words.effect,
                       fmt::join(effects, ", "));
  }
  return {};
}

/// The part that is missing for a kind of edit; empty if none is.
std::string lack_of(NodeEdit::Kind kind, const EditWords& words) {
  if (kind == NodeEdit::Kind::Taint && !words.effect) return "the effect is missing";
  if (kind == NodeEdit::Kind::Untaint && words.value) return "omit the value to remove a taint";
  if (kind == NodeEdit::Kind::Label && !words.value) return "the value is missing";
  if (kind == NodeEdit::Kind::Unlabel && words.value) return "omit the value to remove a label";
  const bool is_label = kind == NodeEdit::Kind::Label || kind == NodeEdit::Kind::Unlabel;
  if (is_label && words.effect) return "a label has no effect";
  return {};
}

base::Result<NodePick> pick_of(std::string_view text) {
  NodePick pick;
  pick.text = std::string(text);
  if (!text.starts_with('@')) {
    pick.glob = pick.text;
    return pick;
  }
  auto labels = parse_selector(text.substr(1));
  if (!labels) return labels.error();
  pick.labels = std::move(*labels);
  return pick;
}

/// The end of the node. A selector contains equals signs, so the longest valid one is taken.
std::vector<std::size_t> ends_of_node(std::string_view text) {
  std::vector<std::size_t> result;
  if (!text.starts_with('@')) {
    if (const std::size_t at = text.find('='); at != std::string_view::npos) result.push_back(at);
    return result;
  }
  for (std::size_t at = text.rfind('='); at != std::string_view::npos && at != 0;
       at = text.rfind('=', at - 1)) {
    result.push_back(at);
  }
  return result;
}

/// Whether the flag takes a node alone.
bool takes_only_a_node(NodeEdit::Kind kind) {
  return kind == NodeEdit::Kind::Cordon || fixes::is_event(kind);
}

base::Result<NodeEdit> parse_node(const EditFlag& flag, std::string_view text) {
  if (text.empty()) return flag.error(text, "the node is missing");
  auto pick = pick_of(text);
  if (!pick) return flag.error(text, pick.error().what);
  return NodeEdit{flag.kind, std::move(*pick), {}, {}, {}};
}

base::Result<NodeEdit> parse_edit(const EditFlag& flag, std::string_view text) {
  if (takes_only_a_node(flag.kind)) return parse_node(flag, text);
  std::string why;
  for (const std::size_t end : ends_of_node(text)) {
    if (end == 0) return flag.error(text, "the node is missing");
    auto pick = pick_of(text.substr(0, end));
    const EditWords words = split_words(text.substr(end + 1));
    std::string fault = fault_of(flag.kind, words);
    if (fault.empty()) fault = lack_of(flag.kind, words);
    if (!pick) fault = fmt::format("its label selector: {}", pick.error().what);
    if (!fault.empty()) {
      if (why.empty()) why = std::move(fault);
      continue;
    }
    NodeEdit edit;
    edit.kind = flag.kind;
    edit.nodes = std::move(*pick);
    edit.key = words.key;
    edit.value = words.value.value_or("");
    edit.taint = {words.key, words.value.value_or(""), words.effect.value_or("")};
    return edit;
  }
  return flag.error(text, why.empty() ? "nothing follows the node" : why);
}

base::Result<model::Toleration> parse_toleration(std::string_view text) {
  const EditWords words = split_words(text);
  if (const std::string fault = fault_of(tolerate_flag.kind, words); !fault.empty()) {
    return tolerate_flag.error(text, fault);
  }
  return model::Toleration{words.key, words.value ? "Equal" : "Exists", words.value.value_or(""),
                           words.effect.value_or(""), std::nullopt};
}

}  // namespace

base::Status read_what_if(WhatIfOptions& options) {
  const auto keep = [&](std::string_view name, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) options.flags.emplace_back(name, text);
  };
  keep(tolerate_flag.name, options.tolerate);
  for (const std::string& text : options.tolerate) {
    auto toleration = parse_toleration(text);
    if (!toleration) return toleration.error();
    options.changes.tolerations.push_back(std::move(*toleration));
  }
  for (const EditFlag& flag : node_flags) {
    keep(flag.name, options.*flag.values);
    for (const std::string& text : options.*flag.values) {
      auto edit = parse_edit(flag, text);
      if (!edit) return edit.error();
      options.changes.edits.push_back(std::move(*edit));
    }
  }
  options.changes.restarts = options.rollout;
  if (options.rollout) options.flags.emplace_back("--rollout", "");
  keep("--add-node", options.add_node);
  if (options.pools) options.flags.emplace_back("--pools", "");
  keep("--manifest", options.manifest);
  auto validation = parse_validation(options.validate.text);
  if (!validation) return validation.error();
  options.validate.value = *validation;
  return std::monostate();
}

}  // namespace dsdoctor::cmd
