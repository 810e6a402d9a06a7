// A thousand robots of one model, each with cables of its own stiffness, wound a little shorter.  batch FILE.toml
#include <taut/taut.h>

#include <cstdio>
#include <vector>

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  constexpr long robots = 1000;
  taut::Batch batch(taut::Draft::from_file(argv[1]), robots, {.step = 1e-3});
  std::vector<double> stiffness;
  for (long i = 0; i < robots; ++i) stiffness.push_back(500.0 + static_cast<double>(i));
  batch.set("cables.*.stiffness", stiffness);

  // Commands are rest lengths, robot after robot.
  std::vector<double> commands;
  for (long i = 0; i < robots; ++i)
    for (const taut::Cable& cable : batch.scenario(i).model.cables) commands.push_back(0.98 * cable.rest_length);
  for (int call = 0; call < 10; ++call) batch.step(commands, 20, true);

  // Number k of robot i is data[k * stride + i].
  const taut::BatchArray x = batch.nodes();
  const auto* const data = static_cast<const double*>(x.data);
  for (const long robot : {0L, robots - 1})
    std::printf("robot %ld: last node at z = %.6f m\n", robot, data[(x.numbers - 1) * x.stride + robot]);
  std::printf("bar lengths are off by %.1e at most\n", batch.largest_bar_length_error());
  return 0;
} catch (const taut::InputError& error) {
  std::printf("%s\n", error.what());
  return 2;
}
