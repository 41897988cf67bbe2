#pragma once

#include <string_view>

/// Names and words that stay: they tell what a thing is, not whose it is.
namespace dsdoctor::redaction {

/// A name that means something to Kubernetes: `default`, `kube-system`, `system:...`. Of a service
/// account or a node as a user, `system:serviceaccount:NS:NAME`, only the front does.
[[nodiscard]] bool is_reserved(std::string_view name);

/// A word of `well_known_words.inc`, one too short to tell from these, or a number: nobody is told
/// by it, be it a name or not. Upper and lower case are the same. A number of twelve digits is the
/// account of a customer of Amazon's.
[[nodiscard]] bool is_common(std::string_view word);
/// Only whether it is in that list.
[[nodiscard]] bool is_listed(std::string_view word);

/// Who writes fields and events in many clusters: `kubectl-edit`, `kubelet`, `helm`.
[[nodiscard]] bool is_known_program(std::string_view name);
/// A volume driver or provisioner that a cloud or a project publishes.
[[nodiscard]] bool is_known_driver(std::string_view name);
/// A container runtime that a RuntimeClass may name.
[[nodiscard]] bool is_known_handler(std::string_view name);

}  // namespace dsdoctor::redaction
