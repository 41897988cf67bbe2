// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "diagnosis/catalogue/catalogue.h"
#include "render/document/document.h"
#include "render/words/style.h"

/// The output of `findings`. Entries are printed in the given order.
namespace dsdoctor::render {

using CatalogueEntries = std::span<const diagnosis::CatalogueEntry>;

/// A table for each family: id, severity and meaning, within `style.width`. `style.wide` adds the
/// scope and how each entry is detected. Without `style.headers` the families have no headings;
/// with `style.sort_by` there is one table for all of them.
[[nodiscard]] std::string catalogue_text(CatalogueEntries entries, const Presentation& style);
/// All details of one entry.
[[nodiscard]] std::string catalogue_text(const diagnosis::CatalogueEntry& entry,
                                         const Presentation& style);

/// All details of all entries.
[[nodiscard]] std::string whole_catalogue_text(CatalogueEntries entries, const Presentation& style);

/// The same as a document, for a ticket or a wiki.
[[nodiscard]] Document catalogue_document(CatalogueEntries entries);
[[nodiscard]] Document catalogue_document(const diagnosis::CatalogueEntry& entry,
                                          const Presentation& style);

/// kind: Catalogue
[[nodiscard]] nlohmann::ordered_json catalogue_json(CatalogueEntries entries);

}  // namespace dsdoctor::render
