// Members of a structure by one number: its cables first, then its bars. What the methods of form-finding that know
// only nodes and straight or running members share.
#pragma once

#include <Eigen/Core>
#include <string>
#include <utility>
#include <vector>

#include "taut/model/model.h"

namespace taut {

inline int member_count(const Model& model) { return static_cast<int>(model.cables.size() + model.bars.size()); }
inline int member_of_bar(const Model& model, int bar) { return static_cast<int>(model.cables.size()) + bar; }
inline bool is_cable(const Model& model, int member) { return member < static_cast<int>(model.cables.size()); }
const std::string& member_name(const Model& model, int member);
// Cables pull; springs that also push are left to themselves.
bool must_pull(const Model& model, int member);

// The nodes that a member runs through; of a straight one its two ends.
std::vector<int> member_path(const Model& model, int member);
// Straight pieces of all members, in their order: one of a straight member, several of a cable that runs over nodes.
struct MemberPieces {
  std::vector<std::pair<int, int>> ends;
  std::vector<int> member;  // of each piece
};
MemberPieces member_pieces(const Model& model);

// Throws InputError for what is no matter of nodes, cables and bars alone: joints, bodies, nodes that ride on a bar,
// linear constraints, a ground.
void require_nodes_and_members(const Model& model, const char* method);
// Throws InputError for hard ground, whose forces do not follow from where nodes are.
void require_soft_ground(const Model& model);
// As above for joints and a ground alone.
void require_no_ground(const Model& model, const char* method);

// 3 per node.
Eigen::VectorXd positions(const Model& model);
double member_length(const Model& model, int member, const Eigen::VectorXd& x);
double mean_member_length(const Model& model, const Eigen::VectorXd& x);
// Of straight pieces, bars first; 0 where there is none.
double mean_piece_length(const Model& model, const Eigen::VectorXd& x);

// "the shape collapses: ... shrink to nothing": members that have a length at `start`, and none at x; empty: none.
std::string shrunk_members(const Model& model, const Eigen::VectorXd& start, const Eigen::VectorXd& x);

// ": nodes "a" and "b" of cable "c" run into each other": a cable over several nodes that has drawn two of them
// together, so that no balance is left, only a corner. Empty: none.
std::string drawn_together(const Model& model, const Eigen::VectorXd& x);

// Affine dimension of the nodes: 0 a point, 1 a line, 2 a plane, 3 space; thinner than `flat` of the size, 1e-6, is
// flat.
int dimension(const Eigen::VectorXd& x);
int dimension(const Eigen::VectorXd& x, double flat);

// Up to eight names in quotes, then "and so many more".
std::string list_names(const Model& model, const std::vector<int>& members);

// Weight and loads of t = 0 on every node, N. The weight of a structure that nothing holds is left out, and `note` says
// so; loads on one throw InputError.
std::vector<Vec3> external_forces(const Model& model, std::string& note);

}  // namespace taut
