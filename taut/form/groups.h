// Groups of members that share a force density or a length.
//
// By connections: two members are in one group if some renaming of the nodes that keeps all bars and cables carries one
// into the other. That is judged by colours: both ends of a member are marked, colours spread from there along cables
// and bars until they tell no more nodes apart, and the numbers of each colour are compared. Members of one orbit
// always come out together; members of different orbits that spreading colours cannot tell apart would, too.
#pragma once

#include <vector>

#include "taut/model/model.h"

namespace taut {

using MemberGroups = std::vector<std::vector<int>>;  // of members (equilibrium/members.h); each in one group

MemberGroups groups_by_connections(const Model& model);
// Cables with cables and bars with bars whose lengths at the start agree to a part `tolerance` of the mean length.
MemberGroups groups_by_length(const Model& model, double tolerance = 1e-6);
MemberGroups groups_of_one(const Model& model);

// `given` groups as they are, and what is left of `others`; a member that comes twice stays where it came first.
MemberGroups with_given(const Model& model, const MemberGroups& given, const MemberGroups& others);

}  // namespace taut
