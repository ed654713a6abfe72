#include "hyobscure/studio/server.h"

#include <fmt/format.h>

#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "hyobscure/base/error.h"
#include "hyobscure/base/text.h"
#include "hyobscure/studio/api.h"

namespace hyobscure::studio {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kLongestRequest = 10s, kLongestWrite = 60s, kLongestRest = 30s, kBetweenPings = 15s;
constexpr std::size_t kMostConnections = 64, kMostStreams = 8, kMostUnsent = 256;

/// The page may load from here only, nothing may frame it, and nothing of it stays behind. Charts set the
/// style of single elements.
void add_security_fields(http::fields& fields) {
  fields.set("Content-Security-Policy",
             "default-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; "
             "form-action 'none'; frame-ancestors "
             "'none'; object-src 'none'");
  fields.set("X-Content-Type-Options", "nosniff");
  fields.set("Referrer-Policy", "no-referrer");
  fields.set(http::field::cache_control, "no-store");
  fields.set("Cross-Origin-Opener-Policy", "same-origin");
  fields.set("Cross-Origin-Resource-Policy", "same-origin");
  fields.set("X-Frame-Options", "DENY");
  fields.set("Permissions-Policy", "camera=(), microphone=(), geolocation=()");
}

class Connection;

/// What the connections share. All of it belongs to the thread that talks, but for the threads' own.
struct Shared {
  explicit Shared(const ServerSettings& settings)
      : api(settings.folder, sessions, settings.resources,
            [this](const Json& job) { asio::post(talking, [this, text = job.dump()] { tell(text); }); }) {
    ::setenv("TMPDIR", api.folder().temporary().c_str(), 1);  // no job runs yet, and no request is answered
  }
  ~Shared() { answering.join(); }

  void tell(const std::string& event);

  std::set<Connection*> connections, streams;  ///< outlive `talking`, whose end is theirs
  asio::io_context talking;
  asio::thread_pool answering{1};
  std::uint16_t port = 0;
  Clock::time_point last_request = Clock::now();
  Sessions sessions;
  Api api;
};

RequestHead head_of(const http::request_header<>& header) {
  RequestHead head{.method = std::string(header.method_string()), .target = std::string(header.target())};
  for (const auto& field : header)
    head.fields.emplace_back(lower_case(std::string(field.name_string())), std::string(field.value()));
  return head;
}

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Shared& shared, tcp::socket socket)
      : shared_(shared), stream_(std::move(socket)), ping_(shared.talking) {
    shared_.connections.insert(this);
  }
  ~Connection() {
    shared_.connections.erase(this);
    shared_.streams.erase(this);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// The whole request has to come within its time, however it is cut.
  void read_request(std::chrono::seconds within) {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(kMostHeader));
    parser_->body_limit(boost::none);  // the gate looks at what is announced
    stream_.expires_after(within);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](beast::error_code error, std::size_t) {
                              if (error == http::error::header_limit)
                                self->refuse({431, "the header is too large", "Load the page again."});
                              else if (!error)
                                self->take_head();
                            });
  }

  /// An event for a page that listens.
  void push(const std::string& event) {
    if (unsent_.size() >= kMostUnsent) return close();
    unsent_.push_back(event);
    if (unsent_.size() == 1) send_event();
  }

  void close() {
    beast::error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
    stream_.close();
    ping_.cancel();
  }

 private:
  void take_head() {
    shared_.last_request = Clock::now();
    const auto verdict = pass(head_of(parser_->get()), shared_.sessions, shared_.port);
    if (const auto* refusal = std::get_if<Refusal>(&verdict)) return refuse(*refusal);
    passage_ = std::get<Passage>(verdict);
    if (passage_.rule->route == Route::Events) return start_events();
    parser_->body_limit(passage_.rule->most_body);
    stream_.expires_after(kLongestRequest);
    http::async_read(
        stream_, buffer_, *parser_, [self = shared_from_this()](beast::error_code error, std::size_t) {
          if (error == http::error::body_limit)
            self->refuse({413, "the body is too large", "A spec of the studio has at most 1 MB."});
          else if (!error)
            self->answer();
        });
  }

  void answer() {
    stream_.expires_never();
    asio::post(shared_.answering, [self = shared_from_this()]() mutable {
      Reply reply = self->shared_.api.answer(self->passage_, self->parser_->get().body());
      Shared& shared = self->shared_;
      asio::post(shared.talking, [self = std::move(self), reply = std::move(reply)] {
        self->write(reply, self->parser_->get().keep_alive());
      });
    });
  }

  /// The rest of what was sent is not read: the connection ends.
  void refuse(const Refusal& refusal) { write(refusal_reply(refusal), false); }

  template <class Body>
  void send(std::shared_ptr<http::response<Body>> response) {
    response->set(http::field::server, "hyobscure");
    add_security_fields(*response);
    response->prepare_payload();
    stream_.expires_after(kLongestWrite);
    http::async_write(stream_, *response,
                      [self = shared_from_this(), response](beast::error_code error, std::size_t) {
                        if (error || !response->keep_alive()) return self->close();
                        self->read_request(kLongestRest);
                      });
  }

  void write(const Reply& reply, bool keep_alive) {
    if (reply.file) return write_file_reply(reply, keep_alive);
    auto response = std::make_shared<http::response<http::string_body>>(
        static_cast<http::status>(reply.status), 11, reply.body);
    response->set(http::field::content_type, reply.type);
    response->keep_alive(keep_alive);
    send(std::move(response));
  }

  void write_file_reply(const Reply& reply, bool keep_alive) {
    auto response = std::make_shared<http::response<http::file_body>>(http::status::ok, 11);
    beast::error_code error;
    response->body().open(reply.file->c_str(), beast::file_mode::scan, error);
    if (error) return refuse({404, "the file cannot be read", "Look into the folder."});
    response->set(http::field::content_type, reply.type);
    response->set(http::field::content_disposition, "attachment");
    response->keep_alive(keep_alive);
    send(std::move(response));
  }

  // --- events

  void start_events() {
    if (shared_.streams.size() >= kMostStreams)
      return refuse({503, "too many tabs are open", "Close some of them."});
    auto response = std::make_shared<http::response<http::empty_body>>(http::status::ok, 11);
    response->set(http::field::server, "hyobscure");
    response->set(http::field::content_type, "text/event-stream");
    add_security_fields(*response);
    response->keep_alive(false);
    auto serializer = std::make_shared<http::response_serializer<http::empty_body>>(*response);
    stream_.expires_after(kLongestWrite);
    http::async_write_header(
        stream_, *serializer,
        [self = shared_from_this(), response, serializer](beast::error_code error, std::size_t) {
          if (error) return;
          self->shared_.streams.insert(self.get());
          self->ping();
        });
  }

  void ping() {
    push("");
    ping_.expires_after(kBetweenPings);
    ping_.async_wait([self = shared_from_this()](beast::error_code error) {
      if (!error) self->ping();
    });
  }

  /// An empty one is a comment, which shows whether the page is still there.
  void send_event() {
    sending_ = unsent_.front().empty() ? ": here\n\n" : fmt::format("data: {}\n\n", unsent_.front());
    stream_.expires_after(kLongestWrite);
    asio::async_write(stream_, asio::buffer(sending_),
                      [self = shared_from_this()](beast::error_code error, std::size_t) {
                        if (error) return self->close();
                        self->unsent_.pop_front();
                        if (self->unsent_.empty())
                          self->stream_.expires_never();
                        else
                          self->send_event();
                      });
  }

  Shared& shared_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{kMostHeader + (2 << 20)};
  std::optional<http::request_parser<http::string_body>> parser_;
  Passage passage_;
  asio::steady_timer ping_;
  std::deque<std::string> unsent_;
  std::string sending_;
};

void Shared::tell(const std::string& event) {
  for (Connection* stream : std::set<Connection*>(streams)) stream->push(event);
}

/// Accepts, watches the clock, and ends.
class Server {
 public:
  Server(const ServerSettings& settings, const Progress& progress)
      : settings_(settings),
        progress_(progress),
        shared_(settings),
        acceptor_(shared_.talking),
        watch_(shared_.talking),
        later_(shared_.talking) {
    const tcp::endpoint here(asio::ip::address_v4::loopback(), settings.port);
    beast::error_code error;
    acceptor_.open(here.protocol());
    acceptor_.set_option(asio::socket_base::reuse_address(true));
    acceptor_.bind(here, error);
    if (error)
      throw InputError({.source = fmt::format("port {}", settings.port)}, "another program has it",
                       "Take another one, or none: the system then finds one that is free.");
    acceptor_.listen();
    shared_.port = acceptor_.local_endpoint().port();
    shared_.api.tell_address(address());
  }

  std::string address() const { return fmt::format("http://127.0.0.1:{}/", shared_.port); }
  std::string link() { return address() + "#" + shared_.sessions.new_link(); }

  void run() {
    accept();
    watch();
    shared_.talking.run();
  }

 private:
  void accept() {
    acceptor_.async_accept([this](beast::error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) return accept_later();  // too many open files, for a moment
      if (shared_.connections.size() < kMostConnections)
        std::make_shared<Connection>(shared_, std::move(socket))->read_request(kLongestRequest);
      accept();
    });
  }

  void accept_later() {
    later_.expires_after(100ms);
    later_.async_wait([this](beast::error_code) { accept(); });
  }

  bool is_idle() const {
    return settings_.idle_minutes > 0 && shared_.streams.empty() && shared_.api.jobs().is_idle() &&
           Clock::now() - shared_.last_request >
               std::chrono::duration<double, std::ratio<60>>(settings_.idle_minutes);
  }

  void watch() {
    watch_.expires_after(200ms);
    watch_.async_wait([this](beast::error_code) {
      if (!progress_.stop_requested() && !is_idle()) return watch();
      acceptor_.close();
      for (Connection* connection : std::set<Connection*>(shared_.connections)) connection->close();
      shared_.talking.stop();
    });
  }

  const ServerSettings& settings_;
  const Progress& progress_;
  Shared shared_;
  tcp::acceptor acceptor_;
  asio::steady_timer watch_, later_;
};

}  // namespace

void serve(const ServerSettings& settings, const Progress& progress,
           const std::function<void(const std::string& link)>& ready) {
  Server server(settings, progress);
  ready(server.link());
  server.run();
}

}  // namespace hyobscure::studio
