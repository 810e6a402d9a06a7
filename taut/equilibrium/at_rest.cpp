#include "taut/equilibrium/at_rest.h"

namespace taut {

Model at_rest(const Model& model) {
  Model still = model;
  for (Node& node : still.nodes) node.velocity.setZero();
  for (Bar& bar : still.bars) bar.spin = 0.0;
  for (Body& body : still.bodies) body.velocity.reset(), body.angular_velocity.reset();
  for (JointSpec& joint : still.joints) joint.velocity.clear();
  for (const Actuator& actuator : model.actuators)
    still.cables[actuator.cable].rest_length = value(actuator.rest_length, 0.0);
  still.actuators.clear();
  // A rigid bar has its length at t = 0 already: it is the drawn one.
  for (const BarDrive& drive : model.bar_drives)
    if (Bar& bar = still.bars[drive.bar]; bar.elastic) bar.rest_length = value(drive.length, 0.0);
  still.bar_drives.clear();
  return still;
}

}  // namespace taut
