// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/daemon_set.h"

namespace dsdoctor::fixes {

/// When an owner reverts a change that others made to the DaemonSet.
enum class Reverts {
  AtOnce,        // a controller that watches it
  AtNextChange,  // a tool, when it runs the next time
  Never,         // a tool that does not change fields it does not have
};

/// The fields of a template that a patch changes.
struct TouchedFields {
  bool tolerations = true;
  bool node_affinity = false;
};

/// The tool or person that writes a DaemonSet's template, so that a patch may be reverted.
struct Owner {
  std::string name;      // "Helm release datadog in namespace datadog"
  std::string evidence;  // "metadata.annotations[meta.helm.sh/release-name]"
  Reverts reverts = Reverts::AtNextChange;
  std::string place;                      // where to make the change; a clause
  std::optional<std::string> chart = {};  // of a Helm release; empty if its name is unknown
  std::string tolerations = {};           // their path in the values of the chart; empty: not known

  friend bool operator==(const Owner&, const Owner&) = default;
};

/// The owners that are recognized by owner reference, labels, annotations and managedFields; those
/// that revert immediately first. `touched`: fields that the patches change.
[[nodiscard]] std::vector<Owner> owners_of(const model::DaemonSet& ds, TouchedFields touched = {});

}  // namespace dsdoctor::fixes
