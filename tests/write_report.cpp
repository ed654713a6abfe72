// Facts on standard input, the report on standard output: what browser tests open.
#include <iostream>
#include <iterator>
#include <string>

#include "hyobscure/report/html.h"

int main() {
  const std::string facts{std::istreambuf_iterator<char>(std::cin), {}};
  std::cout << hyobscure::report::html_report(facts);
}
