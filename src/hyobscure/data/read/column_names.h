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
/// What tells rows or people apart.
bool is_called_id(const std::string& column);
bool is_called_person(const std::string& column);
bool is_called_item(const std::string& column);
/// A rating, a price, a number of times.
bool is_called_amount(const std::string& column);
bool is_called_time(const std::string& column);

/// How likely people keep to themselves what is called so: 1 an age, then births, money, health and belief,
/// origin, family and schooling; 0: nothing that is known.
int privacy_rank(const std::string& column);

}  // namespace hyobscure::data
