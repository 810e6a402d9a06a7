// From the two data elements of the page to a checked Report. Whatever does not fit is named in a ReportError.
import { decodeBase64, inflate, Numbers, readArray, ReportError } from "./arrays";
import { knownFormat, type Report } from "./document";
import { list, record, readTexts, text, type Json } from "./read";
import { readStructure } from "./read_structure";
import { readModes, readRun } from "./read_run";
import { readSweep } from "./sweep/read_sweep";

// documentText and arraysText are the contents of the elements; null where the element is missing.
export async function loadReport(documentText: string | null, arraysText: string | null): Promise<Report> {
  if (documentText === null || documentText.trim() === "") {
    throw new ReportError(
      "This page holds no data. It is the empty frame that taut fills, or the file was cut off before its data.",
    );
  }
  let json: Json;
  try {
    json = record(JSON.parse(documentText), "document");
  } catch (error) {
    if (error instanceof ReportError) throw error;
    throw new ReportError("The description at the head of the data cannot be read: the file is damaged or was cut short.");
  }
  checkFormat(json);
  let bytes = new Uint8Array(0);
  if (arraysText !== null && arraysText.trim() !== "") {
    try {
      bytes = await inflate(decodeBase64(arraysText));
    } catch (error) {
      throw new ReportError(`The numbers cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
    }
  }
  try {
    return readReport(json, bytes);
  } catch (error) {
    if (!(error instanceof ReportError)) throw error;
    throw new ReportError(`The data do not fit together: ${error.message}.`);
  }
}

function checkFormat(json: Json): void {
  const format = json.format;
  if (typeof format !== "number" || !Number.isInteger(format) || format < 1) {
    throw new ReportError("The data do not say which format they have: this is not a report of taut, or it is damaged.");
  }
  if (format > knownFormat) {
    throw new ReportError(
      `The data have format ${format}; this page reads formats up to ${knownFormat}. ` +
        "Write the report again with the version of taut that belongs to the data, or a newer one.",
    );
  }
}

function readReport(json: Json, bytes: Uint8Array): Report {
  const structure = json.structure == null ? null : readStructure(record(json.structure, "structure"), bytes);
  return {
    generator: text(json.generator),
    title: text(json.title) || "Report",
    subtitle: text(json.subtitle),
    kind: text(json.kind),
    structure,
    runs: list(json.runs, "runs").map((run, i) => readRun(record(run, `runs[${i}]`), bytes, structure, `runs[${i}]`)),
    modes: readModes(list(json.modes, "modes"), bytes, structure),
    plots: list(json.plots, "plots").map((plot, i) => readPlot(record(plot, `plots[${i}]`), bytes, `plots[${i}]`)),
    tables: list(json.tables, "tables").map((entry, i) => {
      const table = record(entry, `tables[${i}]`);
      return {
        title: text(table.title),
        columns: readTexts(table.columns, `tables[${i}].columns`),
        rows: list(table.rows, `tables[${i}].rows`).map((row, r) => readTexts(row, `tables[${i}].rows[${r}]`)),
      };
    }),
    warnings: readTexts(json.warnings, "warnings"),
    notes: readTexts(json.notes, "notes"),
    sweep: json.sweep == null ? null : readSweep(record(json.sweep, "sweep"), bytes),
  };
}

function readPlot(plot: Json, bytes: Uint8Array, where: string): Report["plots"][number] {
  const values = (value: unknown, place: string): Numbers => {
    if (!Array.isArray(value)) return readArray(value, bytes, place);
    // A number that JSON cannot hold is null.
    return Numbers.of(value.map((x) => (typeof x === "number" ? x : NaN)));
  };
  return {
    title: text(plot.title),
    xLabel: text(plot.x_label),
    yLabel: text(plot.y_label),
    xLog: plot.x_log === true,
    yLog: plot.y_log === true,
    time: plot.time === true,
    series: list(plot.series, `${where}.series`).map((entry, i) => {
      const place = `${where}.series[${i}]`;
      const series = record(entry, place);
      const x = values(series.x, `${place}.x`);
      const y = values(series.y, `${place}.y`);
      if (x.length !== y.length) throw new ReportError(`${place}: ${x.length} abscissas but ${y.length} ordinates`);
      const style = series.style === "dashed" || series.style === "points" ? series.style : "line";
      return { name: text(series.name), x, y, style, published: series.published === true };
    }),
  };
}
