#pragma once

#include <utility>
#include <vector>

#include "diagnosis/catalogue/finding_id.h"
#include "diagnosis/catalogue/message.h"

namespace dsdoctor::diagnosis {

/// Which finding, with its parameters as the headers in findings/ have them, in the order of its
/// entry.
struct FindingKind {
  /// One that has no parameters; another does not compile.
  // NOLINTNEXTLINE(google-explicit-constructor): the id is all there is to it
  consteval FindingKind(FindingId id_without_parameters) : id(id_without_parameters) {
    if (has_parameters(id)) throw "its parameters are missing: see diagnosis/catalogue/findings/";
  }
  FindingKind(FindingId its_id, std::vector<Argument> its_arguments)
      : id(its_id), arguments(std::move(its_arguments)) {}

  FindingId id;
  std::vector<Argument> arguments = {};
};

}  // namespace dsdoctor::diagnosis
