// Names for tests of expressions: two parameters, two numbers of the end, columns of a run, two lists of events.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "taut/sweep/expression/accumulator.h"
#include "taut/sweep/expression/expression.h"

namespace expression_test {

// Columns 0: x, 1: y, 2-4: tensions of cables a1-a2, b, c; 5-7: their lengths; 8-9: forces of bars.
inline taut::Resolver names() {
  using taut::NameKind;
  using taut::ResolvedName;
  taut::Resolver resolver;
  resolver.known = {"p", "q", "energy_drift", "steps", "x", "y", "nodes.a1.z", "slack_events", "taut_events"};
  resolver.resolve = [](const taut::ExpressionName& name) -> ResolvedName {
    const std::vector<std::string>& parts = name.parts;
    const auto scalar = [](NameKind kind, int index) {
      ResolvedName found;
      found.kind = kind;
      found.index = index;
      return found;
    };
    if (parts.size() == 1) {
      const std::string& word = parts[0];
      if (word == "p") return scalar(NameKind::parameter, 0);
      if (word == "q") return scalar(NameKind::parameter, 1);
      if (word == "energy_drift") return scalar(NameKind::scalar, 0);
      if (word == "steps") return scalar(NameKind::scalar, 1);
      if (word == "x") return scalar(NameKind::signal, 0);
      if (word == "y") return scalar(NameKind::signal, 1);
      if (word == "slack_events" || word == "taut_events") {
        ResolvedName found = scalar(NameKind::events, word == "slack_events" ? 0 : 1);
        if (word == "slack_events") found.members = {"a1-a2", "b", "c"};
        return found;
      }
    }
    if (name.text == "nodes.a1.z") return scalar(NameKind::signal, 0);
    if (parts.size() == 3 && parts[0] == "cables" && (parts[2] == "tension" || parts[2] == "length")) {
      const int first = parts[2] == "tension" ? 2 : 5;
      if (parts[1] == "a1-a2" || parts[1] == "a1") return scalar(NameKind::signal, first);
      if (parts[1] == "b") return scalar(NameKind::signal, first + 1);
      if (parts[1] == "*") {
        ResolvedName found;
        found.kind = NameKind::signals;
        found.columns = {first, first + 1, first + 2};
        return found;
      }
      ResolvedName none;
      none.message = "there is no cable \"" + parts[1] + "\"";
      return none;
    }
    if (parts.size() == 3 && parts[1] == "*") {
      ResolvedName found;
      found.kind = NameKind::signals;
      if (parts[0] == "bars") found.columns = {8, 9};
      return found;
    }
    return {};
  };
  return resolver;
}

inline taut::Expression parse(const std::string& text, taut::ExpressionUse use = taut::ExpressionUse::record) {
  return taut::parse_expression(text, names(), use);
}

inline const std::vector<double> test_parameters{2.0, -3.0}, test_scalars{1e-6, 500.0};

// A run: rows of a function of time.
using Row = std::function<std::vector<double>(double t)>;

inline double record(const std::string& text, const std::vector<double>& times, const Row& row,
                     const std::vector<taut::EventList>& events = {{}, {}}) {
  const taut::Expression expression = parse(text);
  taut::Accumulator accumulator(expression);
  accumulator.begin(test_parameters);
  for (const double t : times) accumulator.row(t, row(t));
  return accumulator.finish(test_scalars, events);
}

inline std::vector<double> steps(double from, double to, int count) {
  std::vector<double> times;
  for (int i = 0; i <= count; ++i) times.push_back(from + (to - from) * i / count);
  return times;
}

// The value of an expression without signals.
inline double value(const std::string& text) {
  return record(text, {0.0}, [](double) { return std::vector<double>(10); });
}

}  // namespace expression_test
