import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { ElementTalliesTable } from "../../jobs/element-tallies.tsx";
import { count, counted } from "../../ui/text/format.ts";
import { UtcTime } from "../../ui/text/moment.tsx";
import { saveText } from "../../ui/text/save-text.ts";
import { fileSize } from "./file-size.ts";
import { reportCsv, reportLines } from "./line-report.ts";
import { MagnitudeNote } from "./magnitude-note.tsx";
import { Problems } from "./problems.tsx";
import { keptUntil, type Reading, type Upload } from "./read-upload.ts";

/** Lines shown before one asks for the others. */
const SHOWN = 10;

const FORMATS: Readonly<Record<Upload["format"], string>> = {
  csv: "CSV",
  txt: "text",
  json: "JSON",
  geojson: "GeoJSON",
  quakeml: "QuakeML",
  scml: "SeisComP XML",
  isf: "ISF",
  ndk: "NDK",
  nonlinloc: "NonLinLoc",
  hypodd: "hypoDD",
  nordic: "Nordic",
};

type ReportPartProps = {
  readonly reading: Reading;
  /** The way on. */
  readonly children: ComponentChildren;
};

/** What the service has read of a file, and what not. */
export function ReportPart({ reading, children }: ReportPartProps) {
  const { upload, fileName, fileBytes } = reading;
  const { rowCount, errorCount, warningCount, format, errors, warnings } = upload;
  const isWhole = useSignal(false);
  const lines = reportLines(upload, new Map(reading.rows));
  return (
    <>
      <p class="sum" role="status">
        <strong>{count(rowCount)}</strong> {rowCount === 1 ? "row" : "rows"} of {FORMATS[format]},{" "}
        <strong>{count(errorCount)}</strong> unreadable, <strong>{count(warningCount)}</strong>{" "}
        {warningCount === 1 ? "note" : "notes"}
      </p>
      {upload.elements && <ElementTalliesTable elements={upload.elements} />}
      <MagnitudeNote upload={upload} choice={{}} />
      <Problems lines={isWhole.value ? lines : lines.slice(0, SHOWN)} />
      {lines.length > 0 && (
        <div class="row">
          {lines.length > SHOWN && !isWhole.value && (
            <button type="button" onClick={() => (isWhole.value = true)}>
              Show all {count(lines.length)}
            </button>
          )}
          <button
            type="button"
            onClick={() => saveText(`${fileName} report.csv`, "text/csv", reportCsv(lines))}
          >
            Download the report
          </button>
          {lines.length < errorCount + warningCount && (
            <span class="muted">
              Listed: {listed(errors.length, errorCount, "unreadable row")} and{" "}
              {listed(warnings.length, warningCount, "note")}.
            </span>
          )}
        </div>
      )}
      <p class="muted">
        {fileName}, {fileSize(fileBytes)}. Nothing has been created yet; the rows are kept for you
        until <UtcTime at={keptUntil(reading)} length={16} /> UTC.
      </p>
      <div class="row">{children}</div>
    </>
  );
}

/** "the first 100 of 1,247 notes", or all of them. */
function listed(shown: number, all: number, noun: string): string {
  if (shown === all) return counted(all, noun);
  return `the first ${count(shown)} of ${counted(all, noun)}`;
}
