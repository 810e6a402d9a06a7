#include "taut/report/picture.h"

#include <algorithm>

namespace taut {

Picture::Picture(const Model& model) : bodies_(model) {
  const std::vector<std::string> columns = joint_columns(model);
  const auto find = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(columns.begin(), columns.end(), name) - columns.begin());
  };
  for (const PulleySpec& p : model.pulleys)
    pulleys_.push_back({p.name, find(p.name + (p.node < 0 ? ".phi1" : ".phi")), find(p.name + ".length"),
                        p.wheel.radius, p.node < 0 ? p.second.radius : 0.0, p.node});
}

void Picture::add_to(Model& model) const {
  for (const Pulley& p : pulleys_) {
    Cable cable;
    cable.name = p.name;
    if (!(p.second > 0.0)) cable.path = {p.end};
    cable.law.stiffness = 1.0;
    cable.rest_length = 1.0;
    model.cables.push_back(std::move(cable));
  }
  model.pulleys.clear();
}

const Sample& Picture::add_to(const Sample& row) {
  if (pulleys_.empty() && row.bodies.empty()) return row;
  row_ = row;
  row_.bodies = bodies_.poses(row.bodies);
  if (row.joints.empty()) return row_;
  for (const Pulley& p : pulleys_) {
    row_.lengths.push_back(row.joints[p.length]);
    row_.rest_lengths.push_back(p.first * row.joints[p.angle] +
                                (p.second > 0.0 ? p.second * row.joints[p.angle + 1] : 0.0));
    row_.tensions.push_back(row.joints[p.length + 1]);
  }
  return row_;
}

}  // namespace taut
