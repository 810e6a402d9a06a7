// The keys that a sweep has, whether they stand in a file or a program gives them.
#pragma once

#include <span>
#include <string_view>

#include "taut/file/read/fields.h"
#include "taut/sweep/study.h"

namespace taut {

// How many runs are drawn.
inline std::string_view runs_key(const SweepFile& sweep) { return sweep.file.empty() ? "draws" : "runs"; }

// Where a key stands. A program knows it by its name, and so does who gave its entry one.
KeyPlace key_place(const Fields& fields, std::string_view key);

// What is not as it should be is reported: texts of a list; a whole number of at least `least`; the keys of the model that
// an entry names, which is by its own name where that is the path of one.
std::vector<std::string> read_texts(const Fields& fields, std::string_view key);
std::optional<long> read_whole(const Fields& fields, std::string_view key, long least, double most = 1e9);
std::vector<std::string> read_keys(const Fields& fields, bool needed);

// One parameter, of the entry that is given.
SweepParameter read_parameter(const Fields& fields, const Table& given);

// Reads all of them into the sweep, whose file is known; `beside` are others that may stand there. Problems are reported;
// what is judged as a whole, check_sweep() judges.
void read_sweep(const Fields& top, std::span<const std::string_view> beside, SweepFile& sweep);

// Which parameters a design takes and how many runs that is, names of columns, keys that are set twice. Only where nothing
// else is wrong.
void check_sweep(const Fields& top, SweepFile& sweep);

}  // namespace taut
