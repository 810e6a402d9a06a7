#include <fmt/format.h>

#include <cmath>

#include "taut/file/keys.h"
#include "taut/file/read/read_sections.h"
#include "taut/file/write/tree.h"
#include "taut/generators/generators.h"

namespace taut {

namespace {

const Generator* generator_of(const Fields& table) {
  std::vector<std::string_view> known;
  for (const Generator& generator : generators()) known.push_back(generator.kind);
  if (!table.require("kind", fmt::format("one of {}", fmt::join(known, ", ")))) return nullptr;
  const std::optional<std::string> kind = table.text("kind");
  const Generator* generator = kind ? find_generator(*kind) : nullptr;
  if (kind && !generator) table.say_unknown_word("kind", *kind, known);
  return generator;
}

Parameters read_parameters(const Fields& table, const Generator& generator) {
  std::vector<std::string_view> known(keys::generate.begin(), keys::generate.end());
  for (const Parameter& parameter : generator.parameters) {
    known.push_back(parameter.key);
    if (!parameter.also.empty()) known.push_back(parameter.also);
  }
  table.refuse_unknown(known, generator.kind);
  Parameters given;
  const auto take = [&](const Parameter& parameter, const std::string& key) {
    const std::optional<double> value = table.number(key);
    if (!value) return;
    if (parameter.integer && *value != std::round(*value))
      table.say(key, fmt::format("expected a whole number, got {}", *value));
    given[key] = *value;
  };
  for (const Parameter& parameter : generator.parameters) {
    take(parameter, parameter.key);
    if (!parameter.also.empty()) take(parameter, parameter.also);
  }
  return given;
}

}  // namespace

std::optional<Document> generated_document(const Fields& top) {
  if (!top.has("generate")) return std::nullopt;
  Problems& problems = top.problems();
  const Fields table = top.table("generate");
  const size_t before = problems.size();
  const Generator* generator = table.empty() ? nullptr : generator_of(table);
  const Parameters given = generator ? read_parameters(table, *generator) : Parameters{};
  // Without its nodes and members nothing else in the file could be judged.
  if (!generator || problems.size() > before) problems.throw_if_any();
  const Mark& at = table.self();
  const Place place = place_of(at);
  auto source =
      std::make_shared<const Source>(Source{Source::Kind::generated, at.source->name, "", place.line, place.column});
  try {
    Table tree = tree_of(generate(*generator, given), *source);
    return Document{std::move(source), std::move(tree)};
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) table.say(problem.key, problem.message);
    problems.throw_if_any();
    throw;
  }
}

}  // namespace taut
