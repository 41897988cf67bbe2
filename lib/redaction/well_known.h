// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

/// Names and words that are kept: they show the kind of a thing, not its owner.
namespace dsdoctor::redaction {

/// Reports whether a name has a meaning in Kubernetes: `default`, `kube-system`, `system:...`; but
/// not the user name of a service account or a node, such as `system:serviceaccount:NS:NAME`.
[[nodiscard]] bool is_reserved(std::string_view name);

/// Numbers with as many digits can be accounts, projects, telephones and cards.
inline constexpr std::size_t digits_of_account = 10;

/// Reports whether a word is in `well_known_words.inc`, very short, or a number of fewer than
/// `digits_of_account` digits: it identifies nobody, even as a name. Ignores case.
[[nodiscard]] bool is_common(std::string_view word);
/// Reports whether a word is in `well_known_words.inc`.
[[nodiscard]] bool is_listed(std::string_view word);

/// Reports whether many clusters have this writer of fields or events: `kubectl-edit`, `kubelet`,
/// `helm`.
[[nodiscard]] bool is_known_program(std::string_view name);
/// Reports whether a cloud or a project publishes this volume driver or provisioner.
[[nodiscard]] bool is_known_driver(std::string_view name);
/// Reports whether this is a public container runtime that a RuntimeClass can name.
[[nodiscard]] bool is_known_handler(std::string_view name);

}  // namespace dsdoctor::redaction
