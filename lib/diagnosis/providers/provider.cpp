// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/providers/provider.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "base/text.h"
#include "diagnosis/evidence/daemon_pods.h"
#include "diagnosis/evidence/workload_kind.h"
#include "placement/verdict.h"

namespace dsdoctor::diagnosis {
namespace {

using DaemonSets = std::vector<const model::DaemonSet*>;

constexpr std::string_view plugins = "/var/lib/kubelet/plugins/";
constexpr std::string_view registry = "/var/lib/kubelet/plugins_registry";
constexpr std::string_view devices = "/var/lib/kubelet/device-plugins";

/// Folders that a node has by itself, or that many DaemonSets mount.
bool is_of_every_node(std::string_view path) {
  constexpr std::array<std::string_view, 27> folders = {
      "/",         "/boot",        "/dev",       "/etc",      "/home",
      "/lib",      "/lib/modules", "/media",     "/mnt",      "/opt",
      "/proc",     "/root",        "/run",       "/run/dbus", "/run/systemd",
      "/run/udev", "/srv",         "/sys",       "/tmp",      "/usr",
      "/usr/src",  "/var",         "/var/cache", "/var/lib",  "/var/lib/kubelet",
      "/var/log",  "/var/log/pods"};
  return std::ranges::find(folders, path) != folders.end();
}

/// The normal path, with /run for /var/run, which links to it.
std::string plain_path(std::string_view path) {
  constexpr std::string_view link = "/var/run";
  constexpr std::string_view target = "/run";
  std::string result = normal_path(path);
  if (!is_within(result, link)) return result;
  return std::string(target) + result.substr(link.size());
}

template <typename Is>
bool any_host_path(const model::PodTemplate& of, const Is& is) {
  return std::ranges::any_of(of.spec.volumes, [&](const model::Volume& volume) {
    return volume.kind == "hostPath" && is(plain_path(volume.source));
  });
}

/// Whether the pods need the path or a folder above it, but not in the same way as those that only
/// use it: the kubelet creates it for them, or they do not ask for its existence.
bool keeps_path(const model::PodTemplate& of, const std::string& path) {
  return std::ranges::any_of(of.spec.volumes, [&](const model::Volume& volume) {
    if (volume.kind != "hostPath" || volume.must_exist) return false;
    const std::string folder = plain_path(volume.source);
    return !is_of_every_node(folder) && is_within(path, folder);
  });
}

bool registers_driver(const model::PodTemplate& of, std::string_view driver) {
  const auto names_it = [&](const model::Container& container) {
    return std::ranges::find(container.plugin_drivers, driver, &model::Text::view) !=
           container.plugin_drivers.end();
  };
  if (std::ranges::any_of(of.spec.containers, names_it)) return true;
  const std::string folder = std::string(plugins) + std::string(driver);
  return any_host_path(of, [&](const std::string& path) { return is_within(path, folder); }) &&
         any_host_path(of, [](const std::string& path) { return is_within(path, registry); });
}

/// The words of a driver's name that say which driver it is: "rbd", "ceph" of rbd.csi.ceph.com.
std::vector<std::string> telling_words(std::string_view driver) {
  constexpr std::array<std::string_view, 14> general = {
      "csi", "com", "io",     "org",    "net", "k8s", "storage",
      "sh",  "dev", "driver", "plugin", "x",   "dra", "cloud"};
  std::vector<std::string> result;
  std::string word;
  const std::string lower = base::lower_case(driver) + ".";
  for (const char c : lower) {
    if (base::is_alphanumeric(c)) {
      word += c;
      continue;
    }
    if (!word.empty() && std::ranges::find(general, word) == general.end()) result.push_back(word);
    word.clear();
  }
  return result;
}

std::string all_names_of(const model::DaemonSet& ds) {
  std::string result = ds.meta.ns.str() + " " + ds.meta.name.str();
  for (const model::Container& container : ds.pod_template.spec.containers) {
    result += " " + container.image.str();
  }
  return base::lower_case(result);
}

bool holds_resource(const model::Node& node, std::string_view resource) {
  const model::Text* quantity = node.allocatable.find(resource);
  return quantity != nullptr && *quantity != "0" && !quantity->empty();
}

bool has_pod_on(const Facts& facts, const model::DaemonSet& ds, std::string_view node) {
  return std::ranges::any_of(facts.pods_on(node),
                             [&](const model::Pod* pod) { return is_named_owner(ds, *pod); });
}

/// Whether the pods of the DaemonSet may offer the resource: no node has it without a pod.
bool fits_resource(const Facts& facts, const model::DaemonSet& ds, std::string_view resource) {
  return std::ranges::all_of(facts.cluster().nodes, [&](const model::Node& node) {
    return !holds_resource(node, resource) || has_pod_on(facts, ds, node.meta.name) ||
           !facts.knows_all_pods_on(node.meta.name);
  });
}

/// Whether the DaemonSet is for nodes with another operating system or architecture.
bool is_of_other_system(const placement::Reason& reason) {
  std::string_view key;
  if (const auto* label = std::get_if<placement::NodeSelectorMismatch>(&reason)) key = label->key;
  if (const auto* term = std::get_if<placement::AffinityTermMismatch>(&reason)) {
    key = term->requirement->key;
  }
  constexpr std::array<std::string_view, 4> keys = {
      "kubernetes.io/os", "kubernetes.io/arch", "beta.kubernetes.io/os", "beta.kubernetes.io/arch"};
  return std::ranges::find(keys, key) != keys.end();
}

/// Whether the kubelet has to prepare the pod or has rejected it: no container of it runs.
bool waits_for_kubelet(const model::Pod& pod) {
  if (pod.node_name.empty() || pod.meta.deleted) return false;
  if (pod.phase == "Failed") return pod.reason == "UnexpectedAdmissionError";
  if (pod.phase == "Pending") return true;
  if (pod.phase != "Running") return false;
  const auto waits = [](const model::ContainerStatus& status) {
    return status.waiting && (status.waiting->reason == "ContainerCreating" ||
                              status.waiting->reason == "PodInitializing");
  };
  return !pod.statuses.empty() && std::ranges::all_of(pod.statuses, waits);
}

bool is_taint(const placement::Reason& reason) {
  return std::holds_alternative<placement::UntoleratedTaint>(reason);
}

/// Whether the key says which devices a node has, rather than its place or its system.
bool is_of_purpose(std::string_view key) {
  constexpr std::array<std::string_view, 6> general = {
      "kubernetes.io/",          "beta.kubernetes.io/",      "node.kubernetes.io/",
      "topology.kubernetes.io/", "node-role.kubernetes.io/", "failure-domain.beta.kubernetes.io/"};
  return std::ranges::none_of(general,
                              [&](std::string_view prefix) { return key.starts_with(prefix); });
}

/// Whether the pod requires a label by which nodes are meant for it. Without one it could run on
/// any node as far as its rules show, and a missing device says nothing about a particular node.
bool singles_out_nodes(const model::Pod& pod) {
  const auto by_selector = [](const auto& label) { return is_of_purpose(label.first); };
  if (std::ranges::any_of(pod.node_selector, by_selector)) return true;
  if (!pod.node_affinity) return false;
  const auto by_term = [](const model::NodeSelectorTerm& term) {
    return std::ranges::any_of(term.match_expressions, [](const auto& required) {
      return is_of_purpose(required.key) && (required.op == "In" || required.op == "Exists");
    });
  };
  const auto& terms = pod.node_affinity->terms;
  return !terms.empty() && std::ranges::all_of(terms, by_term);
}

/// Whether an event shows that the kubelet has got past volumes and network.
bool is_progress(const model::Event& event) {
  constexpr std::array<std::string_view, 4> reasons = {"Pulling", "Pulled", "Created", "Started"};
  return std::ranges::find(reasons, event.reason.view()) != reasons.end();
}

}  // namespace

bool provides(const model::PodTemplate& of, const Lack& lack) {
  switch (lack.what) {
    case Provides::Driver: return registers_driver(of, lack.name);
    case Provides::Network: return of.host_network && writes_network_plugins(of);
    case Provides::Device:
      return any_host_path(of, [](const std::string& path) { return is_within(path, devices); });
    case Provides::Path: return keeps_path(of, plain_path(lack.name));
  }
  return false;
}

bool is_named_like_driver(const model::DaemonSet& ds, std::string_view driver) {
  const std::vector<std::string> words = telling_words(driver);
  if (words.empty()) return false;
  const std::string names = all_names_of(ds);
  const auto has = [&](std::string_view word) { return names.find(word) != names.npos; };
  return (has("csi") || has("dra")) && std::ranges::all_of(words, has);
}

std::string full_name(const model::ObjectMeta& meta) {
  return meta.ns.str() + "/" + meta.name.str();
}

bool is_ready_on(const Facts& facts, const model::DaemonSet& ds, std::string_view node) {
  return std::ranges::any_of(facts.pods_on(node), [&](const model::Pod* pod) {
    return is_named_owner(ds, *pod) && is_ready(*pod) && !is_terminating(*pod);
  });
}

const DaemonSets& Providers::candidates_for(const Lack& lack) const {
  const auto [at, is_new] = candidates_.try_emplace(lack);
  DaemonSets& found = at->second;
  if (!is_new) return found;
  const auto& all = facts_.cluster().daemon_sets;
  for (const model::DaemonSet& ds : all) {
    if (ds.meta.deleted || !provides(ds.pod_template, lack)) continue;
    if (lack.what == Provides::Device && !fits_resource(facts_, ds, lack.name)) continue;
    found.push_back(&ds);
  }
  if (!found.empty() || lack.what != Provides::Driver) return found;
  for (const model::DaemonSet& ds : all) {
    if (!ds.meta.deleted && is_named_like_driver(ds, lack.name)) found.push_back(&ds);
  }
  return found;
}

const model::DaemonSet* Providers::provider_of(const Lack& lack, const model::Node* node) const {
  const DaemonSets& candidates = candidates_for(lack);
  if (candidates.size() == 1) return candidates.front();
  if (candidates.empty() || node == nullptr) return nullptr;
  const auto verdict = [&](const model::DaemonSet& ds) {
    return placement::Evaluator(ds.pod_template, gates_).evaluate(*node);
  };
  const auto has_pod = [&](const auto& one) { return has_pod_on(facts_, one, node->meta.name); };
  if (const auto* ds = only_one(candidates, has_pod)) return ds;
  const auto is_eligible = [&](const auto& one) {
    return placement::should_run(verdict(one).decision);
  };
  if (const auto* ds = only_one(candidates, is_eligible)) return ds;
  return only_one(candidates, [&](const auto& one) {
    return std::ranges::none_of(verdict(one).reasons, is_of_other_system);
  });
}

std::optional<Dependent> Providers::wait_of(const model::Pod& pod) const {
  if (!waits_for_kubelet(pod)) return std::nullopt;
  std::optional<Dependent> result;
  for (const model::Event* event :
       facts_.events_of("Pod", pod.meta.ns, pod.meta.name, pod.meta.uid)) {
    if (is_progress(*event)) {
      result.reset();
    } else if (auto lack = lack_of(*event)) {
      result = Dependent{&pod, event, std::move(*lack)};
    }
  }
  return result;
}

void Providers::add_if_absent(Dependent dependent) const {
  const model::DaemonSet* ds = provider_of(dependent.lack, dependent.node);
  if (ds == nullptr || is_named_owner(*ds, *dependent.pod)) return;
  if (is_ready_on(facts_, *ds, dependent.place())) return;
  dependents_[ds].push_back(std::move(dependent));
}

void Providers::add_unbound(const model::Pod& pod, const std::vector<Lack>& lacks) const {
  model::PodTemplate as_template;
  as_template.node_selector = pod.node_selector;
  as_template.node_affinity = pod.node_affinity;
  as_template.tolerations = *pod.tolerations;
  const placement::Evaluator rules(as_template, gates_);
  for (const Lack& lack : lacks) {
    if (candidates_for(lack).empty()) continue;
    for (const model::Node& node : facts_.cluster().nodes) {
      if (holds_resource(node, lack.name) || node.unschedulable) continue;
      if (!placement::should_run(rules.decide(node))) continue;
      const model::DaemonSet* ds = provider_of(lack, &node);
      if (ds == nullptr || has_pod_on(facts_, *ds, node.meta.name)) continue;
      const placement::Evaluator provider(ds->pod_template, gates_);
      if (!std::ranges::all_of(provider.evaluate(node).reasons, is_taint)) continue;
      add_if_absent({&pod, nullptr, lack, &node, "status.conditions[PodScheduled].message"});
      break;
    }
  }
}

void Providers::find_dependents() const {
  searched_ = true;
  const model::Cluster& cluster = facts_.cluster();
  constexpr std::size_t most_unbound = 50;  // each is compared with every node
  std::set<std::pair<std::string_view, std::string_view>> unbound;  // one pod of each owner
  for (const model::Pod& pod : cluster.pods) {
    if (pod.meta.deleted) continue;
    if (pod.node_name.empty()) {
      if (unbound.size() >= most_unbound || !singles_out_nodes(pod)) continue;
      const std::vector<Lack> lacks = lacks_of_unbound(pod);
      const std::string_view owner =
          pod.meta.controller ? pod.meta.controller->uid.view() : pod.meta.name.view();
      if (!lacks.empty() && unbound.emplace(pod.meta.ns, owner).second) add_unbound(pod, lacks);
    } else if (auto waits = wait_of(pod)) {
      waits->node = model::find_node(cluster, pod.node_name);
      add_if_absent(std::move(*waits));
    } else {
      for (auto& [driver, field] : drivers_of_volumes(pod, facts_)) {
        const model::Node* node = model::find_node(cluster, pod.node_name);
        add_if_absent({&pod, nullptr, {Provides::Driver, driver}, node, std::move(field)});
      }
    }
  }
}

const std::vector<Dependent>& Providers::dependents_of(const model::DaemonSet& ds) const {
  static const std::vector<Dependent> none;
  if (!searched_) find_dependents();
  const auto at = dependents_.find(&ds);
  return at == dependents_.end() ? none : at->second;
}

const std::vector<LabelWait>& Providers::label_waits() const {
  if (!label_waits_) label_waits_ = diagnosis::label_waits(facts_, gates_);
  return *label_waits_;
}

std::vector<DriverOfVolume> drivers_of_volumes(const model::Pod& pod, const Facts& facts) {
  std::vector<DriverOfVolume> result;
  if (pod.phase != "Running" && pod.phase != "Pending") return result;
  const auto& volumes = pod.spec->volumes;
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    const model::Volume& volume = volumes[i];
    std::string driver;
    if (volume.kind == "csi") driver = volume.source.str();
    std::string claim_name;
    if (volume.kind == "persistentVolumeClaim") claim_name = volume.source.str();
    if (volume.kind == "ephemeral") claim_name = pod.meta.name.str() + "-" + volume.name.str();
    const model::PersistentVolumeClaim* claim =
        claim_name.empty() ? nullptr : facts.claim(pod.meta.ns, claim_name);
    const model::PersistentVolume* bound =
        claim == nullptr || claim->volume_name.empty() ? nullptr : facts.volume(claim->volume_name);
    if (bound != nullptr) driver = bound->driver.str();
    if (!driver.empty()) {
      result.push_back({std::move(driver), "spec.volumes[" + std::to_string(i) + "]"});
    }
  }
  return result;
}

void record_drivers_of_names(model::Cluster& cluster) {
  std::set<std::string> drivers;
  {
    const Facts facts(cluster, {});
    const Providers providers(facts, {});
    for (const model::Pod& pod : cluster.pods) {
      const auto waits = providers.wait_of(pod);
      if (waits && waits->lack.what == Provides::Driver) drivers.insert(waits->lack.name);
      for (auto& used : drivers_of_volumes(pod, facts)) drivers.insert(std::move(used.driver));
    }
  }
  for (const std::string& driver : drivers) {
    const Lack lack{Provides::Driver, driver};
    const auto shows_it = [&](const model::DaemonSet& ds) {
      return provides(ds.pod_template, lack);
    };
    if (std::ranges::any_of(cluster.daemon_sets, shows_it)) continue;
    for (model::DaemonSet& ds : cluster.daemon_sets) {
      auto& containers = ds.pod_template.spec.containers;
      if (containers.empty() || !is_named_like_driver(ds, driver)) continue;
      containers.front().plugin_drivers.emplace_back(driver);
    }
  }
}

}  // namespace dsdoctor::diagnosis
