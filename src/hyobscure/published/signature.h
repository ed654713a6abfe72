#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

namespace hyobscure::published {

// Who published a release: an Ed25519 signature of the bytes of its manifest, which holds the hashes of all
// other files. It says nothing about whether the release is safe.

/// What others need to know whose release it is.
class PublicKey {
 public:
  using Bytes = std::array<unsigned char, 32>;

  explicit PublicKey(const Bytes& bytes) : bytes_(bytes) {}
  /// A file that `hyobscure keygen` wrote with the ending .pub. Throws InputError for anything else.
  static PublicKey read(const std::filesystem::path& file);

  /// 128 bits of the key's SHA-256 in groups of four digits: short enough to be compared by telephone.
  std::string fingerprint() const;
  /// What stands in its file.
  std::string text() const;
  const Bytes& bytes() const { return bytes_; }
  bool operator==(const PublicKey&) const = default;

 private:
  Bytes bytes_;
};

/// What stands beside the manifest: whose signature it says it is, and the signature.
struct Signature {
  static constexpr const char* kFileName = "manifest.sig";
  static constexpr std::size_t kMostBytes = 1024;  ///< of a file that can be one

  PublicKey signer;
  std::array<unsigned char, 64> bytes;

  /// Throws InputError unless the text is what text() writes, and nothing more.
  static Signature from_text(std::string_view text, const std::string& source = kFileName);
  std::string text() const;
  /// `signer` has signed exactly these bytes of a manifest.
  bool fits(std::string_view manifest) const;
};

/// Signs manifests. Whoever holds it can publish in the owner's name: its bytes are wiped with the object.
class SigningKey {
 public:
  /// New, from the operating system's randomness.
  static SigningKey make();
  /// Throws InputError for what is no signing key, and for a file that others than its owner may read.
  static SigningKey read(const std::filesystem::path& file);
  ~SigningKey();
  SigningKey(const SigningKey&) = default;
  SigningKey& operator=(const SigningKey&) = default;

  PublicKey public_key() const;
  [[nodiscard]] Signature sign(std::string_view manifest) const;
  /// Writes `file` (mode 0600) and beside it the public key. Throws InputError where one of them exists.
  void write_new(const std::filesystem::path& file) const;

 private:
  using Seed = std::array<unsigned char, 32>;
  explicit SigningKey(const Seed& seed) : seed_(seed) {}

  Seed seed_;
};

/// Of a signing key's file: where its public key is.
[[nodiscard]] std::filesystem::path public_key_file(const std::filesystem::path& signing_key);

}  // namespace hyobscure::published
