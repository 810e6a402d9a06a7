// What a sweep's expressions can name of a run:
//
//   at each row   t, nodes.N.x y z vx vy vz speed, cables.N.tension length rest_length strain, bars.N.force,
//                 frames.N.x y z yaw pitch roll, joints.COLUMN, controls.COLUMN, energy.kinetic ..., constraint_error
//   in the end    steps, rejected, rhs, simulated_s, wall_s, energy_drift, max_bar_length_error, ...
//   events        slack_events (both kinds, as in summary.json), went_slack, went_taut, yielded, control_events
//
// and the parameters of the sweep by their names. N may be "*", or a number that counts from 0.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "taut/model/model.h"
#include "taut/results/sample.h"
#include "taut/results/summary.h"
#include "taut/sweep/expression/accumulator.h"
#include "taut/sweep/expression/expression.h"
#include "taut/sweep/study.h"

namespace taut {

class RunNames {
 public:
  RunNames(const SweepFile& sweep, const Model& model);

  // Expressions parsed with it say through it which signals they need.
  Resolver resolver();

  // Whether something that comes from rows is needed.
  bool needs_rows() const { return !signals_.empty() || scalar_of_rows_; }
  bool needs_events() const { return needs_events_; }
  // A name that needs more than where nodes are at rows and how they move there: events, what an integrator counts,
  // energies that add up over time. Empty: there is none.
  const std::string& beyond_states() const { return beyond_states_; }
  std::size_t signals() const { return signals_.size(); }
  // The signals at one row, in the order of their indices.
  void take(const Sample& sample, std::span<double> values) const;

  static std::vector<double> scalars(const Summary& summary);

 private:
  // Where a signal lies in a row.
  enum class Where {
    time,
    nodes,
    velocities,
    speed,
    tensions,
    lengths,
    rest_lengths,
    strain,
    bar_forces,
    frames,
    joints,
    controls,
    energy,
    constraint_error
  };
  struct Signal {
    Where where;
    int index;
    auto operator<=>(const Signal&) const = default;
  };
  int need(Signal signal);
  ResolvedName resolve(const ExpressionName& name);
  ResolvedName of_run(const ExpressionName& name);
  ResolvedName energy(const std::string& wanted);
  ResolvedName listed(const ExpressionName& name, const std::map<std::string, int>& names, Where where);
  ResolvedName word(const std::string& wanted);
  ResolvedName members(const ExpressionName& name, const std::map<std::string, int>& names,
                       const std::vector<std::pair<std::string, Signal>>& columns, int stride);

  const SweepFile& sweep_;
  const Model& model_;
  std::map<std::string, int> nodes_, cables_, bars_, frames_, joints_, controls_;
  std::vector<Signal> signals_;
  std::map<Signal, int> index_;
  bool scalar_of_rows_ = false, needs_events_ = false;
  std::string beyond_states_;
};

// Words that a run or the language itself gives a meaning: no parameter can be called so.
bool is_name_of_run(std::string_view name);

// The lists of events of a run, in the order of their indices. The names are those of the model and the summary.
class RunEvents {
 public:
  RunEvents(const Summary& summary, const Model& model);
  std::span<const EventList> lists() const { return lists_; }

 private:
  std::vector<std::vector<ListedEvent>> events_;
  std::vector<EventList> lists_;
};

}  // namespace taut
