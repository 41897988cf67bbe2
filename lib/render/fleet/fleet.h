// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fixes/fleet/fleet.h"
#include "render/document/document.h"
#include "render/words/style.h"

/// The answer about several clusters, by problem.
namespace dsdoctor::render {

struct Fleet {
  std::vector<fixes::ClusterAnswer> answers;
  std::vector<fixes::FleetProblem> problems;  // those of all answers, joined
  std::vector<Address> addresses;             // for commands about each of them
  std::string noun = "cluster";    // "context" or "input" if several of them are one cluster
  std::vector<std::string> notes;  // sentences about the clusters
};

/// The problems, those that need action first; then a row for each cluster with a problem, and the
/// clusters without an answer. At most 50 lines, unless `style` lists everything.
[[nodiscard]] std::string fleet_text(const Fleet& fleet, const Presentation& style);

/// The same as a document.
[[nodiscard]] Document fleet_document(const Fleet& fleet, const Presentation& style);

/// The value of `problems` in an AnswerList.
[[nodiscard]] nlohmann::ordered_json fleet_problems_json(const Fleet& fleet);

}  // namespace dsdoctor::render
