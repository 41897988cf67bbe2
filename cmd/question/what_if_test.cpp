// SPDX-License-Identifier: Apache-2.0
#include "question/what_if.h"

#include <catch2/catch.hpp>

#include "decode/cluster/documents.h"

using namespace dsdoctor;
using cmd::FieldValidation;

namespace {

decode::ManifestFields fields_of(const std::string& text) {
  decode::ClusterBuilder builder;
  std::vector<model::Warning> warnings;
  decode::ManifestFields fields;
  REQUIRE(decode::read_documents(text, "m.yaml", builder, warnings, {.fields = &fields}));
  return fields;
}

/// The outcome for a manifest with an unknown field, two equal keys or both.
struct Outcome {
  std::vector<std::string> errors;  // the error and its hints
  std::vector<std::string> warnings;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome checked(const std::string& spec, FieldValidation validation,
                std::optional<model::ServerVersion> server = std::nullopt,
                const std::string& api_version = "apps/v1") {
  source::Snapshot snapshot;
  snapshot.cluster.version = std::move(server);
  const auto status = cmd::check_manifest(
      fields_of("apiVersion: " + api_version + "\nkind: DaemonSet\nmetadata: {name: a}\nspec: {" +
                spec + "}\n"),
      validation, snapshot);
  Outcome outcome;
  if (!status) {
    CHECK(status.error().kind == base::ErrorKind::Malformed);
    outcome.errors = status.error().hints;
    outcome.errors.insert(outcome.errors.begin(), base::to_string(status.error()));
  }
  for (const model::Warning& warning : snapshot.warnings) {
    outcome.warnings.push_back(warning.where + ": " + warning.what);
  }
  return outcome;
}

const std::string in_manifest = "m.yaml:4: DaemonSet a: ";
const std::string unknown =
    in_manifest + "unknown field \"spec.affinity\"; did you mean spec.template.spec.affinity";
const std::string duplicate = in_manifest + "duplicate field \"spec.minReadySeconds\"";
const std::string hint = "for warnings instead of an error: --validate=warn";
const std::string both = "affinity: {}, minReadySeconds: 1, minReadySeconds: 2";

}  // namespace

TEST_CASE("unknown and duplicate fields are one error or warnings", "[cmd][manifest]") {
  CHECK(checked("minReadySeconds: 1", FieldValidation::Strict) == Outcome{});
  CHECK(checked(both, FieldValidation::Strict) == Outcome{{unknown, duplicate, hint}, {}});
  CHECK(checked(both, FieldValidation::Warn) ==
        Outcome{{}, {unknown, duplicate + "; the last one counts"}});
}

TEST_CASE("a cluster that is newer than the table may have an unknown field", "[cmd][manifest]") {
  const model::ServerVersion known{1, 37, 9, "v1.37.9"};
  const model::ServerVersion newer{1, 38, 0, "v1.38.0"};
  CHECK(checked("affinity: {}", FieldValidation::Strict, known) == Outcome{{unknown, hint}, {}});
  const std::string may_exist =
      unknown + "; Kubernetes 1.38 may have it, the known fields are those of 1.37.2";
  CHECK(checked("affinity: {}", FieldValidation::Strict, newer) == Outcome{{}, {may_exist}});
  CHECK(checked(both, FieldValidation::Strict, newer) == Outcome{{duplicate, hint}, {may_exist}});
}

TEST_CASE("unknown fields of an old API version are warnings", "[cmd][manifest]") {
  for (const char* version : {"extensions/v1beta1", "apps/v1beta2"}) {
    CHECK(checked("templateGeneration: 1, affinity: {}", FieldValidation::Strict, std::nullopt,
                  version) == Outcome{{}, {unknown}});
  }
}

TEST_CASE("twenty faults are listed and all are counted", "[cmd][manifest]") {
  std::string spec;
  for (int i = 0; i < 130; ++i) spec += (i == 0 ? "x" : ", x") + std::to_string(i) + ": 1";
  const Outcome strict = checked(spec, FieldValidation::Strict);
  REQUIRE(strict.errors.size() == 22);
  CHECK(strict.errors[19] == in_manifest + "unknown field \"spec.x19\"");
  CHECK(strict.errors[20] == "and 110 more unknown or duplicate fields");
  const Outcome warned = checked(spec, FieldValidation::Warn);
  REQUIRE(warned.warnings.size() == 101);
  CHECK(warned.warnings.back() == in_manifest + "and 30 more unknown or duplicate fields");
}
