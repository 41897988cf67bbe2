// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dsdoctor::placement {

/// Feature gates of kube-controller-manager that placement depends on. A client cannot read them;
/// the defaults are those of every release so far.
struct FeatureGates {
  /// Toleration operators Lt and Gt. Alpha and off in 1.35 and 1.36; unknown to older servers,
  /// where such a toleration matches nothing, as it does when the gate is off.
  bool taint_toleration_comparison_operators = false;

  friend bool operator==(const FeatureGates&, const FeatureGates&) = default;
};

}  // namespace dsdoctor::placement
