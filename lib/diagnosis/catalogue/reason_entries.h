#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "diagnosis/catalogue/catalogue.h"

namespace dsdoctor::diagnosis {

/// The kinds of reasons that keep a pod from a node, described as findings are. Their ids are the
/// `kind` of a reason in JSON.
[[nodiscard]] std::span<const CatalogueEntry> reason_entries();

/// Findings, verdicts and reasons: by family in the order of a pod's life, then by id.
[[nodiscard]] std::vector<const CatalogueEntry*> listed_entries();

/// By id or alias, of findings, verdicts and reasons; null where there is none.
[[nodiscard]] const CatalogueEntry* find_listed(std::string_view id);

}  // namespace dsdoctor::diagnosis
