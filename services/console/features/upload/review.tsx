import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { EventMap } from "../../map/event-map.tsx";
import { useAttempts } from "../../ui/form/use-attempts.ts";
import { count } from "../../ui/text/format.ts";
import type { ColumnChoice } from "./columns.ts";
import { ColumnsPart } from "./columns-part.tsx";
import { CreatePart } from "./create-part.tsx";
import type { Creation } from "./created.tsx";
import { newTarget, type Target } from "./make-events.ts";
import { placedRows } from "./placed-rows.ts";
import type { Reading, Upload } from "./read-upload.ts";
import { ReportPart } from "./report-part.tsx";

/** What has been entered since the file was read. */
export type Entries = { readonly choice: ColumnChoice; readonly target: Target };

/** Before anything is entered. @param catalogueId the rows go into it; empty for a new one */
export function newEntries(fileName: string, catalogueId: string): Entries {
  return { choice: {}, target: newTarget(fileName, catalogueId) };
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
  const { choice, target } = entries;
  /** Why the service did not take the columns. */
  const refusal = useSignal<unknown>(null);
  const attempt = useAttempts(reading);
  const columns = useRef<HTMLDivElement>(null);
  useEffect(() => {
    columns.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusal.value]);
  return (
    <div class="columns wide">
      <div class="stack" ref={columns}>
        <ReportPart reading={reading} />
        <ColumnsPart
          upload={upload}
          choice={choice}
          refusal={refusal.value}
          onChoice={(next) => {
            refusal.value = null;
            set({ choice: next });
          }}
        />
      </div>
      <div class="stack">
        <FirstPlaces upload={upload} choice={choice} />
        <CreatePart
          upload={upload}
          choice={choice}
          target={target}
          attempt={attempt}
          set={(change) => set({ target: { ...target, ...change } })}
          onColumnsRefused={(error) => {
            refusal.value = error;
          }}
          onCreated={onCreated}
        />
      </div>
    </div>
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
