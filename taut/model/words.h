// How a model is spoken of.
#pragma once

#include <string>
#include <vector>

#include "taut/model/model.h"

namespace taut {

// "7 nodes, 3 bars, 1 body, 9 cables"; bodies, joints and pulleys only where there are some; of nodes those that the
// file names.
std::string counts_text(const Model& model);

// "One cable has no tension at the start: a-b.", with up to ten names.
std::string slack_text(const Model& model, const std::vector<int>& cables);

std::vector<std::string> cable_names(const Model& model, const std::vector<int>& cables);

// Of a cable, or, numbered on from the cables, of a pulley's.
const std::string& cable_name(const Model& model, int index);

// Whether add_body_nodes has appended the node to the body.
bool is_appended(const Model& model, int node, const Body& body);

// "node b2"; for a node that was appended to a body or to a bar with nodes attached (add_body_nodes), which no file
// names, its owner: "bar mast", "body hull".
std::string place_text(const Model& model, int node);

}  // namespace taut
