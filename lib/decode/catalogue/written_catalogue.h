#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// The catalogue of findings as it is written: lib/diagnosis/catalogue/*.yaml. Read while the
/// program is built.
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

/// "{:}" is a colon that ends Kubernetes' own word; "{name}" is a value, "{count:noun}" a count
/// with its noun, "{list:separator}" a list without limit, "{phrases:5}" the first five and how
/// many more, "{phrase:rest}" a phrase without Kubernetes' own word where the message begins with
/// that word.
/// "<<...>>" is a clause that is left out where a value in it is not known, or where its "{if
/// name}" or "{unless name}" says so. "{{" and "}}" are braces.
struct WrittenMessage {
  std::vector<WrittenToken> tokens;
};

/// Something to do. `when` is a condition; it may be empty.
struct WrittenStep {
  std::string when;
  bool unless = false;    // `when` must not hold
  std::string condition;  // for the reader to judge: "the tag is wrong"; may be empty
  std::string text;
  std::string command;  // a line for a shell; one of both is there
};

/// Data that a finding needs.
struct WrittenNeed {
  std::string what;
  std::vector<std::string> verdicts;  // of a node; empty: those that the finding explains
};

/// The rank of a finding among others: see diagnosis::Role. Empty strings: key not present.
struct WrittenRole {
  std::string stage;                  // "none": the finding is no cause
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
  std::string root;   // the object to fix: see finding_catalogue.cpp; empty: as its scope says
  std::string alias;  // may be empty
  std::string title;
  std::string detected;
  WrittenMessage message;  // empty: the title
  WrittenMessage shared;   // for several nodes whose values differ; empty: the title
  std::vector<WrittenParameter> parameters;
  bool has_those_of_family = false;
  WrittenRole role;  // of a finding that is made
  std::vector<WrittenStep> fix;
};

struct WrittenFamily {
  std::string file;  // as CatalogueFile::name
  std::string name;
  bool made = true;                          // else only described
  std::vector<WrittenParameter> parameters;  // of each entry that names none of its own
  std::vector<WrittenFinding> entries;
};

/// A clause that messages of several findings have.
struct WrittenPhrase {
  std::string file;  // as CatalogueFile::name
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
