#include "taut/run/export_vtk.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>

#include "taut/base/error.h"
#include "taut/run/base64.h"
#include "taut/run/output_dir.h"
#include "taut/run/xml_text.h"

namespace taut {
namespace {

namespace fs = std::filesystem;
using Out = std::back_insert_iterator<std::string>;

// <DataArray> with its numbers: length in bytes, then the bytes, in base64.
template <class Number>
void put_array(std::string& xml, const char* type, const char* name, int components,
               const std::vector<Number>& values) {
  const std::uint64_t size = sizeof(Number) * values.size();
  std::string bytes(sizeof size + size, '\0');
  std::memcpy(bytes.data(), &size, sizeof size);
  if (size > 0) std::memcpy(bytes.data() + sizeof size, values.data(), size);
  fmt::format_to(Out(xml), "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"binary\">", type,
                 name, components);
  xml += base64(std::as_bytes(std::span(bytes)));
  xml += "</DataArray>\n";
}

// What is the same in every row: the lines and the values that do not change.
struct Lines {
  std::vector<std::int64_t> connectivity, offsets;
  std::vector<std::int32_t> kind, member;
  std::vector<float> radius;
};

Lines lines_of(const Model& model) {
  Lines lines;
  const auto end_line = [&](int kind, double radius) {
    lines.offsets.push_back(static_cast<std::int64_t>(lines.connectivity.size()));
    lines.member.push_back(static_cast<std::int32_t>(lines.member.size()));
    lines.kind.push_back(kind);
    lines.radius.push_back(static_cast<float>(radius));
  };
  for (const Bar& bar : model.bars) {
    lines.connectivity.insert(lines.connectivity.end(), {bar.a, bar.b});
    end_line(0, bar.radius);
  }
  for (const Cable& cable : model.cables) {
    lines.connectivity.insert(lines.connectivity.end(), cable.path.begin(), cable.path.end());
    end_line(1, 0.0);
  }
  return lines;
}

std::string poly_data(const RunResult& result, const Lines& lines, const Sample& row) {
  const Model& model = result.scenario.model;
  std::string xml =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n<PolyData>\n";
  fmt::format_to(Out(xml),
                 "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"{}\" NumberOfStrips=\"0\" "
                 "NumberOfPolys=\"0\">\n",
                 model.nodes.size(), lines.offsets.size());
  xml += "<Points>\n";
  put_array(xml, "Float64", "Points", 3, row.nodes);
  xml += "</Points>\n<PointData Vectors=\"velocity\">\n";
  put_array(xml, "Float64", "velocity", 3, row.velocities);
  if (!row.contact_forces.empty()) put_array(xml, "Float64", "contact_force", 3, row.contact_forces);
  std::vector<std::int32_t> fixed;
  for (const Node& node : model.nodes)
    fixed.push_back((node.fixed[0] ? 1 : 0) + (node.fixed[1] ? 2 : 0) + (node.fixed[2] ? 4 : 0));
  put_array(xml, "Int32", "fixed", 1, fixed);
  xml += "</PointData>\n<CellData Scalars=\"force\">\n";
  std::vector<double> force = row.bar_forces, strain(row.bar_forces.size(), 0.0);
  force.insert(force.end(), row.tensions.begin(), row.tensions.end());
  for (std::size_t i = 0; i < row.lengths.size(); ++i) strain.push_back(row.lengths[i] / row.rest_lengths[i] - 1.0);
  put_array(xml, "Float64", "force", 1, force);
  put_array(xml, "Float64", "strain", 1, strain);
  put_array(xml, "Int32", "kind", 1, lines.kind);
  put_array(xml, "Int32", "member", 1, lines.member);
  put_array(xml, "Float32", "radius", 1, lines.radius);
  xml += "</CellData>\n<Lines>\n";
  put_array(xml, "Int64", "connectivity", 1, lines.connectivity);
  put_array(xml, "Int64", "offsets", 1, lines.offsets);
  return xml + "</Lines>\n</Piece>\n</PolyData>\n</VTKFile>\n";
}

std::string members_csv(const Model& model) {
  std::string csv = "member,kind,name\n";
  std::size_t index = 0;
  const auto add = [&](const char* kind, const std::string& name) {
    std::string quoted;
    for (const char c : name) quoted.append(c == '"' ? 2 : 1, c);
    fmt::format_to(Out(csv), "{},{},\"{}\"\n", index++, kind, quoted);
  };
  for (const Bar& bar : model.bars) add("bar", bar.name);
  for (const Cable& cable : model.cables) add("cable", cable.name);
  return csv;
}

void write_plain(const fs::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  if (!(stream << text) || !stream.flush())
    throw RunError(0.0, fmt::format("cannot write {}: {}", file.string(), std::strerror(errno)));
}

// A folder in the making beside its place; removed unless put there.
class FolderAside {
 public:
  explicit FolderAside(fs::path place) : place_(std::move(place)) {
    aside_ = place_.parent_path() / fmt::format(".taut-part-{}-{}", ::getpid(), place_.filename().string());
    std::error_code error;
    if (fs::exists(place_, error) && !fs::is_directory(place_, error)) refuse("it is a file, a folder was expected");
    fs::remove_all(aside_, error);
    if (!fs::create_directories(aside_, error)) refuse(error.message());
  }
  ~FolderAside() {
    std::error_code ignored;
    if (!aside_.empty()) fs::remove_all(aside_, ignored);
  }
  FolderAside(const FolderAside&) = delete;
  FolderAside& operator=(const FolderAside&) = delete;

  fs::path operator/(const std::string& name) const { return aside_ / name; }
  // Pictures of an earlier export make way; a folder with anything else in it stays, and that is an error.
  void put() {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(place_, error))
      if (entry.path().extension() != ".vtp" && entry.path().filename() != "members.csv")
        refuse("the folder holds other files, such as " + entry.path().filename().string());
    fs::remove_all(place_, error);
    fs::rename(aside_, place_, error);
    if (error) refuse(error.message());
    aside_.clear();
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError(fmt::format("cannot write {}: {}", place_.string(), why));
  }
  fs::path place_, aside_;
};

}  // namespace

std::vector<std::size_t> kept_rows(std::size_t rows, std::size_t every) {
  std::vector<std::size_t> kept;
  for (std::size_t row = 0; row < rows; row += every) kept.push_back(row);
  if (rows > 0 && kept.back() != rows - 1) kept.push_back(rows - 1);
  return kept;
}

void export_vtk(const RunResult& result, const fs::path& pvd, std::size_t every) {
  const fs::path folder = pvd.has_parent_path() ? pvd.parent_path() : fs::path(".");
  const std::string stem = pvd.stem().string();
  OutputDir dir(folder);
  OutputFile list(dir, pvd.filename().string());
  FolderAside frames(pvd.parent_path() / (stem + "-vtk"));
  const Lines lines = lines_of(result.scenario.model);
  std::string xml =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n<Collection>\n";
  std::size_t number = 0;
  for (const std::size_t row : kept_rows(result.rows(), every)) {
    const std::string name = fmt::format("{}-{:06}.vtp", stem, number++);
    write_plain(frames / name, poly_data(result, lines, row_of(result, row)));
    fmt::format_to(Out(xml), "<DataSet timestep=\"{:.17g}\" group=\"\" part=\"0\" file=\"{}\"/>\n", result.t[row],
                   xml_text(stem + "-vtk/" + name));
  }
  write_plain(frames / "members.csv", members_csv(result.scenario.model));
  frames.put();
  list.append(xml + "</Collection>\n</VTKFile>\n", 0.0);
  list.finish(0.0);
}

}  // namespace taut
