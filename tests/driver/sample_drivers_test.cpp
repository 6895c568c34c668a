// SPDX-License-Identifier: Apache-2.0
// The drivers of docs/drivers that are there to be copied: each is a sliding log.
#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

#include "driver/built_drivers.hpp"
#include "run_program.hpp"

namespace ratereplay::test {
namespace {

const std::string kDocs = RATEREPLAY_SOURCE_DIR "/docs/drivers/";

void check_sliding_log(const std::string& driver) {
  CAPTURE(driver);
  const TemporaryFolder folder;
  const std::string vectors = folder.path("vectors.json");
  REQUIRE(
      run_program({"vectors", "generate", "sliding-log:5/1s", "-o", "json=" + vectors}).exit_code ==
      0);
  const ProgramRun verified = run_program({"vectors", "verify", vectors, "--driver", driver});
  CAPTURE(verified.out);
  CAPTURE(verified.err);
  CHECK(verified.exit_code == 0);
  const ProgramRun identified =
      run_program({"vectors", "identify", "--limit", "5/1s", "--driver", driver});
  CAPTURE(identified.err);
  CHECK(identified.exit_code == 0);
  CHECK(identified.out.find("\nThe limiter decides as sliding-log:5/1s\n") != std::string::npos);
  const ProgramRun replayed =
      run_program({"run", RATEREPLAY_SOURCE_DIR "/traces/shop.csv", "-p", "sliding-log:10/1s", "-p",
                   "mine=driver:" + driver, "--check", "mine agreement >= 100%"});
  CAPTURE(replayed.err);
  CHECK(replayed.exit_code == 0);
}

void check_part(const std::string& part, const std::string& driver) {
  if (!has_drivers(part)) {
    MESSAGE("skipped: scripts/install-drivers could not build ", part);
    return;
  }
  check_sliding_log(driver);
}

/// A redis-server on a port of its own; port() is 0 when it cannot be started.
class RedisServer {
 public:
  RedisServer() {
    const int port = free_port();
    process_ = fork();
    if (process_ == 0) {
      const std::string text = std::to_string(port);
      execlp("redis-server", "redis-server", "--port", text.c_str(), "--bind", "127.0.0.1",
             "--save", "", "--logfile", "/dev/null", static_cast<char*>(nullptr));
      _exit(127);
    }
    for (int i = 0; i < 500 && port_ == 0 && waitpid(process_, nullptr, WNOHANG) == 0; ++i) {
      if (connects(port)) port_ = port;
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
  }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;
  ~RedisServer() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }

  [[nodiscard]] int port() const { return port_; }

 private:
  static sockaddr_in local(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }
  static int free_port() {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = local(0);
    socklen_t size = sizeof address;
    bind(socket, reinterpret_cast<const sockaddr*>(&address), size);
    getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
    close(socket);
    return ntohs(address.sin_port);
  }
  static bool connects(int port) {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in address = local(port);
    const bool connected =
        connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    close(socket);
    return connected;
  }

  pid_t process_ = -1;
  int port_ = 0;
};

TEST_CASE("sample drivers: Python") { check_sliding_log("python3 " + kDocs + "python/limiter.py"); }

TEST_CASE("sample drivers: JavaScript and TypeScript") {
  check_part("node", "node " + kDocs + "javascript/limiter.mjs");
  check_part("node", "node " + drivers_folder() + "/node/limiter.js");
}

TEST_CASE("sample drivers: Go") { check_part("go", drivers_folder() + "/go/limiter"); }

TEST_CASE("sample drivers: Rust") {
  check_part("rust", drivers_folder() + "/rust/target/release/limiter");
}

TEST_CASE("sample drivers: a Lua script in Redis") {
  if (!has_drivers("redis")) {
    MESSAGE("skipped: there is no redis-server");
    return;
  }
  const RedisServer server;
  REQUIRE(server.port() != 0);
  check_sliding_log("REDIS_PORT=" + std::to_string(server.port()) + " python3 " + kDocs +
                    "redis/driver.py");
}

}  // namespace
}  // namespace ratereplay::test
