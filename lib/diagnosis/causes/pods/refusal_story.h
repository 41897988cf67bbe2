#pragma once

// What a kubelet's rejection, or the end that it brought to a pod, was about.

#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Why a kubelet failed a pod, in its own words.
struct KubeletRefusal {
  std::string_view reason;   // status.reason, or that of the event
  std::string_view message;  // with or without "Pod was rejected: "
  std::string_view pod;
  const model::Pod* object = nullptr;  // null once it is gone
  model::OptionalTime at;
  std::vector<Evidence> evidence;
};

/// The clauses of the finding's message, its parameters for the group, and more evidence.
struct RefusalStory {
  std::vector<Message> clauses;
  std::string group = {};
  std::vector<Evidence> evidence = {};
  bool is_over = false;                      // nothing keeps the next pod away
  model::OptionalTime ended = std::nullopt;  // of what is over, where it is known
};

/// By the finding's id, with what the cluster shows of it now.
[[nodiscard]] RefusalStory story_of(const NodeCase& c, const KubeletRefusal& refusal, FindingId id);

}  // namespace dsdoctor::diagnosis
