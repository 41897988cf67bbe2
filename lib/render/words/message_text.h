// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "diagnosis/catalogue/message.h"
#include "diagnosis/problems/problem.h"

/// The text of messages. All wording of messages is here.
namespace dsdoctor::render {

/// The text of a message, and which facts it includes.
struct MessageText {
  std::string text;
  std::size_t word = std::string::npos;  // size of Kubernetes' own word before ": "; else npos
  bool says_since = false;               // says when it began, or its age
  bool says_due = false;                 // says by when it should have resolved
};

[[nodiscard]] std::string text_of(const diagnosis::Message& message);

/// The title of a problem: what its placements have in common, else the title in the catalogue. At
/// most `limit` bytes: foreign text is shortened first, then lists, then the middle is cut out.
[[nodiscard]] MessageText title_of(const diagnosis::Problem& problem,
                                   std::size_t limit = std::string::npos);

/// The message of a problem's first placement, without Kubernetes' own word if the title begins
/// with it. Empty if it equals the title.
[[nodiscard]] std::string example_of(const diagnosis::Problem& problem,
                                     std::size_t limit = std::string::npos);

/// "Node/gpu-1 spec.taints[0]: dedicated=gpu:NoSchedule"
[[nodiscard]] std::string text_of(const diagnosis::Evidence& evidence);

}  // namespace dsdoctor::render
