#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/meta.h"
#include "model/scheduling.h"

/// Parts of sentences that several families of findings say alike.
namespace dsdoctor::diagnosis::wording {

/// One line of at most 300 bytes, cut at a character.
[[nodiscard]] std::string cut(std::string_view text);

/// "45 s", "12 min", "3 h", "5 d", rounded down; never negative.
[[nodiscard]] std::string span(model::Time::duration duration);

/// "1 node", "3 nodes". `noun` takes an s.
[[nodiscard]] std::string counted(std::int64_t count, std::string_view noun);

/// The first five and the number of the rest: "a, b and 7 more".
[[nodiscard]] std::string listed(const std::vector<std::string>& names);
/// The same of `count` names, which are asked for only where they are shown.
[[nodiscard]] std::string listed(std::size_t count,
                                 const std::function<std::string(std::size_t)>& name);

/// "key=value:Effect", without "=" where there is no value.
[[nodiscard]] std::string taint(const model::Taint& taint);

}  // namespace dsdoctor::diagnosis::wording
