// SPDX-License-Identifier: Apache-2.0

// Lists, documents and archives. Reading them whole and in pieces must give the same result.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <vector>

#include "decode/cluster/document_stream.h"
#include "decode/objects/known_taints.h"
#include "decode/objects/user_config.h"
#include "decode/yaml/yaml_to_json.h"
#include "fuzz/test_fuzz.h"
#include "fuzz/test_reading.h"
#include "source/input_reader.h"

namespace dsdoctor::fuzz {
namespace {

/// Takes the first byte of the input, which selects the length of the pieces.
std::size_t piece_of(std::string_view& input) {
  if (input.empty()) return 1;
  const auto chosen = static_cast<unsigned char>(input.front());
  input.remove_prefix(1);
  return chosen < 128 ? chosen + 1U : (chosen - 127U) * 64U;
}

class Pieces final : public decode::ByteStream {
 public:
  Pieces(std::string_view bytes, std::size_t piece) : rest_(bytes), piece_(piece) {}
  base::Result<std::string_view> next() override {
    held_ = std::string(rest_.substr(0, piece_));
    rest_.remove_prefix(held_.size());
    return std::string_view(held_);
  }

 private:
  std::string_view rest_;
  std::size_t piece_;
  std::string held_;
};

Result streamed_documents(std::string_view input, std::size_t piece) {
  decode::ClusterBuilder builder;
  std::vector<model::Warning> warnings;
  Pieces pieces(input, piece);
  decode::StreamedFile file{pieces, "input"};
  file.held = 0;
  file.most_in_memory = 1U << 20U;
  return result_of(builder, decode::read_document_stream(file, builder, warnings));
}

Result packed(std::string_view input, std::size_t piece) {
  decode::ClusterBuilder builder;
  std::vector<model::Warning> warnings;
  constexpr decode::UnpackLimits limits{
      .file_bytes = 1U << 20U, .ratio = 200, .ratio_from = 1U << 22U, .entries = 1000, .depth = 3};
  source::InputReader reader("input", builder, warnings, limits);
  Pieces pieces(input, piece);
  reader.read_given(pieces, 0);
  const auto errors = reader.finish();
  Result result = result_of(builder, std::monostate{});
  for (const base::Error& error : errors) result.error += base::to_string(error) + "\n";
  return result;
}

}  // namespace

void json_list(std::string_view input) {
  const std::size_t piece = piece_of(input);
  const Result at_once =
      list_in_pieces(input, std::max<std::size_t>(input.size(), 1), std::nullopt, {});
  const Result in_pieces = list_in_pieces(input, piece, std::nullopt, {});
  require(at_once.cluster == in_pieces.cluster, "a list in pieces is the same list");
  require(at_once.error.empty() == in_pieces.error.empty(), "and is refused where the whole is");
  const Result document = documents(input);
  const Result streamed = streamed_documents(input, piece);
  // Fields that no command reads are not checked when a file is read in pieces.
  if (!document.error.empty()) return;
  require(streamed.error.empty(),
          "a document that is read whole is read in pieces: " + streamed.error);
  require(streamed.cluster == document.cluster, "a document in pieces is the same document");
}

void protobuf_list(std::string_view input) {
  const std::size_t piece = piece_of(input);
  for (const decode::Kind kind : {decode::Kind::Node, decode::Kind::Pod, decode::Kind::Event}) {
    if (!decode::has_protobuf(kind)) continue;
    const auto encoding = decode::Encoding::Protobuf;
    const Result at_once =
        list_in_pieces(input, std::max<std::size_t>(input.size(), 1), kind, encoding);
    const Result in_pieces = list_in_pieces(input, piece, kind, encoding);
    require(at_once.cluster == in_pieces.cluster, "a list in pieces is the same list");
    require(at_once.error.empty() == in_pieces.error.empty(), "and is refused where the whole is");
    if (!at_once.error.empty()) continue;
    const Result saved = documents(at_once.cluster);
    require(saved.error.empty(), "a snapshot of it can be read: " + saved.error);
    require(saved.cluster == at_once.cluster, "a snapshot of it is the same list");
  }
}

void yaml(std::string_view input) {
  std::vector<model::Warning> warnings;
  const auto values = decode::yaml_to_json(input, "input", warnings);
  const Result first = documents(input);
  require(first.cluster == documents(input).cluster, "reading twice gives the same");
  warnings.clear();
  const auto text = decode::yaml_to_text(input, "input", warnings);
  if (!values || !text) return;
  std::string all;
  for (const std::string& piece : text->pieces) all += piece;
  std::istringstream lines(all);
  std::string line;
  for (const nlohmann::json& value : *values) {
    if (!value.is_structured()) continue;
    const nlohmann::json items = value.is_array() ? value : value.value("items", nlohmann::json());
    const bool only_objects = std::ranges::all_of(items, &nlohmann::json::is_object);
    require(static_cast<bool>(std::getline(lines, line)), "a document is read item by item");
    const nlohmann::json expected = value.is_array() ? nlohmann::json({{"items", value}}) : value;
    require(!only_objects || nlohmann::json::parse(line) == expected,
            "a document item by item is the same one");
  }
}

void archive(std::string_view input) {
  const std::size_t piece = piece_of(input);
  const Result at_once = packed(input, std::max<std::size_t>(input.size(), 1));
  const Result in_pieces = packed(input, piece);
  require(at_once.error.empty() == in_pieces.error.empty(),
          "an archive in pieces is refused where the whole is: " + at_once.error + in_pieces.error);
  if (at_once.error.empty()) {
    require(at_once.cluster == in_pieces.cluster, "an archive in pieces is the same archive");
  }
}

void known_taints(std::string_view input) { (void)decode::read_known_taints(input, "input"); }

void user_config(std::string_view input) {
  std::vector<model::Warning> warnings;
  (void)decode::read_user_config(input, "input", warnings);
}

}  // namespace dsdoctor::fuzz
