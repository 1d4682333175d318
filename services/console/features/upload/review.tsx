import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { CallError, failureOf } from "../../api/call-error.ts";
import { OperationView } from "../../jobs/operation-view.tsx";
import type { Operation } from "../../jobs/use-operation.ts";
import { EventMap } from "../../map/event-map.tsx";
import { columnsOfEvents } from "../../model/columns-of-events.ts";
import type { EventColumns } from "../../model/event-columns.ts";
import { useAttempts } from "../../ui/form/use-attempts.ts";
import { count } from "../../ui/text/format.ts";
import { type ColumnChoice, readAs } from "./columns.ts";
import { ColumnsPart } from "./columns-part.tsx";
import { CreatePart } from "./create-part.tsx";
import type { Creation } from "./created.tsx";
import { madeOf, newTarget, type Target } from "./make-events.ts";
import type { Reading, Upload } from "./read-upload.ts";
import { ReportPart } from "./report-part.tsx";

/** What has been entered since the file was read. */
export type Entries = {
  readonly choice: ColumnChoice;
  readonly target: Target;
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
  const refusal = isAboutColumns(failure.value) ? failure.value : null;
  const attempt = useAttempts(reading);
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
            choice={choice}
            target={target}
            attempt={attempt}
            failure={refusal === null ? failure.value : null}
            set={(change) => set({ target: { ...target, ...change } })}
            onStarted={(started) => {
              failure.value = null;
              set({ operation: started });
            }}
          />
        ) : (
          <OperationView
            key={operation}
            id={operation}
            outcome={(now) => <Ending operation={now} onEnded={onEnded} />}
          />
        )}
      </div>
    </div>
  );
}

type EndingProps = {
  readonly operation: Operation;
  readonly onEnded: (operation: Operation) => void;
};

/** Says once that an operation has ended. */
function Ending({ operation, onEnded }: EndingProps) {
  useEffect(() => {
    if (operation.status !== "running") onEnded(operation);
  }, [operation.status]);
  return null;
}

function isAboutColumns(error: unknown): error is CallError {
  return (
    error instanceof CallError && error.fields.some(({ field }) => field.startsWith("columns."))
  );
}

type FirstPlacesProps = { readonly upload: Upload; readonly choice: ColumnChoice };

/** Where the first rows are, so that a wrong column or sign is seen. */
function FirstPlaces({ upload, choice }: FirstPlacesProps) {
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

type Rows = Pick<Upload, "headers" | "data">;

/** The first rows that have a place, where columns are read as chosen. */
function placedRows({ headers, data }: Rows, choice: ColumnChoice): EventColumns {
  // The first column of each meaning.
  const columns = new Map(
    headers.toReversed().map((name) => [readAs(name, choice, headers), name]),
  );
  const places = data.map((row, index) => {
    const cell = (field: string) => {
      const column = columns.get(field);
      return column === undefined ? null : row[column];
    };
    return {
      id: String(index),
      time: String(cell("time") ?? ""),
      latitude: numberOf(cell("latitude")),
      longitude: numberOf(cell("longitude")),
      depth: numberOf(cell("depth")),
      magnitude: numberOf(cell("magnitude")),
    };
  });
  return columnsOfEvents(
    0,
    places.filter((row) => Math.abs(row.latitude) <= 90 && Math.abs(row.longitude) <= 360),
  );
}

/** NaN where it is none. */
function numberOf(value: unknown): number {
  if (typeof value === "number") return value;
  return typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
}
