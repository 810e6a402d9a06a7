// Every key that a model file may hold, by section. The reader refuses what is not listed here, and a test
// refuses a key that docs/model-format.md does not describe.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace taut::keys {

using Word = std::string_view;

inline constexpr auto file = std::to_array<Word>({"name", "model", "environment", "nodes", "bars", "bodies", "joints",
                                                  "pulleys", "cables", "constraints", "actuators", "controllers",
                                                  "loads", "outputs", "targets", "generate", "simulation"});
inline constexpr auto environment = std::to_array<Word>({"gravity", "ground", "collision"});
inline constexpr auto ground =
    std::to_array<Word>({"height", "stiffness", "damping", "friction", "law", "beta", "exponent", "slip_speed",
                         "viscous", "radius", "normal", "heights", "restitution"});
inline constexpr auto heights = std::to_array<Word>({"file", "rows", "origin", "spacing"});
inline constexpr auto collision =
    std::to_array<Word>({"law", "stiffness", "damping", "beta", "length", "friction", "slip_speed"});
inline constexpr auto node = std::to_array<Word>({"at", "fixed", "mass", "velocity", "contact"});
inline constexpr auto bar = std::to_array<Word>({"nodes", "pairs", "name", "mass", "com", "inertia", "axial_inertia",
                                                 "spin", "radius", "drag", "turning_drag", "EA", "yield", "hardening",
                                                 "rest_length", "pretension", "strain", "mass_model", "attached"});
inline constexpr auto body = std::to_array<Word>({"name", "nodes", "mass", "density", "shape", "centre", "inertia",
                                                  "outline", "thickness", "size", "axes", "axis", "length", "ends",
                                                  "radius", "inner_radius", "velocity", "angular_velocity", "contact"});
inline constexpr auto joint =
    std::to_array<Word>({"name", "kind", "bodies", "at", "axis", "axes", "role", "position", "start", "velocity",
                         "stiffness", "rest", "damping", "friction", "slip_speed"});
inline constexpr auto pulley =
    std::to_array<Word>({"name", "body", "centre", "axis", "radius", "to", "end", "second", "variant", "EA", "damping",
                         "clip", "conservative", "strain", "pretension", "length"});
inline constexpr auto second_pulley = std::to_array<Word>({"body", "centre", "radius", "crossed"});
inline constexpr auto cable = std::to_array<Word>(
    {"nodes", "paths", "name", "stiffness", "EA", "damping", "damping_model", "rest_length", "pretension", "strain",
     "mass", "mass_model", "pieces", "law", "clip", "beta", "yield", "hardening", "friction"});
inline constexpr auto friction = std::to_array<Word>({"law", "coefficient", "slip_speed"});
inline constexpr auto constraint = std::to_array<Word>({"name", "sum", "value", "axes"});
inline constexpr auto actuator =
    std::to_array<Word>({"cable", "bar", "rest_length", "length", "joint", "coordinate", "position", "torque"});
// Controllers by kind.
inline constexpr auto controller_roll = std::to_array<Word>(
    {"kind", "name", "rate", "start", "policy", "direction", "speed", "shortest", "longest", "inputs"});
inline constexpr auto controller_table =
    std::to_array<Word>({"kind", "name", "rate", "start", "inputs", "bounds", "speed", "path"});
inline constexpr auto controller_pid =
    std::to_array<Word>({"kind", "name", "rate", "start", "inputs", "bounds", "speed", "targets", "path",
                         "position_gain", "velocity_gain", "integral_gain", "bias"});
inline constexpr auto controller_lqr =
    std::to_array<Word>({"kind", "name", "rate", "start", "inputs", "bounds", "speed", "targets", "path",
                         "position_weight", "velocity_weight", "input_weight", "bias"});
inline constexpr auto controller_computed_torque =
    std::to_array<Word>({"kind", "name", "rate", "start", "inputs", "bounds", "speed", "targets", "path",
                         "position_gain", "velocity_gain", "input_weight", "method", "tension"});
inline constexpr auto controller_near_rigid = std::to_array<Word>(
    {"kind", "name", "rate", "start", "inputs", "bounds", "targets", "path", "position_gain", "velocity_gain",
     "input_weight", "strain", "strain_gain", "free_position_gain", "free_velocity_gain", "compensate_damping"});
inline constexpr auto controller_process = std::to_array<Word>(
    {"kind", "name", "rate", "start", "inputs", "bounds", "speed", "command", "folder", "time_limit", "memory"});
inline constexpr auto controller_path = std::to_array<Word>({"t", "values", "slopes", "file"});
inline constexpr auto load = std::to_array<Word>({"node", "force", "from", "to"});
inline constexpr auto output = std::to_array<Word>({"frame", "nodes", "relative_to"});
inline constexpr auto target = std::to_array<Word>({"cables", "tension", "mean_tension"});
inline constexpr auto generate = std::to_array<Word>({"kind"});  // and the parameters of that kind
inline constexpr auto simulation =
    std::to_array<Word>({"formulation", "integrator", "step", "tolerance", "duration", "output_step", "constraints",
                         "k_s", "k_d", "corrections", "settle"});

// Cable laws (law = "..." or law = { kind = "...", ... }) and what each of them may hold.
inline constexpr auto law_linear = std::to_array<Word>({"kind", "clip", "yield", "hardening"});
inline constexpr auto law_softplus = std::to_array<Word>({"kind", "beta"});
inline constexpr auto law_spring = std::to_array<Word>({"kind", "yield", "hardening"});
inline constexpr auto law_table = std::to_array<Word>({"kind", "strain", "force", "unloading"});

// Signals (actuators) by kind.
inline constexpr auto signal_constant = std::to_array<Word>({"kind", "value"});
inline constexpr auto signal_step = std::to_array<Word>({"kind", "before", "after", "at"});
inline constexpr auto signal_ramp = std::to_array<Word>({"kind", "from", "to", "start", "end"});
inline constexpr auto signal_cosine = std::to_array<Word>({"kind", "from", "to", "start", "end"});
inline constexpr auto signal_sine = std::to_array<Word>({"kind", "mean", "amplitude", "period", "phase", "ramp"});
inline constexpr auto signal_table = std::to_array<Word>({"kind", "file", "t", "values"});
inline constexpr auto signal_hermite = std::to_array<Word>({"kind", "t", "values", "slopes"});

struct Section {
  Word title;  // as in the reference page
  std::span<const Word> keys;
};

inline constexpr auto sections = std::to_array<Section>({{"top level", file},
                                                         {"environment", environment},
                                                         {"ground", ground},
                                                         {"heights", heights},
                                                         {"collision", collision},
                                                         {"nodes", node},
                                                         {"bars", bar},
                                                         {"bodies", body},
                                                         {"joints", joint},
                                                         {"pulleys", pulley},
                                                         {"second pulley", second_pulley},
                                                         {"cables", cable},
                                                         {"friction", friction},
                                                         {"constraints", constraint},
                                                         {"actuators", actuator},
                                                         {"controller roll", controller_roll},
                                                         {"controller table", controller_table},
                                                         {"controller pid", controller_pid},
                                                         {"controller lqr", controller_lqr},
                                                         {"controller computed_torque", controller_computed_torque},
                                                         {"controller near_rigid", controller_near_rigid},
                                                         {"controller process", controller_process},
                                                         {"controller path", controller_path},
                                                         {"loads", load},
                                                         {"outputs", output},
                                                         {"targets", target},
                                                         {"generate", generate},
                                                         {"simulation", simulation},
                                                         {"law linear", law_linear},
                                                         {"law softplus", law_softplus},
                                                         {"law spring", law_spring},
                                                         {"law table", law_table},
                                                         {"signal constant", signal_constant},
                                                         {"signal step", signal_step},
                                                         {"signal ramp", signal_ramp},
                                                         {"signal cosine", signal_cosine},
                                                         {"signal sine", signal_sine},
                                                         {"signal table", signal_table},
                                                         {"signal hermite", signal_hermite}});

}  // namespace taut::keys
