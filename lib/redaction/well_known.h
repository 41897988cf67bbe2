#pragma once

#include <string_view>

/// Names and words that stay: they tell what a thing is, not whose it is.
namespace dsdoctor::redaction {

/// A name that means something to Kubernetes: `default`, `kube-system`, `system:...`. Of a service
/// account or a node as a user, `system:serviceaccount:NS:NAME`, only the front does.
[[nodiscard]] bool is_reserved(std::string_view name);

/// A word that messages, paths and well-known values consist of, or one too short to tell from
/// them: no name in a text, nor as the value of a label. Upper and lower case are the same.
[[nodiscard]] bool is_common(std::string_view word);

/// Who writes fields and events in many clusters: `kubectl-edit`, `kubelet`, `helm`.
[[nodiscard]] bool is_known_program(std::string_view name);
/// A volume driver or provisioner that a cloud or a project publishes.
[[nodiscard]] bool is_known_driver(std::string_view name);
/// A container runtime that a RuntimeClass may name.
[[nodiscard]] bool is_known_handler(std::string_view name);
/// A public registry of images.
[[nodiscard]] bool is_known_server(std::string_view name);

}  // namespace dsdoctor::redaction
