// SPDX-License-Identifier: Apache-2.0
#include "decode/objects/spec_edits.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"
#include "decode/objects/url_secrets.h"
#include "model/annotations.h"

namespace dsdoctor::decode {
namespace {

using nlohmann::json;

constexpr std::size_t most_edits = 10;
constexpr std::size_t longest_shown = 120;

/// Fields of a pod template without a default: they are only present if they were set.
constexpr std::array never_defaulted = {"affinity", "nodeName", "nodeSelector", "priorityClassName",
                                        "tolerations"};

/// Reports whether the server drops the value: null, false, 0, "", [] or {}.
bool means_nothing(const json& value) {
  return value.is_null() || value == false || value == 0 || value == "" ||
         (value.is_structured() && value.empty());
}

std::string dumped(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// Compares scalars; quantities and ports may be written as numbers or as strings.
bool same_scalar(const json& a, const json& b) { return a == b || dumped(a) == dumped(b); }

constexpr std::string_view pods = "spec.template.spec.";
constexpr std::string_view not_shown = "(not shown)";

/// Fields of a pod whose values, including nested ones, are not secrets. Users put tokens into
/// other fields: environments, arguments, headers and paths of probes, options of volume drivers.
constexpr std::array harmless_of_pod = {"affinity",
                                        "dnsPolicy",
                                        "hostIPC",
                                        "hostNetwork",
                                        "hostPID",
                                        "hostUsers",
                                        "nodeName",
                                        "nodeSelector",
                                        "os",
                                        "overhead",
                                        "preemptionPolicy",
                                        "priority",
                                        "priorityClassName",
                                        "restartPolicy",
                                        "runtimeClassName",
                                        "schedulerName",
                                        "serviceAccount",
                                        "serviceAccountName",
                                        "terminationGracePeriodSeconds",
                                        "tolerations",
                                        "topologySpreadConstraints"};
/// The same for containers and their probes.
constexpr std::array harmless_of_container = {
    "image",         "imagePullPolicy",           "name", "ports", "resources",
    "restartPolicy", "securityContext.privileged"};
constexpr std::array probes = {"livenessProbe", "readinessProbe", "startupProbe"};
constexpr std::array harmless_of_probe = {
    "failureThreshold", "initialDelaySeconds",           "periodSeconds",
    "successThreshold", "terminationGracePeriodSeconds", "timeoutSeconds"};
/// The same for the DaemonSet itself.
constexpr std::array harmless = {"spec.minReadySeconds", "spec.revisionHistoryLimit",
                                 "spec.selector", "spec.template.metadata.labels",
                                 "spec.updateStrategy"};

/// Reports whether the path is `field` or below it: "image", "image.x" and "image[0]" for "image".
bool is_below(std::string_view path, std::string_view field) {
  return path.starts_with(field) &&
         (path.size() == field.size() || path[field.size()] == '.' || path[field.size()] == '[');
}
bool is_below_any(std::string_view path, const auto& fields) {
  return std::ranges::any_of(fields, [&](const char* field) { return is_below(path, field); });
}

/// "image" for "containers[0].image"; empty if the path is not a field of a container.
std::string_view field_of_container(std::string_view path) {
  if (!is_below_any(path, std::array{"containers", "initContainers"})) return {};
  const std::size_t dot = path.find("].");
  return dot == path.npos ? std::string_view() : path.substr(dot + 2);
}

bool is_harmless(std::string_view path) {
  if (!path.starts_with(pods)) return is_below_any(path, harmless);
  path.remove_prefix(pods.size());
  if (is_below_any(path, harmless_of_pod)) return true;
  path = field_of_container(path);
  if (!is_below_any(path, probes)) return is_below_any(path, harmless_of_container);
  return is_below_any(path.substr(std::min(path.find('.') + 1, path.size())), harmless_of_probe);
}

/// `text` without passwords, which images can contain.
std::string shown(const std::string& text) { return without_url_secrets(text).value_or(text); }

/// The text of a value. Lists and objects are shown if they affect placement; otherwise only their
/// sizes.
std::string text_of(const std::string& path, const json& value) {
  if (value.is_null()) return {};
  const bool placement = std::ranges::any_of(
      never_defaulted, [&](const char* key) { return is_below(path, std::string(pods) + key); });
  if (value.is_array() && !placement) return std::to_string(value.size()) + " entries";
  if (value.is_object() && !placement) return std::to_string(value.size()) + " fields";
  if (!is_harmless(path)) return std::string(not_shown);
  std::string text = shown(dumped(value));
  return text.size() <= longest_shown ? text : text.substr(0, longest_shown) + "...";
}

/// `text` of a Snapshot without secrets: an older release may have written more values.
std::string shown_again(const std::string& path, const std::string& text) {
  const bool counts = !text.empty() && base::is_digit(text.front()) &&
                      (text.ends_with(" entries") || text.ends_with(" fields"));
  return text.empty() || counts || is_harmless(path) ? shown(text) : std::string(not_shown);
}

/// The element with that name, or null.
const json* named(const json& list, const json& name) {
  const auto at = std::ranges::find_if(list, [&](const json& element) {
    return element.is_object() && element.contains("name") && element["name"] == name;
  });
  return at == list.end() ? nullptr : &*at;
}

class Comparison {
 public:
  void compare(const json& applied, const json& live, const std::string& path) {
    if (edits_.size() >= most_edits) return;
    if (applied.is_object() && live.is_object()) {
      objects(applied, live, path);
    } else if (applied.is_array() && live.is_array()) {
      arrays(applied, live, path);
    } else if (!same_scalar(applied, live)) {
      add(path, applied, live);
    }
  }

  /// Finds fields of the template that were set without being applied.
  void added(const json& applied, const json& live, const std::string& path) {
    for (const char* key : never_defaulted) {
      if (edits_.size() >= most_edits || applied.contains(key) || !live.contains(key)) continue;
      if (!means_nothing(live[key])) add(path + "." + key, nullptr, live[key]);
    }
  }

  std::vector<model::SpecEdit> take() { return std::move(edits_); }

 private:
  void add(const std::string& path, const json& applied, const json& live) {
    edits_.push_back({path, text_of(path, applied), text_of(path, live)});
  }

  void objects(const json& applied, const json& live, const std::string& path) {
    for (const auto& [key, value] : applied.items()) {
      std::string at = path;
      at.append(".").append(key);
      if (live.contains(key)) {
        compare(value, live[key], at);
      } else if (!means_nothing(value) && edits_.size() < most_edits) {
        add(at, value, nullptr);
      }
    }
  }

  void arrays(const json& applied, const json& live, const std::string& path) {
    if (applied.size() != live.size()) return add(path, applied, live);
    for (std::size_t i = 0; i < applied.size(); ++i) {
      const bool has_name = applied[i].is_object() && applied[i].contains("name");
      const json* other = has_name ? named(live, applied[i]["name"]) : &live[i];
      std::string at = path;
      at.append("[").append(std::to_string(i)).append("]");
      if (other == nullptr) {
        add(at, applied[i], live[i]);
      } else {
        compare(applied[i], *other, at);
      }
    }
  }

  std::vector<model::SpecEdit> edits_;
};

/// The API server accepts 256 KiB of annotations and objects of 3 MiB; larger ones are forged, and
/// comparing them would take memory.
constexpr std::size_t most_applied = std::size_t{256} << 10U;
constexpr std::size_t most_parsed_spec = std::size_t{3} << 20U;

}  // namespace

void note_edits(model::DaemonSet& ds, std::string_view spec) {
  const model::Text* applied = ds.annotations.find(model::last_applied_annotation);
  if (applied == nullptr) return;
  if (applied->view().size() > most_applied || spec.size() > most_parsed_spec) {
    return ds.annotations.set(model::Text(model::last_applied_annotation), {});
  }
  ds.edits = spec_edits(*applied, spec);
  ds.applied = applied_template(*applied);
  ds.annotations.set(model::Text(model::last_applied_annotation), {});
}

std::vector<model::SpecEdit> spec_edits(std::string_view last_applied, std::string_view spec) {
  const json applied = json::parse(last_applied, nullptr, false);
  const json live = json::parse(spec, nullptr, false);
  if (!applied.is_object() || !live.is_object()) return {};
  const auto applied_spec = applied.find("spec");
  if (applied_spec == applied.end() || !applied_spec->is_object()) return {};
  Comparison comparison;
  comparison.compare(*applied_spec, live, "spec");
  const json::json_pointer pod("/template/spec");
  if (applied_spec->contains(pod) && live.contains(pod)) {
    comparison.added(applied_spec->at(pod), live.at(pod), "spec.template.spec");
  }
  return comparison.take();
}

std::optional<model::AppliedTemplate> applied_template(std::string_view last_applied) {
  const json applied = json::parse(last_applied, nullptr, false);
  if (!applied.is_object() || !applied.contains("spec")) return std::nullopt;
  const auto holds = [&](const char* path) {
    const json::json_pointer pointer(path);
    return applied.contains(pointer) && !applied.at(pointer).is_null();
  };
  return model::AppliedTemplate{holds("/spec/template/spec/tolerations"),
                                holds("/spec/template/spec/affinity/nodeAffinity/"
                                      "requiredDuringSchedulingIgnoredDuringExecution")};
}

std::string applied_text(const model::AppliedTemplate& applied) {
  std::string result = applied.tolerations ? "tolerations" : "";
  if (applied.node_affinity) result += result.empty() ? "node-affinity" : ",node-affinity";
  return result.empty() ? "neither" : result;
}

model::AppliedTemplate parse_applied(std::string_view text) {
  return {text.find("tolerations") != std::string_view::npos,
          text.find("node-affinity") != std::string_view::npos};
}

std::string edits_text(const std::vector<model::SpecEdit>& edits) {
  json list = json::array();
  for (const auto& edit : edits) list.push_back({edit.path, edit.applied, edit.live});
  return list.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<model::SpecEdit> parse_edits(std::string_view text) {
  const json list = json::parse(text, nullptr, false);
  std::vector<model::SpecEdit> result;
  if (!list.is_array()) return result;
  for (const json& entry : list) {
    const bool is_edit = entry.is_array() && entry.size() == 3 && entry[0].is_string() &&
                         entry[1].is_string() && entry[2].is_string();
    if (!is_edit) return {};
    const auto path = entry[0].get<std::string>();
    result.push_back({path, shown_again(path, entry[1].get<std::string>()),
                      shown_again(path, entry[2].get<std::string>())});
  }
  return result;
}

}  // namespace dsdoctor::decode
