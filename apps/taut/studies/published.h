// The table of all papers: every published number, or what the paper says in words, beside the computed one.
#pragma once

#include <string>
#include <vector>

#include "apps/taut/studies/study.h"

namespace taut::reproduce {

// Cells: paper, quantity with its unit, published, computed, computed over published, what filled the gap. Up to four
// components of a list share a row; of a longer list each has its own. The text is the same on every run.
using PublishedRow = std::vector<std::string>;

std::vector<PublishedRow> published_rows(const Study& study, const Findings& findings);

// Markdown, its columns aligned.
std::string published_table(const std::vector<PublishedRow>& rows);

// Enough digits to compare by, and no more; errors as powers of ten.
std::string short_text(double value);

}  // namespace taut::reproduce
