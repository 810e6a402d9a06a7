#include "bench/peers/mujoco_model.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <iterator>
#include <stdexcept>

#include "bench/timing.h"

namespace taut::bench {
namespace {

std::string vector_text(const Vec3& v) { return fmt::format("{:.17g} {:.17g} {:.17g}", v.x(), v.y(), v.z()); }

// The whole model as MJCF, MuJoCo's own file format.
std::string mjcf(const RodModel& model, const std::string& integrator, double step, MujocoCables cables) {
  std::string text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "<mujoco><compiler inertiafromgeom='false' autolimits='true'/>");
  fmt::format_to(out, "<option jacobian='sparse' timestep='{:.17g}' integrator='{}' gravity='{}'>", step, integrator,
                 vector_text(model.gravity));
  fmt::format_to(out,
                 "<flag constraint='disable' equality='disable' frictionloss='disable' limit='disable' "
                 "contact='disable' actuation='disable' sensor='disable' warmstart='disable'/></option>");
  fmt::format_to(out, "<worldbody>");
  for (const Rod& rod : model.rods) {
    const auto& q = rod.orientation;
    fmt::format_to(out, "<body pos='{}' quat='{:.17g} {:.17g} {:.17g} {:.17g}'><freejoint/>", vector_text(rod.centre),
                   q.w(), q.x(), q.y(), q.z());
    fmt::format_to(out, "<inertial pos='0 0 0' mass='{:.17g}' diaginertia='{}'/>", rod.mass,
                   vector_text(Vec3::Constant(rod.inertia)));
    if (cables == MujocoCables::tendons) {
      fmt::format_to(out, "<site name='n{}' pos='0 0 {:.17g}'/><site name='n{}' pos='0 0 {:.17g}'/>", rod.a, -rod.below,
                     rod.b, rod.above);
    }
    fmt::format_to(out, "</body>");
  }
  fmt::format_to(out, "</worldbody>");
  if (cables == MujocoCables::tendons) {
    fmt::format_to(out, "<tendon>");
    for (const Line& line : model.lines) {
      fmt::format_to(out, "<spatial stiffness='{:.17g}' damping='{:.17g}' springlength='{:.17g}'>", line.stiffness,
                     line.damping, line.rest_length);
      fmt::format_to(out, "<site site='n{}'/><site site='n{}'/></spatial>", line.a, line.b);
    }
    fmt::format_to(out, "</tendon>");
  }
  fmt::format_to(out, "</mujoco>");
  return text;
}

mjModel* compile(const std::string& text) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "rods.xml", static_cast<int>(text.size()));
  std::memcpy(files->filedata[mj_findFileVFS(files.get(), "rods.xml")], text.data(), text.size());
  char error[1000] = "";
  mjModel* model = mj_loadXML("rods.xml", files.get(), error, sizeof error);
  mj_deleteVFS(files.get());
  if (!model) throw std::runtime_error(fmt::format("MuJoCo: {}", error));
  return model;
}

std::string integrator_of(const std::string& method) {
  if (method == "euler" || method == "leapfrog") return "Euler";
  if (method == "rk4") return "RK4";
  if (method == "implicit") return "implicit";
  throw std::runtime_error("MuJoCo: no method " + method);
}

}  // namespace

MujocoSession::MujocoSession(const Model& model, const std::string& method, double effort, double duration,
                             MujocoCables cables)
    : rods_(rods_of(model)), model_(nullptr, mj_deleteModel), data_(nullptr, mj_deleteData) {
  mju_user_warning = [](const char*) {};  // a run that diverges is reported by run(), not by a log file
  steps_ = std::lround(effort);
  leapfrog_ = method == "leapfrog";
  const double step = duration / static_cast<double>(steps_);
  model_.reset(compile(mjcf(rods_, integrator_of(method), step, cables)));
  data_.reset(mj_makeData(model_.get()));
}

void MujocoSession::reset() {
  mj_resetData(model_.get(), data_.get());
  for (std::size_t i = 0; i < rods_.rods.size(); ++i) {
    const Rod& rod = rods_.rods[i];
    const Vec3 local = rod.orientation.conjugate() * rod.omega;
    for (int axis = 0; axis < 3; ++axis) {
      data_->qvel[6 * i + axis] = rod.velocity[axis];
      data_->qvel[6 * i + 3 + axis] = local[axis];
    }
  }
  // Velocities half a step back turn semi-implicit Euler into leapfrog.
  if (leapfrog_) {
    mj_forward(model_.get(), data_.get());
    for (int i = 0; i < model_->nv; ++i) data_->qvel[i] -= 0.5 * model_->opt.timestep * data_->qacc[i];
    begin_leapfrog();
  }
}

double MujocoSession::run() {
  begin();
  reset();
  const double start = core_seconds();
  for (long i = 0; i < steps_; ++i) mj_step(model_.get(), data_.get());
  const double seconds = core_seconds() - start;
  // MuJoCo answers a run that diverges with a warning and a silent reset.
  const bool diverged = data_->warning[mjWARN_BADQPOS].number || data_->warning[mjWARN_BADQVEL].number ||
                        data_->warning[mjWARN_BADQACC].number;
  mj_kinematics(model_.get(), data_.get());
  end();
  if (diverged) throw std::runtime_error("MuJoCo: diverged");
  return seconds;
}

std::vector<Vec3> MujocoSession::nodes() const {
  std::vector<Vec3> result(rods_.node_count);
  for (std::size_t i = 0; i < rods_.rods.size(); ++i) {
    const Rod& rod = rods_.rods[i];
    const mjtNum *r = data_->xpos + 3 * (i + 1), *m = data_->xmat + 9 * (i + 1);
    const Vec3 centre(r[0], r[1], r[2]), z(m[2], m[5], m[8]);
    result[rod.a] = centre - rod.below * z;
    result[rod.b] = centre + rod.above * z;
  }
  return result;
}

}  // namespace taut::bench
