#pragma once

#include <string>

#include "diagnosis/views/node_history.h"
#include "render/data/json.h"
#include "render/words/style.h"

namespace dsdoctor::render {

/// Flips first, then the nodes; the same change on many nodes is one block.
[[nodiscard]] std::string history_text(const diagnosis::NodeHistory& history, const Envelope& then,
                                       const Envelope& now, const Style& style);

/// kind: NodeHistory. `source` and `omissions` are those of now; `since` has those of then.
[[nodiscard]] Json to_json(const diagnosis::NodeHistory& history, const Envelope& then,
                           const Envelope& now);

}  // namespace dsdoctor::render
