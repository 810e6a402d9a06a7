// A model file parsed once, to be read many times with other values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "taut/file/override.h"
#include "taut/file/read/documents.h"
#include "taut/model/scenario.h"

namespace taut {

class Fields;

// What is given for one entity, or for a section of plain keys: the tables that count for it, weakest first.
struct GivenEntity {
  std::string name;
  std::vector<Table> levels;
};

class ModelFile {
 public:
  // `text` of `file`; overrides are "key.path=value" texts. Throws InputError when a file cannot be parsed; all other
  // problems wait for read(). What is `added` counts as a file that builds on it.
  ModelFile(std::string_view text, const std::string& file, const std::vector<std::string>& overrides = {},
            const Table& added = {});

  // As if `file` held the scenario.
  ModelFile(const Scenario& scenario, const std::string& file, const std::vector<std::string>& overrides = {},
            const Table& added = {});

  // With further overrides, which win. Throws InputError with every problem at once.
  Scenario read(const std::vector<Override>& more = {});
  // What files and overrides say in a section, entity by entity.
  std::vector<GivenEntity> given(std::string_view section, const std::vector<Override>& more = {});
  // The files that it is made of, those that it builds on first.
  std::vector<std::string> files() const;

 private:
  void append(const Table& added);
  void generate(const Fields& top);

  std::string file_;
  Problems problems_;  // of the files and the overrides
  std::vector<Override> overrides_;
  std::vector<Document> documents_;
  bool generated_ = false;  // the first document is what [generate] makes of the overrides
  bool stale_ = true;       // of other overrides
};

}  // namespace taut
