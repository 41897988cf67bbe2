// SPDX-License-Identifier: Apache-2.0

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "serve/http_server.h"
#include "serve/test_http_client.h"

using namespace dsdoctor::cmd;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using Client = HttpClient;

namespace {

std::shared_ptr<const std::string> body(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

std::unique_ptr<HttpServer> served(const HttpServer::Handler& handler, HttpLimits limits = {}) {
  auto server = HttpServer::listen({"127.0.0.1", "0"}, handler, limits);
  if (!server) FAIL(dsdoctor::base::to_string(server.error()));
  return std::move(*server);
}

std::unique_ptr<HttpServer> echo(HttpLimits limits = {}) {
  return served(
      [](const std::string& path, const SendReply& send) {
        send({200, "text/plain", body("you asked " + path)});
      },
      limits);
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

TEST_CASE("a path is answered without its query", "[serve]") {
  const auto server = echo();
  const std::string reply = asked(server->address(), get("/metrics?x=1"));
  CHECK_THAT(reply, StartsWith("HTTP/1.1 200 OK\r\n") && Contains("\r\n\r\nyou asked /metrics") &&
                        Contains("Content-Length: 18\r\n") && Contains("nosniff"));
  const std::string head = asked(
      server->address(), "HEAD /metrics HTTP/1.1\r\nHost: [::1]\r\nConnection: close\r\n\r\n");
  CHECK_THAT(head, Contains("Content-Length: 18\r\n") && !Contains("you asked"));
}

TEST_CASE("a connection answers several requests", "[serve]") {
  const auto server = echo();
  Client client(server->address());
  for (const char* path : {"/a", "/b", "/c"}) {
    client.send(std::string("GET ") + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK_THAT(client.until(path), Contains(std::string("you asked ") + path));
  }
}

TEST_CASE("only GET and HEAD without a body are answered", "[serve]") {
  const auto server = echo();
  CHECK_THAT(
      asked(server->address(), "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"),
      StartsWith("HTTP/1.1 405 ") && Contains("Allow: GET, HEAD"));
  CHECK_THAT(asked(server->address(), "DELETE / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
             StartsWith("HTTP/1.1 405 "));
  CHECK_THAT(
      asked(server->address(), "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"),
      StartsWith("HTTP/1.1 413 "));
  CHECK_THAT(asked(server->address(), "\x16\x03\x01 hello\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  CHECK_THAT(
      asked(server->address(), "GET / HTTP/1.1\r\nX: " + std::string(9000, 'x') + "\r\n\r\n"),
      StartsWith("HTTP/1.1 431 "));
}

TEST_CASE("a loopback server answers for no other host", "[serve]") {
  const auto server = echo();
  for (const char* host : {"localhost", "LOCALHOST:8080", "127.0.0.1", "127.0.0.2:1", "[::1]:80"}) {
    CHECK_THAT(asked(server->address(), get("/", host)), StartsWith("HTTP/1.1 200 "));
  }
  for (const char* host : {"evil.example", "localhost.evil.example", "10.0.0.1:8080"}) {
    CHECK_THAT(asked(server->address(), get("/", host)), StartsWith("HTTP/1.1 421 "));
  }
  const auto open =
      HttpServer::listen({"0.0.0.0", "0"}, [](const auto&, const SendReply& send) { send({}); });
  REQUIRE(open);
  CHECK_THAT(asked((*open)->address(), get("/", "dsdoctor.monitoring.svc:8080")),
             StartsWith("HTTP/1.1 200 "));
}

TEST_CASE("a slow client is dropped, and others are answered meanwhile", "[serve]") {
  const auto server = echo({.request_seconds = 1, .reply_seconds = 1});
  Client slow(server->address());
  slow.send("GET / HT");
  CHECK_THAT(asked(server->address(), get("/other")), Contains("you asked /other"));
  const auto begin = std::chrono::steady_clock::now();
  CHECK(slow.rest().empty());
  CHECK(seconds_since(begin) < 5);
}

TEST_CASE("a client that never reads is dropped", "[serve]") {
  const auto large = body(std::string(50'000'000, 'x'));
  const auto server = served(
      [&](const auto&, const SendReply& send) {
        send({200, "a/b", large});
      },
      {.connections = 2, .request_seconds = 1, .reply_seconds = 1});
  Client first(server->address());
  Client second(server->address());
  for (Client* client : {&first, &second}) client->send(get("/"));
  // Both places are taken until the time is over; then others are answered.
  const auto begin = std::chrono::steady_clock::now();
  std::string reply;
  while (reply.size() < large->size() && seconds_since(begin) < 10) {
    reply = asked(server->address(), get("/"));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  CHECK(reply.size() > large->size());
  CHECK(seconds_since(begin) > 0.5);
}

TEST_CASE("more connections than allowed are refused", "[serve]") {
  const auto server = echo({.connections = 3, .request_seconds = 1});
  std::vector<std::unique_ptr<Client>> idle;
  for (int i = 0; i < 3; ++i) idle.push_back(std::make_unique<Client>(server->address()));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  CHECK(asked(server->address(), get("/")).empty());
  idle.clear();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  CHECK_THAT(asked(server->address(), get("/")), Contains("you asked /"));
}

TEST_CASE("many requests of many clients are answered", "[serve]") {
  const auto server = echo();
  std::atomic<int> good = 0;
  std::vector<std::thread> clients;
  for (int c = 0; c < 20; ++c) {
    clients.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        good += asked(server->address(), get("/m")).ends_with("you asked /m") ? 1 : 0;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  CHECK(good == 1000);
}

TEST_CASE("a reply can come later, from another thread, and only once", "[serve]") {
  std::thread later;
  auto server = served([&](const auto&, const SendReply& send) {
    later = std::thread([send] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      send({200, "text/plain", body("first")});
      send({200, "text/plain", body("second")});
    });
  });
  CHECK_THAT(asked(server->address(), get("/")), Contains("first") && !Contains("second"));
  later.join();
}

TEST_CASE("a port that is in use is an error", "[serve]") {
  const auto server = echo();
  const std::string address = server->address();
  const auto again = HttpServer::listen({"127.0.0.1", address.substr(address.rfind(':') + 1)},
                                        [](const auto&, const SendReply&) {});
  REQUIRE_FALSE(again);
  CHECK_THAT(dsdoctor::base::to_string(again.error()), Contains("cannot listen: "));
}
