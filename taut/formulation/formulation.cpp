#include "taut/formulation/formulation.h"

#include <fmt/format.h>

#include <algorithm>

#include "taut/base/error.h"
#include "taut/base/text/suggest.h"
#include "taut/formulation/multibody/from_model.h"
#include "taut/formulation/nodal/nodal.h"
#include "taut/formulation/rods/point_mass.h"
#include "taut/formulation/rods/rod_kinds.h"

namespace taut {

Terms::Terms() = default;
Terms::Terms(const Terms&) = default;
Terms::Terms(Terms&&) noexcept = default;
Terms& Terms::operator=(const Terms&) = default;
Terms& Terms::operator=(Terms&&) noexcept = default;
Terms::~Terms() = default;

namespace {

struct Kind {
  std::string_view name;
  std::unique_ptr<Formulation> (*make)(const Model&);
};

template <class F>
std::unique_ptr<Formulation> make(const Model& model) {
  return std::make_unique<F>(model);
}

// Its bodies are rigid.
void refuse_driven_bars(const Model& model) {
  for (const BarDrive& drive : model.bar_drives)
    if (const Bar& bar = model.bars[drive.bar]; !bar.elastic)
      throw InputError(
          drive.place, bar.name,
          fmt::format("formulation multibody: the length of bar \"{}\" is driven, but its bars are rigid "
                      "bodies; nodal can represent it; in a machine, two bodies on a prismatic joint with a "
                      "position do the same",
                      bar.name));
}

std::unique_ptr<Formulation> make_multibody(const Model& model) {
  refuse_driven_bars(model);
  ModelMachine m = machine_of(model);
  return std::make_unique<Multibody>(std::move(m.machine), model, std::move(m.bars), std::move(m.joints));
}

// Joints and pulleys have coordinates of their own.
void refuse_machine(std::string_view name, const Model& model) {
  if (name == "multibody") return;
  const auto refuse = [&](const char* kind, const auto& entity) {
    throw InputError(entity.place, entity.name,
                     fmt::format("formulation {}: {} \"{}\" needs the formulation multibody", name, kind, entity.name));
  };
  if (!model.joints.empty()) refuse("joint", model.joints.front());
  if (!model.pulleys.empty()) refuse("pulley", model.pulleys.front());
}

constexpr Kind kinds[] = {{"nodal", make<Nodal>},          {"minimal", make_minimal},
                          {"quaternion", make_quaternion}, {"point_mass", make<PointMass>},
                          {"multibody", make_multibody},   {"minimal_bounded", make_minimal_bounded}};

}  // namespace

const std::vector<std::string_view>& formulation_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> list;
    for (const Kind& kind : kinds) list.push_back(kind.name);
    return list;
  }();
  return names;
}

std::vector<std::string_view> equivalent_formulations(const Model& model) {
  if (has_joints(model)) return {"multibody"};
  std::vector<std::string_view> names = {"nodal"};
  const auto attached = [](const Bar& bar) { return !bar.attached.empty(); };
  if (!model.bodies.empty() || std::any_of(model.bars.begin(), model.bars.end(), attached)) {
    if (!drives_rigid_bars(model)) names.push_back("multibody");
    return names;
  }
  names.insert(names.end(), {"minimal", "quaternion"});
  if (is_lumped(model)) names.push_back("point_mass");
  if (!drives_rigid_bars(model)) names.push_back("multibody");
  return names;
}

std::unique_ptr<Formulation> make_formulation(std::string_view name, const Model& model) {
  for (const Kind& kind : kinds)
    if (kind.name == name) {
      refuse_machine(name, model);
      return kind.make(model);
    }
  throw InputError("simulation.formulation: " + unknown_word(name, formulation_names()));
}

}  // namespace taut
