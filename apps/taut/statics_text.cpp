#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/taut/statics_print.h"
#include "taut/base/text/text.h"
#include "taut/model/words.h"
#include "taut/solve/dense.h"

namespace taut {
namespace {

using Eigen::VectorXd;

// "cable a" or "cables a and b".
std::string members_text(const Statics& s, const std::vector<int>& members) {
  const bool cables = std::all_of(members.begin(), members.end(), [&](int i) { return s.rows.members[i].cable >= 0; });
  std::vector<std::string> names;
  for (const int i : members) names.push_back(s.rows.members[i].name);
  return fmt::format("{}{} {}", cables ? "cable" : "member", members.size() == 1 ? "" : "s",
                     listed(names, 10, " and "));
}

void print_self_stress(const Statics& s) {
  if (s.spaces.states == 0) {
    fmt::print("It has no state of self-stress.\n");
    return;
  }
  fmt::print("It has {}.\n", plural(s.spaces.states, "state of self-stress", "states of self-stress"));
  if (!s.spaces.states_listed) {
    fmt::print("They are too many to choose from: {}.\n", s.sign_feasible
                                                              ? "the tensions at the start are one, and serve"
                                                              : "and the tensions at the start are none");
    return;
  }
  if (!s.sign_feasible)
    fmt::print("No self-stress keeps all cables in tension; {} would have to push.\n", members_text(s, s.pushing));
  std::vector<int> short_ones;
  for (int i = 0; i < static_cast<int>(s.rows.members.size()); ++i)
    if (!(s.rows.members[i].length > 0.0)) short_ones.push_back(i);
  if (!short_ones.empty())
    fmt::print("The {} no length and so no direction: what {} is a state of self-stress that holds nothing.\n",
               members_text(s, short_ones) + (short_ones.size() == 1 ? " has" : " have"),
               short_ones.size() == 1 ? "it carries" : "each carries");
  if (!s.idle.empty())
    fmt::print("No self-stress reaches {}: {}.\n", members_text(s, s.idle),
               s.idle.size() == 1 ? "it has no tension by itself" : "they have no tension by themselves");
}

// "2 infinitesimal, 1 finite"
std::string kinds_of_mechanisms(const Statics& s) {
  std::string text;
  const auto add = [&](int n, const char* kind) {
    if (n > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, kind);
  };
  add(s.infinitesimal, "infinitesimal");
  add(s.finite, "finite");
  add(s.undecided, "not decided");
  return text;
}

void print_motions(const Model& model, const Statics& s) {
  if (s.spaces.mechanisms == 0) {
    if (s.rows.unknowns() > 0) fmt::print("It has no mechanism.\n");
    return;
  }
  const char* end = s.mechanisms.empty() ? "." : ":";
  if (s.spaces.mechanisms == 1 && s.undecided == 0)
    fmt::print("The structure has 1 {} mechanism{}\n", s.finite == 1 ? "finite" : "infinitesimal", end);
  else
    fmt::print("The structure has {} ({}){}\n", plural(s.spaces.mechanisms, "mechanism", "mechanisms"),
               kinds_of_mechanisms(s), end);
  for (std::size_t k = 0; k < std::min<std::size_t>(s.mechanisms.size(), 6); ++k)
    fmt::print("  {}: {}\n", name(s.mechanisms[k].kind), motion_text(model, s.rows, s.mechanisms[k].shape));
  if (s.mechanisms.size() > 6) fmt::print("  and {} more\n", s.mechanisms.size() - 6);
}

void print_mechanisms(const Model& model, const Statics& s) {
  print_motions(model, s);
  if (s.spaces.rigid.count > 0)
    fmt::print("Its supports leave {} free.\n", plural(s.spaces.rigid.count, "rigid motion", "rigid motions"));
  if (model.nodes.size() > 2 && dimension_of(model) < 3)
    fmt::print("All its nodes lie {}.\n", dimension_of(model) == 2   ? "in one plane"
                                          : dimension_of(model) == 1 ? "on one line"
                                                                     : "in one place");
  if (s.parts.count > 1) fmt::print("It falls into {} parts that nothing connects.\n", s.parts.count);
}

bool has_cables(const Statics& s) {
  return std::any_of(s.rows.members.begin(), s.rows.members.end(), [](const StaticMember& m) { return m.cable >= 0; });
}

// What the self-stress does, without loads.
std::string self_stress_text(const Statics& s) {
  const auto& verdict = s.self_stress_stability;
  if (verdict == Stability::super_stable)
    return has_cables(s) ? "super-stable: no other shape has cables as short and bars as long"
                         : "super-stable: no other shape has members of the same lengths";
  if (verdict == Stability::prestress_stable)
    return fmt::format("prestress-stable: {}",
                       s.spaces.mechanisms == 0
                           ? has_cables(s) ? "nothing moves without changing a length, and every cable is taut"
                                           : "nothing moves without changing a length"
                           : "the self-stress stiffens every mechanism");
  if (s.loose) return "unstable: what hangs on cables that no self-stress reaches is not held";
  return "unstable: the self-stress does not stiffen every mechanism";
}

void print_without_self_stress(const Statics& s) {
  if (s.spaces.mechanisms == 0)
    fmt::print("Without self-stress it is stiff{}: nothing moves without changing a length.\n",
               has_cables(s) ? " as long as no cable goes slack" : "");
  else
    fmt::print("Without self-stress nothing stiffens its mechanism{}.\n", s.spaces.mechanisms == 1 ? "" : "s");
  if (s.spaces.mechanisms > 0 && s.load_state == LoadState::balanced && all_pull(s) && is_stiff(s))
    fmt::print("Under weight and loads its forces do: it is stable with them.\n");
}

// Of a structure that is as stable with the forces at hand as by its self-stress.
void print_self_stress_stability(const Statics& s) {
  fmt::print("It is {}.\n", self_stress_text(s));
  if (s.stability_of == VerdictForces::at_hand && s.by_other_forces && s.load_state != LoadState::balanced)
    fmt::print("That takes other forces than the smallest ones: those below.\n");
  if (s.stability_of == VerdictForces::stabilising)
    fmt::print("That takes other forces than the smallest ones: see --json.\n");
  if (s.stability_of == VerdictForces::self_stress && s.stability != Stability::unstable)
    fmt::print("That is with its self-stress; the forces below {}.\n",
               all_pull(s) ? "leave a motion free" : "cannot be, since cables would have to push");
}

void print_stability(const Statics& s) {
  if (s.rows.unknowns() == 0) {
    fmt::print("All its nodes are fixed: nothing can move, and every member keeps the force that it starts with.\n");
    return;
  }
  if (s.stability == Stability::no_self_stress) return print_without_self_stress(s);
  if (s.stability == s.self_stress_stability) return print_self_stress_stability(s);
  const bool loaded = s.load_state == LoadState::balanced, unstable = s.stability == Stability::unstable;
  if (unstable && !loaded && s.by_other_forces && !s.stable_up_to) {
    fmt::print("It is unstable with the forces below. Other forces would hold it: see stabilising_forces of --json.\n");
    return;
  }
  if (unstable && loaded)
    fmt::print("It is unstable under weight and loads: with the forces below it gives way by itself.\n");
  else if (unstable)
    fmt::print("It is unstable with the forces below: they are more than its stiffness bears{}.\n",
               s.stable_up_to ? fmt::format(", which is {:.4g} of them", *s.stable_up_to) : "");
  else
    fmt::print(
        "It is prestress-stable with the forces below: weight and loads stiffen what the self-stress does not.\n");
  if (s.self_stress_stability == Stability::no_self_stress) return;
  fmt::print("{} it is {}.\n",
             loaded ? "Without loads, with a self-stress as small as need be," : "With a smaller self-stress",
             self_stress_text(s));
}

void print_loads(const Model& model, const Statics& s) {
  if (!s.falling.empty())
    fmt::print("Nothing holds {} against gravity: {} weight is left out.\n",
               s.parts.count == 1 ? "it" : fmt::format("{} of its parts", s.falling.size()),
               s.parts.count == 1 ? "its" : "their");
  if (s.load_state == LoadState::not_held)
    fmt::print("The loads are not held: they push it along a rigid motion ({}). They are left out.\n",
               motion_text(model, s.rows, s.loaded_motion));
  if (s.load_state == LoadState::on_mechanism)
    fmt::print("The loads cannot be balanced in this shape: they push along a mechanism ({}). They are left out.\n",
               motion_text(model, s.rows, s.loaded_motion));
  if (s.load_state == LoadState::balanced) {
    Vec3 total = Vec3::Zero();
    for (const Vec3& f : s.external) total += f;
    fmt::print("Weight and loads, ({:.4g}, {:.4g}, {:.4g}) N in all, are balanced by member forces.\n", total[0],
               total[1], total[2]);
  }
  if (!s.forces_feasible && s.load_state == LoadState::balanced)
    fmt::print("No forces keep all members within their bounds: {} would have to leave them.\n",
               members_text(s, s.offending.empty() ? s.conflict : s.offending));
  if (!s.unheld.empty())
    fmt::print("No self-stress reaches {}: nothing holds the tension wanted there.\n", members_text(s, s.unheld));
  else if (!s.forces_feasible && s.load_state != LoadState::balanced && s.sign_feasible)
    fmt::print("No self-stress keeps all members within their bounds: {} would have to leave them.\n",
               members_text(s, s.offending.empty() ? s.conflict : s.offending));
  if (!s.below_pretension.empty())
    fmt::print("Under the loads {} less than at the start.\n",
               members_text(s, s.below_pretension) + (s.below_pretension.size() == 1 ? " carries" : " carry"));
}

// Of a symmetric matrix with no negative eigenvalue.
double largest_of(const Mat3& matrix) { return principal_values(matrix).maxCoeff(); }

std::string buckling_text(const Model& model, const Buckling& b) {
  if (!b.found) return fmt::format("It does not buckle up to {:.4g} times the load.", b.factor);
  const std::string& node = model.nodes[b.softest_node].name;
  if (!b.stable) return fmt::format("It has buckled: it bears {:.4g} of the load, node {} gives way.", b.factor, node);
  return fmt::format("It buckles at {:.4g} times the load, node {} first.", b.factor, node);
}

void print_stiffness(const Model& model, const Statics& s) {
  if (s.softest) {
    const double value = s.softest->eigenvalue;
    const bool neutral = !is_stiff(s) && !gives_way(s);
    const char* word = !all_pull(s)   ? "If cables could push"
                       : is_stiff(s)  ? "Softest"
                       : gives_way(s) ? "It gives way by itself"
                                      : "Nothing resists";
    fmt::print("{}: {:.4g} N/m, {}.\n", word, neutral ? 0.0 : value, motion_text(model, s.rows, s.softest->motion));
  } else if (s.rows.unknowns() > 0) {
    fmt::print("{} can move: all of it is rigid.\n", s.spaces.rigid.count > 0 ? "Within itself nothing" : "Nothing");
  }
  if (s.buckling && (s.buckling->stable || s.buckling->found)) fmt::print("{}\n", buckling_text(model, *s.buckling));
  for (const Compliance& c : s.compliances) {
    const std::string& node = model.nodes[c.node].name;
    if (!c.bounded) {
      fmt::print("Node {} gives way without limit: there is a motion that nothing resists.\n", node);
      continue;
    }
    fmt::print("Node {} gives way by {:.4g} m under 1 N at most; m/N:\n", node, largest_of(c.matrix));
    for (int i = 0; i < 3; ++i)
      fmt::print("  {:>12.4e} {:>12.4e} {:>12.4e}\n", c.matrix(i, 0), c.matrix(i, 1), c.matrix(i, 2));
  }
}

void print_table(const Model& model, const Statics& s) {
  std::size_t width = 6;
  for (const StaticMember& m : s.rows.members) width = std::max(width, m.name.size());
  fmt::print("\n  {:<{}}  {:>12}  {:>12}  {:>12}\n", "member", width, "force, N", "density, N/m", "length, m");
  constexpr std::size_t shown = 60;
  for (std::size_t i = 0; i < std::min(s.rows.members.size(), shown); ++i) {
    const double force = s.forces[static_cast<long>(i)];
    fmt::print("  {:<{}}  {:>12.6g}  {:>12.6g}  {:>12.6g}\n", s.rows.members[i].name, width, force,
               force_density(s, static_cast<int>(i), s.forces), s.rows.members[i].length);
  }
  if (s.rows.members.size() > shown) fmt::print("  and {} more: see --json\n", s.rows.members.size() - shown);
  bool first = true;
  std::size_t count = 0;
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    if (model.nodes[i].fixed == Axes{} || ++count > shown) continue;
    if (first) fmt::print("\n  reactions, N\n");
    first = false;
    const Vec3& r = s.reactions[i];
    fmt::print("  {:<{}}  {:>12.6g}  {:>12.6g}  {:>12.6g}\n", model.nodes[i].name, width, r[0], r[1], r[2]);
  }
  if (count > shown) fmt::print("  and {} more: see --json\n", count - shown);
}

}  // namespace

void print_statics(const Model& model, const Statics& s) {
  fmt::print("{}: {}\n", model.name.empty() ? "model" : model.name, counts_text(model));
  print_self_stress(s);
  print_mechanisms(model, s);
  print_stability(s);
  print_loads(model, s);
  print_stiffness(model, s);
  print_table(model, s);
}

}  // namespace taut
