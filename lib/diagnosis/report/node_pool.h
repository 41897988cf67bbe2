#pragma once

#include <span>
#include <string_view>

#include "model/node.h"

namespace dsdoctor::diagnosis {

/// Labels by which operators name a kind of node, the most telling first.
[[nodiscard]] std::span<const std::string_view> telling_labels();

/// One of the labels that name node pools has this value, whoever manages the pool.
[[nodiscard]] bool is_of_pool(const model::Node& node, std::string_view pool);

}  // namespace dsdoctor::diagnosis
