#pragma once

#include <string>
#include <string_view>

#include "base/text.h"
#include "base/time.h"
#include "model/meta.h"
#include "model/scheduling.h"

/// Parts of sentences that several families of findings say alike.
namespace dsdoctor::diagnosis::wording {

/// One line of at most 300 bytes: of a longer text its beginning and its end.
[[nodiscard]] std::string cut(std::string_view text);
/// The same of at most 1 KiB, as long as a message of an event can be: for evidence.
[[nodiscard]] std::string whole(std::string_view text);

/// The first 4 KiB of an error without what kubelets and runtimes wrap it in, which tells nothing
/// of its cause: `rpc error: code = Unknown desc = `, `failed to resolve reference "x": `.
[[nodiscard]] std::string unwrapped(std::string_view text);

using base::counted;
using base::listed;

[[nodiscard]] inline std::string span(model::Time::duration duration) {
  return base::span_text(duration);
}

/// "key=value:Effect", without "=" where there is no value.
[[nodiscard]] std::string taint(const model::Taint& taint);

}  // namespace dsdoctor::diagnosis::wording
