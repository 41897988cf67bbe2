#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/daemon_set.h"

namespace dsdoctor::fixes {

/// When an owner takes back what somebody else changed in the DaemonSet.
enum class Reverts {
  AtOnce,        // a controller that keeps watching
  AtNextChange,  // whoever runs it the next time
  Never,         // it leaves alone what it does not have
};

/// What of a template is to be changed.
struct TouchedFields {
  bool tolerations = true;
  bool node_affinity = false;
};

/// Who writes a DaemonSet's template, so that a patch of it does not last.
struct Owner {
  std::string name;      // "Helm release datadog in namespace datadog"
  std::string evidence;  // "metadata.annotations[meta.helm.sh/release-name]"
  Reverts reverts = Reverts::AtNextChange;
  std::string place;                      // where the change belongs; one clause
  std::optional<std::string> chart = {};  // of a Helm release; empty where its name is unknown

  friend bool operator==(const Owner&, const Owner&) = default;
};

/// Everybody who can be told from owner reference, labels, annotations and managedFields; those
/// that revert immediately first. Empty where nothing tells. `touched`: by the patches that are
/// spoken of.
[[nodiscard]] std::vector<Owner> owners_of(const model::DaemonSet& ds, TouchedFields touched = {});

}  // namespace dsdoctor::fixes
