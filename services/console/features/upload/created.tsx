import type { CatalogueAccess } from "#contracts/rights.ts";
import { type AnswerOf, CallError, type InputOf } from "../../api/call.ts";
import { ElementTalliesTable, startOperation } from "../../jobs/operation.tsx";
import type { Target } from "../../ui/form/target-fields.tsx";
import { ButtonLink, Panel } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import { count, counted, UNKNOWN } from "../../ui/text/format.ts";
import type { Upload } from "./read-upload.ts";

type Invalid = Made["report"]["invalidEvents"];
type Rows = Upload["data"];

/** What was made, and the first rows that it was made of. */
export type Creation = Made & { readonly rows: Rows };

/** What became of the rows; where some were refused, which and why. */
export function Created({ creation }: { readonly creation: Creation }) {
  const { catalogueId, report, added, rows } = creation;
  return (
    <Panel aria-label="Created" title={added ? "Added" : "Created"}>
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
        <ButtonLink class="primary" href={`/catalogues/${catalogueId}`} text="Open the catalogue" />
      </div>
    </Panel>
  );
}

/** Rows that cannot be events; rows that could not be read at all do not count. */
export function InvalidRows({ invalid, rows }: { readonly invalid: Invalid; readonly rows: Rows }) {
  return (
    <Table
      label="Refused rows"
      rows={invalid}
      columns={[
        ["Row", ({ index }) => count(index + 1), "number"],
        ["Why", ({ reason }) => reason, "words"],
        ["What it holds", ({ index }) => <span class="code">{shownRow(rows[index])}</span>],
      ]}
    />
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

type Added = AnswerOf<"POST /api/catalogues/:id/events">;

/** Where rows go, with what a new catalogue is made with. */
export type RowsTarget = Target & { readonly name: string; readonly access: CatalogueAccess };

/**
 * Into a catalogue, or a new one with the name of a file, without what tells its format.
 * @param catalogueId empty for a new one
 */
export function newTarget(fileName: string, catalogueId: string): RowsTarget {
  const name = fileName.replace(/\.[^.]+$/, "");
  const into = catalogueId === "" ? "new" : "existing";
  return { into, name, access: "internal", catalogueId, updateExisting: false };
}

/** What was made of rows. */
type Made = {
  readonly catalogueId: string;
  readonly report: Added["validationReport"];
  /** What adding to a catalogue did; null for a new one. */
  readonly added: Pick<Added, "newEvents" | "updatedEvents" | "skippedEvents"> | null;
};

type ReadRows = Pick<
  Extract<InputOf<"POST /api/catalogues">["body"], { readonly uploadId: string }>,
  "uploadId" | "columns"
>;

/**
 * Begins to make events of the rows of a kept upload.
 * @returns the id of the operation, which tells how far it is
 * @throws CallError
 */
export function startMaking(
  target: RowsTarget,
  rows: ReadRows,
  idempotencyKey: string,
): Promise<string> {
  const { into, catalogueId, updateExisting } = target;
  if (into === "new") {
    const body = { name: target.name.trim(), access: target.access, ...rows };
    return startOperation("POST /api/catalogues", { body }, idempotencyKey);
  }
  const body = { updateExisting, ...rows };
  const input = { params: { id: catalogueId }, body };
  return startOperation("POST /api/catalogues/:id/events", input, idempotencyKey);
}

/** What the operation made, by its result: the answer of the request that began it. */
export function madeOf({ into, catalogueId }: Target, result: unknown): Made {
  if (into === "new") {
    const { id, validationReport } = result as AnswerOf<"POST /api/catalogues">;
    return { catalogueId: id, report: validationReport, added: null };
  }
  const { validationReport, ...added } = result as Added;
  return { catalogueId, report: validationReport, added };
}
