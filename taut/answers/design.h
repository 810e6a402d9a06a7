// How thick every member must be, and what it all weighs. What `taut design` answers.
#pragma once

#include <optional>
#include <string>

#include "taut/answers/json.h"
#include "taut/answers/rules.h"
#include "taut/design/design.h"
#include "taut/model/scenario.h"

namespace taut {

// A known material, and what is given instead of its values.
struct MaterialSettings {
  std::string name = "steel";
  std::optional<double> density, modulus, strength;  // kg/m³, Pa, Pa
};

const Words& cut_words();  // of CutState, in its order

// "--bar-material" and so on: `kind` is bar or cable. Throws InputError that names the option.
Material material_of(const MaterialSettings& settings, const std::string& kind);

// Throws InputError that names the option.
void require(const DesignOptions& options);

struct DesignAnswer {
  Model model;
  DesignOptions options;
  Design design;
};

// Throws InputError and RunError as design() does.
DesignAnswer answer_design(const Scenario& scenario, const DesignOptions& options);

// m; 0 of what is solid.
double inner_diameter(const DesignedMember& member, const DesignOptions& options);

// mass, bar_mass, cable_mass, members, ...
Json json_of(const DesignAnswer& answer);

}  // namespace taut
