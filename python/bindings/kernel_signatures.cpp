// Signatures of releases whose files are wherever Spark keeps its own: texts in, texts out.

#include "bind.h"
#include "hyobscure/published/signature.h"
#include "hyobscure/verify/verify_signature.h"
#include "kernels.h"

namespace hyobscure::python {
namespace {

using Finding = std::tuple<std::string, bool, std::string, bool, std::string>;  // as Check of spark/verify.py

std::optional<Finding> checked_signature(const std::string& manifest,
                                         const std::optional<std::string>& signature,
                                         const std::optional<std::string>& signed_by) {
  std::optional<published::PublicKey> key;
  if (signed_by) key = published::PublicKey::read(*signed_by);
  const auto check = verify::check_signature(manifest, signature, key);
  if (!check) return std::nullopt;
  return Finding(check->name, check->passed, check->detail, check->warning, std::string(check->key));
}

}  // namespace

void bind_signature_kernels(nb::module_& module) {
  nb::class_<published::SigningKey>(module, "SigningKey", "A key of `hyobscure keygen`, to sign with.")
      .def_static(
          "read", [](const std::string& file) { return published::SigningKey::read(file); }, nb::arg("file"))
      .def(
          "sign",
          [](const published::SigningKey& key, const std::string& manifest) {
            return key.sign(manifest).text();
          },
          nb::arg("manifest"), "The text of the file beside the manifest.");
  module.def(
      "check_signature", checked_signature, nb::arg("manifest"), nb::arg("signature").none(),
      nb::arg("signed_by").none(),
      "(name, passed, detail, warning, key) of what there is to say, or None; `signed_by`: the file of a "
      "public key.");
  module.attr("SIGNATURE_FILE") = published::Signature::kFileName;
}

}  // namespace hyobscure::python
