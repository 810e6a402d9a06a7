// The entries of a model file as a flat list: groups (pairs, paths) opened into single members, every member with
// its name, files that are built on merged in, overrides laid on top.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "taut/model/documents.h"
#include "taut/model/fields.h"
#include "taut/model/override.h"

namespace taut {

struct Member {
  std::string name;  // given, or the default; empty for entries that have none
  KeyPath path;
  Levels levels;                      // its table, then overrides
  const toml::node* self = nullptr;   // where it stands: its table, or its place in a group
  const toml::node* nodes = nullptr;  // bars and cables: the list of node names, as the file has it
  int document = 0;

  Fields fields(Problems& problems) const { return {problems, path, levels, levels.front()}; }
};

// [[bars]] with `pairs` or [[cables]] with `paths` as the group key. A member of a stronger file replaces the one
// of the same name in a weaker file; others are added at the end.
std::vector<Member> collect_members(const std::vector<Document>& documents, std::string_view section,
                                    std::string_view group, Problems& problems);

// [[constraints]], [[actuators]], [[loads]]: entries known by the text under `identity`, or under
// `or_else` (empty: by number only);
// a stronger file's entry replaces the weaker one of the same identity.
std::vector<Member> collect_entries(const std::vector<Document>& documents, std::string_view section,
                                    std::string_view identity, Problems& problems, std::string_view or_else = {});

// Lays overrides of `section` on the members that they select by name, by number or by "*".
void apply_overrides(const std::vector<Override>& overrides, std::string_view section, std::string_view singular,
                     std::vector<Member>& members, Problems& problems);

// Which of `names` a selector means: the equal one, else "*" for all, else a number counted from 0. Reports a
// selector that means none.
std::vector<size_t> select(const std::vector<std::string_view>& names, const Override& override,
                           std::string_view singular, Problems& problems);

}  // namespace taut
