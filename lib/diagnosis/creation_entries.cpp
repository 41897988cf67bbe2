#include "diagnosis/catalogue_tables.h"

namespace dsdoctor::diagnosis {

std::span<const CatalogueEntry> creation_entries() { return {}; }

}  // namespace dsdoctor::diagnosis
