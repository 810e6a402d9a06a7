// Checks of values on the command line, with messages that a reader can use.
#pragma once

#include <string>
#include <vector>

#include "apps/taut/command_line.h"

namespace taut {

ValueCheck finite_number();
ValueCheck positive_number();                          // and finite
ValueCheck number_not_negative();                      // and finite
ValueCheck number_between(double above, double most);  // above one number and at most another
ValueCheck whole_number(long least, long most);
ValueCheck one_of(std::vector<std::string> words);
ValueCheck a_formulation();

}  // namespace taut
