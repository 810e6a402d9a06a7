#include "taut/sweep/draw/read_distribution.h"

#include <initializer_list>

namespace taut {

Distribution read_distribution(const Fields& fields) {
  Distribution d;
  using Kind = DistributionKind;
  const auto kind = fields.word<Kind>("distribution", {{"uniform", Kind::uniform},
                                                       {"log_uniform", Kind::log_uniform},
                                                       {"normal", Kind::normal},
                                                       {"lognormal", Kind::lognormal},
                                                       {"triangular", Kind::triangular},
                                                       {"choice", Kind::choice}});
  if (!kind) {
    if (!fields.has("distribution"))
      fields.say("distribution",
                 "is missing: expected \"uniform\", \"log_uniform\", \"normal\", \"lognormal\", \"triangular\" or "
                 "\"choice\"");
    return d;
  }
  d.kind = *kind;
  // Keys of this kind; those that have no value by themselves must be given.
  const auto take = [&](std::string_view key, double& value, bool needed) {
    if (needed && !fields.require(key, "a number")) return;
    value = fields.number(key).value_or(value);
  };
  const auto only = [&](std::initializer_list<std::string_view> keys) {
    std::vector<std::string_view> known = {"distribution"};
    known.insert(known.end(), keys);
    fields.refuse_unknown(known);
  };
  const std::size_t before = fields.problems().size();
  switch (d.kind) {
    case Kind::uniform:
    case Kind::log_uniform:
      only({"low", "high"});
      take("low", d.low, true);
      take("high", d.high, true);
      break;
    case Kind::triangular:
      only({"low", "mode", "high"});
      take("low", d.low, true);
      take("mode", d.mode, true);
      take("high", d.high, true);
      break;
    case Kind::normal:
    case Kind::lognormal:
      only({"mean", "std", "min", "max"});
      take("mean", d.mean, false);
      take("std", d.std, true);
      take("min", d.min, false);
      take("max", d.max, false);
      break;
    case Kind::choice:
      only({"values"});
      if (fields.require("values", "a list of numbers")) d.values = fields.numbers("values").value_or(d.values);
      break;
  }
  if (fields.problems().size() > before) return d;
  if (const std::string fault = fault_of(d); !fault.empty()) fields.say("", fault);
  return d;
}

}  // namespace taut
