#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/labels.h"

/// What a Snapshot keeps in an object's annotations in place of what it does not keep of it.
namespace dsdoctor::decode {

/// Takes it out of the annotations; empty: there is none.
[[nodiscard]] std::string take(model::Labels& annotations, std::string_view key);

/// The fingerprint of the whole template. 0: there is none.
[[nodiscard]] std::uint64_t take_fingerprint(model::Labels& annotations);

/// Leaves only those that some answer reads.
void keep_read(model::Labels& annotations);

}  // namespace dsdoctor::decode
