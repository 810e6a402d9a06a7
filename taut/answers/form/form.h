// The equilibrium of a model, by one of five methods, and paths of equilibria. What `taut form` answers.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "taut/answers/json.h"
#include "taut/answers/rules.h"
#include "taut/form/force_density.h"
#include "taut/form/optimise.h"
#include "taut/form/path/path.h"
#include "taut/form/prestress/prestress.h"
#include "taut/form/relax.h"
#include "taut/model/scenario.h"
#include "taut/statics/buckling.h"

namespace taut {

enum class FormMethod { relax, force_density, newton, prestress, optimise };
enum class Grouping { connections, lengths, none };

const Words& method_words();    // of FormMethod, in its order
const Words& grouping_words();  // of Grouping
const Words& path_words();      // of PathKind
const Words& branch_words();    // along, against the motion that becomes free

// A number for the members that a text selects (form/select.h).
struct MembersNumber {
  std::string members;
  double number = 0.0;  // NaN: `typed` holds none
  std::string typed;    // as errors quote it, "cables=10"
};

struct FormSettings {
  FormMethod method = FormMethod::relax;
  long steps = RelaxOptions{}.steps;            // of relaxation, at most; other than this: points of a path
  double tolerance = RelaxOptions{}.tolerance;  // largest net node force over mean member force
  double reach = 0.0;                           // m, of prestress; 0: the method's own
  double least_tension = 0.0;                   // N, of prestress

  // force_density, optimise
  std::vector<MembersNumber> density, length;          // N/m; m
  std::vector<std::string> group, maximise, minimise;  // members
  Grouping groups = Grouping::connections;             // of members that `group` leaves
  double mean_length = 0.0;                            // m; 0: the start's
  double pretension = 0.0;                             // N, mean over the cables; 0: the start's

  // newton
  std::optional<PathKind> path;
  double to = 1.0;                         // the end of the path
  bool arc_length = false;                 // through limit points and bifurcations
  int branch = 0;                          // 1: along, -1: against, at the first bifurcation
  std::vector<MembersNumber> rest_length;  // m, at the end of the way
  std::string nodes = "*";                 // of the path's table

  std::function<void(long steps, double residual)> relaxing = {};  // progress; may be empty
  std::function<void(long points, double p)> following = {};
};

// Throws InputError that names each option ("--density") that belongs to other methods than the one that was chosen.
void refuse_options_of_others(FormMethod method, bool with_path, const std::vector<std::string>& given);

// A path, with the balance at its last point.
struct PathAnswer : FormResult {
  PathResult path;
  PathKind kind = PathKind::loads;
  double to = 1.0;
  std::vector<int> nodes;  // of the table
};

// What is said about a prestressed equilibrium that was found.
struct Judgement {
  std::vector<double> frequencies;  // Hz, ascending, without rigid motions
  int rigid_motions = 0;
  bool stable = false;
  std::string free;  // what moves without anything that resists
  Buckling buckling;
};

struct PrestressAnswer : PrestressResult {
  Judgement judgement;
};

// By method; newton: FormResult, or with a path PathAnswer.
struct FormAnswer {
  std::variant<RelaxResult, ForceDensityResult, FormResult, PathAnswer, PrestressAnswer, OptimiseResult> found;

  const FormResult& result() const;  // common to all: converged, reason, model, ...
};

// Throws InputError: an option out of range, members that there are not, a model that the method does not take; Stopped.
FormAnswer answer_form(const Scenario& scenario, const FormSettings& settings);

// The scenario in the equilibrium that was found.
Scenario formed(const Scenario& scenario, const FormAnswer& answer);

// Where results were written; empty: nowhere.
struct FormFiles {
  std::string model, table;
};
// converged, reason, stable, imbalance, ..., tensions, bar_forces, rest_lengths, file
Json json_of(const FormAnswer& answer, const FormFiles& files = {});

}  // namespace taut
