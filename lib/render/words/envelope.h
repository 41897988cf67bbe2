// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "diagnosis/controller/gate_setting.h"
#include "fixes/what_if.h"
#include "model/cluster.h"

namespace dsdoctor::render {

/// Data that every answer includes.
struct Envelope {
  model::SourceInfo source;
  std::vector<model::Omission> omissions;
  std::vector<model::Warning> warnings;
  std::optional<fixes::Changed> what_if = {};  // set if the cluster was changed
  diagnosis::RulesTaken rules = {};
};

}  // namespace dsdoctor::render
