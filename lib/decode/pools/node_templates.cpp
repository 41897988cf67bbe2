// SPDX-License-Identifier: Apache-2.0
#include "decode/pools/node_templates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "base/text.h"
#include "model/meta.h"

namespace dsdoctor::decode {
namespace {

using simdjson::dom::element;

constexpr std::string_view karpenter = "karpenter.sh";
constexpr std::string_view cluster_api = "cluster.x-k8s.io";
constexpr std::string_view openshift = "machine.openshift.io";

constexpr std::pair<std::string_view, std::string_view> kinds[] = {
    {karpenter, "NodePool"},
    {cluster_api, "MachineDeployment"},
    {cluster_api, "MachineSet"},
    {openshift, "MachineSet"},
};

constexpr std::string_view operators[] = {"In", "NotIn", "Exists", "DoesNotExist",
                                          "Gt", "Lt",    "Gte",    "Lte"};

/// The first wrong field of an object.
struct Fault {
  std::string path;
  std::string what;
};

/// A value in a JSON document and its path. An absent value and null are alike.
class Field {
 public:
  Field(std::optional<element> value, std::string path, Fault& fault)
      : value_(value), path_(std::move(path)), fault_(&fault) {
    if (value_ && value_->is_null()) value_.reset();
  }

  [[nodiscard]] bool exists() const { return value_.has_value(); }
  [[nodiscard]] const std::string& path() const { return path_; }

  Field operator[](std::string_view key) const {
    std::string path = path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
    if (!value_) return {std::nullopt, std::move(path), *fault_};
    simdjson::dom::object object;
    if (value_->get_object().get(object) != simdjson::SUCCESS) {
      wrong("expected an object");
      return {std::nullopt, std::move(path), *fault_};
    }
    element found;
    const bool is_there = object[key].get(found) == simdjson::SUCCESS;
    return {is_there ? std::optional(found) : std::nullopt, std::move(path), *fault_};
  }

  [[nodiscard]] std::string_view text() const {
    std::string_view result;
    if (value_ && value_->get_string().get(result) != simdjson::SUCCESS) wrong("expected a string");
    return result;
  }

  [[nodiscard]] std::optional<std::int64_t> integer() const {
    if (!value_) return std::nullopt;
    std::int64_t result = 0;
    if (value_->get_int64().get(result) == simdjson::SUCCESS) return result;
    wrong("expected an integer");
    return std::nullopt;
  }

  template <typename Read>
  void each_item(Read&& read) const {
    if (!value_) return;
    simdjson::dom::array array;
    if (value_->get_array().get(array) != simdjson::SUCCESS) return wrong("expected an array");
    std::size_t index = 0;
    for (const element item : array) {
      read(Field(item, fmt::format("{}[{}]", path_, index++), *fault_));
    }
  }

  template <typename Read>
  void each_entry(Read&& read) const {
    if (!value_) return;
    simdjson::dom::object object;
    if (value_->get_object().get(object) != simdjson::SUCCESS) return wrong("expected an object");
    for (const auto& [key, value] : object) {
      read(key, Field(value, fmt::format("{}.{}", path_, key), *fault_));
    }
  }

  void wrong(std::string_view what) const {
    if (fault_->what.empty()) *fault_ = {path_, std::string(what)};
  }

 private:
  std::optional<element> value_;
  std::string path_;
  Fault* fault_;
};

/// Reads one template.
class Reader {
 public:
  Reader(model::TextPool& pool, model::NodeTemplate& into) : pool_(pool), into_(into) {}

  void add_label(std::string_view key, std::string_view value) {
    labels_[std::string(key)] = std::string(value);
  }
  void add_labels(const Field& from) {
    from.each_entry(
        [&](std::string_view key, const Field& value) { add_label(key, value.text()); });
  }

  /// A taint of the same key and effect replaces an earlier one.
  static void add_taint(model::Taint taint, std::vector<model::Taint>& to) {
    const auto same = std::ranges::find_if(to, [&](const model::Taint& other) {
      return other.key == taint.key && other.effect == taint.effect;
    });
    if (same == to.end()) {
      to.push_back(std::move(taint));
    } else {
      *same = std::move(taint);
    }
  }
  void add_taints(const Field& from, std::vector<model::Taint>& to) {
    from.each_item([&](const Field& item) {
      const Field key = item["key"];
      model::Taint taint{text(key.text()), text(item["value"].text()), text(item["effect"].text())};
      if (taint.key.empty()) key.wrong("is missing");
      if (taint.effect.empty()) item["effect"].wrong("is missing");
      // Cluster API: OnInitialization is removed later, Always (the default) is kept.
      const bool initial = item["propagation"].text() == "OnInitialization";
      add_taint(std::move(taint), initial ? into_.startup_taints : to);
    });
  }

  void add_requirements(const Field& from) {
    from.each_item([&](const Field& item) {
      model::NodeSelectorRequirement requirement;
      requirement.key = text(item["key"].text());
      requirement.op = text(item["operator"].text());
      item["values"].each_item(
          [&](const Field& value) { requirement.values.push_back(text(value.text())); });
      if (requirement.key.empty()) item["key"].wrong("is missing");
      if (std::ranges::find(operators, requirement.op.view()) == std::end(operators)) {
        item["operator"].wrong(fmt::format("\"{}\" must be one of {}", requirement.op.view(),
                                           fmt::join(operators, ", ")));
      }
      with_inclusive_bounds(item, requirement);
      into_.requirements.push_back(std::move(requirement));
    });
  }

  void add_capacity(std::string_view resource, std::string_view quantity) {
    if (quantity.empty() || quantity == "0") return;
    into_.capacity.set(text(resource), text(quantity));
  }

  /// "key1=value1,key2=value2"
  void add_label_list(const Field& from) {
    for (const std::string_view each : base::split(from.text(), ",")) {
      const std::size_t equals = each.find('=');
      if (each.empty()) continue;
      if (equals == each.npos) {
        from.wrong(fmt::format("\"{}\" is not KEY=VALUE", each));
      } else {
        add_label(each.substr(0, equals), each.substr(equals + 1));
      }
    }
  }
  /// "key1=value1:NoSchedule,key2:NoExecute"
  void add_taint_list(const Field& from) {
    for (const std::string_view each : base::split(from.text(), ",")) {
      if (!each.empty()) add_taint_text(each, from);
    }
  }
  void add_taint_text(std::string_view text_of_it, const Field& from) {
    const std::size_t colon = text_of_it.rfind(':');
    const std::string_view words = text_of_it.substr(0, colon);
    const std::size_t equals = words.find('=');
    if (colon == text_of_it.npos || words.empty() || equals == 0) {
      return from.wrong(fmt::format("\"{}\" is not KEY[=VALUE]:EFFECT", text_of_it));
    }
    const auto value = equals == words.npos ? std::string_view() : words.substr(equals + 1);
    add_taint({text(words.substr(0, equals)), text(value), text(text_of_it.substr(colon + 1))},
              into_.taints);
  }

  void finish() {
    std::vector<model::Labels::Entry> entries;
    entries.reserve(labels_.size());
    for (const auto& [key, value] : labels_) entries.emplace_back(text(key), text(value));
    into_.labels = model::Labels(std::move(entries));
  }

  model::Text text(std::string_view of) { return pool_.intern(of); }

 private:
  /// Gte 4 is Gt 3, since labels are compared as integers.
  void with_inclusive_bounds(const Field& item, model::NodeSelectorRequirement& requirement) {
    const bool at_least = requirement.op == "Gte";
    if (!at_least && requirement.op != "Lte") return;
    std::optional<std::int64_t> bound;
    if (requirement.values.size() == 1)
      bound = base::to_number<std::int64_t>(requirement.values[0].view());
    if (!bound) return item["values"].wrong("expected one integer");
    requirement.op = text(at_least ? "Gt" : "Lt");
    requirement.values = {text(std::to_string(at_least ? *bound - 1 : *bound + 1))};
  }

  model::TextPool& pool_;
  model::NodeTemplate& into_;
  std::map<std::string, std::string> labels_;
};

void read_node_pool(const Field& object, Reader& reader, model::NodeTemplate& into) {
  const Field spec = object["spec"]["template"]["spec"];
  if (!spec.exists()) return spec.wrong("is missing");
  reader.add_labels(object["spec"]["template"]["metadata"]["labels"]);
  reader.add_label("karpenter.sh/nodepool", into.name);
  const Field node_class = spec["nodeClassRef"];
  const std::string_view group = node_class["group"].text();
  const std::string_view kind = node_class["kind"].text();
  if (!group.empty() && !kind.empty()) {
    reader.add_label(fmt::format("{}/{}", group, base::lower_case(kind)),
                     node_class["name"].text());
  }
  reader.add_requirements(spec["requirements"]);
  reader.add_taints(spec["taints"], into.taints);
  reader.add_taints(spec["startupTaints"], into.startup_taints);
  into.replicas = object["spec"]["replicas"].integer();
}

/// Whether Cluster API copies the label from a Machine to its Node.
bool is_copied_to_node(std::string_view key) {
  constexpr std::string_view role = "node-role.kubernetes.io";
  const std::string_view domain = key.substr(0, key.find('/'));
  const auto is_below = [&](std::string_view suffix) {
    return domain == suffix ||
           (domain.ends_with(suffix) && domain[domain.size() - suffix.size() - 1] == '.');
  };
  return domain != key && (domain == role || is_below("node-restriction.kubernetes.io") ||
                           is_below("node.cluster.x-k8s.io"));
}

/// The annotations by which cluster-autoscaler knows the nodes of an empty group.
void read_annotations(const Field& annotations, Reader& reader) {
  std::string_view gpu_type = "nvidia.com/gpu";
  std::string_view gpus;
  annotations.each_entry([&](std::string_view key, const Field& value) {
    constexpr std::string_view prefix = "capacity.cluster-autoscaler.kubernetes.io/";
    if (key == "machine.openshift.io/vCPU") reader.add_capacity("cpu", value.text());
    if (key == "machine.openshift.io/memoryMb") {
      reader.add_capacity("memory", fmt::format("{}Mi", value.text()));
    }
    if (key == "machine.openshift.io/GPU") gpus = value.text();
    if (!key.starts_with(prefix)) return;
    key.remove_prefix(prefix.size());
    if (key == "cpu" || key == "memory") reader.add_capacity(key, value.text());
    if (key == "ephemeral-disk") reader.add_capacity("ephemeral-storage", value.text());
    if (key == "maxPods") reader.add_capacity("pods", value.text());
    if (key == "gpu-type") gpu_type = value.text();
    if (key == "gpu-count") gpus = value.text();
    if (key == "labels") reader.add_label_list(value);
    if (key == "taints") reader.add_taint_list(value);
  });
  reader.add_capacity(gpu_type, gpus);
}

/// Reads a MachineDeployment or a MachineSet.
void read_machines(const Field& object, Reader& reader, model::NodeTemplate& into) {
  const Field machine = object["spec"]["template"];
  if (!machine["spec"].exists()) return machine["spec"].wrong("is missing");
  if (into.group.view() == openshift) {
    reader.add_labels(machine["spec"]["metadata"]["labels"]);
  } else {
    machine["metadata"]["labels"].each_entry([&](std::string_view key, const Field& value) {
      if (is_copied_to_node(key)) reader.add_label(key, value.text());
    });
  }
  reader.add_taints(machine["spec"]["taints"], into.taints);
  read_annotations(object["metadata"]["annotations"], reader);
  into.replicas = object["spec"]["replicas"].integer();
}

bool is_owned_by_deployment(const Field& object) {
  bool result = false;
  object["metadata"]["ownerReferences"].each_item(
      [&](const Field& owner) { result = result || owner["kind"].text() == "MachineDeployment"; });
  return result;
}

/// Reads a tag k8s.io/cluster-autoscaler/node-template/...; others are ignored.
void read_tag(std::string_view key, const Field& value, Reader& reader) {
  constexpr std::string_view prefix = "k8s.io/cluster-autoscaler/node-template/";
  if (!key.starts_with(prefix)) return;
  key.remove_prefix(prefix.size());
  const std::size_t slash = key.find('/');
  if (slash == key.npos) return;
  const std::string_view what = key.substr(0, slash);
  key.remove_prefix(slash + 1);
  if (what == "label") reader.add_label(key, value.text());
  if (what == "resources") reader.add_capacity(key, value.text());
  if (what == "taint") reader.add_taint_text(fmt::format("{}={}", key, value.text()), value);
}

base::Error malformed(const std::string& file, const model::NodeTemplate& object,
                      const Fault& fault) {
  const std::string name = object.name.empty()
                               ? fmt::format("({})", object.kind.view())
                               : fmt::format("{}/{}{}{}", object.kind.view(), object.ns.view(),
                                             object.ns.empty() ? "" : "/", object.name.view());
  return {base::ErrorKind::Malformed,
          fmt::format("{} {}{}{}", file, name, fault.path.empty() ? "" : " ", fault.path),
          fault.what};
}

/// The groups in an answer of the AWS CLI, by name.
std::map<std::string, std::vector<std::pair<std::string, Field>>> tags_of_groups(
    const Field& object) {
  std::map<std::string, std::vector<std::pair<std::string, Field>>> result;
  object["AutoScalingGroups"].each_item([&](const Field& group) {
    auto& tags = result[std::string(group["AutoScalingGroupName"].text())];
    group["Tags"].each_item(
        [&](const Field& tag) { tags.emplace_back(tag["Key"].text(), tag["Value"]); });
  });
  object["Tags"].each_item([&](const Field& tag) {
    result[std::string(tag["ResourceId"].text())].emplace_back(tag["Key"].text(), tag["Value"]);
  });
  return result;
}

}  // namespace

bool is_node_template(std::string_view api_version, std::string_view kind) {
  return std::ranges::find(kinds, std::pair(model::api_group(api_version), kind)) !=
         std::end(kinds);
}

base::Result<bool> NodeTemplates::add(std::string_view json, const std::string& file) {
  element root;
  if (parser_.parse(json.data(), json.size(), false).get(root) != simdjson::SUCCESS ||
      !root.is_object()) {
    return false;  // reported by the reader of all objects
  }
  Fault fault;
  const Field object(root, "", fault);
  if (object["AutoScalingGroups"].exists() ||
      (object["Tags"].exists() && !object["kind"].exists())) {
    for (const auto& [name, tags] : tags_of_groups(object)) {
      model::NodeTemplate group{.kind = pool_.intern("AutoScalingGroup"),
                                .name = pool_.intern(name)};
      Reader reader(pool_, group);
      for (const auto& [key, value] : tags) read_tag(key, value, reader);
      reader.finish();
      if (!fault.what.empty()) return malformed(file, group, fault);
      all_.push_back(std::move(group));
    }
    if (!fault.what.empty()) return malformed(file, {.kind = "AutoScalingGroup"}, fault);
    return true;
  }
  const std::string_view kind = object["kind"].text();
  const std::string_view api_version = object["apiVersion"].text();
  if (!fault.what.empty() || !is_node_template(api_version, kind)) return false;
  model::NodeTemplate result{.kind = pool_.intern(kind),
                             .group = pool_.intern(model::api_group(api_version)),
                             .ns = pool_.intern(object["metadata"]["namespace"].text()),
                             .name = pool_.intern(object["metadata"]["name"].text())};
  if (result.name.empty()) object["metadata"]["name"].wrong("is missing");
  Reader reader(pool_, result);
  if (result.kind == "NodePool") {
    result.ns = {};
    read_node_pool(object, reader, result);
  } else {
    read_machines(object, reader, result);
  }
  reader.finish();
  const bool is_part = is_owned_by_deployment(object);
  if (!fault.what.empty()) return malformed(file, result, fault);
  if (!is_part) all_.push_back(std::move(result));
  return true;
}

}  // namespace dsdoctor::decode
