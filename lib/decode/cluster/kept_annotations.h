// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/labels.h"

/// Annotations with which a Snapshot replaces parts of an object that it does not contain.
namespace dsdoctor::decode {

/// Removes an annotation and returns its value; empty if there is none.
[[nodiscard]] std::string take(model::Labels& annotations, std::string_view key);

/// Removes and returns the fingerprint of the whole template; 0 if there is none.
[[nodiscard]] std::uint64_t take_fingerprint(model::Labels& annotations);

/// Removes the annotations that no answer needs.
void keep_read(model::Labels& annotations);

}  // namespace dsdoctor::decode
