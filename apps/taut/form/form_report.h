// What `taut form` says about a shape that a method found.
#pragma once

#include <string>

#include "apps/taut/form/form_methods.h"
#include "apps/taut/json.h"
#include "taut/form/form_result.h"

namespace taut {

// converged, reason, stable, imbalance, ..., tensions, bar_forces, rest_lengths, file.
Json form_json(const FormResult& result, const std::string& output);

// One line of the report.
void say(const std::string& name, const std::string& value);
std::string equilibrium_text(bool stable, const std::string& free);
void print_form(const FormResult& result);  // status to tensions
void print_move(const FormResult& result);
void print_tensions(const FormResult& result);
void print_notes(const FormResult& result);  // notes; the file comes after

// 0 for a shape that was found; else 1, after saying why not on standard error.
int exit_code(const FormOptions& options, const FormResult& result);
// Writes the file of a shape that was found: before anything is printed, for the reader of that may leave (head -1).
void write_found(const FormResult& result, Scenario& scenario, TextFile& file);

// [density of a:b] names of members, values per member.
Json by_member(const Model& model, const Eigen::VectorXd& values);

}  // namespace taut
