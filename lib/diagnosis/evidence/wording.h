#pragma once

#include <string>
#include <string_view>

#include "base/text.h"
#include "base/time.h"
#include "model/meta.h"
#include "model/scheduling.h"

/// Parts of sentences that several families of findings say alike.
namespace dsdoctor::diagnosis::wording {

/// One line of at most 300 bytes, cut at a character.
[[nodiscard]] std::string cut(std::string_view text);

using base::counted;
using base::listed;

[[nodiscard]] inline std::string span(model::Time::duration duration) {
  return base::span_text(duration);
}

/// "key=value:Effect", without "=" where there is no value.
[[nodiscard]] std::string taint(const model::Taint& taint);

}  // namespace dsdoctor::diagnosis::wording
