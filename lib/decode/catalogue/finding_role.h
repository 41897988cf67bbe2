#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "decode/catalogue/key_reader.h"
#include "decode/catalogue/written_catalogue.h"

/// How a finding is weighed against others: see diagnosis::Role.
namespace dsdoctor::decode {

/// The keys of a role. A family has them, too, for its entries that do not.
inline constexpr std::string_view role_keys[] = {
    "stage",   "explains",   "umbrella", "implies", "cause-of", "outranks",    "stops",
    "sums-up", "in-what-if", "about",    "quiet",   "basis",    "pod-reasons", "reads"};

/// A name that another entry or the list of stages declares.
struct Reference {
  Path path;
  std::string name;
  bool is_stage = false;
};

/// `family` is the whole document. Adds to `references` what has to be looked up once all files are
/// read.
[[nodiscard]] WrittenRole role_of(KeyReader& keys, const Path& path, const nlohmann::json& entry,
                                  const nlohmann::json& family, std::vector<Reference>& references);

/// The stages, in order.
[[nodiscard]] std::vector<WrittenStage> stages_of(KeyReader& keys, const nlohmann::json& document);

}  // namespace dsdoctor::decode
