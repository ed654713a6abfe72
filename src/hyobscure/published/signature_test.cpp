#include "hyobscure/published/signature.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/test_folder.h"

namespace hyobscure::published {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kManifest = "{\"kind\": \"hyobscure release\"}\n";

class Signatures : public testing::Test {
 protected:
  Signatures() { key_.write_new(folder_ / "key"); }

  std::string refusal(const std::function<void()>& work) const {
    try {
      work();
    } catch (const InputError& error) {
      // The secret digits are the second line of the key's file.
      const std::string text = read_file(folder_ / "key");
      EXPECT_THAT(error.what(), Not(HasSubstr(text.substr(text.find('\n') + 1, 64))));
      return error.what();
    }
    return "accepted";
  }
  std::string refused_key(const fs::path& file) const {
    return refusal([&] { (void)SigningKey::read(file); });
  }
  std::string refused_public_key(const fs::path& file) const {
    return refusal([&] { (void)PublicKey::read(file); });
  }
  std::string refused_signature(const std::string& text) const {
    return refusal([&] { (void)Signature::from_text(text); });
  }

  TestFolder folder_;
  SigningKey key_ = SigningKey::make();
};

TEST_F(Signatures, FitTheManifestThatWasSignedAndNoOther) {
  const Signature signature = key_.sign(kManifest);
  EXPECT_TRUE(signature.fits(kManifest));
  for (std::size_t at = 0; at < kManifest.size(); ++at) {
    std::string changed(kManifest);
    changed[at] ^= 1;
    EXPECT_FALSE(signature.fits(changed)) << at;
  }
  EXPECT_FALSE(signature.fits(std::string(kManifest) + " "));
  EXPECT_FALSE(signature.fits(kManifest.substr(1)));
  EXPECT_FALSE(signature.fits(""));
}

TEST_F(Signatures, EveryBitCounts) {
  const Signature signature = key_.sign(kManifest);
  for (std::size_t bit = 0; bit < 8 * signature.bytes.size(); ++bit) {
    Signature changed = signature;
    changed.bytes[bit / 8] ^= static_cast<unsigned char>(1 << bit % 8);
    EXPECT_FALSE(changed.fits(kManifest)) << bit;
  }
}

TEST_F(Signatures, OfAnotherKeyDoNotPassAsThisOnes) {
  Signature forged = SigningKey::make().sign(kManifest);
  EXPECT_TRUE(forged.fits(kManifest));
  EXPECT_NE(forged.signer, key_.public_key());
  forged.signer = key_.public_key();
  EXPECT_FALSE(forged.fits(kManifest));
}

// RFC 8032, 7.1, test 1: the seed, and the public key that belongs to it.
TEST_F(Signatures, KeysAreThoseOfTheStandard) {
  std::string text = read_file(folder_ / "key");
  text.replace(text.find('\n') + 1, 64, "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60");
  write_file(folder_ / "standard", text, FileAccess::OwnerOnly);
  EXPECT_THAT(SigningKey::read(folder_ / "standard").public_key().text(),
              HasSubstr("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"));
}

TEST_F(Signatures, SurviveTheirFiles) {
  EXPECT_EQ(SigningKey::read(folder_ / "key").public_key(), key_.public_key());
  EXPECT_EQ(PublicKey::read(folder_ / "key.pub"), key_.public_key());
  const Signature signature = key_.sign(kManifest), again = Signature::from_text(signature.text());
  EXPECT_EQ(again.signer, key_.public_key());
  EXPECT_EQ(again.bytes, signature.bytes);
  EXPECT_EQ(key_.sign(kManifest).text(), signature.text()) << "the same release, the same bytes";
}

TEST_F(Signatures, FilesAreWrittenInOneWayOnly) {
  const std::string text = key_.sign(kManifest).text();
  std::string upper = text;
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
  for (const std::string& other :
       {std::string(), text.substr(0, text.size() - 1), text + "\n", text + "note: hello\n", " " + text,
        upper, text.substr(text.find("signature ")), std::string(text).insert(text.find("key ") + 4, "0"),
        std::string(text).replace(text.find("format 1"), 8, "format 2"), std::string(200, '\0')})
    EXPECT_THAT(refused_signature(other), HasSubstr("not a signature of a release, or it is damaged"))
        << other;
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_THAT(refused_signature(text.substr(0, length)), HasSubstr("damaged")) << length;
}

TEST_F(Signatures, AKeyIsForItsOwnerOnlyAndIsNeverReplaced) {
  EXPECT_EQ(fs::status(folder_ / "key").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  const std::string before = read_file(folder_ / "key");
  const auto write = [&](const std::string& name) {
    return refusal([&] { SigningKey::make().write_new(folder_ / name); });
  };
  EXPECT_THAT(write("key"), HasSubstr("keys are never replaced"));
  EXPECT_EQ(read_file(folder_ / "key"), before);
  folder_.write("other.pub", "somebody's");
  EXPECT_THAT(write("other"), HasSubstr("keys are never replaced"));
  EXPECT_FALSE(fs::exists(folder_ / "other"));
  fs::create_symlink(folder_ / "nowhere", folder_ / "link");
  EXPECT_THAT(write("link"), HasSubstr("keys are never replaced"));
  EXPECT_THAT(write("no folder/key"), HasSubstr("cannot be written"));
}

TEST_F(Signatures, AKeyThatOthersMayUseIsRefused) {
  for (const fs::perms other : {fs::perms::group_read, fs::perms::group_write, fs::perms::others_read}) {
    fs::permissions(folder_ / "key", other, fs::perm_options::add);
    EXPECT_THAT(refused_key(folder_ / "key"),
                AllOf(HasSubstr("others than its owner"), HasSubstr("chmod 600")));
    fs::permissions(folder_ / "key", other, fs::perm_options::remove);
  }
  EXPECT_EQ(refused_key(folder_ / "key"), "accepted");
}

TEST_F(Signatures, TheWrongFileIsNamedAsWhatItIs) {
  EXPECT_THAT(refused_key(folder_ / "key.pub"), HasSubstr("this is a public key"));
  EXPECT_THAT(refused_public_key(folder_ / "key"), HasSubstr("this is a signing key"));
  EXPECT_THAT(refused_key(folder_ / "none"), HasSubstr("no such file"));
  EXPECT_THAT(refused_key(folder_.path()), HasSubstr("not a signing key"));
  EXPECT_THAT(refused_public_key("/dev/zero"), HasSubstr("not a public key"));
  EXPECT_THAT(refused_public_key(folder_.write("large", std::string(2000, 'a'))),
              HasSubstr("not a public key"));
}

TEST_F(Signatures, ADamagedKeyIsRefusedWithoutQuotingIt) {
  const std::string text = read_file(folder_ / "key");
  for (const std::string& damaged : {text.substr(0, text.size() - 2), text + "0", text.substr(0, 40),
                                     std::string(text).replace(text.size() - 2, 1, "g")}) {
    write_file(folder_ / "damaged", damaged, FileAccess::OwnerOnly);
    EXPECT_THAT(refused_key(folder_ / "damaged"), HasSubstr("not a signing key, or it is damaged"));
  }
}

TEST_F(Signatures, AFingerprintIsOfTheKey) {
  const std::string fingerprint = key_.public_key().fingerprint();
  EXPECT_THAT(fingerprint, testing::MatchesRegex("([0-9a-f]{4} ){7}[0-9a-f]{4}"));
  EXPECT_NE(fingerprint, SigningKey::make().public_key().fingerprint());
}

}  // namespace
}  // namespace hyobscure::published
