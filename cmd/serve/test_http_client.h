// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <cstdint>
#include <string>

namespace dsdoctor::cmd {

/// A client's socket.
class HttpClient {
 public:
  /// `address`: "127.0.0.1:8080"
  explicit HttpClient(const std::string& address) {
    const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
    socket_.connect({boost::asio::ip::make_address("127.0.0.1"), port});
  }
  void send(const std::string& bytes) {
    boost::system::error_code ignored;
    boost::asio::write(socket_, boost::asio::buffer(bytes), ignored);
  }
  /// All bytes until the server closes the connection.
  std::string rest() {
    std::string text;
    boost::system::error_code ended;
    boost::asio::read(socket_, boost::asio::dynamic_buffer(text), ended);
    return text;
  }
  /// The bytes up to the end of the body, which is `end`.
  std::string until(const std::string& end) {
    std::string text;
    boost::system::error_code failure;
    while (text.find(end) == text.npos && !failure) {
      std::array<char, 512> some{};
      text.append(some.data(), socket_.read_some(boost::asio::buffer(some), failure));
    }
    return text;
  }

 private:
  boost::asio::io_context io_;
  boost::asio::ip::tcp::socket socket_{io_};
};

/// The answer to a request, up to the end of the connection.
inline std::string asked(const std::string& address, const std::string& request) {
  HttpClient client(address);
  client.send(request);
  return client.rest();
}

inline std::string get(const std::string& path, const std::string& host = "localhost:1") {
  return "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
}

}  // namespace dsdoctor::cmd
