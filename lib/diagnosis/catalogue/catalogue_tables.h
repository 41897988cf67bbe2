#pragma once

#include <span>

#include "diagnosis/catalogue/catalogue.h"

/// The catalogue's parts, one a family; each stands in its own file.
namespace dsdoctor::diagnosis {

[[nodiscard]] std::span<const CatalogueEntry> daemon_set_entries();
[[nodiscard]] std::span<const CatalogueEntry> control_entries();
[[nodiscard]] std::span<const CatalogueEntry> creation_entries();
[[nodiscard]] std::span<const CatalogueEntry> scheduling_entries();
[[nodiscard]] std::span<const CatalogueEntry> node_entries();
[[nodiscard]] std::span<const CatalogueEntry> kubelet_entries();
[[nodiscard]] std::span<const CatalogueEntry> startup_entries();
[[nodiscard]] std::span<const CatalogueEntry> pod_entries();
[[nodiscard]] std::span<const CatalogueEntry> rollout_entries();

}  // namespace dsdoctor::diagnosis
