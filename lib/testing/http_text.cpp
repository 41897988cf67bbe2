// SPDX-License-Identifier: Apache-2.0
#include "testing/http_text.h"

#include <zlib.h>

#include <algorithm>
#include <stdexcept>

#include "base/text.h"

namespace dsdoctor::testing {
namespace {

std::string_view take_until(std::string_view& text, std::string_view mark) {
  const auto at = text.find(mark);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + mark.size());
  return taken;
}

}  // namespace

std::string ServedRequest::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

std::string form_decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      result += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      result += text[i] == '+' ? ' ' : text[i];
    }
  }
  return result;
}

ServedRequest parse_request(std::string_view head) {
  ServedRequest request;
  std::string_view line = take_until(head, "\r\n");
  request.method = take_until(line, " ");
  request.target = take_until(line, " ");
  std::string_view query = request.target;
  request.path = form_decoded(take_until(query, "?"));
  while (!query.empty()) {
    std::string_view pair = take_until(query, "&");
    const std::string key = form_decoded(take_until(pair, "="));
    request.query[key] = form_decoded(pair);
  }
  while (!head.empty()) {
    std::string_view header = take_until(head, "\r\n");
    const std::string name = base::lower_case(take_until(header, ":"));
    header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
    request.headers.emplace(name, header);
  }
  return request;
}

std::string gzipped(const std::string& bytes) {
  z_stream stream{};
  constexpr int gzip_format = 16;
  if (deflateInit2(&stream, 1, Z_DEFLATED, MAX_WBITS + gzip_format, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    throw std::runtime_error("zlib");
  }
  std::string result(deflateBound(&stream, bytes.size()), '\0');
  // NOLINTBEGIN(*-reinterpret-cast,*-const-cast): zlib's type for bytes
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  // NOLINTEND(*-reinterpret-cast,*-const-cast)
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

std::string to_http(const Reply& reply, bool gzip) {
  const std::string body = gzip ? gzipped(reply.body) : reply.body;
  std::string text = "HTTP/1.1 " + std::to_string(reply.status) + " Reason\r\n";
  if (!reply.content_type.empty()) text += "Content-Type: " + reply.content_type + "\r\n";
  if (gzip) text += "Content-Encoding: gzip\r\n";
  if (reply.close_delimited) {
    text += "Connection: close\r\n";
  } else {
    text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  }
  for (const auto& [name, value] : reply.headers)
    text.append(name).append(": ").append(value).append("\r\n");
  text += "\r\n";
  const bool cut = reply.fault == Fault::CutBody || reply.fault == Fault::StallWithinBody;
  if (cut) return text + body.substr(0, body.size() * 6 / 10);
  return text + body;
}

}  // namespace dsdoctor::testing
