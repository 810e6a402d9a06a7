#include "taut/control/controllers/process.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"
#include "taut/control/cable_command.h"
#include "taut/control/controllers/child.h"
#include "taut/control/controllers/process_lines.h"
#include "taut/model/control_names.h"

namespace taut {

namespace {

constexpr double to_end = 1.0;    // s, for a program that has closed a pipe, and
constexpr double to_close = 0.3;  // for one that has answered nonsense

// As a shell would have it, but for quotes.
std::string command_line(const std::vector<std::string>& words) {
  return in_quotes(fmt::format("{}", fmt::join(words, " ")));
}

class Process final : public Controller {
 public:
  Process(const Model& model, const ControllerSpec& spec)
      : model_(model), spec_(spec), steer_(spec.steer), lines_(model, spec) {}

  const std::vector<ControlInput>& inputs() const override { return steer_.inputs; }
  double speed() const override { return steer_.speed; }
  int memory() const override { return steer_.memory; }

  std::string update(const Observation& now, std::span<double> memory, std::span<double> commands) override {
    try {
      return ask(now, memory, commands);
    } catch (...) {
      child_.reset();  // what it answers now would be of another instant
      throw;
    }
  }

  // The run is over: a program that does not end well says so.
  std::string shortfall(const Observation& /*end*/, std::span<const double> /*memory*/) override {
    if (!child_) return {};
    const ChildEnd end = child_->finish(steer_.time_limit);
    std::string text;
    if (end.forced)
      text = fmt::format("did not end by itself within {:g} s after the run, and was ended", steer_.time_limit);
    else if (!end.good())
      text = fmt::format("ended with {} after the run", end.text());
    else if (child_->wrote_more())
      text = "wrote more than a line for each instant: its answers may be those of other instants";
    if (!text.empty()) text += last_words();
    child_.reset();
    return text;
  }

 private:
  std::string ask(const Observation& now, std::span<double> memory, std::span<double> commands) {
    request_.clear();
    if (!child_) {
      std::string problem;
      child_ = Child::start(steer_.command, steer_.folder, problem);
      if (!child_) fail(now.t, "cannot be started: " + problem);
      lines_.header(request_);
      first_ = true;
    }
    lines_.instant(now, memory, commands, request_);
    const Child::Reply reply = child_->ask(request_, steer_.time_limit, lines_.longest_answer(), answer_);
    if (reply != Child::Reply::line) fail(now.t, what_happened(reply));
    first_ = false;
    ProcessAnswer answer;
    try {
      answer = lines_.read(answer_);
      require_possible(answer.commands);
    } catch (const BadAnswer& bad) {
      child_->finish(to_close);
      fail(now.t, fmt::format("answered {}", bad.what()));
    }
    for (std::size_t i = 0; i < commands.size(); ++i)
      if (!std::isnan(answer.commands[i])) commands[i] = answer.commands[i];
    std::copy(answer.memory.begin(), answer.memory.end(), memory.begin());
    return answer.note;
  }

  // The program is then at its end.
  std::string what_happened(Child::Reply reply) {
    switch (reply) {
      case Child::Reply::late:
        child_->finish(0.0);
        return fmt::format(
            "took longer than its time_limit of {:g} s{}", steer_.time_limit,
            first_ ? ": it has to start within that time, too, and to flush its output after each line" : "");
      case Child::Reply::too_long:
        child_->finish(to_close);
        return fmt::format("answered a line of more than {} bytes: {}", lines_.longest_answer(), quoted_line(answer_));
      case Child::Reply::unasked:
        child_->finish(to_close);
        return fmt::format("wrote {} without being asked: it answers each instant by one line, and the header by none",
                           quoted_line(answer_));
      case Child::Reply::closed:
      case Child::Reply::line:
        break;
    }
    if (!child_->ends_within(to_end)) {
      child_->finish(0.0);
      return "closed its input or output and went on";
    }
    return fmt::format("ended with {} instead of an answer", child_->finish(to_end).text());
  }

  // A rest length is above 0; bounds may see to it.
  void require_possible(const std::vector<double>& commands) const {
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const ControlInput& input = steer_.inputs[i];
      if (input.cable < 0 || std::isnan(commands[i])) continue;
      const CableLaw& law = model_.cables[static_cast<std::size_t>(input.cable)].law;
      if (!can_be_rest_length(law, std::clamp(commands[i], input.bounds.least, input.bounds.most)))
        throw BadAnswer(fmt::format("{:g} m for the rest length of {}: expected more than 0", commands[i],
                                    in_quotes(input_name(model_, input))));
    }
  }

  std::string last_words() const {
    const std::string words = child_->last_words();
    if (words.empty()) return {};
    std::string text = "; its last words:\n    ";
    for (const char c : words) text += c == '\n' ? std::string("\n    ") : std::string(1, c);
    return text;
  }

  [[noreturn]] void fail(double t, const std::string& what) const {
    const std::string name = controller_names(model_)[static_cast<std::size_t>(&spec_ - model_.controllers.data())];
    throw RunError(t, fmt::format("controller {}: {} {} at t = {:g} s{}", name, command_line(steer_.command), what, t,
                                  child_ ? last_words() : ""));
  }

  const Model& model_;
  const ControllerSpec& spec_;
  const SteerSettings& steer_;
  ProcessLines lines_;
  std::unique_ptr<Child> child_;
  bool first_ = true;  // it has not answered yet
  std::string request_, answer_;
};

}  // namespace

std::unique_ptr<Controller> make_process(const Dynamics& dynamics, const ControllerSpec& spec) {
  return std::make_unique<Process>(dynamics.model(), spec);
}

}  // namespace taut
