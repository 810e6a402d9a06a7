// run.h5 read back: every number, and a clear word about every file that is not such a result, however damaged.
#include <fmt/format.h>

#include <cmath>

#include "taut/base/error.h"
#include "taut/file/read/read_toml.h"
#include "taut/results/hdf5/read_hdf5.h"
#include "taut/results/hdf5/record_hdf5.h"
#include "taut/results/read_summary.h"
#include "taut/results/record_summary.h"
#include "tests/results/read_hdf5.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/support.h"

namespace taut {
namespace {

using testing::contents;
using testing::ScratchFolder;
using testing::write_text;

// Keeps every row.
class Rows : public Recorder {
 public:
  void begin(const Scenario&) override {}
  void sample(const Sample& sample) override { rows.push_back(sample); }
  void finish(const Summary&) override {}
  std::vector<Sample> rows;
};

Scenario prism_run() {
  Scenario scenario = generate(*find_generator("prism"), {{"fixed", 1.0}});
  scenario.model.gravity = {0.0, 0.0, -9.81};
  scenario.model.nodes[4].velocity = {1.0, 0.0, 0.0};
  scenario.model.actuators.push_back({4, testing::ramp_signal(scenario.model.cables[4].rest_length, 1.5, 0.0, 0.2)});
  scenario.simulation.duration = 0.3;
  return scenario;
}

// A folder with the run.h5 of a short run.
class ReadRun : public ::testing::Test {
 protected:
  ReadRun() {
    OutputDir dir(folder.path());
    Hdf5Recorder recorder(dir);
    summary = simulate(scenario, {&recorder, &rows});
  }
  // The message that reading it gives.
  std::string complaint(const std::filesystem::path& path) {
    try {
      read_run(path);
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find(path.string()), 0u) << error.what();
      return error.what();
    }
    return "";
  }
  // Lets `change` at the file with plain HDF5 calls.
  template <class Change>
  std::filesystem::path changed(const char* name, const Change& change) {
    const std::filesystem::path copy = folder / name;
    std::filesystem::copy_file(file, copy);
    const hid_t id = H5Fopen(copy.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    change(id);
    H5Fclose(id);
    return copy;
  }

  ScratchFolder folder;
  const std::filesystem::path file = folder / "run.h5";
  const Scenario scenario = prism_run();
  Rows rows;
  Summary summary;
};

TEST_F(ReadRun, BringsBackEveryNumber) {
  const taut::Run result = read_run(file);
  EXPECT_EQ(result.scenario, scenario);
  ASSERT_EQ(result.rows(), rows.rows.size());
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const Sample row = row_of(result, i), &given = rows.rows[i];
    ASSERT_EQ(row.t, given.t);
    ASSERT_EQ(row.nodes, given.nodes);
    ASSERT_EQ(row.velocities, given.velocities);
    ASSERT_EQ(row.tensions, given.tensions);
    ASSERT_EQ(row.lengths, given.lengths);
    ASSERT_EQ(row.rest_lengths, given.rest_lengths);
    ASSERT_EQ(row.bar_forces, given.bar_forces);
    ASSERT_EQ(row.energy, given.energy);
    ASSERT_EQ(row.constraint_error, given.constraint_error);
    ASSERT_EQ(row.support_forces, given.support_forces);
    ASSERT_EQ(row.contact_forces, given.contact_forces);
  }
  EXPECT_EQ(result.summary.status, RunStatus::done);
  EXPECT_EQ(result.summary.steps, summary.steps);
  EXPECT_EQ(result.summary.integrator_reason, summary.integrator_reason);
  EXPECT_EQ(result.summary.energy_drift, summary.energy_drift);
  ASSERT_FALSE(summary.slack_events.empty());
  ASSERT_EQ(result.summary.slack_events.size(), summary.slack_events.size());
  for (std::size_t i = 0; i < summary.slack_events.size(); ++i) {
    EXPECT_EQ(result.summary.slack_events[i].time, summary.slack_events[i].time);
    EXPECT_EQ(result.summary.slack_events[i].cable, summary.slack_events[i].cable);
    EXPECT_EQ(result.summary.slack_events[i].taut, summary.slack_events[i].taut);
  }
}

TEST_F(ReadRun, ReadsOnlyWhatIsWanted) {
  const taut::Run result = read_run(file, {"tensions"});
  EXPECT_EQ(result.columns.tensions.size(), result.rows() * scenario.model.cables.size());
  EXPECT_TRUE(result.columns.nodes.empty());
  EXPECT_TRUE(row_of(result, 1).nodes.empty());
}

TEST_F(ReadRun, ReplaysToTheSameFile) {
  {
    OutputDir dir(folder / "again");
    Hdf5Recorder recorder(dir);
    replay(read_run(file), recorder);
  }
  EXPECT_TRUE(contents(folder / "again/run.h5") == contents(file));
}

TEST_F(ReadRun, HoldsTheModelForOthersToo) {
  const hid_t id = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(id, "model", H5P_DEFAULT),
              type = H5Dget_type(set);
  std::string text(H5Tget_size(type), '\0');
  EXPECT_GE(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), 0);
  H5Tclose(type), H5Dclose(set), H5Fclose(id);
  EXPECT_EQ(read_scenario_text(text.c_str(), "model"), scenario);
}

TEST_F(ReadRun, SaysWhatIsWrongWithAFile) {
  EXPECT_EQ(complaint(folder / "none.h5"), (folder / "none.h5").string() + ": there is no such file");
  EXPECT_NE(complaint(folder.path()).find("is a folder"), std::string::npos);
  write_text(folder / "text.h5", "t,x\n0,1\n");
  EXPECT_NE(complaint(folder / "text.h5").find("is not an HDF5 file"), std::string::npos);
  write_text(folder / "empty.h5", "");
  EXPECT_NE(complaint(folder / "empty.h5").find("is not an HDF5 file"), std::string::npos);
  EXPECT_NE(complaint("/dev/null").find("is not a plain file"), std::string::npos);

  // Of another program; of a newer taut.
  H5Fclose(H5Fcreate((folder / "foreign.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  EXPECT_NE(complaint(folder / "foreign.h5").find("holds no result of taut"), std::string::npos);
  const auto newer = changed("newer.h5", [](hid_t id) {
    const hid_t attribute = H5Aopen(id, "format", H5P_DEFAULT);
    const long format = hdf5_format + 1;
    H5Awrite(attribute, H5T_NATIVE_LONG, &format);
    H5Aclose(attribute);
  });
  EXPECT_NE(complaint(newer).find(fmt::format("has format {}, of a newer taut", hdf5_format + 1)), std::string::npos);
}

TEST_F(ReadRun, SaysWhichDataSetIsMissingOrMisshapen) {
  for (const char* name : {"t", "model", "summary", "nodes", "velocities", "tensions", "lengths", "rest_lengths",
                           "bar_forces", "energy", "constraint_error"}) {
    const auto without =
        changed(fmt::format("without-{}.h5", name).c_str(), [&](hid_t id) { H5Ldelete(id, name, H5P_DEFAULT); });
    EXPECT_NE(complaint(without).find(fmt::format("has no data set \"{}\"", name)), std::string::npos)
        << complaint(without);
  }
  const auto shorter = changed("shorter.h5", [](hid_t id) {
    const hid_t set = H5Dopen2(id, "tensions", H5P_DEFAULT);
    const hsize_t shape[] = {5, 9};
    H5Dset_extent(set, shape);
    H5Dclose(set);
  });
  EXPECT_NE(
      complaint(shorter).find("data set \"tensions\" has the shape [5, 9], [rows, cables] = [31, 9] was expected"),
      std::string::npos)
      << complaint(shorter);
  const auto texts = changed("texts.h5", [](hid_t id) {
    H5Ldelete(id, "tensions", H5P_DEFAULT);
    H5Lcreate_hard(id, "model", id, "tensions", H5P_DEFAULT, H5P_DEFAULT);
  });
  EXPECT_NE(complaint(texts).find("has no data set \"tensions\" of numbers"), std::string::npos);
  const auto huge = changed("huge.h5", [](hid_t id) {
    const hid_t set = H5Dopen2(id, "t", H5P_DEFAULT);
    const hsize_t rows_asked = hsize_t{1} << 50;
    H5Dset_extent(set, &rows_asked);
    H5Dclose(set);
  });
  EXPECT_NE(complaint(huge), "");
  const auto backwards = changed("backwards.h5", [](hid_t id) {
    const hid_t set = H5Dopen2(id, "t", H5P_DEFAULT);
    const std::vector<double> t(31, NAN);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, t.data());
    H5Dclose(set);
  });
  EXPECT_NE(complaint(backwards).find("\"t\" does not ascend"), std::string::npos);
}

// HDF5 itself crashes on many of these; here each must end with a result or an InputError.
TEST_F(ReadRun, SurvivesDamage) {
  const std::string whole = contents(file);
  testing::Random random(3);
  int damaged = 0, tried = 0;
  const auto attempt = [&](const std::string& bytes) {
    write_text(folder / "damaged.h5", bytes);
    ++tried;
    try {
      read_run(folder / "damaged.h5");
    } catch (const InputError&) {
      ++damaged;
    }
  };
  for (int i = 0; i < 20; ++i) attempt(whole.substr(0, random.below(static_cast<int>(whole.size()))));
  EXPECT_EQ(damaged, tried);  // no cut goes unnoticed
  for (int i = 0; i < 60; ++i) {
    std::string bytes = whole;
    for (int k = random.below(12); k >= 0; --k)
      bytes[random.below(static_cast<int>(bytes.size()))] = static_cast<char>(random.below(256));
    attempt(bytes);
  }
  EXPECT_GT(damaged, 20);
}

TEST(ParseSummary, RefusesWhatIsNoSummary) {
  const Model model = prism_run().model;
  for (const char* text :
       {"", "[]", "{", "{\"status\": 3}", "{\"slack_events\": [3]}",
        "{\"slack_events\": [{\"cable\": \"nope\", \"time\": 1, \"kind\": \"slack\"}]}", "{\"steps\": \"many\"}"})
    EXPECT_THROW(parse_summary(text, model), InputError) << text;
  EXPECT_EQ(parse_summary("{\"energy_drift\": null, \"steps\": 7}", model).steps, 7);
}

}  // namespace
}  // namespace taut
