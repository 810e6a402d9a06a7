#include "taut/answers/form/form.h"

#include "taut/answers/form/methods.h"
#include "taut/base/error.h"
#include "taut/base/stop.h"

namespace taut {
namespace {

void require(const FormSettings& settings) {
  require(rules::positive(), static_cast<double>(settings.steps), "--steps");
  require(rules::positive(), settings.tolerance, "--tolerance");
  require(rules::not_negative(), settings.reach, "--reach");
  require(rules::not_negative(), settings.least_tension, "--least-tension");
  require(rules::not_negative(), settings.mean_length, "--mean-length");
  require(rules::not_negative(), settings.pretension, "--pretension");
  require(rules::finite(), settings.to, "--to");
}

RelaxResult relaxed(const Model& model, const FormSettings& settings) {
  RelaxOptions how;
  how.steps = settings.steps;
  how.tolerance = settings.tolerance;
  how.progress = settings.relaxing;
  how.stop = stop_flag();
  return relax(model, how);
}

FormAnswer found_by_method(const Model& model, const FormSettings& settings) {
  switch (settings.method) {
    case FormMethod::relax:
      return {relaxed(model, settings)};
    case FormMethod::force_density:
      return {form_by_densities(model, settings)};
    case FormMethod::newton:
      if (settings.path) return {form_by_path(model, settings)};
      return {form_by_newton(model, settings.tolerance)};
    case FormMethod::prestress:
      return {form_by_prestress(model, settings)};
    case FormMethod::optimise:
      break;
  }
  return {form_by_lengths(model, settings)};
}

}  // namespace

const Words& method_words() {
  static const Words words = {"relax", "force_density", "newton", "prestress", "optimise"};
  return words;
}

const Words& grouping_words() {
  static const Words words = {"connections", "lengths", "none"};
  return words;
}

const Words& path_words() {
  static const Words words = {"loads", "weight", "rest_lengths"};
  return words;
}

const Words& branch_words() {
  static const Words words = {"along", "against"};
  return words;
}

const FormResult& FormAnswer::result() const {
  return std::visit([](const FormResult& result) -> const FormResult& { return result; }, found);
}

FormAnswer answer_form(const Scenario& scenario, const FormSettings& settings) {
  require(settings);
  FormAnswer answer = found_by_method(scenario.model, settings);
  stop_if_asked();
  return answer;
}

Scenario formed(const Scenario& scenario, const FormAnswer& answer) {
  Scenario stands = scenario;
  stands.model = answer.result().model;
  return stands;
}

}  // namespace taut
