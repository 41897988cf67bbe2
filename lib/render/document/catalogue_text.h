#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "diagnosis/catalogue/catalogue.h"
#include "render/document/document.h"
#include "render/words/style.h"

/// What `findings` prints. The entries come in the order in which they are to stand.
namespace dsdoctor::render {

using CatalogueEntries = std::span<const diagnosis::CatalogueEntry>;

/// A table a family: id, severity and meaning, within `style.width`. `style.wide` adds the scope
/// and how each is detected. Without `style.headers` the families are not told apart; one table of
/// all of them where `style` says what to sort by.
[[nodiscard]] std::string catalogue_text(CatalogueEntries entries, const Presentation& style);
/// Everything about one.
[[nodiscard]] std::string catalogue_text(const diagnosis::CatalogueEntry& entry,
                                         const Presentation& style);

/// Everything about all of them, one after the other.
[[nodiscard]] std::string whole_catalogue_text(CatalogueEntries entries, const Presentation& style);

/// For a ticket or a wiki.
[[nodiscard]] Document catalogue_document(CatalogueEntries entries);
[[nodiscard]] Document catalogue_document(const diagnosis::CatalogueEntry& entry,
                                          const Presentation& style);

/// kind: Catalogue
[[nodiscard]] nlohmann::ordered_json catalogue_json(CatalogueEntries entries);

}  // namespace dsdoctor::render
