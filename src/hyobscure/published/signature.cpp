#include "hyobscure/published/signature.h"

#include <sodium.h>

#include <optional>
#include <stdexcept>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"

namespace hyobscure::published {
namespace {

namespace fs = std::filesystem;

static_assert(crypto_sign_PUBLICKEYBYTES == 32 && crypto_sign_SEEDBYTES == 32 && crypto_sign_BYTES == 64);

constexpr std::string_view kSigningKeyTitle =
    "hyobscure signing key, format 1. Private: whoever has it can sign as you";
constexpr std::string_view kPublicKeyTitle = "hyobscure public key, format 1";
constexpr std::string_view kSignatureTitle = "hyobscure signature of manifest.json, format 1";
/// In front of the manifest, so that a signature made for another purpose never fits one.
constexpr std::string_view kPurpose = "hyobscure signature of manifest.json, format 1\n";

void wake_sodium() {
  if (sodium_init() < 0) throw std::runtime_error("the operating system gives no randomness");
}

template <std::size_t kBytes>
std::string hex(const std::array<unsigned char, kBytes>& bytes) {
  std::string text(2 * kBytes + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), bytes.data(), kBytes);
  text.pop_back();
  return text;
}

/// Lower-case digits only: each of our files has one spelling.
template <std::size_t kBytes>
std::optional<std::array<unsigned char, kBytes>> bytes_of(std::string_view digits) {
  std::array<unsigned char, kBytes> bytes{};
  std::size_t length = 0;
  if (digits.size() != 2 * kBytes || digits.find_first_not_of("0123456789abcdef") != digits.npos ||
      sodium_hex2bin(bytes.data(), kBytes, digits.data(), digits.size(), nullptr, &length, nullptr) != 0)
    return std::nullopt;
  return bytes;
}

/// Takes `begin` and a line break from the front of `text`, or says that they are not there.
bool take_line(std::string_view& text, std::string_view begin, std::string_view& rest) {
  if (!text.starts_with(begin)) return false;
  const auto end = text.find('\n');
  if (end == text.npos || end < begin.size()) return false;
  rest = text.substr(begin.size(), end - begin.size());
  text.remove_prefix(end + 1);
  return true;
}

/// The bytes of a file of two lines, a title and hexadecimal digits.
std::optional<std::array<unsigned char, 32>> titled_bytes(std::string_view text, std::string_view title) {
  std::string_view behind, digits;
  if (!take_line(text, title, behind) || !behind.empty() || !take_line(text, "", digits) || !text.empty())
    return std::nullopt;
  return bytes_of<32>(digits);
}

/// No key file is larger, and whatever is named by mistake need not be read to its end.
std::string read_key_file(const fs::path& file, std::string_view what) {
  require(fs::exists(file), file.string(), "there is no such file",
          "Correct the path, or make a pair of keys with `hyobscure keygen`.");
  require(fs::is_regular_file(file) && fs::file_size(file) <= Signature::kMostBytes, file.string(),
          std::string("this is not a ") + std::string(what), "Give a file that `hyobscure keygen` wrote.");
  return read_file(file);
}

void refuse_open_to_others(const fs::path& file) {
  constexpr auto kOthers = fs::perms::group_all | fs::perms::others_all;
  require((fs::status(file).permissions() & kOthers) == fs::perms::none, file.string(),
          "others than its owner may use this signing key",
          "Close it with `chmod 600`, and make a new pair of keys if somebody may have read it.");
}

std::string signed_bytes(std::string_view manifest) { return std::string(kPurpose) + std::string(manifest); }

/// What libsodium signs with: the seed and the public key behind each other.
class ExpandedKey {
 public:
  explicit ExpandedKey(const std::array<unsigned char, 32>& seed) {
    wake_sodium();
    crypto_sign_seed_keypair(public_.data(), secret_.data(), seed.data());
  }
  ~ExpandedKey() { sodium_memzero(secret_.data(), secret_.size()); }
  ExpandedKey(const ExpandedKey&) = delete;
  ExpandedKey& operator=(const ExpandedKey&) = delete;

  PublicKey public_key() const { return PublicKey(public_); }
  std::array<unsigned char, 64> sign(std::string_view message) const {
    std::array<unsigned char, 64> signature;
    crypto_sign_detached(signature.data(), nullptr, reinterpret_cast<const unsigned char*>(message.data()),
                         message.size(), secret_.data());
    return signature;
  }

 private:
  PublicKey::Bytes public_;
  std::array<unsigned char, crypto_sign_SECRETKEYBYTES> secret_;
};

}  // namespace

PublicKey PublicKey::read(const fs::path& file) {
  const std::string text = read_key_file(file, "public key");
  require(!text.starts_with(kSigningKeyTitle), file.string(),
          "this is a signing key, which checks nothing and should not leave its owner",
          "Give the file beside it that ends in .pub.");
  const auto bytes = titled_bytes(text, kPublicKeyTitle);
  require(bytes.has_value(), file.string(), "this is not a public key, or it is damaged",
          "Give a .pub file that `hyobscure keygen` wrote.");
  return PublicKey(*bytes);
}

std::string PublicKey::fingerprint() const {
  const std::string digits =
      sha256(std::string_view(reinterpret_cast<const char*>(bytes_.data()), bytes_.size()));
  std::string grouped = digits.substr(0, 4);
  for (std::size_t at = 4; at < 32; at += 4) (grouped += ' ') += digits.substr(at, 4);
  return grouped;
}

std::string PublicKey::text() const { return std::string(kPublicKeyTitle) + "\n" + hex(bytes_) + "\n"; }

Signature Signature::from_text(std::string_view text, const std::string& source) {
  std::string_view rest = text, behind, key, digits;
  const bool lines = take_line(rest, kSignatureTitle, behind) && behind.empty() &&
                     take_line(rest, "key ", key) && take_line(rest, "signature ", digits) && rest.empty();
  const auto key_bytes = bytes_of<32>(key);
  const auto bytes = bytes_of<64>(digits);
  require(lines && key_bytes && bytes, source, "this is not a signature of a release, or it is damaged",
          "Ask the publisher for the release again.");
  return {PublicKey(*key_bytes), *bytes};
}

std::string Signature::text() const {
  return std::string(kSignatureTitle) + "\nkey " + hex(signer.bytes()) + "\nsignature " + hex(bytes) + "\n";
}

bool Signature::fits(std::string_view manifest) const {
  wake_sodium();
  const std::string message = signed_bytes(manifest);
  return crypto_sign_verify_detached(bytes.data(), reinterpret_cast<const unsigned char*>(message.data()),
                                     message.size(), signer.bytes().data()) == 0;
}

SigningKey SigningKey::make() {
  wake_sodium();
  Seed seed;
  randombytes_buf(seed.data(), seed.size());
  return SigningKey(seed);
}

SigningKey SigningKey::read(const fs::path& file) {
  std::string text = read_key_file(file, "signing key");
  require(!text.starts_with(kPublicKeyTitle), file.string(),
          "this is a public key, and signing takes the private one", "Give the file without .pub.");
  refuse_open_to_others(file);
  const auto seed = titled_bytes(text, kSigningKeyTitle);
  sodium_memzero(text.data(), text.size());
  require(seed.has_value(), file.string(), "this is not a signing key, or it is damaged",
          "Give a file that `hyobscure keygen` wrote.");
  return SigningKey(*seed);
}

SigningKey::~SigningKey() { sodium_memzero(seed_.data(), seed_.size()); }

PublicKey SigningKey::public_key() const { return ExpandedKey(seed_).public_key(); }

Signature SigningKey::sign(std::string_view manifest) const {
  const ExpandedKey key(seed_);
  return {key.public_key(), key.sign(signed_bytes(manifest))};
}

void SigningKey::write_new(const fs::path& file) const {
  const fs::path beside = public_key_file(file);
  for (const fs::path& name : {file, beside})
    require(!fs::exists(fs::symlink_status(name)), name.string(),
            "exists already, and keys are never replaced", "Choose another name.");
  std::string text = std::string(kSigningKeyTitle) + "\n" + hex(seed_) + "\n";
  write_new_file(file, text, FileAccess::OwnerOnly);
  sodium_memzero(text.data(), text.size());
  try {
    write_new_file(beside, public_key().text(), FileAccess::Everyone);
  } catch (...) {
    std::error_code ignored;
    fs::remove(file, ignored);  // a key that nobody can check is of no use; nothing was signed with it
    throw;
  }
}

fs::path public_key_file(const fs::path& signing_key) { return signing_key.string() + ".pub"; }

}  // namespace hyobscure::published
