// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "diagnosis/catalogue/finding_id.h"
#include "diagnosis/catalogue/message.h"

namespace dsdoctor::diagnosis {

/// Id of a finding and its arguments, in the order of the parameters in its entry. The headers in
/// findings/ convert to it.
struct FindingKind {
  /// A finding without parameters. An id of a finding with parameters does not compile.
  // NOLINTNEXTLINE(google-explicit-constructor): the id is the whole value
  consteval FindingKind(FindingId id_without_parameters) : id(id_without_parameters) {
    if (has_parameters(id)) throw "its parameters are missing: see diagnosis/catalogue/findings/";
  }
  FindingKind(FindingId its_id, std::vector<Argument> its_arguments)
      : id(its_id), arguments(std::move(its_arguments)) {}

  FindingId id;
  std::vector<Argument> arguments = {};
};

}  // namespace dsdoctor::diagnosis
