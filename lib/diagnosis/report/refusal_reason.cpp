// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/report/refusal_reason.h"

#include <algorithm>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/role.h"
#include "diagnosis/report/pod_signs.h"

namespace dsdoctor::diagnosis {
std::optional<FindingId> refusal_id(std::string_view reason, std::string_view message,
                                    Source source) {
  for (const CatalogueEntry& entry : catalogue()) {
    const FindingId id = id_of(entry);
    if (std::ranges::count(role_of(id).pod_reasons, reason) != 0) return id;
  }
  if (reason.starts_with(short_of) && reason.size() > short_of.size()) {
    return FindingId::KubeletOutOfExtended;
  }
  if (reason == "Evicted") {
    return mentions(message, "the node had condition:") ? FindingId::KubeletPressureRefused
                                                        : FindingId::KubeletEvicted;
  }
  if (source == Source::Event) return std::nullopt;
  if (reason == "Terminated" && mentions(message, "imminent node shutdown")) {
    return FindingId::KubeletShutdown;
  }
  return FindingId::KubeletFailedOther;
}

}  // namespace dsdoctor::diagnosis
