// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "base/printable.h"
#include "kube/client/api_documents.h"
#include "kube/client/client.h"
#include "kube/config/proxy.h"
#include "kube/http/headers.h"
#include "kube/login/credentials.h"
#include "kube/text/base64.h"
#include "kube/text/duration.h"
#include "kube/text/url.h"

namespace dsdoctor::kube {
namespace {

using Catch::Matchers::Contains;

TEST_CASE("request timeouts are seconds or Go durations", "[duration][row 57]") {
  const auto [text, expected] = GENERATE(table<std::string, long>({
      {"0", 0},
      {"", 0},
      {"5", 5000},
      {"5s", 5000},
      {"300ms", 300},
      {"1.5h", 5'400'000},
      {"1m30s", 90'000},
      {"-5s", 0},
      {".5s", 500},
      {"1us", 1},
      {"0s", 0},
      {"2m", 120'000},
      {"abc", -1},
      {"-5", -1},
      {"5x", -1},
      {"s", -1},
      {"1.s.", -1},
      {"+5", 5000},
      {"99999999999999", 1'000'000'000'000},
      {"99999999999999999999999", 1'000'000'000'000},
      {"9999999999h", -1},
      {std::string(400, '9') + "h", -1},
      {"5.s", 5000},
      {".s", -1},
      {"infs", -1},
      {"--1s", -1},
      {"1s-1s", -1},
      {"1 s", -1},
      {"1e3s", -1},
      {"-", -1},
  }));
  CAPTURE(text);
  const auto parsed = parse_request_timeout(text);
  CHECK(parsed.has_value() == (expected >= 0));
  if (parsed) CHECK(parsed->count() == expected);
  if (!parsed) CHECK_THAT(parsed.error().what, Contains("Invalid timeout value"));
}

TEST_CASE("durations are printed like in Go", "[duration]") {
  using std::chrono::milliseconds;
  CHECK(to_go_duration(milliseconds(30'000)) == "30s");
  CHECK(to_go_duration(milliseconds(90'000)) == "1m30s");
  CHECK(to_go_duration(milliseconds(3'600'000)) == "1h0m0s");
  CHECK(to_go_duration(milliseconds(300)) == "300ms");
  CHECK(to_go_duration(milliseconds(1500)) == "1.5s");
}

TEST_CASE("base64 is decoded like in Go", "[base64]") {
  for (const std::string text : {"", "a", "ab", "abc", "abcd", "\xff\x00\x01"}) {
    CHECK(decode_base64(encode_base64(text)) == text);
  }
  CHECK(encode_base64("u:p") == "dTpw");
  CHECK(decode_base64("YQ=\r\n=") == "a");
  for (const char* bad : {"YQ", "YQ=", "Y===", "====", "YQ==YQ==", "Y Q=", "YQ=a", "-_-_",
                          "    YQ==", "YQ==    ", "YQ==----", "Y=Q=", "A"}) {
    CAPTURE(bad);
    CHECK_FALSE(decode_base64(bad));
  }
  CHECK(decode_base64("YR==") == "a");  // unused bits are ignored
  CHECK(decode_base64_url("_-8") == "\xff\xef");
  for (const char* bad : {"_-8=", "/+8", "_-8\n", "_-8_Y"}) {
    CAPTURE(bad);
    CHECK_FALSE(decode_base64_url(bad));
  }
}

TEST_CASE("control characters in hostile text are escaped", "[printable][row 144]") {
  CHECK(base::printable("a\x1b]0;x\a\r\xe2\x80\xae") == "a^[]0;xU+0007\\rU+202E");
  CHECK(base::printable("\xff\xc3(") == "\uFFFD\uFFFD(");
  CHECK(base::printable("\u00e9\n\t") == "\u00e9\n\t");
  CHECK(base::printable("abcdef", 3) == "abc");
}

TEST_CASE("server URLs are parsed and their passwords are never shown", "[url][row 53][row 54]") {
  CHECK(parse_server_url("127.0.0.1:80")->scheme == "http");
  CHECK(parse_server_url("https://h:6443/prefix/")->path == "/prefix");
  CHECK(parse_server_url("https://h/p?x=1#f")->path == "/p");
  CHECK(parse_server_url("https://[fd00::1]:6443")->host == "fd00::1");
  CHECK(parse_server_url("https://[fd00::1]:6443")->authority() == "[fd00::1]:6443");
  CHECK(parse_server_url("https://h")->effective_port() == 443);
  CHECK(parse_server_url("HTTPS://h")->scheme == "https");
  const auto named = parse_server_url("https://u%40:CANARY@h");
  CHECK(named->user == "u@");
  CHECK(named->password == "CANARY");
  for (const char* bad : {"h/p", "ftp://u:CANARY@h", "https://", "https://h:x", "https://h:99999",
                          "https://u:CANARY@h:x", "https://h\r\nX: y", "https://[::1", ""}) {
    CAPTURE(bad);
    const auto url = parse_server_url(bad);
    REQUIRE_FALSE(url);
    CHECK_THAT(url.error().what, !Contains("CANARY"));
  }
  CHECK(redacted_url("https://u:CANARY@h/p@q") == "https://xxxxx@h/p@q");
  // errors show only texts that are not URLs
  for (const char* bad :
       {"https:/u:CANARY@h/", "https://u:CAN/CANARY@h:1", "http://u:CAN#CANARY@h:1",
        "http://u:CAN?CANARY@h:1", "http:/u:CANARY@h:1", "u:CANARY@h/x"}) {
    CAPTURE(bad);
    CHECK_THAT(redacted_url(bad), !Contains("CANARY"));
    if (const auto url = parse_server_url(bad); !url) {
      CHECK_THAT(url.error().what, !Contains("CANARY"));
    }
  }
  CHECK(parse_server_url("127.0.0.1:80/")->authority() == "127.0.0.1:80");
  CHECK(encode_query({{"limit", "500"}, {"labelSelector", "a=b,c in (d e)"}}) ==
        "labelSelector=a%3Db%2Cc+in+%28d+e%29&limit=500");
}

// Here parsers of URLs differ: libcurl's, for one, ends the user information at the first @, skips
// or adds slashes, and writes addresses and paths in its own way.
TEST_CASE("a URL has the parts that Go's net/url finds", "[url]") {
  struct Row {
    std::string text, user, password, authority, path;
  };
  const auto row = GENERATE(values<Row>({
      {"http://u:p@q@h:3128", "u", "p@q", "h:3128", ""},
      {"http://u@v:p@h", "u@v", "p", "h", ""},
      {"https://u:a:b@h", "u", "a:b", "h", ""},
      {"https://:p@h", "", "p", "h", ""},
      {"https://u:%0a%fF@h", "u", "\n\xff", "h", ""},
      {"https://dom;u:p+q@h", "dom;u", "p+q", "h", ""},
      {"https://h:1@g:2", "h", "1", "g:2", ""},
      {"https://u@h/p@q:r", "u", "", "h", "/p@q:r"},
      {"https://@h:", "", "", "h", ""},
      {"https://@h:/", "", "", "h", "/"},
      {"https://@h:0080//", "", "", "h:80", "//"},
      {"https://@h?x@y", "", "", "h", ""},
      {"https://@h#x@y", "", "", "h", ""},
      {"https://@h/a/../b/%2e", "", "", "h", "/a/../b/%2e"},
      {"https://@H.Example.", "", "", "H.Example.", ""},
      {"https://@127.1", "", "", "127.1", ""},
      {"https://@010.0.0.1", "", "", "010.0.0.1", ""},
      {"https://@2130706433", "", "", "2130706433", ""},
      {"https://@[FD00:0:0:0:0:0:0:1]:", "", "", "[FD00:0:0:0:0:0:0:1]", ""},
      {"https://@[fe80::1%25eth0]:1", "", "", "[fe80::1%25eth0]:1", ""},
      {"https://@b\u00fccher.example", "", "", "b\u00fccher.example", ""},
      {"https://@" + std::string(70'000, 'h'), "", "", std::string(70'000, 'h'), ""},
      {std::string(50, 'x') + "://@h", "", "", "h", ""},
      {"file://@h/x", "", "", "h", "/x"},
  }));
  CAPTURE(row.text);
  const auto url = parse_url(row.text);
  REQUIRE(url);
  CHECK(url->user == row.user);
  CHECK(url->password == row.password);
  CHECK(url->authority() == row.authority);
  CHECK(url->path == row.path);
}

TEST_CASE("an invalid URL is rejected with a short reason", "[url]") {
  using namespace std::string_literals;
  const auto [text, problem] = GENERATE(table<std::string, std::string>({
      {"h:1", "missing scheme"},
      {"//h", "missing scheme"},
      {"://h", "missing scheme"},
      {"https:h", "missing scheme"},
      {"https:/h", "missing scheme"},
      {"http:/u:p@h:1", "missing scheme"},
      {"http:\\\\h", "missing scheme"},
      {"https:///h", "no host in the URL"},
      {"https:////h", "no host in the URL"},
      {"https://:443", "no host in the URL"},
      {"https://u:p@", "no host in the URL"},
      {"https://[]:1", "no host in the URL"},
      {"https://::1", "no host in the URL"},
      {"https://[::1", "missing ']' in host"},
      {"https://[::1%25a/b]", "missing ']' in host"},
      {"https://h:0", "invalid port after host"},
      {"https://h:65536", "invalid port after host"},
      {"https://h:+1", "invalid port after host"},
      {"https://h:-1", "invalid port after host"},
      {"https://h:0x1", "invalid port after host"},
      {"https://h:1:2", "invalid port after host"},
      {"https://h:\uff11", "invalid port after host"},
      {"https://[::1]x", "invalid port after host"},
      {"https://[::1]]", "invalid port after host"},
      {"https://u:p/q@h", "invalid port after host"},
      {"https://u:%@h", "invalid escape in the user information of the URL"},
      {"https://u:%4@h", "invalid escape in the user information of the URL"},
      {"https://u:%zz@h", "invalid escape in the user information of the URL"},
      {"https://%-1:p@h", "invalid escape in the user information of the URL"},
      {"https://h\0x"s, "invalid control character or space in URL"},
      {"https://h\tx", "invalid control character or space in URL"},
      {"https://h\x7f", "invalid control character or space in URL"},
      {" https://h", "invalid control character or space in URL"},
      {"https://h ", "invalid control character or space in URL"},
      {"https://u:p q@h", "invalid control character or space in URL"},
      {"https://h/a b", "invalid control character or space in URL"},
  }));
  CAPTURE(text);
  const auto url = parse_url(text);
  REQUIRE_FALSE(url);
  CHECK(url.error().what == problem);
}

TEST_CASE("NO_PROXY is matched like in Go", "[proxy][row 97][row 98][row 99]") {
  const auto [list, host, expected] = GENERATE(table<std::string, std::string, bool>({
      {"*", "a", true},
      {"10.0.0.0/8", "10.1.2.3", true},
      {"10.0.0.0/8", "host10", false},
      {"10.0.0.0/8", "11.1.2.3", false},
      {"fd00::/8", "fd00::1", true},
      {"10.1.2.3", "10.1.2.3", true},
      {"10.1.2.3:6443", "10.1.2.3", true},
      {"10.1.2.3:1", "10.1.2.3", false},
      {"[fd00::1]:6443", "fd00::1", true},
      {"fd00::1", "fd00::1", true},
      {"example.com", "example.com", true},
      {"example.com", "a.example.com", true},
      {"example.com", "badexample.com", false},
      {".example.com", "example.com", false},
      {".example.com", "a.example.com", true},
      {"*.example.com", "a.example.com", true},
      {"*.example.com", "example.com", false},
      {"EXAMPLE.com:6443", "a.Example.COM", true},
      {"example.com:1", "example.com", false},
      {" a , b ", "b", true},
      {",,/8,x/99", "b", false},
      {".2.3", "10.1.2.3", false},  // not a domain name
      {"1.2.3", "10.1.2.3", false},
      {"", "127.8.0.1", true},
      {"", "localhost", true},
      {"", "::1", true},
      {"", "h", false},
  }));
  CAPTURE(list, host);
  CHECK(bypasses_proxy(host, 6443, list) == expected);
}

TEST_CASE("proxies are read from the environment", "[proxy][row 95][row 96][row 97]") {
  const auto server = *parse_server_url("https://api.example.com");
  const auto proxy = [&](std::map<std::string, std::string, std::less<>> variables) {
    Environment environment;
    environment.variables = std::move(variables);
    const auto found = proxy_from_environment(server, environment);
    REQUIRE(found);
    return *found ? (*found)->url.scheme + "://" + (*found)->url.authority() : "";
  };
  CHECK(proxy({{"HTTPS_PROXY", "proxy.example:3128"}}) == "http://proxy.example:3128");
  CHECK(proxy({{"https_proxy", "socks5h://p"}}) == "socks5://p");
  CHECK(proxy({{"ALL_PROXY", "http://p"}, {"HTTP_PROXY", "http://p"}}).empty());
  CHECK(proxy({{"HTTPS_PROXY", "http://p"}, {"no_proxy", "example.com"}}).empty());
  Environment broken;
  broken.variables["HTTPS_PROXY"] = "ftp://u:CANARY@p";
  const auto error = proxy_from_environment(server, broken);
  REQUIRE_FALSE(error);
  CHECK(base::to_string(error.error()) ==
        "HTTPS_PROXY: invalid proxy address: unsupported scheme \"ftp\", must be http, https, or "
        "socks5");
}

TEST_CASE("Warning headers are parsed into their texts", "[client][row 145]") {
  using Texts = std::vector<std::string>;
  CHECK(warning_texts("299 - \"old API\"") == Texts{"old API"});
  CHECK(warning_texts("299 - \"a \\\"b\\\"\" \"date\", 299 x \"c\"") == Texts{"a \"b\"", "c"});
  CHECK(warning_texts("199 - \"no\", 299 - \"yes\"") == Texts{"yes"});
  CHECK(warning_texts("299 - \"esc\x1b\"").empty());
  CHECK(warning_texts("299 - unquoted").empty());
  CHECK(warning_texts("garbage").empty());
  CHECK(warning_texts("299 - \"open").empty());
}

TEST_CASE("impersonation headers need a user and are percent-encoded", "[client][row 58][row 60]") {
  Impersonation who{"x", "7", {"a,b"}, {{"scopes/\u00e9", {"v"}}}};
  const std::vector<Header> expected{{"Impersonate-User", "x"},
                                     {"Impersonate-Uid", "7"},
                                     {"Impersonate-Group", "a,b"},
                                     {"Impersonate-Extra-scopes%2F%C3%A9", "v"}};
  CHECK(impersonation_headers(who) == expected);
  who.user.clear();
  CHECK(impersonation_headers(who).empty());
}

TEST_CASE("legacy auth providers give a token or a hint", "[auth_provider]") {
  const base::Time now{std::chrono::seconds(1000)};
  const auto token = [](int expires) {
    std::string payload = encode_base64("{\"exp\":" + std::to_string(expires) + "}");
    payload.erase(payload.find_last_not_of('=') + 1);
    return "CANARY." + payload + ".sig";
  };
  CHECK(*token_of_auth_provider({"oidc", {{"id-token", token(2000)}}}, now) == token(2000));
  const auto text = [&](const AuthProvider& provider) {
    const auto result = token_of_auth_provider(provider, now);
    REQUIRE_FALSE(result);
    CHECK(result.error().kind == base::ErrorKind::Unauthorized);
    CHECK_THAT(base::to_string(result.error()), !Contains("CANARY"));
    return base::to_string(result.error());
  };
  CHECK(text({"oidc", {{"id-token", token(1005)}}}) ==
        "auth-provider \"oidc\": the id-token has expired");
  CHECK(text({"oidc", {}}) == "auth-provider \"oidc\": has no id-token");
  CHECK(text({"gcp", {}}) ==
        "auth-provider \"gcp\": was removed from Kubernetes 1.26: use an exec plugin instead");
  CHECK(text({"x", {}}) == "auth-provider \"x\": no Auth Provider found for name \"x\"");
}

TEST_CASE("server versions are parsed from the answer of /version", "[api_documents]") {
  using model::ServerVersion;
  CHECK(parse_version(R"({"major":"1","minor":"36+","gitVersion":"v1.36.2-gke.100"})") ==
        ServerVersion{1, 36, 2, "v1.36.2-gke.100"});
  CHECK(parse_version(R"({"major":"1","minor":"9","gitVersion":"strange"})")->patch == 0);
  std::ifstream stream(std::string(DSDOCTOR_TESTDATA) + "/wire/version.json");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  CHECK(parse_version(text)->minor == 36);
  for (const char* bad : {"[]", "{}", "<html>", ""}) CHECK_FALSE(parse_version(bad));
}

TEST_CASE("names are read from a list", "[api_documents]") {
  const auto page = parse_names(
      R"({"metadata":{"continue":"t"},"items":[{"metadata":{"namespace":"n","name":"a"}},
          {"metadata":null},{},7,{"metadata":{"name":"b"}}]})");
  CHECK(page.names == std::vector<std::pair<std::string, std::string>>{{"n", "a"}, {"", "b"}});
  CHECK(page.continue_token == "t");
  for (const char* bad : {"[]", "{}", "<html>", R"({"items":{},"metadata":[]})"}) {
    CHECK(parse_names(bad).names.empty());
  }
}

}  // namespace
}  // namespace dsdoctor::kube
