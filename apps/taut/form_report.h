// What `taut form` says about a shape that a method found.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "apps/taut/form_methods.h"
#include "taut/analysis/form_result.h"

namespace taut {

using Json = nlohmann::ordered_json;

// converged, reason, stable, imbalance, ..., tensions, bar_forces, rest_lengths, file.
Json form_json(const FormResult& result, const std::string& output);
void print_json(const Json& object);

// One line of the report.
void say(const std::string& name, const std::string& value);
std::string equilibrium_text(bool stable, const std::string& free);
void print_form(const FormResult& result);   // status to tensions
void print_notes(const FormResult& result);  // notes; the file comes after

// Writes the file of a shape that was found; else says why not on standard error. The exit code.
int conclude(const FormOptions& options, const FormResult& result, Scenario& scenario, TextFile& file);

// [density of a:b] names of members, values per member.
Json by_member(const Model& model, const Eigen::VectorXd& values);

}  // namespace taut
