// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// The catalogue of findings as written in lib/diagnosis/catalogue/*.yaml. Read during the build.
namespace dsdoctor::decode {

struct WrittenParameter {
  std::string name;
  std::string type;  // "condition", "text", "count", ...: ParameterType in lower case
};

/// A part of a message: see diagnosis::Token.
struct WrittenToken {
  enum class Kind { Text, Value, If, Unless, Open, Close, Colon };
  Kind kind = Kind::Text;
  std::size_t parameter = 0;  // index; of Value, If and Unless
  std::string text = {};

  friend bool operator==(const WrittenToken&, const WrittenToken&) = default;
};

/// "{:}" is the colon after Kubernetes' own word; "{name}" is a value, "{count:noun}" a count with
/// its noun, "{list:separator}" a list without limit, "{phrases:5}" the first five and the number
/// of the others, "{phrase:rest}" a phrase without Kubernetes' own word if the message begins with
/// that word. "<<...>>" is a clause that is left out if a value in it is unknown, or by its "{if
/// name}" or "{unless name}". "{{" and "}}" are braces.
struct WrittenMessage {
  std::vector<WrittenToken> tokens;
};

/// A step of a fix. `when` is a condition; it may be empty.
struct WrittenStep {
  std::string when;
  bool unless = false;    // `when` must not hold
  std::string condition;  // for the user to judge: "the tag is wrong"; may be empty
  std::string text;
  std::string command;  // a line for a shell; a step has a text or a command
};

/// Data that a finding needs.
struct WrittenNeed {
  std::string what;
  std::vector<std::string> verdicts;  // of a node; empty: the verdicts that the finding explains
};

/// The rank of a finding among others: see diagnosis::Role. Absent keys are empty strings.
struct WrittenRole {
  std::string stage;                  // "none": the finding is not a cause
  std::vector<std::string> explains;  // verdicts; empty: those of the stage
  bool umbrella = false;
  std::vector<std::string> implies;  // ids
  std::vector<std::string> cause_of;
  std::vector<std::string> outranks;
  std::string stops;
  std::string sums_up;
  std::string in_what_if;
  std::vector<std::string> about;
  bool quiet = true;
  std::string basis;
  std::vector<std::string> pod_reasons;
  std::vector<WrittenNeed> reads;
};

struct WrittenStage {
  std::string name;
  std::vector<std::string> explains;  // verdicts
  bool informs = false;
};

struct WrittenFinding {
  std::string id;
  std::string severity;
  std::string scope;
  std::string root;   // the object to fix: see finding_catalogue.cpp; empty: from `scope`
  std::string alias;  // may be empty
  std::string title;
  std::string detected;
  std::vector<std::string> words;  // by which users look it up, besides those of the title
  WrittenMessage message;          // empty: the title
  WrittenMessage shared;           // for several nodes whose values differ; empty: the title
  std::vector<WrittenParameter> parameters;
  bool has_those_of_family = false;
  WrittenRole role;  // only in families with `made`
  std::vector<WrittenStep> fix;
};

struct WrittenFamily {
  std::string file;  // see CatalogueFile::name
  std::string name;
  bool made = true;  // the program creates these findings; else they are only described
  std::vector<WrittenParameter> parameters;  // for entries without parameters of their own
  std::vector<WrittenFinding> entries;
};

/// A clause shared by messages of several findings.
struct WrittenPhrase {
  std::string file;  // see CatalogueFile::name
  std::string id;
  WrittenMessage message;
  std::vector<WrittenParameter> parameters;
};

struct WrittenCatalogue {
  std::vector<WrittenFamily> families;
  std::vector<WrittenPhrase> phrases;
  std::vector<WrittenStage> stages;  // first to last
};

}  // namespace dsdoctor::decode
