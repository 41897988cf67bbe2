#include "question/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "placement/label_syntax.h"
#include "question/selector.h"
#include "source/file_source.h"

namespace dsdoctor::cmd {
namespace {

using advice::NodeEdit;
using advice::NodePick;

/// One flag, to say what is wrong with its argument.
struct Flag {
  std::string_view name;
  std::string_view form;

  [[nodiscard]] base::Error error(std::string_view argument, std::string_view why) const {
    return {base::ErrorKind::Usage, "",
            fmt::format("invalid argument \"{}\" for \"--{}\" flag: {}; the form is {}", argument,
                        name, why, form)};
  }
};

constexpr Flag tolerate_flag{"tolerate", "KEY[=VALUE][:EFFECT]"};
constexpr Flag taint_flag{"taint", "NODE=KEY[=VALUE]:EFFECT"};
constexpr Flag untaint_flag{"untaint", "NODE=KEY[:EFFECT]"};
constexpr Flag label_flag{"label", "NODE=KEY=VALUE"};
constexpr Flag unlabel_flag{"unlabel", "NODE=KEY"};
constexpr Flag cordon_flag{"cordon", "NODE"};

/// What follows the node, as far as it was given.
struct Words {
  std::string key;
  std::optional<std::string> value;
  std::optional<std::string> effect;
};

/// KEY[=VALUE][:EFFECT]
Words split_words(std::string_view text) {
  Words result;
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

/// What is wrong with the words as such; empty where nothing is.
std::string fault_of(const Words& words) {
  constexpr std::array<std::string_view, 3> effects = {
      model::effect::no_schedule, model::effect::prefer_no_schedule, model::effect::no_execute};
  if (words.key.empty()) return "the key is missing";
  if (!placement::is_label_key(words.key)) {
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

/// What a kind of edit needs of its words; empty where it is there.
std::string lack_of(NodeEdit::Kind kind, const Words& words) {
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
  auto labels = parse_typed_selector(text.substr(1));
  if (!labels) return labels.error();
  pick.labels = std::move(*labels);
  return pick;
}

/// Where a node ends. A selector has equals signs of its own: it reaches as far as it can.
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

base::Result<NodeEdit> parse_edit(const Flag& flag, NodeEdit::Kind kind, std::string_view text) {
  std::string why;
  for (const std::size_t end : ends_of_node(text)) {
    if (end == 0) return flag.error(text, "the node is missing");
    auto pick = pick_of(text.substr(0, end));
    const Words words = split_words(text.substr(end + 1));
    std::string fault = fault_of(words);
    if (fault.empty()) fault = lack_of(kind, words);
    if (!pick) fault = fmt::format("its label selector: {}", pick.error().what);
    if (!fault.empty()) {
      if (why.empty()) why = std::move(fault);
      continue;
    }
    NodeEdit edit;
    edit.kind = kind;
    edit.nodes = std::move(*pick);
    edit.key = words.key;
    edit.value = words.value.value_or("");
    edit.taint = {words.key, words.value.value_or(""), words.effect.value_or("")};
    return edit;
  }
  return flag.error(text, why.empty() ? "nothing follows the node" : why);
}

base::Result<model::Toleration> parse_toleration(std::string_view text) {
  const Words words = split_words(text);
  if (const std::string fault = fault_of(words); !fault.empty()) {
    return tolerate_flag.error(text, fault);
  }
  return model::Toleration{words.key, words.value ? "Equal" : "Exists", words.value.value_or(""),
                           words.effect.value_or(""), std::nullopt};
}

/// The objects of one kind in some files.
base::Result<source::Snapshot> read_files(const std::vector<std::string>& paths,
                                          const std::string& ns, Context& ctx) {
  source::FileSource files(paths, ctx.in, ctx.now);
  source::Query query;
  if (!ns.empty()) query.default_ns = ns;
  return files.load(query);
}

}  // namespace

base::Status read_manifests(const WhatIfOptions& options, const std::string& ns, Context& ctx,
                            advice::WhatIf& into) {
  if (!options.add_node.empty()) {
    auto read = read_files(options.add_node, ns, ctx);
    if (!read) return read.error();
    if (read->cluster.nodes.empty()) {
      return base::Error{base::ErrorKind::Malformed, options.add_node.front(),
                         "contains no Node; --add-node needs a manifest of nodes"};
    }
    into.nodes = std::move(read->cluster.nodes);
  }
  if (options.manifest.empty()) return std::monostate();
  auto read = read_files(options.manifest, ns, ctx);
  if (!read) return read.error();
  if (read->cluster.daemon_sets.empty()) {
    return base::Error{base::ErrorKind::Malformed, options.manifest.front(),
                       "contains no DaemonSet; --manifest needs manifests of DaemonSets"};
  }
  warn(ctx, read->warnings);
  into.daemon_sets = std::move(read->cluster.daemon_sets);
  return std::monostate();
}

base::Result<advice::WhatIf> parse_what_if(const WhatIfOptions& options) {
  advice::WhatIf result;
  for (const std::string& text : options.tolerate) {
    auto toleration = parse_toleration(text);
    if (!toleration) return toleration.error();
    result.tolerations.push_back(std::move(*toleration));
  }
  struct Edits {
    const Flag& flag;
    NodeEdit::Kind kind;
    const std::vector<std::string>& texts;
  };
  const std::array<Edits, 4> all = {Edits{taint_flag, NodeEdit::Kind::Taint, options.taint},
                                    Edits{untaint_flag, NodeEdit::Kind::Untaint, options.untaint},
                                    Edits{label_flag, NodeEdit::Kind::Label, options.label},
                                    Edits{unlabel_flag, NodeEdit::Kind::Unlabel, options.unlabel}};
  for (const Edits& edits : all) {
    for (const std::string& text : edits.texts) {
      auto edit = parse_edit(edits.flag, edits.kind, text);
      if (!edit) return edit.error();
      result.edits.push_back(std::move(*edit));
    }
  }
  for (const std::string& text : options.cordon) {
    auto pick = pick_of(text);
    if (!pick) return cordon_flag.error(text, pick.error().what);
    if (text.empty()) return cordon_flag.error(text, "the node is missing");
    result.edits.push_back({NodeEdit::Kind::Cordon, std::move(*pick), {}, {}, {}});
  }
  return result;
}

std::vector<std::string> flag_words(const WhatIfOptions& options) {
  std::vector<std::string> result;
  for (const auto& [flag, texts] : what_if_flags(options)) {
    for (const std::string& text : *texts) result.push_back(fmt::format("{} {}", flag, text));
  }
  return result;
}

std::string common_namespace(const std::vector<model::DaemonSet>& daemon_sets) {
  const std::string first = daemon_sets.front().meta.ns.str();
  const bool same = std::ranges::all_of(
      daemon_sets, [&](const model::DaemonSet& ds) { return ds.meta.ns == first; });
  return same ? first : std::string();
}

}  // namespace dsdoctor::cmd
