#include "taut/model/shape/move_nodes.h"

#include <algorithm>

#include "taut/solve/dense.h"

namespace taut {

namespace {

// The rotation that takes the nodes nearest to where they go (Kabsch), about their middle.
void carry(Body& body, const std::vector<Node>& nodes, const Eigen::VectorXd& x) {
  const auto stays = [&](int i) { return nodes[i].position == x.segment<3>(3 * i); };
  if (std::all_of(body.nodes.begin(), body.nodes.end(), stays)) return;
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();
  const double count = static_cast<double>(body.nodes.size());
  for (int i : body.nodes) from += nodes[i].position / count, to += x.segment<3>(3 * i) / count;
  Eigen::MatrixXd moments = Eigen::MatrixXd::Zero(3, 3);
  for (int i : body.nodes) moments += (x.segment<3>(3 * i) - to) * (nodes[i].position - from).transpose();
  const Svd svd = full_svd(moments);
  const Mat3 u = svd.U, v = svd.V;
  const auto determinant = [](const Mat3& m) { return m.col(0).cross(m.col(1)).dot(m.col(2)); };
  const double side = determinant(u) * determinant(v) < 0.0 ? -1.0 : 1.0;
  const Mat3 turn = u * Vec3(1.0, 1.0, side).asDiagonal() * v.transpose();
  body.centre = to + turn * (body.centre - from);
  const Mat3 inertia = turn * body.inertia * turn.transpose();
  body.inertia = 0.5 * (inertia + inertia.transpose());
}

}  // namespace

void move_nodes(Model& model, const Eigen::VectorXd& x) {
  for (Body& body : model.bodies) carry(body, model.nodes, x);
  for (std::size_t i = 0; i < model.nodes.size(); ++i) model.nodes[i].position = x.segment<3>(3 * static_cast<long>(i));
}

}  // namespace taut
