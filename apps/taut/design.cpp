// taut design: how thick must every member be, how much does it all weigh, and what is cut to which length?
#include "taut/answers/design.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/taut/commands.h"
#include "apps/taut/in_file.h"
#include "apps/taut/json.h"
#include "apps/taut/text_file.h"
#include "apps/taut/value_checks.h"
#include "apps/taut/watch.h"
#include "taut/base/text/csv.h"
#include "taut/base/text/text.h"
#include "taut/file/read/read_toml.h"

namespace taut {
namespace {

struct CommandOptions {
  std::string file, output;
  std::vector<std::string> set;
  MaterialSettings bar, cable;
  DesignOptions design;
  std::string cut_at;  // empty: not given
  bool json = false;
};

std::string nodes_text(const Model& model, const DesignedMember& member) {
  std::string text;
  for (int node : member.nodes) text += (text.empty() ? "" : " ") + model.nodes[node].name;
  return text;
}

std::string csv_text(const Model& model, const Design& design, const DesignOptions& options) {
  const bool machine = has_joints(model);
  Csv csv;
  for (const char* heading : {"name", "kind", "nodes", "length", "force", "rest_length", "cut_length", "outer_diameter",
                              "inner_diameter", "mass", "limit", "built_length", "built_force"})
    csv.cell(heading);
  for (const char* heading : {"moment", "wound"})
    if (machine) csv.cell(heading);
  csv.end_row();
  for (const DesignedMember& m : design.members) {
    for (const std::string& text : {m.name, std::string(m.bar ? "bar" : "cable"), nodes_text(model, m)}) csv.cell(text);
    for (const double number :
         {m.length, m.force, m.rest_length, m.cut_length, 2.0 * m.section.radius, inner_diameter(m, options), m.mass})
      csv.cell(number);
    csv.cell(name(m.section.limit));
    for (const double number : {m.built_length, m.built_force}) csv.cell(number);
    for (const double number : {m.moment, m.wound})
      if (machine) csv.cell(number);
    csv.end_row();
  }
  for (const LoadedBody& body : design.bodies)
    csv.row(body.name, "body", "", "", "", "", "", "", "", "", "not sized", "", "", body.moment, "");
  return csv.take();
}

// Members that are alike to the digits shown share a line.
void print_members(const Design& design) {
  std::vector<std::pair<std::string, int>> lines;
  std::map<std::string, size_t> line_of;
  for (const DesignedMember& m : design.members) {
    const std::string line = fmt::format("{:<6}{:>10.4f}{:>10.4f}{:>12.4g}{:>12.4g}{:>10.4g}{:>11.4g}  {}",
                                         m.bar ? "bar" : "cable", m.built_length, m.cut_length, m.built_force, m.force,
                                         2e3 * m.section.radius, m.mass, name(m.section.limit));
    const auto [at, added] = line_of.try_emplace(line, lines.size());
    if (added) lines.emplace_back(line, 0);
    ++lines[at->second].second;
  }
  fmt::print("  number  {:<6}{:>10}{:>10}{:>12}{:>12}{:>10}{:>11}  limit\n", "", "length m", "cut m", "as built N",
             "loaded N", "dia. mm", "mass kg");
  constexpr size_t most_lines = 60;
  for (size_t i = 0; i < std::min(lines.size(), most_lines); ++i)
    fmt::print("{:>8}  {}\n", lines[i].second, lines[i].first);
  if (lines.size() > most_lines)
    fmt::print("          ... and {} more; all of them with -o FILE or --json\n", lines.size() - most_lines);
}

std::string describe(const Material& m) {
  return fmt::format("{} ({:.4g} kg/m³, {:.4g} GPa, {:.4g} MPa)", m.name, m.density, m.modulus / 1e9, m.strength / 1e6);
}

const char* describe(CutState state) {
  switch (state) {
    case CutState::unloaded:
      return "the prestressed structure without loads and weight";
    case CutState::weight:
      return "the structure under its weight, without loads";
    default:
      return "the structure under the loads";
  }
}

// Lines of one kind, those that say the same of several together.
void print_alike(const char* title, const std::vector<std::pair<std::string, std::string>>& said) {
  std::vector<std::pair<std::string, std::vector<std::string>>> lines;
  for (const auto& [name, text] : said) {
    auto same = lines.begin();
    while (same != lines.end() && same->first != text) ++same;
    if (same == lines.end())
      lines.emplace_back(text, std::vector<std::string>{name});
    else
      same->second.push_back(name);
  }
  for (const auto& [text, names] : lines) fmt::print("  {:<9}  {}: {}\n", title, listed(names, 6), text);
}

// What only machines have: moments, what is on drums, bodies.
void print_machine(const Design& design) {
  std::vector<std::pair<std::string, std::string>> bends, drums, bodies;
  for (const DesignedMember& m : design.members) {
    if (m.bar && m.moment > 0.0)
      bends.emplace_back(
          m.name, fmt::format("{:.4g} N m{}", m.moment,
                              m.clamped ? ", which a joint at an end holds: buckles with twice its length" : ""));
    if (m.pulley && m.wound_given)
      drums.emplace_back(m.name, fmt::format("{:.4f} m of the {:.4f} m are on the drum", m.wound, m.cut_length));
    if (m.pulley && !m.wound_given)
      drums.emplace_back(m.name, fmt::format("{:.4f} m of the {:.4f} m are on the drum, which the loads pull off; the "
                                             "file gives no length: add the turns that stay on it",
                                             m.wound, m.cut_length));
  }
  for (const LoadedBody& body : design.bodies)
    if (body.moment > 0.0)
      bodies.emplace_back(
          body.name, fmt::format("a body has no section; largest moment about its centre {:.4g} N m", body.moment));
  print_alike("bends", bends);
  print_alike("drum", drums);
  print_alike("not sized", bodies);
}

void print_text(const Model& model, const Design& design, const DesignOptions& options) {
  fmt::print("{}: minimum mass {:.6g} kg, bars {:.6g} kg, cables {:.6g} kg.\n",
             model.name.empty() ? "model" : model.name, design.bar_mass + design.cable_mass, design.bar_mass,
             design.cable_mass);
  fmt::print("  bars       {}, {}\n", describe(options.bar),
             options.hollow > 0.0 ? fmt::format("tubes, inner over outer radius {:.4g}", options.hollow) : "solid");
  fmt::print("  cables     {}\n", describe(options.cable));
  fmt::print("  safety     {:.4g}\n", options.safety);
  if (options.weight)
    fmt::print("  weight     {}\n", design.weight_left_out
                                        ? "left out: nothing holds it, it falls freely"
                                        : fmt::format("its own (rounds until it agrees: {})", design.rounds));
  else if (design.weight_left_out)
    fmt::print("  weight     that of the file is left out: nothing holds it, it falls freely\n");
  if (design.largest_move > 0.0)
    fmt::print("  loads      move nodes by up to {:.4g} m from the start shape\n", design.largest_move);
  fmt::print("  cut for    {}{}\n", describe(design.cut_at),
             design.built_move > 0.0 ? fmt::format(", nodes up to {:.4g} m from the start shape", design.built_move)
                                     : ", the start shape");
  if (!design.stable) fmt::print("  stability  this equilibrium is unstable: it will not stay in this shape\n");
  int idle = 0;
  for (const DesignedMember& m : design.members) idle += m.section.limit == Limit::nothing;
  if (idle > 0)
    fmt::print("  idle       {} of the members carry nothing: as thick as the thinnest of their kind that does\n",
               idle);
  print_members(design);
  print_machine(design);
}

int run_design(CommandOptions& options) {
  options.design.bar = material_of(options.bar, "bar");
  options.design.cable = material_of(options.cable, "cable");
  if (!options.cut_at.empty())
    options.design.cut_at = static_cast<CutState>(index_of(cut_words(), options.cut_at, "--cut-at"));
  doing("reading " + options.file);
  const Scenario scenario = read_scenario(options.file, options.set);
  std::unique_ptr<TextFile> file;
  if (!options.output.empty()) file = std::make_unique<TextFile>(options.output, "csv");
  doing("sizing " + options.file);
  const DesignAnswer found = in_file(options.file, [&] { return answer_design(scenario, options.design); });
  if (file) file->write(csv_text(found.model, found.design, found.options));
  no_line();
  if (options.json)
    fmt::print("{}", result_text(json_of(found)));
  else
    print_text(found.model, found.design, found.options);
  return 0;
}

void add_material(Command& command, const std::string& kind, MaterialSettings& options) {
  const std::string names = "--" + kind;
  command.add({
      {names + "-material", "NAME", &options.name,
       "Of the " + kind + "s: steel, aluminium, carbon or polyethylene [steel]"},
      {names + "-density", "X", &options.density, "Instead of the material's, kg/m³", positive_number()},
      {names + "-modulus", "X", &options.modulus, "Instead of the material's, Pa", positive_number()},
      {names + "-strength", "X", &options.strength, "Instead of the material's, Pa, where it yields or breaks",
       positive_number()},
  });
}

}  // namespace

Command design_command() {
  const auto options = std::make_shared<CommandOptions>();
  Command command{"design", "Size every member for its load: mass, cut lengths, a table to build by"};
  command.options = {
      required({"FILE", "", &options->file, "The model file (TOML)"}),
      {"-o,--output", "FILE", &options->output, "Write the members into this file (CSV)"},
  };
  add_material(command, "bar", options->bar);
  add_material(command, "cable", options->cable);
  command.add({
      {"--safety", "S", &options->design.safety, "Factor on every force [1: exactly at the limit]", positive_number()},
      {"--hollow", "K", &options->design.hollow, "Bars are tubes: inner over outer radius, below 1 [0: solid]",
       number_not_negative()},
      {"--least-diameter", "D", &options->design.least_diameter, "No member is thinner, m [0]", number_not_negative()},
      {"--weight", "", &options->design.weight, "Members weigh what the design gives them, not what the file says"},
      {"--cut-at", "STATE", &options->cut_at,
       "What acts where members are cut for: unloaded, weight or loaded [unloaded]", one_of(cut_words())},
      {"--set", "KEY=VALUE", &options->set, "Override any key of the model file; may be repeated"},
      {"--json", "", &options->json, "One JSON object on standard output: mass, members, ..."},
  });
  command.footer =
      "Cables by yield, bars by yield and by Euler's buckling between hinges, under all loads, whatever their times,\n"
      "and in the state that members are cut for.\n"
      "Exit code: 0 done, 1 there is no equilibrium, 2 bad input.\n"
      "Examples:\n"
      "  taut design bridge.toml --safety 1.5 -o bridge.csv\n"
      "  taut design tower.toml --bar-material aluminium --hollow 0.9 --weight";
  command.run = [options] { return run_design(*options); };
  return command;
}

}  // namespace taut
