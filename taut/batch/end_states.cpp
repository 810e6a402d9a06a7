#include "taut/batch/end_states.h"

#include "taut/base/text/csv.h"

namespace taut::batch {

EndStates end_states(const Batch& batch, std::vector<VariedValues> varied) {
  const Model& model = batch.draft().scenario().model;
  EndStates states{.model = model.name,
                   .nodes = {},
                   .robots = batch.robots(),
                   .x = batch.copy(batch.nodes()),
                   .v = batch.copy(batch.velocities()),
                   .t = {},
                   .done = {batch.done().begin(), batch.done().end()},
                   .varied = std::move(varied)};
  for (const Node& node : model.nodes) states.nodes.push_back(node.name);
  for (long i = 0; i < states.robots; ++i) states.t.push_back(batch.time(i));
  return states;
}

void write_end_csv(OutputFile& file, const EndStates& states) {
  constexpr std::size_t block = 64 * 1024;  // text is handed to the file in pieces of about this size
  Csv csv;
  csv.cell("robot");
  for (const char* before : {"", "v"})
    for (const std::string& node : states.nodes)
      for (const char* axis : {"x", "y", "z"}) csv.cell(node + "." + before + axis);
  for (const VariedValues& varied : states.varied) csv.cell(varied.key);
  csv.row("t", "done");
  const std::size_t n3 = 3 * states.nodes.size();
  for (std::size_t i = 0; i < static_cast<std::size_t>(states.robots); ++i) {
    csv.cell(i);
    for (const std::vector<double>* list : {&states.x, &states.v})
      for (std::size_t k = 0; k < n3; ++k) csv.cell((*list)[i * n3 + k]);
    for (const VariedValues& varied : states.varied) csv.cell(varied.values[i]);
    csv.row(states.t[i], name(static_cast<Done>(states.done[i])));
    if (csv.text().size() < block) continue;
    file.append(csv.text(), 0.0);
    csv.clear();
  }
  file.append(csv.text(), 0.0);
  file.finish(0.0);
}

}  // namespace taut::batch
