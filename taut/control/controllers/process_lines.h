// What goes over the pipes of a controller that is another program: lines of JSON (docs/model/controllers.md).
//
//   header   once: what there is, by name, and where it starts
//   instant  at each control instant: what is seen
//   answer   to each instant: commands, numbers to remember, a note
//
// Numbers are written with the digits that bring them back. What is no number at all is null.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "taut/control/observation.h"
#include "taut/model/model.h"

namespace taut {

constexpr int process_format = 1;  // of the lines; a program that reads one number does not read another

// An answer that cannot be used; the text goes on after "it answered ...".
class BadAnswer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The beginning of a line for a message, whatever bytes it has.
std::string quoted_line(std::string_view line);

struct ProcessAnswer {
  std::vector<double> commands;  // NaN: left alone
  std::vector<double> memory;    // empty: left alone
  std::string note;
};

class ProcessLines {
 public:
  // The model and the spec must outlive this.
  ProcessLines(const Model& model, const ControllerSpec& spec);

  // Both append a line to the text.
  void header(std::string& text) const;
  void instant(const Observation& now, std::span<const double> memory, std::span<const double> commands,
               std::string& text) const;

  // The most bytes that an answer may have.
  std::size_t longest_answer() const;
  // Throws BadAnswer.
  ProcessAnswer read(std::string_view line) const;

 private:
  const Model& model_;
  const ControllerSpec& spec_;
  std::vector<std::string> inputs_, joints_;  // names, columns
};

}  // namespace taut
