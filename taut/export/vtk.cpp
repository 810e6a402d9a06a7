#include "taut/export/vtk.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>

#include "taut/base/error.h"
#include "taut/base/text/base64.h"
#include "taut/base/text/csv.h"
#include "taut/base/text/text.h"
#include "taut/base/text/xml_text.h"
#include "taut/base/unfinished.h"
#include "taut/export/solids.h"
#include "taut/model/shape/body_pose.h"
#include "taut/results/output_dir.h"

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

// Points of one row, and the cells on them. What is drawn of a machine comes after the nodes: the course of each
// pulley's cable, and the corners of bodies, drums and joints.
struct Cells {
  std::vector<double> points;
  std::vector<std::int64_t> lines, line_ends, polygons, polygon_ends;
  std::vector<std::int32_t> kind, member;
  std::vector<float> radius;
  std::vector<double> force, strain;
};

// A run for ParaView: what is the same in every row.
struct Drawn {
  explicit Drawn(const Run& result) : picture(result.scenario.model), model(result.scenario.model) {
    if (result.columns.bodies.empty()) return;  // runs of earlier versions have no poses
    picture.add_to(model);
    bodies = picture.bodies();
    solids = solids_of(bodies);
    for (const Solid& solid : solids) meshes.push_back(mesh_of(solid));
  }

  Picture picture;
  Model model;  // with the cables of pulleys
  BodyPicture bodies;
  std::vector<Solid> solids;
  std::vector<Mesh> meshes;
};

void add_lines(const Drawn& drawn, const Sample& row, Cells& cells) {
  const Model& model = drawn.model;
  const auto end_line = [&](int kind, double radius, double force, double strain) {
    cells.line_ends.push_back(static_cast<std::int64_t>(cells.lines.size()));
    cells.member.push_back(static_cast<std::int32_t>(cells.member.size()));
    cells.kind.push_back(kind);
    cells.radius.push_back(static_cast<float>(radius));
    cells.force.push_back(force);
    cells.strain.push_back(strain);
  };
  for (std::size_t i = 0; i < model.bars.size(); ++i) {
    cells.lines.insert(cells.lines.end(), {model.bars[i].a, model.bars[i].b});
    end_line(0, model.bars[i].radius, row.bar_forces[i], 0.0);
  }
  const std::vector<CableCourse> courses = courses_of(drawn.bodies, model, row);
  const std::size_t own = model.cables.size() - courses.size();
  for (std::size_t i = 0; i < model.cables.size(); ++i) {
    if (i >= own) {
      const CableCourse& course = courses[i - own];
      const auto add = [&](const Vec3& point) {
        cells.lines.push_back(static_cast<std::int64_t>(cells.points.size() / 3));
        cells.points.insert(cells.points.end(), point.begin(), point.end());
      };
      std::for_each(course.on_first.rbegin(), course.on_first.rend(), add);
      if (course.on_first.empty()) add(course.leaves);
      if (course.on_second.empty()) add(course.meets);
      std::for_each(course.on_second.begin(), course.on_second.end(), add);
    } else {
      cells.lines.insert(cells.lines.end(), model.cables[i].path.begin(), model.cables[i].path.end());
    }
    end_line(1, 0.0, row.tensions[i], row.lengths[i] / row.rest_lengths[i] - 1.0);
  }
}

// Triangles; their member is -1, their kind 2 for bodies and drums, 3 for joints.
void add_solids(const Drawn& drawn, const Sample& row, Cells& cells) {
  for (std::size_t i = 0; i < drawn.solids.size(); ++i) {
    const Solid& solid = drawn.solids[i];
    Vec3 origin = Vec3::Zero();
    Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();
    if (solid.body >= 0) {
      const double* pose = row.bodies.data() + pose_columns * solid.body;
      origin = Vec3(pose);
      turn = Eigen::Quaterniond(pose[3], pose[4], pose[5], pose[6]);
    }
    const Mesh& mesh = drawn.meshes[i];
    const auto first = static_cast<std::int64_t>(cells.points.size() / 3);
    for (std::size_t v = 0; v < mesh.positions.size(); v += 3) {
      const Vec3 corner(mesh.positions[v], mesh.positions[v + 1], mesh.positions[v + 2]);
      const Vec3 at = origin + turn * (solid.at + solid.rotation * solid.scale.cwiseProduct(corner));
      cells.points.insert(cells.points.end(), at.begin(), at.end());
    }
    for (std::size_t k = 0; k < mesh.triangles.size(); k += 3) {
      for (std::size_t c = k; c < k + 3; ++c) cells.polygons.push_back(first + mesh.triangles[c]);
      cells.polygon_ends.push_back(static_cast<std::int64_t>(cells.polygons.size()));
      cells.kind.push_back(solid.role == Solid::Role::joint ? 3 : 2);
      cells.member.push_back(-1);
      cells.radius.push_back(0.0F);
      cells.force.push_back(0.0);
      cells.strain.push_back(0.0);
    }
  }
}

std::string poly_data(const Drawn& drawn, const Sample& row) {
  Cells cells;
  cells.points = row.nodes;
  add_lines(drawn, row, cells);
  add_solids(drawn, row, cells);
  const Model& model = drawn.model;
  const std::size_t points = cells.points.size() / 3;
  std::string xml =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n<PolyData>\n";
  fmt::format_to(Out(xml),
                 "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"{}\" NumberOfStrips=\"0\" "
                 "NumberOfPolys=\"{}\">\n",
                 points, cells.line_ends.size(), cells.polygon_ends.size());
  xml += "<Points>\n";
  put_array(xml, "Float64", "Points", 3, cells.points);
  xml += "</Points>\n<PointData Vectors=\"velocity\">\n";
  // Points that are no nodes have zeros.
  const auto filled = [&](auto values, std::size_t width) {
    values.resize(width * points);
    return values;
  };
  put_array(xml, "Float64", "velocity", 3, filled(row.velocities, 3));
  if (!row.contact_forces.empty()) put_array(xml, "Float64", "contact_force", 3, filled(row.contact_forces, 3));
  std::vector<std::int32_t> fixed;
  for (const Node& node : model.nodes)
    fixed.push_back((node.fixed[0] ? 1 : 0) + (node.fixed[1] ? 2 : 0) + (node.fixed[2] ? 4 : 0));
  put_array(xml, "Int32", "fixed", 1, filled(fixed, 1));
  xml += "</PointData>\n<CellData Scalars=\"force\">\n";
  put_array(xml, "Float64", "force", 1, cells.force);
  put_array(xml, "Float64", "strain", 1, cells.strain);
  put_array(xml, "Int32", "kind", 1, cells.kind);
  put_array(xml, "Int32", "member", 1, cells.member);
  put_array(xml, "Float32", "radius", 1, cells.radius);
  xml += "</CellData>\n<Lines>\n";
  put_array(xml, "Int64", "connectivity", 1, cells.lines);
  put_array(xml, "Int64", "offsets", 1, cells.line_ends);
  xml += "</Lines>\n";
  if (!cells.polygon_ends.empty()) {
    xml += "<Polys>\n";
    put_array(xml, "Int64", "connectivity", 1, cells.polygons);
    put_array(xml, "Int64", "offsets", 1, cells.polygon_ends);
    xml += "</Polys>\n";
  }
  return xml + "</Piece>\n</PolyData>\n</VTKFile>\n";
}

std::string members_csv(const Model& model) {
  Csv csv;
  csv.row("member", "kind", "name");
  std::size_t index = 0;
  const auto add = [&](const char* kind, const std::string& name) {
    csv.cell(index++);
    csv.cell(kind);
    csv.quoted(name);
    csv.end_row();
  };
  for (const Bar& bar : model.bars) add("bar", bar.name);
  for (const Cable& cable : model.cables) add("cable", cable.name);
  return csv.take();
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
    if (fs::is_symlink(fs::symlink_status(place_, error))) refuse("it is a link, a folder was expected");
    if (fs::exists(place_, error) && !fs::is_directory(place_, error)) refuse("it is a file, a folder was expected");
    fs::remove_all(aside_, error);
    const auto lock = unfinished_lock();
    if (!fs::create_directories(aside_, error)) refuse(error.message());
    note_unfinished(aside_, Unfinished::folder);
  }
  ~FolderAside() {
    std::error_code ignored;
    if (aside_.empty()) return;
    fs::remove_all(aside_, ignored);
    forget_unfinished(aside_);
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
    const auto lock = unfinished_lock();
    fs::remove_all(place_, error);
    fs::rename(aside_, place_, error);
    if (error) refuse(error.message());
    note_finished(aside_);
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

void export_vtk(const Run& result, const fs::path& pvd, std::size_t every) {
  const fs::path folder = pvd.has_parent_path() ? pvd.parent_path() : fs::path(".");
  const std::string stem = pvd.stem().string();
  OutputDir dir(folder);
  OutputFile list(dir, pvd.filename().string());
  FolderAside frames(pvd.parent_path() / (stem + "-vtk"));
  Drawn drawn(result);
  std::string xml =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n<Collection>\n";
  std::size_t number = 0;
  for (const std::size_t row : kept_rows(result.rows(), every)) {
    const std::string name = fmt::format("{}-{:06}.vtp", stem, number++);
    write_plain(frames / name, poly_data(drawn, drawn.picture.add_to(row_of(result, row))));
    fmt::format_to(Out(xml), "<DataSet timestep=\"{}\" group=\"\" part=\"0\" file=\"{}\"/>\n",
                   exact_number(result.t[row]), xml_text(stem + "-vtk/" + name));
  }
  write_plain(frames / "members.csv", members_csv(drawn.model));
  frames.put();
  list.append(xml + "</Collection>\n</VTKFile>\n", 0.0);
  list.finish(0.0);
}

}  // namespace taut
