// [[controllers]] of the kinds that steer: what they drive, what they look at, where that should be, and their gains.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/file/keys.h"
#include "taut/file/read/parse_toml.h"
#include "taut/file/read/read_sections.h"
#include "taut/model/control_names.h"
#include "taut/model/laws/spline.h"

namespace taut {

namespace {

struct KeysOfKind {
  ControllerKind kind;
  std::span<const std::string_view> keys;
};
constexpr auto keys_of_kinds =
    std::to_array<KeysOfKind>({{ControllerKind::table, keys::controller_table},
                               {ControllerKind::pid, keys::controller_pid},
                               {ControllerKind::lqr, keys::controller_lqr},
                               {ControllerKind::computed_torque, keys::controller_computed_torque},
                               {ControllerKind::near_rigid, keys::controller_near_rigid},
                               {ControllerKind::process, keys::controller_process}});

// One controller; lists whose length follows from others are read once those are whole.
class SteerReader {
 public:
  SteerReader(Reading& reading, const Fields& fields, ControllerSpec& spec)
      : reading_(reading), fields_(fields), spec_(spec), steer_(spec.steer) {}

  // Whether inputs, targets and path are whole, so that rules about them make sense.
  bool read() {
    for (const auto& [kind, known] : keys_of_kinds)
      if (kind == spec_.kind) fields_.refuse_unknown(known, fmt::format("a {} controller", name(kind)));
    const bool process = spec_.kind == ControllerKind::process, takes_rest = process && !fields_.has("inputs");
    const bool observes = !process && spec_.kind != ControllerKind::table;
    if (!takes_rest) read_inputs();
    if (observes) read_targets();
    const bool whole = (inputs_whole_ || takes_rest) && (!observes || targets_whole_);
    read_bounds();
    if (const Value* speed = fields_.find("speed"))
      steer_.speed = real(*speed, fields_.path().text("speed")).value_or(steer_.speed);
    if (process) return read_process(reading_, fields_, steer_) && whole;
    const bool path_whole = !whole || read_path();
    read_gains();
    return whole && path_whole;
  }

  // Without a list: whatever nothing else drives, with their bounds.
  void read_rest() {
    steer_.inputs = free_inputs(model());
    inputs_whole_ = true;
    read_bounds();
  }

 private:
  const Model& model() const { return reading_.scenario.model; }
  std::string key(std::string_view of, std::size_t i) const {
    return fmt::format("{}[{}]", fields_.path().text(of), i);
  }

  // A number that may be infinite.
  std::optional<double> real(const Value& node, const std::string& at) const {
    if (const std::optional<double> number = node.number(); number && std::isinf(*number)) return number;
    return to_number(reading_.problems, node, at);
  }

  // The list of names under a key; f(name, place, key) for each. False if it is none.
  template <class F>
  bool each_name(std::string_view of, std::string_view what, const F& f) const {
    if (!fields_.require(of, fmt::format("a list of {}", what))) return false;
    const Value& node = *fields_.find(of);
    const List* list = node.list();
    if (!list || list->empty()) {
      fields_.say(of, fmt::format("expected a list of {}, got {}", what, describe(node)));
      return false;
    }
    bool good = true;
    for (std::size_t i = 0; i < list->size(); ++i) {
      const Value& element = (*list)[i];
      if (const std::string* text = element.text()) {
        good &= f(*text, element, key(of, i));
      } else {
        reading_.problems.add(element.at, key(of, i), fmt::format("expected a name, got {}", describe(element)));
        good = false;
      }
    }
    return good;
  }

  void read_inputs() {
    inputs_whole_ = each_name(
        "inputs", "joints and cables", [&](const std::string& name, const Value& at, const std::string& where) {
          const std::vector<ControlInput> found = inputs_called(model(), name);
          if (found.size() == 1) {
            steer_.inputs.push_back(found.front());
            return true;
          }
          if (const auto faulty = reading_.cable_index.find(name);
              faulty != reading_.cable_index.end() && faulty->second < 0)
            return false;
          reading_.problems.add(
              at.at, where,
              found.empty() ? no_such_input(name)
                            : fmt::format("{} is a joint and a cable: give one of them another name", in_quotes(name)));
          return false;
        });
  }

  std::string no_such_input(const std::string& wanted) const {
    const auto joint = std::find_if(model().joints.begin(), model().joints.end(),
                                    [&](const JointSpec& j) { return j.name == wanted; });
    if (joint != model().joints.end() && joint_velocities(joint->type) == 0)
      return fmt::format("joint {} does not move", in_quotes(wanted));
    const std::vector<std::string> names = all_input_names(model());
    if (joint != model().joints.end()) {
      std::vector<std::string> own;
      for (const std::string& name : names)
        if (name.starts_with(wanted + ".")) own.push_back(name);
      return fmt::format("joint {} has several coordinates: expected one of {}", in_quotes(wanted),
                         fmt::join(own, ", "));
    }
    if (names.empty()) return "the model has no joints that move and no cables to drive";
    const std::string hint = reading_.problems.did_you_mean(wanted, {names.begin(), names.end()});
    return fmt::format("there is no joint or cable {}{}", in_quotes(wanted),
                       hint.empty() ? fmt::format(": there are {}", shortened(names)) : hint);
  }

  void read_targets() {
    targets_whole_ = each_name(
        "targets", "names such as \"tip.z\"", [&](const std::string& name, const Value& at, const std::string& where) {
          const std::vector<ControlTarget> found = targets_called(model(), name);
          if (found.size() == 1) {
            steer_.targets.push_back(found.front());
            return true;
          }
          reading_.problems.add(
              at.at, where,
              found.empty() ? no_such_target(name)
                            : fmt::format("{} has two meanings: give one of its owners another name", in_quotes(name)));
          return false;
        });
  }

  std::string no_such_target(const std::string& wanted) const {
    const std::size_t dot = wanted.rfind('.');
    for (const std::string& owner : {dot == std::string::npos ? wanted : wanted.substr(0, dot), wanted})
      if (const std::string columns = columns_of_owner(model(), owner); !columns.empty())
        return fmt::format("there is no {}: {} has {}", in_quotes(wanted), in_quotes(owner), columns);
    const std::string owner = dot == std::string::npos ? wanted : wanted.substr(0, dot);
    const std::vector<std::string_view> owners = all_target_owners(model());
    const std::string hint = reading_.problems.did_you_mean(owner, owners);
    return fmt::format(
        "there is no {}: expected a node, frame, joint, pulley or cable and one of its columns, such as "
        "\"tip.z\"{}",
        in_quotes(wanted),
        hint.empty() ? fmt::format("; there are {}", shortened({owners.begin(), owners.end()})) : hint);
  }

  // The first few of many.
  static std::string shortened(std::vector<std::string> names) {
    constexpr std::size_t most = 12;
    const bool more = names.size() > most;
    names.resize(std::min(names.size(), most));
    return fmt::format("{}{}", fmt::join(names, ", "), more ? ", ..." : "");
  }

  std::optional<Bounds> pair(const Value& node, const std::string& at) const {
    const List* list = node.list();
    if (!list || list->size() != 2) {
      reading_.problems.add(node.at, at, fmt::format("expected [least, most], got {}", describe(node)));
      return std::nullopt;
    }
    const auto least = real((*list)[0], at + "[0]"), most = real((*list)[1], at + "[1]");
    return least && most ? std::optional<Bounds>({*least, *most}) : std::nullopt;
  }

  // [least, most] for all, or one such pair for each; nothing if something was reported.
  std::optional<std::vector<Bounds>> pairs(std::string_view of, std::size_t count, std::string_view each) const {
    const Value& node = *fields_.find(of);
    const List* list = node.list();
    if (!list || list->empty() || !(*list)[0].list()) {
      const auto one = pair(node, fields_.path().text(of));
      return one ? std::optional(std::vector<Bounds>(count, *one)) : std::nullopt;
    }
    if (list->size() != count) {
      fields_.say(of, fmt::format("expected [least, most], or {} of them, one for each {}; got a list of {}", count,
                                  each, list->size()));
      return std::nullopt;
    }
    std::vector<Bounds> all;
    for (std::size_t i = 0; i < count; ++i)
      if (const auto one = pair((*list)[i], key(of, i))) all.push_back(*one);
    return all.size() == count ? std::optional(all) : std::nullopt;
  }

  void read_bounds() {
    if (!fields_.has("bounds") || !inputs_whole_) return;
    const auto bounds = pairs("bounds", steer_.inputs.size(), "input");
    for (std::size_t i = 0; bounds && i < bounds->size(); ++i) steer_.inputs[i].bounds = (*bounds)[i];
  }

  // A number for all, or a list.
  void read_list(const char* of, std::vector<double>& to, std::size_t count, std::string_view each, bool whole) const {
    const Value* node = fields_.find(of);
    if (!node || !whole) return;
    if (!node->list()) {
      if (const auto value = fields_.number(of)) to.assign(count, *value);
      return;
    }
    const auto values = fields_.numbers(of);
    if (!values) return;
    if (values->size() == count)
      to = *values;
    else
      fields_.say(of, fmt::format("expected a number, or a list of {}, one for each {}; got a list of {}", count, each,
                                  values->size()));
  }

  void read_gains() {
    const std::size_t targets = steer_.targets.size(), inputs = steer_.inputs.size();
    read_list("position_gain", steer_.position_gain, targets, "target", targets_whole_);
    read_list("velocity_gain", steer_.velocity_gain, targets, "target", targets_whole_);
    read_list("integral_gain", steer_.integral_gain, targets, "target", targets_whole_);
    read_list("position_weight", steer_.position_weight, targets, "target", targets_whole_);
    read_list("velocity_weight", steer_.velocity_weight, targets, "target", targets_whole_);
    read_list("input_weight", steer_.input_weight, inputs, "input", inputs_whole_);
    read_list("bias", steer_.bias, inputs, "input", inputs_whole_);
    steer_.method = fields_
                        .word<InverseMethod>("method", {{name(InverseMethod::qp), InverseMethod::qp},
                                                        {name(InverseMethod::null_space), InverseMethod::null_space},
                                                        {name(InverseMethod::nlp), InverseMethod::nlp}})
                        .value_or(steer_.method);
    if (const Value* tension = fields_.find("tension"))
      steer_.tension = pair(*tension, fields_.path().text("tension")).value_or(steer_.tension);
    if (fields_.has("strain"))
      steer_.strain = pairs("strain", model().pulleys.size(), "pulley").value_or(steer_.strain);
    steer_.strain_gain = fields_.number("strain_gain").value_or(0.0);
    steer_.free_position_gain = fields_.number("free_position_gain").value_or(0.0);
    steer_.free_velocity_gain = fields_.number("free_velocity_gain").value_or(0.0);
    steer_.compensate_damping = fields_.truth("compensate_damping").value_or(true);
  }

  // Rows of numbers under a key of the path: a list of lists, or of numbers where a row has one.
  bool read_rows(const Fields& path, const char* of, std::size_t width, std::vector<double>& to) const {
    if (!path.require(of, "a list of rows, one for each time")) return false;
    const Value& node = *path.find(of);
    const List* list = node.list();
    const std::string at = path.path().text(of);
    if (!list) {
      path.say(of, fmt::format("expected a list of rows, got {}", describe(node)));
      return false;
    }
    bool good = true;
    for (std::size_t i = 0; i < list->size(); ++i) {
      const Value& element = (*list)[i];
      const List* row = element.list();
      const std::string place = fmt::format("{}[{}]", at, i);
      if (!row && width == 1) {
        const auto value = to_number(reading_.problems, element, place);
        if (value) to.push_back(*value);
        good &= value.has_value();
        continue;
      }
      if (!row || row->size() != width) {
        reading_.problems.add(element.at, place,
                              fmt::format("expected a row of {} numbers, got {}", width, describe(element)));
        return false;
      }
      for (std::size_t k = 0; k < width; ++k) {
        const auto value = to_number(reading_.problems, (*row)[k], fmt::format("{}[{}]", place, k));
        if (value) to.push_back(*value);
        good &= value.has_value();
      }
    }
    return good;
  }

  // True where there is none.
  bool read_path() {
    if (!fields_.has("path")) return true;
    const Fields path = fields_.table("path");
    if (path.empty()) return false;
    path.refuse_unknown(keys::controller_path, "a path");
    const std::size_t width = spec_.kind == ControllerKind::table ? steer_.inputs.size() : steer_.targets.size();
    if (path.has("file")) {
      for (const char* other : {"t", "values", "slopes"})
        if (path.has(other)) {
          path.say("file", "is given beside t and values: expected one or the other");
          return false;
        }
      return read_file(path, width, steer_.path);
    }
    if (!path.require("t", "a list of times, or file")) return false;
    const auto times = path.numbers("t");
    ControlPath read;
    bool good = times.has_value();
    good &= read_rows(path, "values", width, read.values);
    if (path.has("slopes")) good &= read_rows(path, "slopes", width, read.slopes);
    if (!good) return false;
    read.times = *times;
    for (const auto& [of, rows] : {std::pair("values", &read.values), std::pair("slopes", &read.slopes)})
      if (path.has(of) && rows->size() != read.times.size() * width) {
        path.say(of, fmt::format("has {} rows for {} times", rows->size() / width, read.times.size()));
        return false;
      }
    if (!path.has("slopes")) {
      const Eigen::Map<const Eigen::MatrixXd> points(read.values.data(), static_cast<long>(width),
                                                     static_cast<long>(read.times.size()));
      const Eigen::MatrixXd rates = resting_rates(read.times, points);
      // Times that do not ascend are reported by the rules; their rates mean nothing.
      read.slopes.assign(read.values.size(), 0.0);
      if (rates.allFinite()) std::copy_n(rates.data(), rates.size(), read.slopes.begin());
    }
    steer_.path = std::move(read);
    if (!steer_.path.times.empty()) return true;
    path.say("t", "is empty: expected a time or more");
    return false;
  }

  bool read_file(const Fields& path, std::size_t width, ControlPath& to) const {
    const std::optional<std::string> file = path.text("file");
    if (!file) return false;
    const std::string full = path_of_file(path, "file", *file, reading_.documents.back().file());
    try {
      const HermiteSpline spline = parse_spline_csv(read_text_file(full), full, static_cast<int>(width));
      const Eigen::MatrixXd &points = spline.points(), &rates = spline.rates();
      to.times = spline.times();
      to.values.assign(points.data(), points.data() + points.size());
      to.slopes.assign(rates.data(), rates.data() + rates.size());
      return true;
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) {
        const std::string line = problem.place.line > 0 ? fmt::format(", line {}", problem.place.line) : "";
        path.say("file", fmt::format("{}{}: {}", in_quotes(full), line, problem.message));
      }
      return false;
    }
  }

  Reading& reading_;
  const Fields& fields_;
  ControllerSpec& spec_;
  SteerSettings& steer_;
  bool inputs_whole_ = false, targets_whole_ = false;
};

}  // namespace

bool read_steer(Reading& reading, const Fields& fields, ControllerSpec& spec) {
  return SteerReader(reading, fields, spec).read();
}

void read_free_inputs(Reading& reading, const Fields& fields, ControllerSpec& spec) {
  SteerReader(reading, fields, spec).read_rest();
}

}  // namespace taut
