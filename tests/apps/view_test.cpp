// `taut view`, `taut plot` and `taut export` as a user meets them.
#include <sys/stat.h>

#include "taut/report/report.h"
#include "tests/apps/program.h"
#include "tests/export/gltf_check.h"
#include "tests/report/decode_report.h"
#include "tests/support/models.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/xml_check.h"

namespace taut {
namespace {

using testing::contents;
using testing::DecodedReport;
using testing::names_in;
using testing::Outcome;
using testing::run_program;
using testing::ScratchFolder;
using testing::write_text;
using Names = std::vector<std::string>;

// A folder with swing.toml and, in `run`, its results without a page.
class CliView : public ::testing::Test {
 protected:
  CliView() {
    write_text(folder / "swing.toml", testing::model_text("swing"));
    EXPECT_EQ(run_program({"run", "swing.toml", "-o", "run", "--no-report"}, folder.path()).exit_code, 0);
  }
  // Without any browser, unless $BROWSER is given.
  Outcome taut(const std::vector<std::string>& words, const std::string& browser = "") {
    return run_program(words, folder.path(), [&] {
      for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "BROWSER"}) ::unsetenv(name);
      if (!browser.empty()) ::setenv("BROWSER", browser.c_str(), 1);
    });
  }
  ScratchFolder folder;
};

TEST_F(CliView, MakesThePageOfARunWhereThereIsNone) {
  if (!reports_possible()) GTEST_SKIP() << no_viewer;
  const Outcome outcome = taut({"view", "run"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_EQ(outcome.out, "run/report.html\n");
  EXPECT_NE(outcome.error.find("no browser"), std::string::npos);
  const DecodedReport made(contents(folder / "run/report.html"));

  // But for the time that it took, it says what the run's own page says.
  ASSERT_EQ(run_program({"run", "swing.toml", "-o", "own"}, folder.path()).exit_code, 0);
  const DecodedReport own(contents(folder / "own/report.html"));
  EXPECT_EQ(made.document["structure"], own.document["structure"]);
  EXPECT_EQ(made.document["warnings"], own.document["warnings"]);
  EXPECT_EQ(made.document["runs"], own.document["runs"]);
  for (const char* name : {"nodes", "tensions", "energy"})
    EXPECT_EQ(made.numbers(made.document["runs"][0][name]), own.numbers(own.document["runs"][0][name])) << name;

  // From the file itself, and elsewhere; a page that is there is used as it is.
  EXPECT_EQ(taut({"view", "run/run.h5", "--no-open", "-o", "deep/x.html"}).out, "deep/x.html\n");
  EXPECT_EQ(contents(folder / "deep/x.html"), contents(folder / "run/report.html"));
  EXPECT_EQ(taut({"view", "own", "--no-open"}).out, "own/report.html\n");
  EXPECT_EQ(taut({"view", "own/report.html", "--no-open", "-o", "copy.html"}).exit_code, 0);
  EXPECT_EQ(contents(folder / "copy.html"), contents(folder / "own/report.html"));
}

TEST_F(CliView, APageOlderThanTheRunIsMadeAnew) {
  if (!reports_possible()) GTEST_SKIP() << no_viewer;
  ASSERT_EQ(run_program({"run", "swing.toml", "-o", "out", "--duration", "0.5"}, folder.path()).exit_code, 0);
  ASSERT_EQ(
      run_program({"run", "swing.toml", "-o", "out", "--duration", "0.25", "--no-report"}, folder.path()).exit_code, 0);
  std::filesystem::last_write_time(folder / "out/report.html",
                                   std::filesystem::last_write_time(folder / "out/run.h5") - std::chrono::seconds(1));
  ASSERT_EQ(taut({"view", "out", "--no-open"}).exit_code, 0);
  const DecodedReport report(contents(folder / "out/report.html"));
  EXPECT_EQ(report.numbers(report.document["runs"][0]["t"]).back(), 0.25);
}

TEST_F(CliView, ShowsAModelFile) {
  if (!reports_possible()) GTEST_SKIP() << no_viewer;
  EXPECT_EQ(taut({"view", "swing.toml"}).out, "swing-view.html\n");
  const DecodedReport report(contents(folder / "swing-view.html"));
  EXPECT_EQ(report.document["kind"], "model");
  EXPECT_EQ(report.document["structure"]["nodes"]["names"], (Names{"a", "b", "c"}));
  EXPECT_NE(report.document["warnings"][0].get<std::string>().find("out of balance"), std::string::npos);
}

// Joints and pulleys connect the bodies of a machine.
TEST_F(CliView, ShowsAMachineInOnePart) {
  if (!reports_possible()) GTEST_SKIP() << no_viewer;
  ASSERT_EQ(taut({"examples", "single_strut", "-o", "strut.toml"}).exit_code, 0);
  ASSERT_EQ(taut({"view", "strut.toml", "-o", "strut.html"}).exit_code, 0);
  const DecodedReport report(contents(folder / "strut.html"));
  EXPECT_EQ(report.document["warnings"].dump().find("parts"), std::string::npos) << report.document["warnings"];
  EXPECT_EQ(report.document["tables"][0]["rows"][3], (Names{"joints", "7"}));
  EXPECT_EQ(report.document["tables"][0]["rows"][4], (Names{"pulleys", "3"}));
}

TEST_F(CliView, StartsTheBrowserWithoutAShell) {
  if (!reports_possible()) GTEST_SKIP() << no_viewer;
  // A stand-in that writes down what it was given.
  write_text(folder / "browser", "#!/bin/sh\nprintf '%s|' \"$@\" > \"$(dirname \"$0\")/given\"\n");
  ::chmod((folder / "browser").c_str(), 0755);
  const std::string name = "a b;touch hacked.html";
  std::filesystem::copy_file(folder / "swing.toml", folder / "x.toml");
  const Outcome outcome =
      taut({"view", "x.toml", "-o", name}, "/no/such/program:" + (folder / "browser").string() + " --new %s end");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, name + "\n");
  EXPECT_EQ(outcome.error, "opened with " + (folder / "browser").string() + "\n");
  EXPECT_EQ(contents(folder / "given"), "--new|" + (folder / name).string() + "|end|");
  EXPECT_FALSE(std::filesystem::exists(folder / "hacked.html"));
  // One that fails is none.
  EXPECT_NE(taut({"view", "x.toml"}, "/bin/false").error.find("no browser"), std::string::npos);
}

TEST_F(CliView, SaysWhatItCannotShow) {
  write_text(folder / "foreign.html", "<html><body>hello</body></html>");
  write_text(folder / "broken.toml", "[nodes]\na = [0, 0]\n");
  write_text(folder / "run.h5", "not HDF5");
  std::filesystem::create_directory(folder / "empty");
  const std::vector<std::pair<const char*, const char*>> bad = {
      {"none", "none: there is no such file or folder\n"},
      {"foreign.html", "foreign.html: is not a report of taut"},
      {"empty", "empty: holds neither report.html nor run.h5"}};
  for (const auto& [source, message] : bad) {
    const Outcome outcome = taut({"view", source});
    EXPECT_EQ(outcome.exit_code, 2) << source;
    EXPECT_EQ(outcome.error.find(message), 0u) << outcome.error;
    EXPECT_EQ(outcome.out, "");
  }
  if (!reports_possible()) return;
  EXPECT_EQ(taut({"view", "broken.toml"}).error.find("broken.toml:2:"), 0u);
  EXPECT_EQ(taut({"view", "run.h5"}).error.find("run.h5: is not an HDF5 file"), 0u);
  EXPECT_EQ(taut({"view", "run", "-o", "empty"}).exit_code, 2);
  EXPECT_EQ(names_in(folder.path()), (Names{"broken.toml", "empty", "foreign.html", "run", "run.h5", "swing.toml"}));
}

TEST_F(CliView, Plots) {
  const Outcome outcome = taut({"plot", "run", "--what", "nodes", "--select", "b.?", "--from", "0.2", "--to", "0.8",
                                "--title", "a<b", "--size", "90x60", "-o", "x.svg"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  const std::string svg = contents(folder / "x.svg");
  EXPECT_EQ(testing::xml_problem(svg), "");
  for (const char* text :
       {">b.x<", ">b.y<", ">b.z<", ">a&lt;b<", ">time, s<", ">node coordinate, m<", "width=\"90mm\""})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  EXPECT_EQ(taut({"plot", "run/run.h5"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "run-tensions.svg"));

  const std::vector<std::pair<Names, const char*>> bad = {
      {{"--what", "tension"}, "(did you mean \"tensions\"?)"},
      {{"--select", "zz"}, "--select zz: there is no such curve"},
      {{"--from", "7"}, "the run goes from 0 s to 1 s"},
      {{"--size", "3x4"}, "--size 3x4: expected WIDTHxHEIGHT"},
      {{"--size", "big"}, "--size big: expected"},
      {{"-o", "x.pdf"}, "cannot write x.pdf: expected a name that ends in .svg or .png"},
      {{"--what", "inputs"}, "the run has none"}};
  for (const auto& [options, message] : bad) {
    Names words{"plot", "run"};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome refused = taut(words);
    EXPECT_EQ(refused.exit_code, 2) << message;
    EXPECT_NE(refused.error.find(message), std::string::npos) << refused.error;
  }
  EXPECT_NE(taut({"plot", "swing.toml"}).error.find("is a model file"), std::string::npos);
}

TEST_F(CliView, PlotsPngWithAConverterOnly) {
  const Outcome without =
      run_program({"plot", "run", "-o", "x.png"}, folder.path(), [] { ::setenv("PATH", "/nowhere", 1); });
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_EQ(without.error.find("a PNG needs rsvg-convert"), 0u) << without.error;
  EXPECT_FALSE(std::filesystem::exists(folder / "x.png"));
  const Outcome with = taut({"plot", "run", "-o", "x.png"});
  if (with.exit_code == 2) GTEST_SKIP() << with.error;
  EXPECT_EQ(with.exit_code, 0) << with.error;
  EXPECT_EQ(contents(folder / "x.png").substr(1, 3), "PNG");
}

TEST_F(CliView, Exports) {
  ASSERT_EQ(run_program({"run", "swing.toml", "-o", "own", "--csv", "--no-report"}, folder.path()).exit_code, 0);
  EXPECT_EQ(taut({"export", "run", "--to", "csv"}).exit_code, 0);
  for (const char* name : {"nodes.csv", "cables.csv", "energy.csv", "rods.csv"})
    EXPECT_TRUE(contents(folder / "run" / name) == contents(folder / "own" / name)) << name;

  EXPECT_EQ(taut({"export", "run", "--to", "gltf"}).exit_code, 0);
  EXPECT_EQ(testing::GltfFile(contents(folder / "run.glb")).json["nodes"].size(), 3u);
  EXPECT_EQ(taut({"export", "run/run.h5", "--to", "vtk", "--every", "50", "-o", "para/view.pvd"}).exit_code, 0);
  EXPECT_EQ(names_in(folder / "para/view-vtk").size(), 4u);
  EXPECT_EQ(taut({"export", "swing.toml", "--to", "gltf", "-o", "still.glb"}).exit_code, 0);
  EXPECT_FALSE(testing::GltfFile(contents(folder / "still.glb")).json.contains("animations"));

  const std::vector<std::pair<Names, const char*>> bad = {
      {{"run", "--to", "vtx"}, "--to: \"vtx\" is not known: expected one of csv, vtk, gltf (did you mean \"vtk\"?)"},
      {{"run", "--to", "gltf", "-o", "x.obj"}, "expected a name that ends in .glb"},
      {{"run", "--to", "vtk", "--every", "0"}, "--every 0: expected 1 or more"},
      {{"none", "--to", "csv"}, "none: there is no such file"},
      {{"run"}, "--to"}};
  for (const auto& [options, message] : bad) {
    Names words{"export"};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome refused = taut(words);
    EXPECT_EQ(refused.exit_code, 2) << message;
    EXPECT_NE(refused.error.find(message), std::string::npos) << refused.error;
  }
}

// Names that could be code in a page, a picture or a table.
TEST_F(CliView, HostileNamesGoThroughEverything) {
  std::string model = testing::model_text("swing");
  const std::string hostile = R"("</script><script>alert(1)</script>, \"q\" 🤖")";
  for (std::size_t at = 0; (at = model.find("\"b\"", at)) != std::string::npos; at += hostile.size())
    model.replace(at, 3, hostile);
  model.replace(model.find("\nb = "), 5, "\n" + hostile + " = ");
  write_text(folder / "hostile.toml", model);
  ASSERT_EQ(run_program({"run", "hostile.toml", "--csv", "-o", "out"}, folder.path()).exit_code, 0);
  EXPECT_EQ(taut({"plot", "out", "--what", "nodes", "-o", "x.svg"}).exit_code, 0);
  EXPECT_EQ(testing::xml_problem(contents(folder / "x.svg")), "");
  EXPECT_EQ(taut({"export", "out", "--to", "gltf", "-o", "x.glb"}).exit_code, 0);
  const std::string name = "</script><script>alert(1)</script>, \"q\" 🤖";
  EXPECT_EQ(testing::GltfFile(contents(folder / "x.glb")).json["nodes"][1]["name"], "a-" + name);
  if (!reports_possible()) return;
  const DecodedReport report(contents(folder / "out/report.html"));
  EXPECT_EQ(report.document["structure"]["nodes"]["names"][1], name);
}

}  // namespace
}  // namespace taut
