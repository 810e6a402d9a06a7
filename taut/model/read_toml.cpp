#include "taut/model/read_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "taut/model/body_mass.h"
#include "taut/model/keys.h"
#include "taut/model/model_file.h"
#include "taut/model/parse_toml.h"
#include "taut/model/read_parts.h"

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
    for (const auto& [key, value] : document.root) {
      const std::string wrong = message(key.str());
      if (!wrong.empty()) top.problems().add(key.source(), std::string(key.str()), wrong);
    }
  }
  for (const Override& override : overrides) {
    const std::string wrong = message(override.path.front());
    if (!wrong.empty()) top.problems().add(Place{override.source, 0, 0}, override.key, wrong);
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
                  Fields(problems, KeyPath{""}, top_levels(documents, overrides), &documents.back().root)};
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

  // Only one formulation takes joints.
  if (is_mechanism(model) && !reading.top.table("simulation").has("formulation"))
    reading.scenario.simulation.formulation = "multibody";

  // Each entity by itself; the structure as a whole only once every entity is sound.
  report_findings(reading, check_simulation(reading.scenario.simulation));
  report_findings(reading, check_entities(model));
  if (problems.empty()) {
    if (!is_mechanism(model)) add_body_nodes(model);
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
  const auto say = [&](const std::vector<Member>& members, const Finding& finding) {
    const Member& member = members[finding.index];
    const Fields fields = member.fields(reading.problems);
    if (finding.key == "nodes") return say_about_nodes(member, fields, finding.message);
    // `beta` may stand in the law's table.
    const bool in_law = finding.key == "beta" && !fields.has("beta");
    fields.say(in_law ? "law.beta" : finding.key, finding.message);
  };
  for (const Finding& finding : findings) {
    switch (finding.part) {
      case Part::model:
        reading.problems.add(Place{reading.documents.back().file, 1, 1}, finding.key, finding.message);
        break;
      case Part::environment:
        reading.top.table("environment").say(finding.key, finding.message);
        break;
      case Part::simulation:
        reading.top.table("simulation").say(finding.key, finding.message);
        break;
      case Part::node: {
        if (finding.index >= static_cast<int>(reading.nodes.size())) {  // appended to a body
          const std::string& name = reading.scenario.model.nodes[finding.index].name;
          reading.problems.add(Place{reading.documents.back().file, 0, 0}, KeyPath{"nodes", -1, name}.text(finding.key),
                               finding.message);
          break;
        }
        const NodeEntry& entry = reading.nodes[finding.index];
        const toml::node* at = finding.key == "velocity" ? entry.velocity
                               : finding.key == "mass"   ? entry.mass
                                                         : entry.at;
        reading.problems.add((at ? at : entry.self)->source(), KeyPath{"nodes", -1, entry.name}.text(finding.key),
                             finding.message);
        break;
      }
      case Part::bar:
        say(reading.bars, finding);
        break;
      case Part::body:
        say(reading.bodies, finding);
        break;
      case Part::joint:
        say(reading.joints, finding);
        break;
      case Part::pulley:
        say(reading.pulleys, finding);
        break;
      case Part::drive:
        say(reading.drives, finding);
        break;
      case Part::cable:
        say(reading.cables, finding);
        break;
      case Part::constraint:
        say(reading.constraints, finding);
        break;
      case Part::controller:
        say(reading.controllers, finding);
        break;
      case Part::load:
        say(reading.loads, finding);
        break;
      case Part::frame:
        say(reading.frames, finding);
        break;
      case Part::target:
        say(reading.targets, finding);
        break;
      case Part::actuator:
        // The value at the start means nothing while the signal is not whole.
        if (finding.key == "rest_length" && reading.faulty_signal[finding.index]) break;
        say(reading.actuators, finding);
        break;
    }
  }
}

ModelFile::ModelFile(std::string_view text, const std::string& file, const std::vector<std::string>& overrides)
    : file_(file) {
  problems_.announce_file(file);
  overrides_ = parse_overrides(overrides, problems_);
  documents_ = load_documents(text, file, overrides_, problems_);
}

// What [generate] makes goes in front of the files.
void ModelFile::generate(Problems& problems) {
  if (generated_) documents_.erase(documents_.begin());
  generated_ = false;
  stale_ = true;
  const Fields top(problems, KeyPath{""}, top_levels(documents_, overrides_), &documents_.back().root);
  std::optional<Document> made = generated_document(top);
  problems_.set_generated(problems.generated());
  stale_ = false;
  if (!made) return;
  documents_.insert(documents_.begin(), std::move(*made));
  generated_ = true;
}

Scenario ModelFile::read(std::vector<Override> more) {
  Problems problems = problems_;
  const bool again = regenerates(more);
  // Moved: a copy of a TOML tree forgets where it stands.
  struct Lent {
    std::vector<Override>& list;
    const std::size_t own = list.size();
    ~Lent() { list.erase(list.begin() + static_cast<std::ptrdiff_t>(own), list.end()); }
  } lent{overrides_};
  for (Override& override : more) {
    problems.announce_override(override.source, override.key);
    overrides_.push_back(std::move(override));
  }
  {
    const Fields top(problems, KeyPath{""}, top_levels(documents_, overrides_), &documents_.back().root);
    refuse_unknown_sections(top, documents_, overrides_);
  }
  if (again || stale_) generate(problems);
  stale_ = again;
  return read_documents(file_, documents_, overrides_, problems);
}

std::vector<std::string> ModelFile::files() const {
  std::vector<std::string> names;
  for (const Document& document : documents_)
    if (document.file != generated_source) names.push_back(document.file);
  return names;
}

Scenario read_scenario_text(std::string_view text, const std::string& file, const std::vector<std::string>& overrides) {
  return ModelFile(text, file, overrides).read();
}

Scenario read_scenario(const std::string& file, const std::vector<std::string>& overrides) {
  return read_scenario_text(read_text_file(file), file, overrides);
}

}  // namespace taut
