#pragma once

#include <optional>
#include <vector>

#include "advice/what_if.h"
#include "model/cluster.h"

namespace dsdoctor::render {

/// What every answer carries besides itself.
struct Envelope {
  model::SourceInfo source;
  std::vector<model::Omission> omissions;
  std::vector<model::Warning> warnings;
  std::optional<advice::Changed> what_if = {};  // of an answer about a changed cluster
};

}  // namespace dsdoctor::render
