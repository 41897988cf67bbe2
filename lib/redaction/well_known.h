#pragma once

#include <string_view>

/// Names and words that stay: they tell what a thing is, not whose it is.
namespace dsdoctor::redaction {

/// A name with a meaning in Kubernetes: `default`, `kube-system`, `system:...`; but not the user
/// name of a service account or a node, such as `system:serviceaccount:NS:NAME`.
[[nodiscard]] bool is_reserved(std::string_view name);

/// A word in `well_known_words.inc`, a very short one, or a number: it identifies nobody, even as a
/// name. Ignores case. Numbers of twelve digits are not common: they may be accounts of Amazon's
/// customers.
[[nodiscard]] bool is_common(std::string_view word);
/// A word in `well_known_words.inc`.
[[nodiscard]] bool is_listed(std::string_view word);

/// Who writes fields and events in many clusters: `kubectl-edit`, `kubelet`, `helm`.
[[nodiscard]] bool is_known_program(std::string_view name);
/// A volume driver or provisioner that a cloud or a project publishes.
[[nodiscard]] bool is_known_driver(std::string_view name);
/// A container runtime that a RuntimeClass may name.
[[nodiscard]] bool is_known_handler(std::string_view name);

}  // namespace dsdoctor::redaction
