// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "decode/catalogue/key_reader.h"
#include "decode/catalogue/written_catalogue.h"

/// The keys of an entry that become diagnosis::Role.
namespace dsdoctor::decode {

/// The keys of a role. A family can have them as defaults for its entries.
inline constexpr std::string_view role_keys[] = {
    "stage",   "explains",   "umbrella", "implies", "cause-of", "outranks",    "stops",
    "sums-up", "in-what-if", "about",    "quiet",   "basis",    "pod-reasons", "reads"};

/// A name that must be declared by another entry or in the list of stages.
struct Reference {
  Path path;
  std::string name;
  bool is_stage = false;
};

/// `family` is the whole document. Adds the names to check after all files are read to
/// `references`.
[[nodiscard]] WrittenRole role_of(KeyReader& keys, const Path& path, const nlohmann::json& entry,
                                  const nlohmann::json& family, std::vector<Reference>& references);

/// The stages, in order.
[[nodiscard]] std::vector<WrittenStage> stages_of(KeyReader& keys, const nlohmann::json& document);

}  // namespace dsdoctor::decode
