#include "taut/formulation/driven_length.h"

#include <fmt/format.h>

#include "taut/base/error.h"

namespace taut {

std::vector<int> drives_of_rigid_bars(const Model& model) {
  if (!drives_rigid_bars(model)) return {};
  std::vector<int> list(model.bars.size(), -1);
  for (std::size_t i = 0; i < model.bar_drives.size(); ++i)
    if (const int bar = model.bar_drives[i].bar; !model.bars[bar].elastic) list[bar] = static_cast<int>(i);
  return list;
}

BarLength driven_length(const Model& model, const BarDrive& drive, double t) {
  const double length = value(drive.length, t);
  if (!(length > 0.0))
    throw RunError(t, fmt::format("the length of bar \"{}\" is driven to {:g} m at t = {:g} s; it must stay above 0",
                                  model.bars[drive.bar].name, length, t));
  return {length, rate(drive.length, t), second_rate(drive.length, t)};
}

}  // namespace taut
