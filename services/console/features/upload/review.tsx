import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { COLUMN_TARGETS } from "#contracts/seismic-event/columns.ts";
import { saidAlike } from "#contracts/text.ts";
import { failureOf } from "../../api/call.ts";
import { ElementTalliesTable, type Operation, OperationView } from "../../jobs/operation.tsx";
import { EventMap } from "../../map/event-map.tsx";
import { columnsOfEvents, type EventColumns } from "../../model/event-columns.ts";
import { AccessSelect } from "../../ui/access.tsx";
import { ErrorNotice } from "../../ui/call.tsx";
import { useAttempts } from "../../ui/form/attempts.ts";
import { Field, Select } from "../../ui/form/fields.tsx";
import {
  nameProblem,
  problemOf,
  refusedFields,
  SubmitRow,
  useSubmit,
} from "../../ui/form/submit.tsx";
import { TargetFields } from "../../ui/form/target-fields.tsx";
import { Button } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import { saveText } from "../../ui/text/files.ts";
import { count, counted, UNKNOWN } from "../../ui/text/format.ts";
import { UtcTime } from "../../ui/text/moment.tsx";
import {
  type Creation,
  InvalidRows,
  invalidOf,
  madeOf,
  newTarget,
  type RowsTarget,
  startMaking,
} from "./created.tsx";
import {
  type ColumnChoice,
  columnsOf,
  keptUntil,
  meaningOfColumn,
  missingColumns,
  type Reading,
  type ReportLine,
  readAs,
  reportCsv,
  reportLines,
  type Upload,
  withoutMagnitude,
} from "./read-upload.ts";

/** What has been entered since the file was read. */
export type Entries = {
  readonly choice: ColumnChoice;
  readonly target: RowsTarget;
  /** What makes events of the rows; null before it has begun. */
  readonly operation: string | null;
};

/** Before anything is entered. @param catalogueId the rows go into it; empty for a new one */
export function newEntries(fileName: string, catalogueId: string): Entries {
  return { choice: {}, target: newTarget(fileName, catalogueId), operation: null };
}

type ReviewProps = {
  readonly reading: Reading;
  readonly entries: Entries;
  readonly set: (change: Partial<Entries>) => void;
  readonly onCreated: (creation: Creation) => void;
};

/** All that is known of a file that has been read, and where its rows are to go. */
export function Review({ reading, entries, set, onCreated }: ReviewProps) {
  const { upload } = reading;
  const { choice, target, operation } = entries;
  /** Why no events were made. */
  const failure = useSignal<unknown>(null);
  const isAboutColumns = refusedFields(failure.value).some((one) => one.startsWith("columns."));
  const refusal = isAboutColumns ? failure.value : null;
  const columns = useRef<HTMLDivElement>(null);
  useEffect(() => {
    columns.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusal]);
  const onEnded = ({ status, result, error }: Operation) => {
    if (status === "succeeded") return onCreated({ ...madeOf(target, result), rows: upload.data });
    failure.value = status === "failed" ? failureOf(error) : null;
    set({ operation: null });
  };
  return (
    <div class="columns wide">
      <div class="stack" ref={columns}>
        <ReportPart reading={reading} />
        <ColumnsPart
          upload={upload}
          choice={choice}
          refusal={refusal}
          onChoice={(next) => {
            failure.value = null;
            set({ choice: next });
          }}
        />
      </div>
      <div class="stack">
        <FirstPlaces upload={upload} choice={choice} />
        {operation === null ? (
          <CreatePart
            upload={upload}
            entries={entries}
            failure={refusal === null ? failure.value : null}
            set={(change) => set({ target: { ...target, ...change } })}
            onStarted={(started) => {
              failure.value = null;
              set({ operation: started });
            }}
          />
        ) : (
          <OperationView key={operation} id={operation} outcome={() => null} onEnded={onEnded} />
        )}
      </div>
    </div>
  );
}

/** Where the first rows are, so that a wrong column or sign is seen. */
function FirstPlaces(props: { readonly upload: Upload; readonly choice: ColumnChoice }) {
  const { upload, choice } = props;
  const columns = useMemo(() => placedRows(upload, choice), [upload, choice]);
  const selected = useSignal<number | null>(null);
  if (columns.count === 0) return null;
  return (
    <figure class="first-places">
      <EventMap
        key={JSON.stringify(choice)}
        columns={columns}
        selected={selected}
        colours={{ by: "depth", scale: "global" }}
      />
      <figcaption class="hint">
        {count(columns.count)} of the first {count(upload.data.length)} rows on the map
      </figcaption>
    </figure>
  );
}

/** The first rows that have a place, where columns are read as chosen. */
function placedRows({ headers, data }: Upload, choice: ColumnChoice): EventColumns {
  // The first column of each meaning.
  const columns = new Map(
    headers.toReversed().map((name) => [readAs(name, choice, headers), name]),
  );
  const places = data.map((row, index) => {
    const cell = (field: string) => {
      const column = columns.get(field);
      return column === undefined ? null : row[column];
    };
    /** NaN where it is none. */
    const number = (field: string) => {
      const value = cell(field);
      if (typeof value === "number") return value;
      return typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
    };
    return {
      ...{ id: String(index), time: String(cell("time") ?? "") },
      ...{ latitude: number("latitude"), longitude: number("longitude") },
      ...{ depth: number("depth"), magnitude: number("magnitude") },
    };
  });
  return columnsOfEvents(
    0,
    places.filter((row) => Math.abs(row.latitude) <= 90 && Math.abs(row.longitude) <= 360),
  );
}

type CreatePartProps = Pick<ReviewProps, "entries"> & {
  readonly upload: Upload;
  /** Why the last attempt ended without events; null otherwise. */
  readonly failure: unknown;
  readonly set: (change: Partial<RowsTarget>) => void;
  readonly onStarted: (operation: string) => void;
};

/** Where the rows go: into a new catalogue, or into one that is there. */
function CreatePart({ upload, entries, failure, set, onStarted }: CreatePartProps) {
  const { choice, target } = entries;
  const attempt = useAttempts();
  const submission = useSubmit(async () => {
    const columns = columnsOf(choice, upload.headers);
    const rows = { uploadId: upload.uploadId ?? "", columns };
    onStarted(await attempt({ ...target, columns }, (key) => startMaking(target, rows, key)));
  });
  const isBusy = submission.isBusy.value;
  const error = submission.error.value ?? failure;
  const isNew = target.into === "new";
  const missing = missingColumns(upload.headers, choice);
  const hasTarget = isNew || target.catalogueId !== "";
  const rows = counted(upload.rowCount, "row");
  const invalid = invalidOf(error);
  return (
    <form class="panel" onSubmit={submission.submit}>
      <TargetFields
        legend="Put the events into"
        target={target}
        set={set}
        problemOf={(field) => problemOf(error, field)}
        updates="that are there already and differ"
      >
        <Field
          label="Name"
          required
          value={target.name}
          problem={problemOf(error, "name") ?? nameProblem(error)}
          onValue={(name) => set({ name })}
        />
        <AccessSelect
          value={target.access}
          problem={problemOf(error, "access")}
          onValue={(access) => set({ access })}
        />
      </TargetFields>
      <ErrorNotice error={error} />
      {invalid.length > 0 && <InvalidRows invalid={invalid} rows={upload.data} />}
      <SubmitRow
        text={isBusy ? "Starting…" : isNew ? `Create it from ${rows}` : `Add ${rows}`}
        isDisabled={isBusy || !hasTarget || missing.length > 0}
      >
        {missing.length > 0 && (
          <span class="muted">Choose the column of {missing.join(" and ")} first.</span>
        )}
        {!hasTarget && <span class="muted">Choose a catalogue first.</span>}
      </SubmitRow>
    </form>
  );
}

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
function ReportPart({ reading }: { readonly reading: Reading }) {
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
      {lineGroups(lines).map(({ kind, message, lines: alike }) => (
        <details key={message} open={lines.length <= FEW}>
          <summary>
            <span class={kind === "note" ? "badge warning" : "badge bad"}>
              {counted(alike.length, kind === "note" ? "note" : "unreadable row")}
            </span>{" "}
            {message}
            {alike.some((line) => line.message !== message) && ", and the like"}
          </summary>
          <Problems lines={alike} label={`Lines: ${message}`} said={message} />
        </details>
      ))}
      {lines.length > 0 && (
        <div class="row">
          <Button
            onClick={() => saveText(`${fileName} report.csv`, "text/csv", reportCsv(lines))}
            text="Download the report"
          />
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

/** "the first 100 of 1,247 notes", or all of them. */
function listed(shown: number, all: number, noun: string): string {
  if (shown === all) return counted(all, noun);
  return `the first ${count(shown)} of ${counted(all, noun)}`;
}

/**
 * What is wrong or doubtful, said once, as of the first of the lines of which the same is said but for the
 * numbers in it: unreadable lines first, then the most frequent.
 */
function lineGroups(lines: readonly ReportLine[]) {
  const groups = Map.groupBy(lines, ({ kind, message }) => `${kind} ${saidAlike(message)}`);
  const rank = ({ kind }: ReportLine) => (kind === "unreadable" ? 0 : 1);
  return [...groups.values()]
    .flatMap((alike) => alike.slice(0, 1).map((first) => ({ ...first, lines: alike })))
    .toSorted((a, b) => rank(a) - rank(b) || b.lines.length - a.lines.length);
}

type ColumnsPartProps = {
  readonly upload: Upload;
  readonly choice: ColumnChoice;
  /** Why the service did not take the choice; null where it has not been asked. */
  readonly refusal: unknown;
  readonly onChoice: (choice: ColumnChoice) => void;
};

const BY_NAME = "";
const LEFT_OUT = "-";
const OPTIONS: readonly { readonly value: string; readonly text: string }[] = [
  { value: LEFT_OUT, text: "left out" },
  ...COLUMN_TARGETS.map((name) => ({ value: name, text: name })),
];
/** Values shown of a column. */
const SHOWN = 3;

/** What each column is read as, beside its first values. */
function ColumnsPart({ upload, choice, refusal, onChoice }: ColumnsPartProps) {
  const { headers } = upload;
  const missing = missingColumns(headers, choice);
  const choose = (header: string, value: string) => {
    const { [header]: _before, ...others } = choice;
    if (value === BY_NAME) onChoice(others);
    else
      onChoice({ ...others, [header]: COLUMN_TARGETS.find((target) => target === value) ?? null });
  };
  return (
    <section class="panel" aria-labelledby="columns">
      <h2 id="columns">Columns</h2>
      {missing.length > 0 && (
        <div class="notice warning" role="status">
          <span>No column is read as {missing.join(" or as ")}: choose which it is.</span>
        </div>
      )}
      <Table
        label="Columns and first values"
        kind="column-rows"
        rows={headers}
        keyOf={(header) => header}
        columns={[
          { head: "Column", isRowHead: true, cell: (header) => header },
          ["First values", (header) => <span class="code">{firstValues(upload, header)}</span>],
          [
            "Read as",
            (header) => (
              <Select
                label={`${header} is read as`}
                hasHiddenLabel
                value={Object.hasOwn(choice, header) ? (choice[header] ?? LEFT_OUT) : BY_NAME}
                options={[
                  { value: BY_NAME, text: meaningOfColumn(header) ?? "kept as it is" },
                  ...OPTIONS,
                ]}
                problem={problemOf(refusal, `columns.${header}`)}
                onValue={(value) => choose(header, value)}
              />
            ),
          ],
        ]}
      />
      <MagnitudeNote upload={upload} choice={choice} />
      <p class="muted">
        Columns that the service has no use for are kept with each event, as they are.
      </p>
      <ErrorNotice error={refusal} />
    </section>
  );
}

function firstValues({ data }: Pick<Upload, "data">, header: string): string {
  const values = data.map((row) => row[header]).filter((value) => value !== null && value !== "");
  return values.length === 0 ? UNKNOWN : values.slice(0, SHOWN).map(textOf).join(" · ");
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return UNKNOWN;
  if (typeof value === "number") return String(value).replace(/^-/, "\u2212");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** How many rows have no magnitude, as the columns are read; nothing where all have one. */
function MagnitudeNote(props: { readonly upload: Upload; readonly choice: ColumnChoice }) {
  const { upload, choice } = props;
  const { rows, isExact } = withoutMagnitude(upload, choice);
  if (rows === 0) return null;
  const hasNone = isExact && rows === upload.rowCount;
  const lacking = `${counted(rows, "row")} ${rows === 1 ? "has" : "have"} no magnitude`;
  return (
    <p>
      {hasNone ? "No row has a magnitude" : isExact ? lacking : `Up to ${lacking}`}:{" "}
      {rows === 1 ? "it is" : hasNone ? "all are" : "they are"} kept, with the magnitude unknown.
    </p>
  );
}

type ProblemsProps = {
  readonly lines: readonly ReportLine[];
  /** Of the table, where there are several. */
  readonly label?: string;
  /** What is said of all these lines, and stands above them; absent where each has its own. */
  readonly said?: string;
};

/** Lines with what is wrong or doubtful in them. */
export function Problems({ lines, label = "Lines", said }: ProblemsProps) {
  if (lines.length === 0) return null;
  const isSaid = lines.every(({ message }) => message === said);
  return (
    <Table
      label={label}
      rows={lines}
      columns={[
        ["Line", ({ line }) => count(line), "number"],
        !isSaid && ["What it is", ({ message }: ReportLine) => message, "words"],
        ["Row", ({ row }) => (row === null ? UNKNOWN : <span class="code">{row}</span>)],
      ]}
    />
  );
}
