#include "taut/run/trust.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "taut/base/text/text.h"
#include "taut/forces/bar_watch.h"
#include "taut/formulation/driven_length.h"
#include "taut/model/laws/bar_law.h"

namespace taut {

namespace {

// How far the structure reaches, m: from the first of its nodes, centres of bodies and joints to the others, or the size
// of a body.
double reach_of(const Model& model) {
  std::vector<Vec3> points;
  double reach = 0.0;
  for (const Node& node : model.nodes) points.push_back(node.position);
  for (const Body& body : model.bodies) {
    points.push_back(body.centre);
    if (body.mass > 0.0) reach = std::max(reach, std::sqrt(0.5 * body.inertia.trace() / body.mass));
  }
  for (const JointSpec& joint : model.joints) points.push_back(joint.at_successor);
  for (const Vec3& point : points) reach = std::max(reach, (point - points.front()).norm());
  return reach;
}

// The energy of a motion that nobody means: members stretched by 1e-6, the whole lifted by 1e-9 of its reach, or moving
// by that much in a second.
double still_energy(const Dynamics& dynamics, double reach) {
  constexpr double strain = 1e-6, part = 1e-9;
  const Model& model = dynamics.model();
  double energy = dynamics.total_mass() * (model.gravity.norm() * part * reach + 0.5 * std::pow(part * reach, 2));
  const auto add = [&](const CableLaw& law, double length) {
    if (length > 0.0) energy += 0.5 * stiffness_at(law, length) * std::pow(strain * length, 2);
  };
  for (const Cable& cable : model.cables) add(cable.law, start_length(model, cable));
  for (const Bar& bar : model.bars)
    if (bar.elastic) add(law_of(bar), bar.rest_length);
  return energy;
}

// The member whose length suffers most from the rounding of positions.
std::string rounding_warning(const Model& model) {
  double furthest = 0.0, shortest = std::numeric_limits<double>::infinity();
  std::string member;
  for (const Node& node : model.nodes) furthest = std::max(furthest, node.position.cwiseAbs().maxCoeff());
  const auto look = [&](const char* kind, const std::string& name, double length) {
    if (length > 0.0 && length < shortest) shortest = length, member = fmt::format("{} {}", kind, name);
  };
  for (const Bar& bar : model.bars) look("bar", bar.name, start_length(model, bar));
  for (const Cable& cable : model.cables)
    if (cable.rest_length > 0.0) look("cable", cable.name, start_length(model, cable));
  const double rounding = std::numeric_limits<double>::epsilon() * furthest;
  if (!(rounding > trusted_rounding * shortest)) return "";
  return fmt::format(
      "positions of up to {:.2g} m are rounded to {:.1g} m, {:.1g} of the length of {} ({:.3g} m): its length and its "
      "force have no more digits than that; bring the structure to the origin, or give members of like lengths",
      furthest, rounding, rounding / shortest, member, shortest);
}

std::string yield_warning(const Dynamics& dynamics, const State& start) {
  const Cables& cables = dynamics.cables();
  std::vector<std::string> names;
  for (const int slot : cables.yielding())
    if (std::abs(start.memory.permanent[static_cast<std::size_t>(slot)]) > 1e-9) names.push_back(cables.name(slot));
  if (names.empty()) return "";
  return fmt::format("stretched beyond {} yield at the start: {}; the run begins with the permanent elongation",
                     names.size() == 1 ? "its" : "their", listed(names, 8));
}

}  // namespace

std::vector<std::string> start_warnings(const Dynamics& dynamics, const State& start) {
  std::vector<std::string> warnings{rounding_warning(dynamics.model()), yield_warning(dynamics, start)};
  std::erase(warnings, "");
  return warnings;
}

std::string passed_warning(const Model& model, std::vector<BarPass> passes) {
  if (passes.empty()) return "";
  constexpr std::size_t most_named = 5;
  std::stable_sort(passes.begin(), passes.end(), [](const BarPass& a, const BarPass& b) { return a.time < b.time; });
  std::string text;
  for (std::size_t k = 0; k < std::min(passes.size(), most_named); ++k)
    text += fmt::format("{}{} and {}{} at {:.4g} s", k == 0 ? "bars " : ", ", model.bars[passes[k].a].name,
                        model.bars[passes[k].b].name, k == 0 ? " passed through each other" : "", passes[k].time);
  if (passes.size() > most_named)
    text += fmt::format(", and {}{} pairs more", passes.size() - most_named,
                        passes.size() == BarWatch::most_passes ? " or more" : "");
  return text + ": take a smaller step, or a larger environment.collision.stiffness";
}

RowChecks::RowChecks(const Dynamics& dynamics)
    : dynamics_(&dynamics), reach_(reach_of(dynamics.model())), still_(still_energy(dynamics, reach_)) {}

void RowChecks::look(const Sample& sample, double bar_length_error) {
  const auto& e = sample.energy;
  if (!began_) first_ = e, began_ = true;
  drift_ = std::max(drift_, std::abs(e[balance] - first_[balance]));
  for (const double term : e) largest_ = std::max(largest_, std::abs(term));
  in_play_ = std::max(
      in_play_, e[kinetic] + e[elastic] + e[dissipated] + std::abs(e[work]) + std::abs(e[gravity] - first_[gravity]));
  if (bar_length_error > bar_error_) {
    bar_error_ = bar_length_error;
    bar_at_ = sample.t;
    if (bar_error_ > trusted_length) name_bar(sample);
  }
  if (sample.constraint_error > constraint_error_) constraint_error_ = sample.constraint_error, open_at_ = sample.t;
  look_for_slack(sample);
}

void RowChecks::name_bar(const Sample& sample) {
  double worst = 0.0;
  const std::vector<int> drives = drives_of_rigid_bars(dynamics_->model());
  for (std::size_t i = 0; i < dynamics_->model().bars.size(); ++i) {
    const Bar& bar = dynamics_->model().bars[i];
    if (bar.elastic) continue;
    const Vec3 along = Vec3(sample.nodes.data() + 3 * bar.b) - Vec3(sample.nodes.data() + 3 * bar.a);
    const double wanted = drives.empty() || drives[i] < 0 ? bar.rest_length : sample.bar_rest_lengths[drives[i]];
    const double error = std::abs(along.norm() - wanted) / wanted;
    if (error > worst) worst = error, bar_ = bar.name;
  }
}

// A structure whose cables are all slack has no shape of its own any more.
void RowChecks::look_for_slack(const Sample& sample) {
  const bool all_slack = sample.joints.empty() && sample.tensions.size() > 2 &&
                         std::all_of(sample.tensions.begin(), sample.tensions.end(), [](double t) { return t == 0.0; });
  if (!all_slack) was_taut_ = true;
  const bool counts = was_taut_ || dynamics_->driven();
  if (all_slack && counts && std::isnan(slack_since_)) slack_since_ = sample.t;
}

void RowChecks::report(Summary& summary) const {
  summary.max_bar_length_error = bar_error_;
  // A structure at rest has nothing in play but the rounding of its energies.
  const double scale = std::max({in_play_, still_, 1e-9 * largest_});
  summary.energy_drift = scale > 0.0 ? drift_ / scale : 0.0;
  const auto warn = [&](std::string text) { summary.warnings.push_back(std::move(text)); };
  if (summary.energy_drift > trusted_balance)
    warn(fmt::format("the balance of energy is off by {:.2g} % of the energy in play: take a smaller step or tolerance",
                     100.0 * summary.energy_drift));
  if (bar_error_ > trusted_length)
    warn(fmt::format("bar {} is off its length by {:.2g} of it, at t = {:g} s{}", bar_, bar_error_, bar_at_,
                     dynamics_->constraint_method() == ConstraintMethod::projection
                         ? ""
                         : "; constraints = \"projection\" keeps lengths"));
  if (constraint_error_ > trusted_constraint * reach_)
    warn(
        fmt::format("constraints are off by up to {:.3g} m, at t = {:g} s: the motion is not the structure's; "
                    "constraints = \"projection\" keeps them, or says why not",
                    constraint_error_, open_at_));
  if (!std::isnan(slack_since_))
    warn(fmt::format("every cable is slack at t = {:g} s: nothing holds the shape there", slack_since_));
}

}  // namespace taut
