#include "hyobscure/data/read/column_names.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "hyobscure/base/text.h"

namespace hyobscure::data {
namespace {

/// "firstName" -> first, name
std::vector<std::string> words_of(const std::string& column) {
  std::vector<std::string> words(1);
  bool after_small = false;
  for (const char letter : column) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool capital = std::isupper(byte) != 0;
    if ((capital && after_small) || (byte < 0x80 && std::isalnum(byte) == 0)) words.emplace_back();
    if (byte >= 0x80 || std::isalnum(byte) != 0) words.back() += letter;  // letters beyond ASCII stay
    after_small = std::islower(byte) != 0;
  }
  std::erase(words, "");
  for (std::string& word : words) word = lower_case(word);
  return words;
}

bool has_word(const std::string& column, const std::set<std::string>& known,
              const std::vector<std::string>& beginnings = {}) {
  return std::ranges::any_of(words_of(column), [&](const std::string& word) {
    return known.contains(word) || std::ranges::any_of(beginnings, [&](const std::string& beginning) {
             return word.starts_with(beginning);
           });
  });
}

}  // namespace

bool is_called_name_of_person(const std::string& column) {
  static const std::set<std::string> kNames = {
      "name",       "names",        "fullname",  "firstname",  "forename",       "givenname",
      "middlename", "lastname",     "surname",   "familyname", "maidenname",     "nickname",
      "username",   "personname",   "vorname",   "nachname",   "familienname",   "geburtsname",
      "vollername", "nom",          "prenom",    "prénom",     "nomdefamille",   "nomcomplet",
      "nombre",     "nombres",      "apellido",  "apellidos",  "nombrecompleto", "nome",
      "cognome",    "nomecompleto", "sobrenome", "apelido",    "naam",           "voornaam",
      "achternaam", "imie",         "imię",      "nazwisko"};
  std::string joined;
  for (const std::string& word : words_of(column)) joined += word;
  return kNames.contains(joined);
}

bool is_called_birth(const std::string& column) {
  return has_word(column,
                  {"dob", "yob", "born", "naissance", "nacimiento", "nascita", "nascimento", "urodzenia"},
                  {"birth", "geburt", "geboren", "geboorte"});
}

bool is_called_phone(const std::string& column) {
  return has_word(column,
                  {"tel", "telephone", "téléphone", "mobile", "fax", "handy", "handynummer", "celular"},
                  {"phone", "telefon", "teléfono", "telefoon", "móvil", "movil"});
}

bool is_called_address(const std::string& column) {
  return has_word(column,
                  {"zip", "plz", "postal", "cap", "cep", "ssn", "passport", "iban", "address", "street",
                   "adresse", "strasse", "straße", "adres", "ulica", "rue", "calle", "indirizzo", "endereço"},
                  {"postcode", "postalcode", "zipcode", "postleitzahl", "codepostal"});
}

bool is_called_age(const std::string& column) {
  return has_word(column, {"age", "ages", "alter", "âge", "edad", "eta", "età", "idade", "leeftijd", "wiek"});
}

}  // namespace hyobscure::data
