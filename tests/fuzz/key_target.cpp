#include "hyobscure/base/files.h"
#include "hyobscure/published/signature.h"
#include "made.h"
#include "packed_files.h"
#include "target.h"

namespace hyobscure::fuzz {
namespace {

namespace fs = std::filesystem;
using published::PublicKey;
using published::Signature;
using published::SigningKey;

/// The key of RFC 8032, 7.1, test 1: nobody's secret.
constexpr const char* kKnownKey =
    "hyobscure signing key, format 1. Private: whoever has it can sign as you\n"
    "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60\n";

fs::path private_file(std::string_view bytes) {
  const fs::path file = empty_folder() / "key";
  write_all(file.parent_path(), {{"key", std::string(bytes)}});
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  return file;
}

std::vector<std::string> key_seeds() {
  const SigningKey key = SigningKey::read(private_file(kKnownKey));
  return {kKnownKey, key.public_key().text(), key.sign("a manifest").text()};
}

/// Bytes that are read at all are those that would be written.
template <class Read>
bool is_read(Read&& read, std::string_view bytes) {
  return is_answered([&] {
    if (read() != bytes) throw std::logic_error("a key or signature has a second spelling");
  });
}

std::string read_and_written(const fs::path& file) {
  const SigningKey key = SigningKey::read(file);
  if (!key.sign("a manifest").fits("a manifest")) throw std::logic_error("its own signature does not fit");
  const fs::path again = file.parent_path() / "again";
  key.write_new(again);
  return read_file(again);
}

void take_key(std::string_view bytes) {
  const fs::path file = private_file(bytes);
  bool taken = is_read([&] { return PublicKey::read(file).text(); }, bytes);
  taken |= is_read([&] { return Signature::from_text(bytes).text(); }, bytes);
  taken |= is_read([&] { return read_and_written(file); }, bytes);
  refuse_unless(taken);
}

}  // namespace

Target key_target() { return {"key", key_seeds, take_key, 2000}; }

}  // namespace hyobscure::fuzz
