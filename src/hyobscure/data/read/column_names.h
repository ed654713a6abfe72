#pragma once

#include <string>

namespace hyobscure::data {

// What a column holds by what it is called, in English, German, French, Spanish, Italian, Portuguese, Dutch
// and Polish. "firstName", "First name" and "first_name" are one name.

bool is_called_name_of_person(const std::string& column);
bool is_called_birth(const std::string& column);
bool is_called_phone(const std::string& column);
/// Where somebody lives, to the street or the postcode, or the number of a document.
bool is_called_address(const std::string& column);
bool is_called_age(const std::string& column);

}  // namespace hyobscure::data
