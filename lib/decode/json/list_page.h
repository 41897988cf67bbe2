// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dsdoctor::decode {

/// The metadata of a list that says whether more items follow on other pages.
struct ListPage {
  std::string token = {};      // the token of the next page; empty on the last page
  std::int64_t remaining = 0;  // items on later pages, as far as the server counted them
  std::string version = {};    // resourceVersion, which all pages of a list share; empty: unknown

  [[nodiscard]] bool is_last() const { return token.empty() && remaining == 0; }
};

/// Reads `metadata.continue` and `metadata.remainingItemCount` of a list. If a key occurs twice,
/// the value that announces more items counts. Errors: Malformed at `where`, if a value has another
/// type or the count is negative, since it is then unknown whether items are missing.
[[nodiscard]] base::Result<ListPage> page_of(const simdjson::dom::object& list,
                                             const std::string& where);

/// The same for the JSON text of the list or of its envelope, which is valid.
[[nodiscard]] base::Result<ListPage> page_of(std::string_view list, const std::string& where);

}  // namespace dsdoctor::decode
