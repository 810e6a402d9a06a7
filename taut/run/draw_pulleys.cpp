#include "taut/run/draw_pulleys.h"

#include <algorithm>

namespace taut {

PulleyPicture::PulleyPicture(const Model& model) {
  const std::vector<std::string> columns = joint_columns(model);
  const auto find = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(columns.begin(), columns.end(), name) - columns.begin());
  };
  for (const PulleySpec& p : model.pulleys)
    pulleys_.push_back({p.name, find(p.name + (p.node < 0 ? ".phi1" : ".phi")), find(p.name + ".length"),
                        find(p.name + ".x"), p.wheel.radius, p.node < 0 ? p.second.radius : 0.0, p.node});
}

void PulleyPicture::add_to(Model& model) const {
  const auto add_node = [&](const std::string& name) {
    Node node;
    node.name = name;
    node.contact = false;
    model.nodes.push_back(std::move(node));
    return static_cast<int>(model.nodes.size()) - 1;
  };
  for (const Pulley& p : pulleys_) {
    Cable cable;
    cable.name = p.name;
    cable.path = {add_node(p.name + ".leaves"), p.second > 0.0 ? add_node(p.name + ".meets") : p.end};
    cable.law.stiffness = 1.0;
    cable.rest_length = 1.0;
    model.cables.push_back(std::move(cable));
  }
  model.pulleys.clear();
}

const Sample& PulleyPicture::add_to(const Sample& row) {
  if (pulleys_.empty() || row.joints.empty()) return row;
  row_ = row;
  for (const Pulley& p : pulleys_) {
    const auto place = row.joints.begin() + static_cast<std::ptrdiff_t>(p.place);
    const int numbers = p.second > 0.0 ? 6 : 3;
    row_.nodes.insert(row_.nodes.end(), place, place + numbers);
    row_.velocities.insert(row_.velocities.end(), numbers, 0.0);
    if (!row_.contact_forces.empty()) row_.contact_forces.insert(row_.contact_forces.end(), numbers, 0.0);
    row_.lengths.push_back(row.joints[p.length]);
    row_.rest_lengths.push_back(p.first * row.joints[p.angle] +
                                (p.second > 0.0 ? p.second * row.joints[p.angle + 1] : 0.0));
    row_.tensions.push_back(row.joints[p.length + 1]);
  }
  return row_;
}

}  // namespace taut
