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

/// A family, a list of phrases or the list of stages is a file. Texts and commands hold
/// `{parameter}`; ns, ds, node and pod are always there, but not in messages. Errors: Malformed,
/// `file:line:column`, for an unknown or missing key, an id given twice, a placeholder or a
/// condition that is not declared, a parameter of an unknown type or that nothing uses, a clause
/// that does not end, a finding without a stage, a stage or an id that nothing declares.
[[nodiscard]] base::Result<WrittenCatalogue> read_finding_catalogue(
    const std::vector<CatalogueFile>& files);

}  // namespace dsdoctor::decode
