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

bool is_called_id(const std::string& column) {
  return has_word(column,
                  {"id", "ids", "uuid", "guid", "key", "nr", "no", "number", "nummer", "code", "rownames"});
}

bool is_called_person(const std::string& column) {
  return has_word(column,
                  {"person",   "people",      "user",        "customer", "client",     "patient", "subject",
                   "member",   "respondent",  "participant", "student",  "employee",   "author",  "visitor",
                   "caseid",   "kunde",       "kunden",      "nutzer",   "teilnehmer", "persona", "cliente",
                   "paciente", "utilisateur", "usuario",     "patiente"},
                  {"userid", "personid", "patientid", "customerid", "memberid", "subjectid", "clientid"});
}

bool is_called_item(const std::string& column) {
  return has_word(column,
                  {"item", "movie",   "film",       "product",   "artist",  "song",   "track",    "book",
                   "isbn", "venue",   "place",      "location",  "article", "page",   "site",     "url",
                   "sku",  "drug",    "medication", "diagnosis", "test",    "course", "category", "game",
                   "app",  "artikel", "produkt",    "producto",  "produit"},
                  {"movieid", "itemid", "productid", "venueid", "artistid", "trackid", "bookid"});
}

bool is_called_amount(const std::string& column) {
  return has_word(column,
                  {"rating",   "ratings", "value",     "score", "stars",   "amount", "count",  "plays",
                   "quantity", "qty",     "weight",    "price", "minutes", "hours",  "visits", "result",
                   "wert",     "menge",   "bewertung", "note",  "betrag",  "valor",  "prix"});
}

bool is_called_time(const std::string& column) {
  return has_word(column, {"time", "timestamp", "date", "datetime", "day", "when", "created", "at", "datum",
                           "zeit", "fecha", "hora", "heure"});
}

int privacy_rank(const std::string& column) {
  static const std::vector<std::set<std::string>> kWords = {
      {"age", "ages", "alter", "âge", "edad", "eta", "età", "idade", "leeftijd", "wiek"},
      {"dob", "yob", "born", "birth", "birthdate", "birthday", "birthyear", "geburtsdatum", "geburtsjahr",
       "geboren", "naissance", "nacimiento", "nascita"},
      {"income", "salary", "wage", "wages", "pay", "earnings", "revenue", "wealth", "debt", "balance",
       "einkommen", "gehalt", "lohn", "salaire", "revenu", "ingresos", "salario", "sueldo"},
      {"disease", "diagnosis", "illness", "disability", "hiv", "pregnant", "bmi", "weight", "religion",
       "faith", "orientation", "party", "vote", "union", "krankheit", "glaube", "partei"},
      {"gender", "sex", "race", "ethnicity", "ethnic", "nationality", "origin", "citizenship", "geschlecht",
       "herkunft", "sexe", "sexo", "genre", "genero", "género"},
      {"education", "degree", "school", "marital", "married", "children", "occupation", "job", "profession",
       "beruf", "familienstand", "bildung"}};
  for (std::size_t rank = 0; rank < kWords.size(); ++rank)
    if (has_word(column, kWords[rank])) return static_cast<int>(rank) + 1;
  return 0;
}

}  // namespace hyobscure::data
