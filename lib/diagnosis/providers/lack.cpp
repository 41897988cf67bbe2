// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/providers/lack.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"

namespace dsdoctor::diagnosis {
namespace {

/// Messages have at most 1 KiB in the API; a longer one is not searched further.
constexpr std::size_t longest = 4096;

bool is_in_name(char c) {
  return base::is_alphanumeric(c) || c == '.' || c == '-' || c == '_' || c == '/';
}

/// The name at the beginning of `text`, without a period that ends a sentence.
std::string_view first_name(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, is_in_name);
  std::string_view name = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  while (name.ends_with('.')) name.remove_suffix(1);
  return name;
}

/// The name between `before` and `after`; empty if the text does not have both around a name.
std::string_view name_between(std::string_view text, std::string_view before,
                              std::string_view after) {
  for (std::size_t at = text.find(before); at != text.npos; at = text.find(before, at + 1)) {
    const std::string_view rest = text.substr(at + before.size());
    const std::string_view name = first_name(rest);
    if (!name.empty() && rest.substr(name.size()).starts_with(after)) return name;
  }
  return {};
}

/// "rbd.csi.ceph.com" from "dial unix /var/lib/kubelet/plugins/rbd.csi.ceph.com/csi.sock".
std::string_view driver_of_socket(std::string_view text) {
  constexpr std::string_view folder = "/plugins/";
  const std::size_t dial = text.find("dial unix ");
  if (dial == text.npos) return {};
  const std::string_view path =
      first_name(text.substr(dial + std::string_view("dial unix ").size()));
  const std::size_t at = path.find(folder);
  if (at == path.npos) return {};
  const std::string_view below = path.substr(at + folder.size());
  const std::size_t slash = below.find('/');
  return slash == below.npos ? std::string_view() : below.substr(0, slash);
}

std::string_view driver_in(std::string_view text) {
  struct Words {
    std::string_view before;
    std::string_view after;
  };
  constexpr std::array<Words, 5> rows = {{
      {"driver name ", " not found in the list of registered CSI drivers"},
      {" does not contain driver ", ""},
      {"DRA driver ", " is not registered"},
      {"plugin name ", " not found in the list of registered DRA plugins"},
      {"plugin ", " not found in the list of registered DRA plugins"},
  }};
  for (const Words& row : rows) {
    const std::string_view name = name_between(text, row.before, row.after);
    if (!name.empty()) return name;
  }
  return driver_of_socket(text);
}

/// The type of the CNI plugin that the text names; empty if it names none.
std::string_view cni_plugin_in(std::string_view text) {
  for (const std::string_view before : {"failed to find plugin \"", "plugin type=\""}) {
    const std::string_view name = name_between(text, before, "\"");
    if (!name.empty()) return name;
  }
  return {};
}

bool is_about_network(std::string_view text) {
  constexpr std::array<std::string_view, 7> words = {
      "failed to find plugin",    "plugin type=\"",        "cni plugin not initialized",
      "cni config uninitialized", "NetworkPluginNotReady", "no networks found in /etc/cni",
      "No CNI configuration file"};
  return std::ranges::any_of(words,
                             [&](std::string_view word) { return text.find(word) != text.npos; });
}

std::optional<Lack> lack(Provides what, std::string_view name) {
  if (name.empty()) return std::nullopt;
  return Lack{what, std::string(name)};
}

}  // namespace

std::optional<Lack> lack_of(const model::Event& event) {
  const std::string_view text = event.message.view().substr(0, longest);
  const std::string_view reason = event.reason;
  if (reason == "FailedCreatePodSandBox" || reason == "NetworkNotReady") {
    if (!is_about_network(text)) return std::nullopt;
    return Lack{Provides::Network, std::string(cni_plugin_in(text))};
  }
  if (reason == "FailedPrepareDynamicResources") return lack(Provides::Driver, driver_in(text));
  if (reason == "UnexpectedAdmissionError") {
    return lack(Provides::Device, name_between(text, "unregistered device ", ""));
  }
  const bool is_of_volume =
      reason == "FailedMount" || reason == "FailedAttachVolume" || reason == "FailedMapVolume";
  if (!is_of_volume) return std::nullopt;
  if (const std::string_view path = name_between(text, "hostPath type check failed: ", " is not ");
      path.starts_with('/')) {
    return lack(Provides::Path, path);
  }
  return lack(Provides::Driver, driver_in(text));
}

std::vector<Lack> lacks_of_unbound(const model::Pod& pod) {
  std::vector<Lack> result;
  const auto scheduled = model::find_condition(pod.conditions, "PodScheduled");
  if (scheduled == nullptr || scheduled->status != "False") return result;
  constexpr std::string_view word = "Insufficient ";
  const std::string_view text = scheduled->message.view().substr(0, longest);
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::string_view name = first_name(text.substr(at + word.size()));
    Lack found{Provides::Device, std::string(name)};
    const bool is_extended = name.find('/') != name.npos;  // cpu, memory and pods have no domain
    if (is_extended && std::ranges::find(result, found) == result.end()) {
      result.push_back(std::move(found));
    }
  }
  return result;
}

}  // namespace dsdoctor::diagnosis
