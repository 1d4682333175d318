import { useSignal } from "@preact/signals";
import { Link } from "wouter-preact";
import { call, share } from "../../api/call.ts";
import { addressOfEvent } from "../../model/page-route.ts";
import { notice } from "../../ui/call/notices.tsx";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { bound } from "../../ui/form/field.tsx";
import { TextArea } from "../../ui/form/inputs.tsx";
import { Table } from "../../ui/table.tsx";
import { decimal } from "../../ui/text/format.ts";
import type { SeismicEvent } from "./read-event.ts";

type ProvenanceProps = {
  readonly sources: readonly SourceEvent[];
  /** The merged catalogue, whose merge the reader may steer; null where that is not so. */
  readonly steered: string | null;
};

/** The events of other catalogues that a merge took for this one. */
export function Provenance({ sources, steered }: ProvenanceProps) {
  const split = useSignal<SourceEvent | null>(null);
  const isSplittable = steered !== null && sources.flatMap(namedOf).length > 1;
  return (
    <section id="merged-from" class="stack">
      <h2>Merged from</h2>
      <Table
        label="Sources of the event"
        kind="compact folds"
        columns={[
          "Source",
          "Event",
          { number: "Time difference, s" },
          { number: "Distance, km" },
          { number: "Score" },
          "Used",
          isSplittable && { hidden: "Actions" },
        ]}
      >
        {sources.map((one) => (
          <tr key={one.event_id}>
            <td>{one.source ?? "a catalogue that is not yours to see"}</td>
            <td>
              {share === null && one.catalogue_id !== null && one.event_id !== null ? (
                <Link href={addressOfEvent(one.catalogue_id, one.event_id)}>
                  {one.source_id ?? one.event_id}
                </Link>
              ) : (
                (one.source_id ?? one.event_id)
              )}
            </td>
            <td class="number">{decimal(one.time_difference, 2)}</td>
            <td class="number">{decimal(one.distance, 1)}</td>
            <td class="number">{decimal(one.quality_score, 2)}</td>
            <td>{one.chosen ? "yes" : "no"}</td>
            {isSplittable && (
              <td class="number">
                {namedOf(one).length > 0 && (
                  <button
                    type="button"
                    class="small"
                    aria-label={`Split off ${one.source_id ?? one.event_id}…`}
                    onClick={() => (split.value = one)}
                  >
                    Split off…
                  </button>
                )}
              </td>
            )}
          </tr>
        ))}
      </Table>
      {split.value && steered !== null && (
        <SplitOff
          catalogue={steered}
          solution={split.value}
          all={sources}
          onClose={() => (split.value = null)}
        />
      )}
    </section>
  );
}

type SourceEvent = NonNullable<SeismicEvent["source_events"]>[number];
type Named = { readonly catalogue_id: string; readonly event_id: string };

/** Of a decision (contracts/merge). */
const NOTE_MAX = 1_000;

type SplitOffProps = {
  /** Of the merged catalogue. */
  readonly catalogue: string;
  /** What is another earthquake. */
  readonly solution: SourceEvent;
  readonly all: readonly SourceEvent[];
  readonly onClose: () => void;
};

/** Decides that a solution is another earthquake than all others of its merged event. */
function SplitOff({ catalogue, solution, all, onClose }: SplitOffProps) {
  const note = useSignal("");
  const others = all.filter((one) => one !== solution).flatMap(namedOf);
  const split = async (idempotencyKey: string) => {
    const why = note.value.trim();
    // Of a decision no two events are alike: the others may well be one earthquake, and so each has its own.
    for (const [i, other] of others.entries()) {
      const events = [...namedOf(solution), other];
      await call(
        "POST /api/catalogues/:id/merge/decisions",
        {
          params: { id: catalogue },
          body: { type: "different", events, ...(why !== "" && { note: why }) },
        },
        { idempotencyKey: i === 0 ? idempotencyKey : `${idempotencyKey}-${i}` },
      );
    }
    notice.done("Decided. It becomes an event of its own with the next refresh of the merge.");
  };
  return (
    <ConfirmDialog
      title={`Split off the solution of ${solution.source}`}
      action="Split it off"
      of={note.value}
      isReady={others.length > 0}
      run={split}
      onClose={onClose}
    >
      <p>
        It is decided that this is another earthquake than{" "}
        {others.length === 1 ? "the other solution" : `the ${others.length} other solutions`}. With
        the next refresh of the merge it becomes an event of its own, and later solutions of it join
        it there. The decision stands on the merge’s page, where it can be withdrawn.
      </p>
      <TextArea label="Note (optional)" max={NOTE_MAX} rows={2} {...bound(note)} />
    </ConfirmDialog>
  );
}

/** Nothing for what is not the reader's to see. */
function namedOf({ catalogue_id, event_id }: SourceEvent): readonly Named[] {
  return catalogue_id === null || event_id === null ? [] : [{ catalogue_id, event_id }];
}
