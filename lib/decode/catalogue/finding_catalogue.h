// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "decode/catalogue/written_catalogue.h"

namespace dsdoctor::decode {

struct CatalogueFile {
  std::string name;
  std::string content;
};

/// Reads the catalogue. Each file is a family, a list of phrases or the list of stages. Texts and
/// commands can contain `{parameter}`; ns, ds, node and pod are always available, but not in
/// messages. Errors: Malformed, `file:line:column`, for an unknown or missing key, a duplicate id,
/// an undeclared placeholder or condition, a parameter of unknown type or without use, an unclosed
/// clause, a finding without a stage, an undeclared stage or id.
[[nodiscard]] base::Result<WrittenCatalogue> read_finding_catalogue(
    const std::vector<CatalogueFile>& files);

}  // namespace dsdoctor::decode
