#pragma once

#include <string>
#include <vector>

#include "base/result.h"

/// The catalogue of findings as it is written: lib/diagnosis/catalogue/*.yaml. Read while the
/// program is built.
namespace dsdoctor::decode {

struct WrittenParameter {
  std::string name;
  bool is_condition = false;  // else text
};

/// Something to do. `when` is a condition; it may be empty.
struct WrittenStep {
  std::string when;
  bool unless = false;    // `when` must not hold
  std::string condition;  // for the reader to judge: "the tag is wrong"; may be empty
  std::string text;
  std::string command;  // a line for a shell; one of both is there
};

struct WrittenFinding {
  std::string id;
  std::string severity;
  std::string scope;
  std::string root;   // the object to fix: see finding_catalogue.cpp; empty: as its scope says
  std::string alias;  // may be empty
  std::string title;
  std::string detected;
  std::vector<WrittenParameter> parameters;
  bool has_those_of_family = false;
  std::vector<WrittenStep> fix;
};

struct WrittenFamily {
  std::string name;
  bool made = true;                          // else only described
  std::vector<WrittenParameter> parameters;  // of each entry that names none of its own
  std::vector<WrittenFinding> entries;
};

struct CatalogueFile {
  std::string name;
  std::string content;
};

/// One family a file. Texts and commands hold `{parameter}`; ns, ds, node and pod are always there.
/// Errors: Malformed, `file:line:column`, for an unknown or missing key, an id given twice, a
/// placeholder or a condition that is not declared, a parameter that no step uses.
[[nodiscard]] base::Result<std::vector<WrittenFamily>> read_finding_catalogue(
    const std::vector<CatalogueFile>& files);

}  // namespace dsdoctor::decode
