// How models are spoken of: what counts, and where something is.
#include "taut/model/words.h"

#include <gtest/gtest.h>

#include "taut/base/error.h"
#include "taut/dynamics/dynamics.h"
#include "taut/equilibrium/balance.h"
#include "taut/file/read/read_toml.h"
#include "taut/model/shape/body_mass.h"
#include "taut/report/draw_bodies.h"
#include "taut/report/report_model.h"
#include "tests/support/complaint.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

TEST(Words, BodiesCountWhereThereAreSome) {
  EXPECT_EQ(counts_text(generated("prism").model), "6 nodes, 3 bars, 9 cables");
  const Scenario plates = generated("stacked", {{"plates", 1}});
  EXPECT_NE(counts_text(plates.model).find(" bars, 2 bodies, 14 cables"), std::string::npos)
      << counts_text(plates.model);
  EXPECT_EQ(model_report(plates, "x").subtitle, counts_text(plates.model) + "; at the start");
}

// A ball on one node gets three more, which no file names: they are neither counted nor drawn.
TEST(Words, AppendedNodesAreNotCounted) {
  const Scenario ball = read_scenario_text(
      "[nodes]\nb = [0, 0, 0.3]\n[[bodies]]\nname = \"ball\"\nnodes = [\"b\"]\nshape = \"sphere\"\nradius = 0.15\nmass "
      "= 1\n",
      "ball.toml");
  ASSERT_EQ(ball.model.nodes.size(), 4u);
  EXPECT_EQ(counts_text(ball.model), "1 node, 0 bars, 1 body, 0 cables");
  for (const int node : ball.model.bodies[0].nodes)
    EXPECT_EQ(is_appended(ball.model, node, ball.model.bodies[0]), node != 0);
  EXPECT_TRUE(BodyPicture(ball.model).solids.empty());
}

// A mast with an eyelet that is pulled sideways: most of the imbalance is at a node that only the program knows.
TEST(Words, AppendedNodesGoByTheirOwner) {
  Scenario s = empty_scenario();
  Model& model = s.model;
  const int a = add_node(model, {0, 0, 0}, 0.0, all_fixed), b = add_node(model, {0, 0, 1}),
            eye = add_node(model, {0.1, 0, 0.5}), far = add_node(model, {0.1, 5, 0.5}, 0.0, all_fixed);
  add_bar(model, a, b, 1.0);
  model.bars[0].name = "mast";
  model.bars[0].attached = {eye};
  model.bars[0].axial_inertia = 0.001;
  add_cable(model, {eye, far}, linear_law(100.0), 4.7);
  add_body_nodes(model);
  const int worst = start_balance(model).worst_node;
  ASSERT_EQ(model.nodes[worst].name, "mast.1");
  EXPECT_EQ(place_text(model, worst), "bar mast");
  EXPECT_EQ(place_text(model, eye), "node n3");
  EXPECT_EQ(place_text(model, b), "node n2");
  const Report report = model_report(s, "x");
  ASSERT_FALSE(report.warnings.empty());
  EXPECT_NE(report.warnings[0].find("worst at bar mast: net force"), std::string::npos) << report.warnings[0];
  // A node of the file that only looks like one.
  model.nodes[b].name = "mast.7";
  EXPECT_EQ(place_text(model, b), "node mast.7");
}

TEST(Words, FormulationsNameAConstraintWithoutAName) {
  Model model = generated("prism").model;
  model.constraints.push_back({});
  model.constraints[0].terms = {{0, 1.0}, {1, -1.0}};
  model.constraints[0].value = model.nodes[0].position - model.nodes[1].position;
  const auto said = [&](const char* formulation) {
    return complaint([&] { Dynamics(model, formulation, ConstraintMethod::projection); });
  };
  for (const char* formulation : {"minimal", "quaternion"}) {
    model.constraints[0].name = "";
    EXPECT_NE(said(formulation).find("constraints[0] couples nodes of different bars"), std::string::npos)
        << said(formulation);
    model.constraints[0].name = "tie";
    EXPECT_NE(said(formulation).find("constraint \"tie\" couples"), std::string::npos) << said(formulation);
  }
}

}  // namespace
}  // namespace taut::testing
