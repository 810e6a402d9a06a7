// What `taut form` says about a shape that a method found.
#pragma once

#include <string>

#include "taut/answers/form/form.h"

namespace taut {

// All of it.
void print_answer(const FormAnswer& answer, const FormFiles& files);

// One line of the report.
void say(const std::string& name, const std::string& value);
std::string equilibrium_text(bool stable, const std::string& free);
// Name, status, net force. Returns whether there is more to say: it converged.
bool print_status(const FormResult& result, bool stable, const std::string& free);
void print_form(const FormResult& result);  // status to tensions
void print_move(const FormResult& result);
void print_tensions(const FormResult& result);
void print_notes(const FormResult& result);  // notes; the file comes after

}  // namespace taut
