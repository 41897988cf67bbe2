// SPDX-License-Identifier: Apache-2.0
#include "render/data/patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/printable.h"
#include "base/shell_word.h"

namespace dsdoctor::render {
namespace {

constexpr std::string_view tolerations_path = "/spec/template/spec/tolerations";

Json list_of(const std::vector<model::Toleration>& tolerations) {
  Json list = Json::array();
  for (const auto& toleration : tolerations) list.push_back(toleration_json(toleration));
  return list;
}

Json operation(std::string_view op, std::string path, Json value) {
  return {{"op", op}, {"path", std::move(path)}, {"value", std::move(value)}};
}

Json requirements_json(const std::vector<model::NodeSelectorRequirement>& requirements) {
  Json list = Json::array();
  for (const auto& requirement : requirements) {
    Json entry = {{"key", requirement.key.str()}, {"operator", requirement.op.str()}};
    if (!requirement.values.empty()) {
      Json values = Json::array();
      for (const model::Text& value : requirement.values) values.push_back(value.str());
      entry["values"] = std::move(values);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Json terms_json(const model::NodeSelector& selector) {
  Json list = Json::array();
  for (const auto& term : selector.terms) {
    Json entry = Json::object();
    if (!term.match_expressions.empty()) {
      entry["matchExpressions"] = requirements_json(term.match_expressions);
    }
    if (!term.match_fields.empty()) entry["matchFields"] = requirements_json(term.match_fields);
    list.push_back(std::move(entry));
  }
  return list;
}

/// {"spec": {"template": ...}} with the fields that `change` touches, as in `pod_template`. A field
/// that is absent there is null: the patch removes it.
Json strategic(const model::PodTemplate& pod_template, const fixes::TemplateChange& change,
               const model::Labels& annotations) {
  Json inner = Json::object();
  if (!change.annotations.empty()) {
    Json values = Json::object();
    for (const auto& [key, value] : change.annotations) {
      const model::Text* set = annotations.find(key);
      values[key.str()] = set == nullptr ? Json(nullptr) : Json(set->str());
    }
    inner["metadata"] = {{"annotations", std::move(values)}};
  }
  Json spec = Json::object();
  if (change.touches_tolerations()) {
    spec["tolerations"] =
        pod_template.tolerations.empty() ? Json(nullptr) : list_of(pod_template.tolerations);
  }
  if (!change.requirements.empty()) {
    Json required = nullptr;
    if (pod_template.node_affinity) {
      required = {{"nodeSelectorTerms", terms_json(*pod_template.node_affinity)}};
    }
    spec["affinity"] = {
        {"nodeAffinity",
         {{"requiredDuringSchedulingIgnoredDuringExecution", std::move(required)}}}};
  }
  if (!spec.empty()) inner["spec"] = std::move(spec);
  return {{"spec", {{"template", std::move(inner)}}}};
}

/// JSON-like YAML on one line, without double quotes: the shells and programs of Windows disagree
/// on how to escape double quotes.
std::string flow_yaml(const Json& value) {
  const auto quoted = [](const std::string& text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string("''") : std::string(1, c);
    return result + "'";
  };
  if (value.is_string()) return quoted(value.get_ref<const std::string&>());
  if (!value.is_structured()) return value.dump();
  std::string result;
  for (const auto& [key, item] : value.items()) {
    result += result.empty() ? "" : ", ";
    if (value.is_object()) result += quoted(key) + ": ";
    result += flow_yaml(item);
  }
  return value.is_array() ? "[" + result + "]" : "{" + result + "}";
}

/// flow_yaml() of a whole patch. kubectl parses a text that begins with a brace as JSON, which has
/// no single quotes; therefore a single member is written without braces.
std::string windows_patch(const Json& patch) {
  const std::string text = flow_yaml(patch);
  return patch.is_object() && patch.size() == 1 ? text.substr(1, text.size() - 2) : text;
}

bool is_windows(base::Shell shell) {
  return shell == base::Shell::PowerShell || shell == base::Shell::Cmd;
}

std::optional<std::string> patch_line(std::string_view ns, std::string_view name,
                                      std::string_view type, const Json& patch,
                                      const Presentation& style) {
  const std::string type_flag = fmt::format("--type={}", type);
  const auto line = shell_line(daemon_set_command({"patch"}, ns, name, {type_flag}), style);
  if (!line) return std::nullopt;
  const std::string text = is_windows(style.address.shell)
                               ? windows_patch(patch)
                               : patch.dump(-1, ' ', false, Json::error_handler_t::replace);
  const auto quoted = base::quoted_word(style.address.shell, text, true);
  if (!quoted) return std::nullopt;
  return fmt::format("{} --patch{}{}", *line, is_windows(style.address.shell) ? ' ' : '=', *quoted);
}

bool is_valid(const model::Toleration& toleration) {
  using base::NameKind;
  return (toleration.key.empty() || base::is_name(NameKind::Key, toleration.key)) &&
         base::is_name(NameKind::Value, toleration.value) &&
         base::is_name(NameKind::Value, toleration.op) &&
         base::is_name(NameKind::Value, toleration.effect);
}

bool is_valid(const model::NodeSelectorRequirement& requirement) {
  using base::NameKind;
  const bool of_a_name = requirement.key == "metadata.name";
  return base::is_name(NameKind::Key, requirement.key) &&
         base::is_name(NameKind::Value, requirement.op) &&
         std::ranges::all_of(requirement.values, [&](const model::Text& value) {
           return base::is_name(of_a_name ? NameKind::Subdomain : NameKind::Value, value);
         });
}

bool is_valid(const model::NodeSelector& selector) {
  return std::ranges::all_of(selector.terms, [](const model::NodeSelectorTerm& term) {
    const auto valid = [](const auto& each) { return is_valid(each); };
    return std::ranges::all_of(term.match_expressions, valid) &&
           std::ranges::all_of(term.match_fields, valid);
  });
}

/// Whether the API accepts everything that the patch contains; it has only the changed fields.
bool is_valid(const model::PodTemplate& pod_template, const fixes::TemplateChange& change) {
  const auto valid = [](const auto& each) { return is_valid(each); };
  const auto is_valid_key = [](const auto& entry) {
    return base::is_name(base::NameKind::Key, entry.first);
  };
  return std::ranges::all_of(change.added, valid) &&
         std::ranges::all_of(change.requirements, valid) &&
         std::ranges::all_of(change.annotations, is_valid_key) &&
         (!change.touches_tolerations() || std::ranges::all_of(pod_template.tolerations, valid)) &&
         (change.requirements.empty() || !pod_template.node_affinity ||
          is_valid(*pod_template.node_affinity));
}

bool only_adds(const fixes::TemplateChange& change) {
  return !change.removed && change.requirements.empty() && change.annotations.empty();
}

Json additions(const model::DaemonSet& ds, const std::vector<model::Toleration>& added) {
  Json patch = Json::array();
  if (ds.pod_template.tolerations.empty()) {
    patch.push_back(operation("test", std::string(tolerations_path), nullptr));
    patch.push_back(operation("add", std::string(tolerations_path), list_of(added)));
    return patch;
  }
  for (const auto& toleration : added) {
    patch.push_back(
        operation("add", fmt::format("{}/-", tolerations_path), toleration_json(toleration)));
  }
  return patch;
}

}  // namespace

Json toleration_json(const model::Toleration& toleration) {
  Json result = Json::object();
  const auto add = [&](const char* key, const model::Text& value) {
    if (!value.empty()) result[key] = value.str();
  };
  add("key", toleration.key);
  add("operator", toleration.op);
  add("value", toleration.value);
  add("effect", toleration.effect);
  if (toleration.toleration_seconds) {
    result["tolerationSeconds"] = *toleration.toleration_seconds;
  }
  return result;
}

Json json_patch(const fixes::Suggestion& suggestion) {
  model::DaemonSet ds;
  if (!suggestion.creates_list) ds.pod_template.tolerations.emplace_back();
  return additions(ds, suggestion.change.added);
}

std::optional<Json> guarded_json_patch(const model::DaemonSet& ds,
                                       const fixes::TemplateChange& change) {
  if (!change.requirements.empty() || !change.annotations.empty()) return std::nullopt;
  const auto& list = ds.pod_template.tolerations;
  if (list.empty()) return additions(ds, change.added);
  Json patch = Json::array({operation("test", std::string(tolerations_path), list_of(list))});
  if (change.removed) {
    patch.push_back(
        {{"op", "remove"}, {"path", fmt::format("{}/{}", tolerations_path, *change.removed)}});
  }
  for (Json& each : additions(ds, change.added)) patch.push_back(std::move(each));
  return patch;
}

Json undo_patch(const model::DaemonSet& ds, const fixes::TemplateChange& change) {
  const std::size_t kept = ds.pod_template.tolerations.size();
  Json patch = Json::array();
  if (kept == 0) {
    patch.push_back(operation("test", std::string(tolerations_path), list_of(change.added)));
    patch.push_back({{"op", "remove"}, {"path", tolerations_path}});
    return patch;
  }
  for (std::size_t i = 0; i < change.added.size(); ++i) {
    patch.push_back(operation("test", fmt::format("{}/{}", tolerations_path, kept + i),
                              toleration_json(change.added[i])));
  }
  for (std::size_t i = change.added.size(); i-- > 0;) {
    patch.push_back({{"op", "remove"}, {"path", fmt::format("{}/{}", tolerations_path, kept + i)}});
  }
  return patch;
}

Json strategic_patch(const model::DaemonSet& ds, const fixes::TemplateChange& change) {
  return strategic(fixes::changed(ds.pod_template, change), change, change.annotations);
}

Json strategic_undo(const model::DaemonSet& ds, const fixes::TemplateChange& change) {
  return strategic(ds.pod_template, change, {});
}

std::optional<std::string> shell_line(const std::optional<base::Command>& command,
                                      const Presentation& style) {
  if (!command || command->words.empty()) return std::nullopt;
  std::string line = command->words.front();
  const auto add = [&](std::string_view word) {
    const auto quoted = base::quoted_word(style.address.shell, word);
    if (quoted) line += " " + *quoted;
    return quoted.has_value();
  };
  if (!std::ranges::all_of(style.address.kubectl_flags, add)) return std::nullopt;
  if (!std::all_of(command->words.begin() + 1, command->words.end(), add)) return std::nullopt;
  return line;
}

std::optional<base::Command> daemon_set_command(std::initializer_list<std::string_view> verb,
                                                std::string_view ns, std::string_view name,
                                                std::initializer_list<std::string_view> flags) {
  base::CommandDraft draft = {"kubectl"};
  if (!ns.empty()) draft.add("--namespace").add(base::NameKind::Label, ns);
  for (const std::string_view word : verb) draft.add(word);
  draft.add("daemonset").add(base::NameKind::Subdomain, name);
  for (const std::string_view flag : flags) draft.add(flag);
  return draft.take();
}

std::optional<std::string> patch_command(std::string_view ns, std::string_view name,
                                         const fixes::Suggestion& suggestion,
                                         const Presentation& style) {
  if (!is_valid(model::PodTemplate(), suggestion.change)) return std::nullopt;
  return patch_line(ns, name, "json", json_patch(suggestion), style);
}

std::optional<std::string> patch_command(const model::DaemonSet& ds,
                                         const fixes::TemplateChange& change,
                                         const Presentation& style) {
  const std::string_view ns = ds.meta.ns;
  const std::string_view name = ds.meta.name;
  if (only_adds(change)) {
    // The JSON patch does not contain the existing list.
    if (!is_valid(model::PodTemplate(), change)) return std::nullopt;
    return patch_line(ns, name, "json", additions(ds, change.added), style);
  }
  if (!is_valid(ds.pod_template, change)) return std::nullopt;
  if (const auto patch = guarded_json_patch(ds, change)) {
    return patch_line(ns, name, "json", *patch, style);
  }
  return patch_line(ns, name, "strategic", strategic_patch(ds, change), style);
}

std::optional<std::string> undo_command(const model::DaemonSet& ds,
                                        const fixes::TemplateChange& change,
                                        const Presentation& style) {
  if (only_adds(change)) {
    if (!is_valid(model::PodTemplate(), change)) return std::nullopt;
    return patch_line(ds.meta.ns, ds.meta.name, "json", undo_patch(ds, change), style);
  }
  if (!is_valid(ds.pod_template, change)) return std::nullopt;
  return patch_line(ds.meta.ns, ds.meta.name, "strategic", strategic_undo(ds, change), style);
}

std::optional<std::string> node_command(const fixes::NodeCommand& change,
                                        const Presentation& style) {
  using base::NameKind;
  const bool labels = change.kind == fixes::NodeCommand::Kind::Label;
  base::CommandDraft draft = {"kubectl", labels ? "label" : "taint", "node"};
  for (const model::Text& node : change.nodes) draft.add(NameKind::Subdomain, node);
  for (const auto& [key, value] : change.labels) {
    draft.add(NameKind::Key, key, "=").append(NameKind::Value, value);
  }
  for (const model::Taint& taint : change.taints) {
    draft.add(NameKind::Key, taint.key, ":").append(NameKind::Value, taint.effect, "-");
  }
  if (change.overwrites) draft.add("--overwrite");
  return shell_line(draft.take(), style);
}

}  // namespace dsdoctor::render
