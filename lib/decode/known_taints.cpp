#include "decode/known_taints.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/edit_distance.h"
#include "base/pattern.h"
#include "decode/yaml_to_json.h"

namespace dsdoctor::decode {
namespace {

using model::KnownTaint;

constexpr std::size_t max_bytes = 4u << 20;
constexpr std::size_t longest_text = 2000;

template <typename Enum>
using Words = std::vector<std::pair<std::string_view, Enum>>;

const Words<model::KeyMatch> match_words = {{"exact", model::KeyMatch::Exact},
                                            {"prefix", model::KeyMatch::Prefix},
                                            {"glob", model::KeyMatch::Glob}};
const Words<model::TaintLifecycle> lifecycle_words = {
    {"transient", model::TaintLifecycle::Transient},
    {"leaving", model::TaintLifecycle::Leaving},
    {"until-ready", model::TaintLifecycle::UntilReady},
    {"maintenance", model::TaintLifecycle::Maintenance},
    {"permanent", model::TaintLifecycle::Permanent}};
const Words<model::Advised> advised_words = {
    {"yes", model::Advised::Yes}, {"no", model::Advised::No}, {"depends", model::Advised::Depends}};
const Words<bool> boolean_words = {{"true", true}, {"false", false}};
const Words<std::string_view> effect_words = {{"NoSchedule", "NoSchedule"},
                                              {"PreferNoSchedule", "PreferNoSchedule"},
                                              {"NoExecute", "NoExecute"}};
const Words<std::string_view> operator_words = {{"Exists", "Exists"}, {"Equal", "Equal"}};
const Words<std::string_view> confidence_words = {{"verified", "verified"}, {"likely", "likely"}};

/// The letters of label keys; of `more` too.
bool is_key(std::string_view text, std::string_view more = "") {
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-' || c == '/' || more.find(c) != more.npos;
  }) && std::ranges::count(text, '/') <= 1;
}

/// Reads one entry. The first error sticks; what is read after it is empty.
class EntryReader {
 public:
  EntryReader(std::string_view file, std::size_t number) : file_(file), number_(number) {}

  base::Result<KnownTaint> read(const YAML::Node& entry) {
    KnownTaint taint;
    fields(entry, "", entry_fields(taint));
    if (!error_) complete(entry, taint);
    if (error_) return *error_;
    return taint;
  }

 private:
  using Read = std::function<void(const YAML::Node&, const std::string&)>;
  using Fields = std::map<std::string, Read, std::less<>>;

  void fail(const YAML::Node& at, const std::string& field, std::string_view what) {
    if (error_) return;
    const std::string id = id_.empty() ? "" : fmt::format(" \"{}\"", id_);
    error_ = base::Error{
        base::ErrorKind::Malformed,
        fmt::format("{}:{}:{}", file_, at.Mark().line + 1, at.Mark().column + 1),
        fmt::format("entry {}{}{}{}: {}", number_, id, field.empty() ? "" : ", ", field, what)};
  }

  /// Each field of a mapping goes to its reader; null is the same as absent.
  void fields(const YAML::Node& node, const std::string& path, const Fields& readers) {
    if (!node.IsMap()) return fail(node, path, "a mapping of fields is expected");
    for (const auto& field : node) {
      if (error_) return;
      const std::string name = field.first.IsScalar() ? field.first.Scalar() : "";
      const std::string full = path.empty() ? name : path + "." + name;
      const auto reader = readers.find(name);
      if (reader == readers.end()) return fail(field.first, full, unknown_field(name, readers));
      if (!field.second.IsNull()) reader->second(field.second, full);
    }
  }

  static std::string unknown_field(const std::string& name, const Fields& readers) {
    std::vector<std::string> names;
    for (const auto& [known, read] : readers) names.push_back(known);
    const auto near = base::near_words(name, names, 1);
    return near.empty() ? fmt::format("no such field; there are: {}", fmt::join(names, ", "))
                        : fmt::format("no such field; did you mean {}?", near.front());
  }

  std::string text(const YAML::Node& node, const std::string& field) {
    if (!node.IsScalar()) {
      fail(node, field, "a text is expected");
    } else if (node.Scalar().size() > longest_text) {
      fail(node, field, fmt::format("the text is longer than {} bytes", longest_text));
    } else {
      return node.Scalar();
    }
    return {};
  }
  Read text_into(model::Text& target) {
    return [this, &target](const YAML::Node& node, const std::string& field) {
      target = text(node, field);
    };
  }
  template <typename Enum>
  Enum word(const YAML::Node& node, const std::string& field, const Words<Enum>& words) {
    const std::string given = text(node, field);
    const auto found = std::ranges::find(words, given, &Words<Enum>::value_type::first);
    if (found != words.end()) return found->second;
    std::string known;
    for (const auto& [name, value] : words) {
      known += fmt::format("{}{}", known.empty() ? "" : ", ", name);
    }
    fail(node, field, fmt::format("\"{}\" is not one of {}", given, known));
    return {};
  }
  template <typename Enum, typename Target>
  Read word_into(Target& target, const Words<Enum>& words) {
    return [this, &target, &words](const YAML::Node& node, const std::string& field) {
      target = word(node, field, words);
    };
  }
  /// For people only: whatever it is.
  static void ignore(const YAML::Node&, const std::string&) {}

  Fields entry_fields(KnownTaint& taint) {
    return {
        {"id",
         [&](const YAML::Node& node, const std::string& field) {
           id_ = text(node, field);
           taint.id = id_;
         }},
        {"key", text_into(taint.key)},
        {"match", word_into(taint.match, match_words)},
        {"value_pattern", [&](const YAML::Node& node,
                              const std::string& field) { read_pattern(node, field, taint); }},
        {"value_decides", word_into(taint.value_decides, boolean_words)},
        {"node_label", text_into(taint.node_label)},
        {"effects", [&](const YAML::Node& node,
                        const std::string& field) { read_effects(node, field, taint); }},
        {"set_by", text_into(taint.set_by)},
        {"family", text_into(taint.family)},
        {"meaning", text_into(taint.meaning)},
        {"lifecycle", word_into(taint.lifecycle, lifecycle_words)},
        {"auto_tolerated_by_daemonset_controller",
         [&](const YAML::Node& node, const std::string& field) {
           fields(node, field,
                  {{"value", word_into(taint.auto_tolerated, boolean_words)},
                   {"condition", text_into(taint.auto_condition)}});
         }},
        {"should_daemonset_tolerate",
         [&](const YAML::Node& node, const std::string& field) {
           fields(node, field,
                  {{"node-agents", word_into(taint.for_node_agents, advised_words)},
                   {"general", word_into(taint.in_general, advised_words)}});
         }},
        {"advice", text_into(taint.advice)},
        {"suggested_toleration",
         [&](const YAML::Node& node, const std::string& field) {
           read_suggestion(node, field, taint);
         }},
        {"confidence", word_into(taint.confidence, confidence_words)},
        {"source", ignore},
        {"since", ignore},
        {"notes", ignore},
    };
  }

  void read_pattern(const YAML::Node& node, const std::string& field, KnownTaint& taint) {
    taint.value_pattern = text(node, field);
    const auto pattern = base::Pattern::parse(taint.value_pattern);
    if (!pattern) fail(node, field, pattern.error().what);
  }

  void read_effects(const YAML::Node& node, const std::string& field, KnownTaint& taint) {
    if (!node.IsSequence()) return fail(node, field, "a list is expected, such as [NoSchedule]");
    for (std::size_t i = 0; i < node.size() && !error_; ++i) {
      taint.effects.emplace_back(word(node[i], fmt::format("{}[{}]", field, i), effect_words));
    }
  }

  void read_suggestion(const YAML::Node& node, const std::string& field, KnownTaint& taint) {
    model::Toleration& toleration = taint.suggested.emplace();
    fields(node, field,
           {{"key", text_into(toleration.key)},
            {"operator", word_into(toleration.op, operator_words)},
            {"value", text_into(toleration.value)},
            {"effect", word_into(toleration.effect, effect_words)}});
  }

  /// What needs more than one field.
  void complete(const YAML::Node& entry, KnownTaint& taint) {
    const bool glob = taint.match == model::KeyMatch::Glob;
    if (taint.key.empty()) return fail(entry, "key", "missing: which taint is this?");
    if (!is_key(taint.key, glob ? "*" : "")) {
      const bool starred = taint.key.view().find('*') != std::string_view::npos;
      return fail(entry["key"], "key",
                  starred && !glob ? "a * is only for entries with match: glob"
                                   : fmt::format("\"{}\" is no taint key", taint.key.view()));
    }
    if (!taint.node_label.empty() && !is_key(taint.node_label, "*")) {
      return fail(entry["node_label"], "node_label", "is no label key");
    }
    if (taint.effects.empty()) {
      return fail(entry, "effects",
                  "missing: at least one of NoSchedule, PreferNoSchedule, NoExecute");
    }
    if (taint.meaning.empty()) return fail(entry, "meaning", "missing: a sentence about the node");
    if (taint.id.empty()) taint.id = taint.key;
  }

  std::string_view file_;
  std::size_t number_;
  std::string id_;
  std::optional<base::Error> error_;
};

base::Error malformed(std::string_view file, std::string what) {
  return {base::ErrorKind::Malformed, std::string(file), std::move(what)};
}

/// JSON is YAML but for tabs, which it allows between its tokens and nowhere else.
std::string as_yaml(std::string_view content) {
  std::string result(content);
  const auto first = result.find_first_not_of(" \t\r\n");
  const bool json = first != result.npos && (result[first] == '[' || result[first] == '{');
  if (json) std::ranges::replace(result, '\t', ' ');
  return result;
}

/// The one document, with the places of its parts.
base::Result<YAML::Node> document_of(const std::string& text, std::string_view file) {
  // Finds what is no YAML, nested too deep or a bomb, before yaml-cpp builds a tree of it.
  std::vector<model::Warning> warnings;
  const auto checked = yaml_to_json(text, file, warnings);
  if (!checked) return checked.error();
  if (!warnings.empty()) {
    return base::Error{base::ErrorKind::Malformed, warnings.front().where, warnings.front().what};
  }
  if (checked->size() > 1) return malformed(file, "one document is expected, with one list");
  try {
    return YAML::Load(text);
  } catch (const YAML::Exception& error) {
    return malformed(file, error.what());
  }
}

}  // namespace

base::Result<std::vector<KnownTaint>> read_known_taints(std::string_view content,
                                                        std::string_view file) {
  if (content.size() > max_bytes) return malformed(file, "the file is larger than 4 MiB");
  const auto document = document_of(as_yaml(content), file);
  if (!document) return document.error();
  std::vector<KnownTaint> result;
  if (document->IsNull()) return result;
  if (!document->IsSequence()) {
    return malformed(file, "a list of entries is expected, each with key, effects and meaning");
  }
  std::map<std::string, std::size_t, std::less<>> numbers;
  for (std::size_t i = 0; i < document->size(); ++i) {
    auto taint = EntryReader(file, i + 1).read((*document)[i]);
    if (!taint) return taint.error();
    const auto [at, is_new] = numbers.emplace(taint->id.str(), i + 1);
    const bool named = (*document)[i]["id"].IsDefined();
    if (!is_new && named) {
      const YAML::Mark mark = (*document)[i]["id"].Mark();
      return malformed(fmt::format("{}:{}:{}", file, mark.line + 1, mark.column + 1),
                       fmt::format("entry {} \"{}\", id: entry {} has the same", i + 1,
                                   taint->id.view(), at->second));
    }
    result.push_back(std::move(*taint));
  }
  return result;
}

}  // namespace dsdoctor::decode
