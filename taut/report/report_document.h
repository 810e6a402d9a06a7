// The last step of every report: a document and its arrays, put into the viewer's page.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "taut/report/report.h"
#include "taut/report/report_arrays.h"

namespace taut {

// The page, piece by piece, with the document as JSON and the arrays that it points into in place of the page's mark.
// Throws std::logic_error when `page` has no mark, and what `sink` throws.
void write_document(const nlohmann::ordered_json& document, const ArrayPack& pack, const ReportSink& sink,
                    std::string_view page);

}  // namespace taut
