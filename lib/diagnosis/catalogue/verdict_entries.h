#pragma once

#include <span>

#include "diagnosis/catalogue/catalogue.h"

namespace dsdoctor::diagnosis {

/// The verdicts on a DaemonSet and a node, described as findings are. Their ids are the `verdict`
/// of a node in JSON.
[[nodiscard]] std::span<const CatalogueEntry> verdict_entries();

}  // namespace dsdoctor::diagnosis
