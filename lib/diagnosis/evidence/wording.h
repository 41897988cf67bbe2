// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/text.h"
#include "base/time.h"
#include "model/meta.h"
#include "model/scheduling.h"

/// Parts of sentences that several families of findings use.
namespace dsdoctor::diagnosis::wording {

/// The text as one line of at most 300 bytes: a longer text loses its middle.
[[nodiscard]] std::string cut(std::string_view text);
/// The same with at most 1 KiB, the maximum length of an event's message; for evidence.
[[nodiscard]] std::string whole(std::string_view text);

/// The first 4 KiB of an error without the wrappers of kubelets and runtimes, which do not show the
/// cause: `rpc error: code = Unknown desc = `, `failed to resolve reference "x": `.
[[nodiscard]] std::string unwrapped(std::string_view text);

using base::counted;
using base::listed;

[[nodiscard]] inline std::string span(model::Time::duration duration) {
  return base::span_text(duration);
}

/// "key=value:Effect", without "=" if the value is empty.
[[nodiscard]] std::string taint(const model::Taint& taint);

}  // namespace dsdoctor::diagnosis::wording
