import { Link } from "wouter-preact";
import { CallError } from "../../api/call-error.ts";
import { ElementTalliesTable } from "../../jobs/element-tallies.tsx";
import { Table } from "../../ui/table.tsx";
import { count, counted, UNKNOWN } from "../../ui/text/format.ts";
import type { Made } from "./make-events.ts";
import type { Upload } from "./read-upload.ts";

type Invalid = Made["report"]["invalidEvents"];
type Rows = Upload["data"];

/** What was made, and the first rows that it was made of. */
export type Creation = Made & { readonly rows: Rows };

/** What became of the rows; where some were refused, which and why. */
export function Created({ creation }: { readonly creation: Creation }) {
  const { catalogueId, report, added, rows } = creation;
  return (
    <section class="panel" aria-label="Created">
      <h2>{added ? "Added" : "Created"}</h2>
      <p class="sum" role="status">
        <strong>{count(report.successfullyImported)}</strong> of{" "}
        <strong>{count(report.totalSubmitted)}</strong> rows became events
        {added ? (
          <>
            : {count(added.newEvents)} new, {count(added.updatedEvents)} updated,{" "}
            {count(added.skippedEvents)} there already
          </>
        ) : (
          " of the new catalogue"
        )}
      </p>
      {report.elements && <ElementTalliesTable elements={report.elements} />}
      {report.failedValidation > 0 && (
        <>
          <p>
            {counted(report.failedValidation, "row")} could not become{" "}
            {report.failedValidation === 1 ? "an event" : "events"}, for the reasons below; the
            catalogue has all others. Correct them in the file, and upload it again.
          </p>
          <InvalidRows invalid={report.invalidEvents} rows={rows} />
          {report.hasMoreInvalidEvents && (
            <p class="muted">
              The first {count(report.invalidEvents.length)} of {count(report.failedValidation)}.
            </p>
          )}
        </>
      )}
      <div class="row">
        <Link class="button primary" href={`/catalogues/${catalogueId}`}>
          Open the catalogue
        </Link>
      </div>
    </section>
  );
}

type InvalidRowsProps = { readonly invalid: Invalid; readonly rows: Rows };

/** Rows that cannot be events; rows that could not be read at all do not count. */
export function InvalidRows({ invalid, rows }: InvalidRowsProps) {
  return (
    <Table label="Refused rows" columns={[{ number: "Row" }, "Why", "What it holds"]}>
      {invalid.map(({ index, reason }) => (
        <tr key={index}>
          <td class="number">{count(index + 1)}</td>
          <td class="words">{reason}</td>
          <td>
            <span class="code">{shownRow(rows[index])}</span>
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** Of the first rows alone it is known what they hold. */
function shownRow(row: Rows[number] | undefined): string {
  if (row === undefined) return UNKNOWN;
  return Object.entries(row)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join(", ");
}

/** The rows that a refusal is about, where all of them were refused. */
export function invalidOf(error: unknown): Invalid {
  if (!(error instanceof CallError) || error.code !== "ALL_EVENTS_INVALID") return [];
  const { details } = error.body as { readonly details?: Invalid };
  return details ?? [];
}
