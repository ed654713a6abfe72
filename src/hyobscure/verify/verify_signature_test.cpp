#include "hyobscure/verify/verify_signature.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "hyobscure/release/test_release.h"
#include "hyobscure/verify/test_verify.h"

namespace hyobscure::verify {
namespace {

namespace fs = std::filesystem;
using published::Signature;
using published::SigningKey;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kSignedByKey = "the manifest is signed by the key that was asked for";
constexpr const char* kSignatureFits = "the signature fits the manifest";

class VerifySignature : public VerifyTest<release::ReleaseTest> {
 protected:
  VerifySignature() {
    (void)publish_to("out", long_spec());
    sign_with(key_);
  }

  void sign_with(const SigningKey& key) const {
    folder_.write("out/manifest.sig", key.sign(content("out/manifest.json")).text());
  }

  Verification checked(const std::optional<published::PublicKey>& signed_by = {}) const {
    Verification found = alone();
    add_signature(found, folder_ / "out", signed_by);
    return found;
  }
  std::string why(const Verification& found) const { return found.checks.back().detail; }

  SigningKey key_ = SigningKey::make();
};

TEST_F(VerifySignature, PassesForTheKeyThatWasAskedFor) {
  const Verification found = checked(key_.public_key());
  EXPECT_THAT(failed(found), IsEmpty());
  EXPECT_THAT(find(found, kSignedByKey).detail, HasSubstr(key_.public_key().fingerprint()));
}

TEST_F(VerifySignature, UnaskedForIsSaidToBeUnchecked) {
  const Verification found = checked();
  EXPECT_THAT(failed(found), IsEmpty());
  const Check& signer = find(found, "the signer is known");
  EXPECT_FALSE(signer.passed);
  EXPECT_TRUE(signer.warning);
  EXPECT_THAT(signer.detail, HasSubstr(key_.public_key().fingerprint()));
}

TEST_F(VerifySignature, NothingIsSaidOfAReleaseThatNeedNotBeSigned) {
  fs::remove(folder_ / "out" / "manifest.sig");
  EXPECT_EQ(checked().checks.size(), alone().checks.size());
}

TEST_F(VerifySignature, FailsWhereThereIsNone) {
  fs::remove(folder_ / "out" / "manifest.sig");
  const Verification found = checked(key_.public_key());
  EXPECT_THAT(failed(found), ElementsAre(kSignedByKey));
  EXPECT_EQ(why(found), "there is no manifest.sig");
}

TEST_F(VerifySignature, FailsForAnotherKey) {
  const SigningKey other = SigningKey::make();
  sign_with(other);
  const Verification found = checked(key_.public_key());
  EXPECT_THAT(failed(found), ElementsAre(kSignedByKey));
  EXPECT_THAT(why(found), HasSubstr("another key, of fingerprint " + other.public_key().fingerprint()));
}

TEST_F(VerifySignature, FailsForAForgedSigner) {
  Signature forged = SigningKey::make().sign(content("out/manifest.json"));
  forged.signer = key_.public_key();
  folder_.write("out/manifest.sig", forged.text());
  EXPECT_THAT(failed(checked(key_.public_key())), ElementsAre(kSignedByKey));
  EXPECT_THAT(failed(checked()), ElementsAre(kSignatureFits));
}

TEST_F(VerifySignature, FailsForTheSignatureOfAnotherManifest) {
  const std::string signature = content("out/manifest.sig");
  reseal([](published::Manifest& manifest) { manifest.objective = "another"; });  // all of it fits but this
  EXPECT_THAT(failed(alone()), IsEmpty());
  EXPECT_THAT(failed(checked(key_.public_key())), ElementsAre(kSignedByKey));
  EXPECT_THAT(failed(checked()), ElementsAre(kSignatureFits));
}

TEST_F(VerifySignature, FailsForAnEditedFileAsEver) {
  edit("people.csv", "20-25", "26-31");
  EXPECT_THAT(failed(checked(key_.public_key())), testing::Contains("the files are as they were written"));
}

TEST_F(VerifySignature, AFileThatIsNoSignatureHasNoPlaceInARelease) {
  const std::string signature = content("out/manifest.sig");
  for (const std::string& text : {std::string("ages: 31 42 24"), signature + "ages: 31 42 24\n",
                                  signature.substr(0, 90), std::string()}) {
    folder_.write("out/manifest.sig", text);
    EXPECT_THAT(failed(checked()), ElementsAre(kSignatureFits));
    EXPECT_THAT(failed(checked(key_.public_key())), ElementsAre(kSignedByKey));
  }
}

TEST_F(VerifySignature, WhatIsNoRegularFileIsNotOpened) {
  const fs::path file = folder_ / "out" / "manifest.sig", elsewhere = folder_ / "elsewhere";
  fs::rename(file, elsewhere);
  fs::create_symlink(elsewhere, file);
  EXPECT_THAT(failed(checked(key_.public_key())), ElementsAre(kSignedByKey));
  fs::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);  // opening it would wait for a writer for ever
  EXPECT_THAT(failed(checked(key_.public_key())), ElementsAre(kSignedByKey));
}

TEST_F(VerifySignature, PublishSignsWhatItWrites) {
  data::Engine engine({.folder = folder_.path()}, {});
  const data::Spec spec = long_spec();
  const data::Reading reading = read(engine, spec);
  const auto result = release::publish(engine, spec, reading,
                                       mechanism_for(reading.people, data::word(spec.channel.distance)),
                                       {.output = folder_ / "signed", .sign = key_});
  EXPECT_EQ(result.signer, key_.public_key());
  EXPECT_EQ(content("signed/manifest.sig"), key_.sign(content("signed/manifest.json")).text());
  EXPECT_EQ(content("signed/manifest.json"), content("out/manifest.json"))
      << "a signature changes nothing else";
}

}  // namespace
}  // namespace hyobscure::verify
