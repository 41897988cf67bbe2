#pragma once

#include <string>

#include "diagnosis/catalogue/message.h"
#include "diagnosis/problems/problem.h"

/// The words of messages; the only place where they are made.
namespace dsdoctor::render {

/// A message in words, with what they say.
struct MessageText {
  std::string text;
  std::size_t word = std::string::npos;  // size of Kubernetes' own word before ": "; or npos
  bool says_since = false;               // when it began, or its age
  bool says_due = false;                 // by when it should have resolved
};

[[nodiscard]] std::string text_of(const diagnosis::Message& message);

/// The title of a problem: what holds for all its placements; without parameters where nothing
/// does. In at most `limit` bytes: foreign text is cut first, then the middle.
[[nodiscard]] MessageText title_of(const diagnosis::Problem& problem,
                                   std::size_t limit = std::string::npos);

/// What the message of a problem's first placement says beyond its title, without Kubernetes' own
/// word where the title begins with it. Empty where the two are the same.
[[nodiscard]] std::string example_of(const diagnosis::Problem& problem,
                                     std::size_t limit = std::string::npos);

/// "Node/gpu-1 spec.taints[0]: dedicated=gpu:NoSchedule"
[[nodiscard]] std::string text_of(const diagnosis::Evidence& evidence);

}  // namespace dsdoctor::render
