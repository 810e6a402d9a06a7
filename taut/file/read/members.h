// The entries of a model file as a flat list: groups (pairs, paths) opened into single members, every member with
// its name, files that are built on merged in, overrides laid on top.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "taut/file/override.h"
#include "taut/file/read/documents.h"
#include "taut/file/read/fields.h"

namespace taut {

struct MemberEntry {
  std::string name;  // given, or the default; empty for entries that have none
  KeyPath path;
  Levels levels;                 // its table, then overrides
  Mark self{};                   // where it stands: its table, or its place in a group
  const Value* nodes = nullptr;  // bars and cables: the list of node names, as the file has it
  int document = 0;

  Fields fields(Problems& problems) const { return {problems, path, levels, levels.front()->at}; }
  EntityPlace place(EntityKind kind) const;  // where it is named, else where it stands
};

// What members are collected from.
struct Given {
  const std::vector<Document>& documents;
  const std::vector<Override>& overrides;
  Problems& problems;
};

// [[bars]] with `pairs` or [[cables]] with `paths` as the group key. A member of a stronger file replaces the one
// of the same name in a weaker file; others are added at the end. `singular` names one of them in messages.
std::vector<MemberEntry> collect_members(const Given& given, std::string_view section, std::string_view singular,
                                         std::string_view group);

// [[constraints]], [[actuators]], [[loads]]: entries known by the text under the first of these keys that is there (none:
// by number only); a stronger file's entry replaces the weaker one of the same identity.
std::vector<MemberEntry> collect_entries(const Given& given, std::string_view section, std::string_view singular,
                                         std::initializer_list<std::string_view> identities);

// Which of `names` a selector means: the equal one, else "*" for all, else a number counted from 0. Reports a
// selector that means none.
std::vector<size_t> select(const std::vector<std::string_view>& names, const Override& override,
                           std::string_view singular, Problems& problems);

}  // namespace taut
