#include "taut/file/read/read_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "taut/file/keys.h"
#include "taut/file/read/model_file.h"
#include "taut/file/read/parse_toml.h"
#include "taut/file/read/read_sections.h"
#include "taut/file/write/tree.h"
#include "taut/model/shape/body_mass.h"

namespace taut {

namespace {

void refuse_unknown_sections(const Fields& top, const std::vector<Document>& documents,
                             const std::vector<Override>& overrides) {
  const auto message = [&](std::string_view key) -> std::string {
    if (std::find(keys::file.begin(), keys::file.end(), key) != keys::file.end()) return "";
    for (const keys::Section& section : keys::sections) {
      const bool plain = section.title == "environment" || section.title == "simulation";
      if (plain && std::find(section.keys.begin(), section.keys.end(), key) != section.keys.end()) {
        return fmt::format("is not a known key here: it belongs in [{}]", section.title);
      }
    }
    return "is not a known key" + top.problems().did_you_mean(key, {keys::file.begin(), keys::file.end()});
  };
  for (const Document& document : documents) {
    for (const Item& item : document.root.items) {
      const std::string wrong = message(item.key);
      if (!wrong.empty()) top.problems().add(item.at, item.key, wrong);
    }
  }
  for (const Override& override : overrides) {
    const std::string wrong = message(override.path.front());
    if (!wrong.empty()) top.problems().add(Mark{override.source.get()}, "", wrong);
  }
}

// The files and the overrides of plain tables as one table; lists and nodes take their overrides by name.
Levels top_levels(const std::vector<Document>& documents, const std::vector<Override>& overrides) {
  Levels levels;
  for (const Document& document : documents) levels.push_back(&document.root);
  for (const Override& override : overrides) {
    const std::string& section = override.path.front();
    const bool plain =
        section == "name" || section == "environment" || section == "simulation" || section == "generate";
    if (plain) levels.push_back(&override.tree);
  }
  return levels;
}

// A file of a few lines without a name is called as the file is.
std::string stem(const std::string& file) { return std::filesystem::path(file).stem().string(); }

std::vector<Override> parse_overrides(const std::vector<std::string>& texts, Problems& problems) {
  std::vector<Override> overrides;
  for (const std::string& text : texts) {
    if (std::optional<Override> override = parse_override(text, problems)) overrides.push_back(std::move(*override));
  }
  return overrides;
}

Scenario read_documents(const std::string& file, const std::vector<Document>& documents,
                        const std::vector<Override>& overrides, Problems& problems) {
  Reading reading{problems, documents, overrides,
                  Fields(problems, KeyPath{""}, top_levels(documents, overrides), documents.back().root.at)};
  Model& model = reading.scenario.model;
  model.name = reading.top.text("name").value_or(stem(file));
  read_environment(reading);
  read_simulation(reading);
  read_nodes(reading);
  read_bars(reading);
  read_bodies(reading);
  read_joints(reading);
  read_pulleys(reading);
  read_cables(reading);
  read_constraints(reading);
  read_actuators(reading);
  read_loads(reading);
  read_outputs(reading);
  read_controllers(reading);
  read_targets(reading);

  if (RunSettings& simulation = reading.scenario.simulation; !reading.top.table("simulation").has("formulation"))
    simulation.formulation = std::string(natural_formulation(model, simulation.formulation));

  // Each entity by itself; the structure as a whole only once every entity is sound.
  report_findings(reading, check_simulation(reading.scenario.simulation));
  report_findings(reading, check_entities(model));
  if (problems.empty()) {
    if (has_joints(model))
      move_body_nodes(model);
    else
      add_body_nodes(model);
    report_findings(reading, check_structure(model));
  }
  problems.throw_if_any();
  return std::move(reading.scenario);
}

bool regenerates(const std::vector<Override>& overrides) {
  return std::any_of(overrides.begin(), overrides.end(),
                     [](const Override& override) { return override.path.front() == "generate"; });
}

// The entries of a kind of entities; null: those of that kind are no members of a list.
const std::vector<MemberEntry>* entries_of(const Reading& reading, EntityKind kind) {
  switch (kind) {
    case EntityKind::bar:
      return &reading.bars;
    case EntityKind::body:
      return &reading.bodies;
    case EntityKind::joint:
      return &reading.joints;
    case EntityKind::pulley:
      return &reading.pulleys;
    case EntityKind::drive:
      return &reading.drives;
    case EntityKind::bar_drive:
      return &reading.bar_drives;
    case EntityKind::cable:
      return &reading.cables;
    case EntityKind::constraint:
      return &reading.constraints;
    case EntityKind::controller:
      return &reading.controllers;
    case EntityKind::load:
      return &reading.loads;
    case EntityKind::frame:
      return &reading.frames;
    case EntityKind::wanted_tension:
      return &reading.targets;
    case EntityKind::actuator:
      return &reading.actuators;
    case EntityKind::model:
    case EntityKind::environment:
    case EntityKind::simulation:
    case EntityKind::node:
      break;
  }
  return nullptr;
}

void report_entry(Reading& reading, const MemberEntry& entry, const Finding& finding) {
  const Fields fields = entry.fields(reading.problems);
  if (finding.key == "nodes") return say_about_nodes(entry, fields, finding.message);
  // `beta` may stand in the law's table.
  const bool in_law = finding.key == "beta" && !fields.has("beta");
  fields.say(in_law ? "law.beta" : finding.key, finding.message);
}

void report_node(Reading& reading, const Finding& finding) {
  if (finding.index >= static_cast<int>(reading.nodes.size())) {  // appended to a body
    const std::string& name = reading.scenario.model.nodes[finding.index].name;
    reading.problems.add(Place{reading.documents.back().file(), 0, 0}, KeyPath{"nodes", -1, name}.text(finding.key),
                         finding.message);
    return;
  }
  const NodeEntry& entry = reading.nodes[finding.index];
  const Value* at = finding.key == "velocity" ? entry.velocity : finding.key == "mass" ? entry.mass : entry.at;
  reading.problems.add(at ? at->at : entry.mark, KeyPath{"nodes", -1, entry.name}.text(finding.key), finding.message);
}

// What follows from another fault alone.
bool is_forgiven(const Reading& reading, const Finding& finding) {
  // The value at the start means nothing while the signal is not whole.
  if (finding.kind == EntityKind::actuator) return finding.key == "rest_length" && reading.faulty_signal[finding.index];
  // Joints that are faulty are not in the model: what a machine need not have is no fault then.
  if (finding.kind != EntityKind::model && finding.kind != EntityKind::body) return false;
  return has_joints(reading) && !has_joints(reading.scenario.model) &&
         (finding.key == "nodes" || finding.key == "mass");
}

}  // namespace

void report_findings(Reading& reading, const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    if (is_forgiven(reading, finding)) continue;
    if (const std::vector<MemberEntry>* entries = entries_of(reading, finding.kind))
      report_entry(reading, (*entries)[finding.index], finding);
    else if (finding.kind == EntityKind::node)
      report_node(reading, finding);
    else if (finding.kind == EntityKind::model)
      reading.problems.add(Place{reading.documents.back().file(), 1, 1}, finding.key, finding.message);
    else
      reading.top.table(finding.kind == EntityKind::environment ? "environment" : "simulation")
          .say(finding.key, finding.message);
  }
}

ModelFile::ModelFile(std::string_view text, const std::string& file, const std::vector<std::string>& overrides,
                     const Table& added)
    : file_(file) {
  problems_.announce_file(file);
  overrides_ = parse_overrides(overrides, problems_);
  documents_ = load_documents(text, file, overrides_, problems_);
  append(added);
}

ModelFile::ModelFile(const Scenario& scenario, const std::string& file, const std::vector<std::string>& overrides,
                     const Table& added)
    : file_(file) {
  problems_.announce_file(file);
  overrides_ = parse_overrides(overrides, problems_);
  auto source = std::make_shared<const Source>(
      Source{.kind = Source::Kind::generated, .name = std::make_shared<const std::string>(file)});
  Table tree = tree_of(scenario, *source);
  documents_.push_back({std::move(source), std::move(tree)});
  append(added);
}

void ModelFile::append(const Table& added) {
  if (added.items.empty()) return;
  auto source = std::make_shared<const Source>(
      Source{.kind = Source::Kind::generated, .name = std::make_shared<const std::string>(file_)});
  Document document{source, added};
  set_source(document.root, *source);
  documents_.push_back(std::move(document));
}

// What [generate] makes goes in front of the files.
void ModelFile::generate(const Fields& top) {
  if (generated_) documents_.erase(documents_.begin());
  generated_ = false;
  stale_ = true;
  std::optional<Document> made = generated_document(top);
  stale_ = false;
  if (!made) return;
  documents_.insert(documents_.begin(), std::move(*made));
  generated_ = true;
}

Scenario ModelFile::read(const std::vector<Override>& more) {
  Problems problems = problems_;
  std::vector<Override> overrides = overrides_;
  overrides.insert(overrides.end(), more.begin(), more.end());
  const auto top = [&] {
    return Fields(problems, KeyPath{""}, top_levels(documents_, overrides), documents_.back().root.at);
  };
  refuse_unknown_sections(top(), documents_, overrides);
  const bool again = regenerates(more);
  if (again || stale_) generate(top());
  stale_ = again;
  return read_documents(file_, documents_, overrides, problems);
}

std::vector<std::string> ModelFile::files() const {
  std::vector<std::string> names;
  for (const Document& document : documents_)
    if (document.source->kind == Source::Kind::file) names.push_back(document.file());
  return names;
}

Scenario read_scenario_text(std::string_view text, const std::string& file, const std::vector<std::string>& set,
                            const std::vector<Override>& options) {
  return ModelFile(text, file, set).read(options);
}

Scenario read_scenario(const std::string& file, const std::vector<std::string>& set,
                       const std::vector<Override>& options) {
  return read_scenario_text(read_text_file(file), file, set, options);
}

}  // namespace taut
