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

}  // namespace

void report_findings(Reading& reading, const std::vector<Finding>& findings) {
  const auto say = [&](const std::vector<MemberEntry>& members, const Finding& finding) {
    const MemberEntry& member = members[finding.index];
    const Fields fields = member.fields(reading.problems);
    if (finding.key == "nodes") return say_about_nodes(member, fields, finding.message);
    // `beta` may stand in the law's table.
    const bool in_law = finding.key == "beta" && !fields.has("beta");
    fields.say(in_law ? "law.beta" : finding.key, finding.message);
  };
  const bool faulty_machine = has_joints(reading) && !has_joints(reading.scenario.model);
  // Joints that are faulty are not in the model: what a machine need not have is no fault then.
  const auto forgiven = [&](const Finding& finding) {
    if (finding.kind != EntityKind::model && finding.kind != EntityKind::body) return false;
    return faulty_machine && (finding.key == "nodes" || finding.key == "mass");
  };
  for (const Finding& finding : findings) {
    if (forgiven(finding)) continue;
    switch (finding.kind) {
      case EntityKind::model:
        reading.problems.add(Place{reading.documents.back().file(), 1, 1}, finding.key, finding.message);
        break;
      case EntityKind::environment:
        reading.top.table("environment").say(finding.key, finding.message);
        break;
      case EntityKind::simulation:
        reading.top.table("simulation").say(finding.key, finding.message);
        break;
      case EntityKind::node: {
        if (finding.index >= static_cast<int>(reading.nodes.size())) {  // appended to a body
          const std::string& name = reading.scenario.model.nodes[finding.index].name;
          reading.problems.add(Place{reading.documents.back().file(), 0, 0},
                               KeyPath{"nodes", -1, name}.text(finding.key), finding.message);
          break;
        }
        const NodeEntry& entry = reading.nodes[finding.index];
        const Value* at = finding.key == "velocity" ? entry.velocity : finding.key == "mass" ? entry.mass : entry.at;
        reading.problems.add(at ? at->at : entry.mark, KeyPath{"nodes", -1, entry.name}.text(finding.key),
                             finding.message);
        break;
      }
      case EntityKind::bar:
        say(reading.bars, finding);
        break;
      case EntityKind::body:
        say(reading.bodies, finding);
        break;
      case EntityKind::joint:
        say(reading.joints, finding);
        break;
      case EntityKind::pulley:
        say(reading.pulleys, finding);
        break;
      case EntityKind::drive:
        say(reading.drives, finding);
        break;
      case EntityKind::bar_drive:
        say(reading.bar_drives, finding);
        break;
      case EntityKind::cable:
        say(reading.cables, finding);
        break;
      case EntityKind::constraint:
        say(reading.constraints, finding);
        break;
      case EntityKind::controller:
        say(reading.controllers, finding);
        break;
      case EntityKind::load:
        say(reading.loads, finding);
        break;
      case EntityKind::frame:
        say(reading.frames, finding);
        break;
      case EntityKind::wanted_tension:
        say(reading.targets, finding);
        break;
      case EntityKind::actuator:
        // The value at the start means nothing while the signal is not whole.
        if (finding.key == "rest_length" && reading.faulty_signal[finding.index]) break;
        say(reading.actuators, finding);
        break;
    }
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
