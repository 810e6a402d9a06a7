// The reader, section by section. Each reports what is wrong, puts a harmless value in its place and goes on, so
// that one reading finds all problems.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "taut/file/read/documents.h"
#include "taut/file/read/fields.h"
#include "taut/file/read/members.h"
#include "taut/model/check/check.h"
#include "taut/model/scenario.h"

namespace taut {

// One node as the files and overrides have it; null where a key is not given.
struct NodeEntry {
  std::string_view name;
  Mark mark{};                  // where it stands first
  const Value* self = nullptr;  // and as what; null: it divides a cable
  const Value* at = nullptr;
  std::vector<const Table*> at_components{}, velocity_components{};  // laid over them, the strongest last
  const Value* fixed = nullptr;
  const Value* mass = nullptr;
  const Value* velocity = nullptr;
  const Value* contact = nullptr;
};

// What the parts of the reader share. Each list of entries goes with the model's list of the same index.
struct Reading {
  Problems& problems;
  const std::vector<Document>& documents;
  const std::vector<Override>& overrides;
  Fields top;  // the files as one table, overrides on top
  Scenario scenario{};

  std::vector<NodeEntry> nodes{};
  std::unordered_map<std::string_view, int> node_index{};
  std::vector<std::string_view> node_names{};
  std::unordered_map<std::string, int> cable_index{};  // -1: the cable is there, but faulty
  std::vector<MemberEntry> bars{}, bodies{}, joints{}, pulleys{}, cables{}, constraints{}, actuators{}, drives{},
      bar_drives{}, controllers{}, loads{}, frames{}, targets{};  // those that are in the model
  std::vector<std::string> faulty_bars{};                         // there, but not in the model
  std::vector<bool> faulty_signal{};                              // by actuator
  std::deque<std::string> made_names{};                           // of nodes that divide cables

  Given given() const { return {documents, overrides, problems}; }
};

void read_environment(Reading& reading);
void read_simulation(Reading& reading);
void read_nodes(Reading& reading);
void read_bars(Reading& reading);
void read_bodies(Reading& reading);
void read_joints(Reading& reading);
void read_pulleys(Reading& reading);
void read_cables(Reading& reading);
void read_constraints(Reading& reading);
void read_actuators(Reading& reading);
void read_controllers(Reading& reading);
void read_loads(Reading& reading);
void read_outputs(Reading& reading);
void read_targets(Reading& reading);

// Whether the files have joints or pulleys, sound or faulty.
bool has_joints(const Reading& reading);
// A joint between carriers; an unknown one is reported.
std::optional<Carrier> find_carrier(Reading& reading, const Value& name, const std::string& key);
// A direction of unit length under a key; what is not one is reported.
std::optional<Vec3> read_direction(const Fields& fields, std::string_view key);
// A place: a node, or coordinates. `node`: its index, or -1.
std::optional<Vec3> read_place(Reading& reading, const Value& given, const std::string& key, int& node);

// "there is no cable "x"", with the name that was meant or the pieces that it was divided into.
std::string no_cable(Reading& reading, const std::string& name);
// A node by its name; an unknown one is reported under `key`.
std::optional<int> find_node(Reading& reading, const Value& name, const std::string& key);
// The nodes of a bar, cable or frame.
std::optional<std::vector<int>> read_member_nodes(Reading& reading, const MemberEntry& member, const Fields& fields);
// The nodes that a key lists.
std::optional<std::vector<int>> read_node_list(Reading& reading, const Fields& fields, std::string_view key);
// Reports at the list of nodes: its own, its place in a group, or an override's.
void say_about_nodes(const MemberEntry& member, const Fields& fields, std::string message);

// `law`, `stiffness`, `EA`, `damping`, `clip`, `beta`. False if something was reported.
bool read_law(const Fields& cable, CableLaw& law);
// `friction`: a coefficient, or a table.
void read_friction(const Fields& cable, SlidingFriction& friction);

// A number, or a table with a kind; a file that it names in an override lies beside `model_file`. False if
// something was reported.
bool read_signal(const Fields& owner, std::string_view key, const std::string& model_file, Signal& signal);

// The settings of every controller but those that roll: inputs, targets, path, gains. Nodes, joints, pulleys, cables
// and frames are read already. False: inputs, targets or path are not whole, which was reported.
bool read_steer(Reading& reading, const Fields& fields, ControllerSpec& spec);
// The program of a process, and where it runs. False: it is not whole, which was reported.
bool read_process(Reading& reading, const Fields& fields, SteerSettings& steer);
// Inputs and bounds of a process that names none: once everything else that drives is read.
void read_free_inputs(Reading& reading, const Fields& fields, ControllerSpec& spec);
// What neither actuators nor controllers drive: cables, then joints but for those that are to close loops.
std::vector<ControlInput> free_inputs(const Model& model);

// `file` under `key` as a path: beside the file that names it, or beside `model_file` where an override does.
std::string path_of_file(const Fields& table, std::string_view key, const std::string& file,
                         const std::string& model_file);

// One number of a CSV row, which may be nan or inf; false if the text is something else.
bool parse_cell(std::string_view text, double& value);

// Rows "t,value", with or without that header line. Throws InputError.
void read_signal_file(const std::string& file, Signal& signal);

// `rest_length`, `pretension` or `strain` (as `key`) as a rest length at the start length of the member; a value
// that cannot be is reported and `fallback` returned.
double resolve_rest_length(const Fields& fields, std::string_view key, const CableLaw& law, double start_length,
                           double fallback);

// The Scenario of `[generate]` as a document of its own; nothing if there is no such table. Throws InputError.
std::optional<Document> generated_document(const Fields& top);

// Says what check.h found at the place that the file gives to it.
void report_findings(Reading& reading, const std::vector<Finding>& findings);

}  // namespace taut
