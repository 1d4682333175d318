import { saidAlike } from "#contracts/said-alike.ts";
import { ElementTalliesTable } from "../../jobs/element-tallies.tsx";
import { count, counted } from "../../ui/text/format.ts";
import { UtcTime } from "../../ui/text/moment.tsx";
import { saveText } from "../../ui/text/save-text.ts";
import { type ReportLine, reportCsv, reportLines } from "./line-report.ts";
import { Problems } from "./problems.tsx";
import { keptUntil, type Reading, type Upload } from "./read-upload.ts";

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

/** Groups that need no opening: there are not many lines in all. */
const FEW = 10;

/** What the service has read of a file, and what not. */
export function ReportPart({ reading }: { readonly reading: Reading }) {
  const { upload, fileName } = reading;
  const { rowCount, errorCount, warningCount, format, errors, warnings } = upload;
  const lines = reportLines(upload, new Map(reading.rows));
  return (
    <section class="panel" aria-labelledby="report">
      <h2 id="report">What is in it</h2>
      <p class="sum" role="status">
        <strong>{count(rowCount)}</strong> {rowCount === 1 ? "row" : "rows"} of {FORMATS[format]},{" "}
        <strong>{count(errorCount)}</strong> unreadable, <strong>{count(warningCount)}</strong>{" "}
        {warningCount === 1 ? "note" : "notes"}
      </p>
      {upload.elements && <ElementTalliesTable elements={upload.elements} />}
      {lineGroups(lines).map((group) => (
        <Group key={group.message} group={group} isOpen={lines.length <= FEW} />
      ))}
      {lines.length > 0 && (
        <div class="row">
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
        Nothing has been created yet; the rows are kept for you until{" "}
        <UtcTime at={keptUntil(reading)} length={16} /> UTC.
      </p>
    </section>
  );
}

/** Lines of which the same is said. */
function Group({ group, isOpen }: { readonly group: LineGroup; readonly isOpen: boolean }) {
  const { kind, message, lines } = group;
  return (
    <details open={isOpen}>
      <summary>
        <span class={kind === "note" ? "badge warning" : "badge bad"}>
          {counted(lines.length, kind === "note" ? "note" : "unreadable row")}
        </span>{" "}
        {message}
        {lines.length > 1 && lines.some((line) => line.message !== message) && ", and the like"}
      </summary>
      <Problems lines={lines} label={`Lines: ${message}`} said={message} />
    </details>
  );
}

/** "the first 100 of 1,247 notes", or all of them. */
function listed(shown: number, all: number, noun: string): string {
  if (shown === all) return counted(all, noun);
  return `the first ${count(shown)} of ${counted(all, noun)}`;
}

/** Lines of which the same is said, but for the numbers in it. */
type LineGroup = {
  readonly kind: ReportLine["kind"];
  /** What is said of the first. */
  readonly message: string;
  readonly lines: readonly ReportLine[];
};

/** What is wrong or doubtful, said once: unreadable lines first, then the most frequent. */
function lineGroups(lines: readonly ReportLine[]): readonly LineGroup[] {
  const groups = Map.groupBy(lines, ({ kind, message }) => `${kind} ${saidAlike(message)}`);
  return [...groups.values()]
    .map((alike) => ({
      kind: alike[0]?.kind ?? "note",
      message: alike[0]?.message ?? "",
      lines: alike,
    }))
    .toSorted((a, b) => rank(a) - rank(b) || b.lines.length - a.lines.length);
}

function rank({ kind }: LineGroup): number {
  return kind === "unreadable" ? 0 : 1;
}
