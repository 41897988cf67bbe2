// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "diagnosis/catalogue/message.h"
#include "model/release.h"

namespace dsdoctor::diagnosis {

/// How the setting of a feature gate is known. Clients cannot read gates.
enum class GateSource : std::uint8_t {
  Override,      // --feature-gates
  Release,       // the API server's release does not have the gate
  Counters,      // counters of the controller fit only this setting
  Rejection,     // the API server rejects new objects that need the gate
  StoredObject,  // the API server accepted an object that needs the gate
  Default,       // nothing is known: the default of the release
};

/// The setting of a feature gate that an answer is based on.
struct GateSetting {
  std::string_view gate;  // static
  bool enabled = false;
  GateSource source = GateSource::Default;
  Message reason = {};  // "assumed on because ..."
  std::optional<Evidence> evidence = {};

  /// Whether the other setting is possible, too: the API server's gate need not be that of
  /// kube-controller-manager, and an object may have been stored while the gate was on.
  [[nodiscard]] bool is_assumed() const {
    return source == GateSource::Rejection || source == GateSource::StoredObject ||
           source == GateSource::Default;
  }
};

/// "assumed off, the default up to Kubernetes 1.37": of an alpha gate.
[[nodiscard]] Message gate_by_default();

/// The rules that an answer is based on.
struct RulesTaken {
  model::ClusterRelease release;
  std::vector<GateSetting> gates;  // only those that an object of the cluster depends on
};

}  // namespace dsdoctor::diagnosis
