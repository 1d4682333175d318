import { Link } from "wouter-preact";
import { call, share } from "../../api/call.ts";
import type { SeismicEvent } from "../../model/operation-types.ts";
import { addressOfEvent } from "../../model/page-route.ts";
import { ask } from "../../ui/form/ask.ts";
import { optional, text } from "../../ui/form/codecs.ts";
import { area } from "../../ui/form/form.tsx";
import { Table } from "../../ui/table.tsx";
import { decimal } from "../../ui/text/format.ts";

type ProvenanceProps = {
  readonly sources: readonly SourceEvent[];
  /** The merged catalogue, whose merge the reader may steer; null where that is not so. */
  readonly steered: string | null;
};

type SourceEvent = NonNullable<SeismicEvent["source_events"]>[number];
type Named = { readonly catalogue_id: string; readonly event_id: string };

/** The events of other catalogues that a merge took for this one. */
export function Provenance({ sources, steered }: ProvenanceProps) {
  const isSplittable = steered !== null && sources.flatMap(namedOf).length > 1;
  return (
    <section id="merged-from" class="stack">
      <h2>Merged from</h2>
      <Table
        label="Sources of the event"
        kind="compact folds"
        columns={[
          ["Source", ({ source }) => source ?? "a catalogue that is not yours to see"],
          ["Event", linkTo],
          ["Time difference, s", (one) => decimal(one.time_difference, 2), "number"],
          ["Distance, km", (one) => decimal(one.distance, 1), "number"],
          ["Score", (one) => decimal(one.quality_score, 2), "number"],
          ["Used", ({ chosen }) => (chosen ? "yes" : "no")],
          isSplittable && [
            "Actions",
            (one: SourceEvent) =>
              namedOf(one).length > 0 && (
                <button
                  type="button"
                  class="small"
                  aria-label={`Split off ${one.source_id ?? one.event_id}…`}
                  onClick={() => askToSplit(steered, one, sources)}
                >
                  Split off…
                </button>
              ),
            "number",
            "hidden",
          ],
        ]}
        rows={sources}
        keyOf={({ event_id }) => event_id ?? ""}
      />
    </section>
  );
}

function linkTo({ catalogue_id, event_id, source_id }: SourceEvent) {
  const name = source_id ?? event_id;
  if (share !== null || catalogue_id === null || event_id === null) return name;
  return <Link href={addressOfEvent(catalogue_id, event_id)}>{name}</Link>;
}

/** Of a decision (contracts/merge). */
const NOTE_MAX = 1_000;

/** Decides that a solution is another earthquake than all others of its merged event. */
function askToSplit(id: string, solution: SourceEvent, all: readonly SourceEvent[]): void {
  const others = all.filter((one) => one !== solution).flatMap(namedOf);
  ask({
    title: `Split off the solution of ${solution.source}`,
    text: (
      <p>
        It is decided that this is another earthquake than{" "}
        {others.length === 1 ? "the other solution" : `the ${others.length} other solutions`}. With
        the next refresh of the merge it becomes an event of its own, and later solutions of it join
        it there. The decision stands on the merge’s page, where it can be withdrawn.
      </p>
    ),
    fields: {
      note: area({ label: "Note (optional)", max: NOTE_MAX, rows: 2 }, optional(text)),
    },
    action: "Split it off",
    isReady: () => others.length > 0,
    run: async (options, note) => {
      // Of a decision no two events are alike: the others may well be one earthquake, and so each has its own.
      for (const [i, other] of others.entries()) {
        const events = [...namedOf(solution), other];
        const body = { type: "different" as const, events, ...note };
        await call(
          "POST /api/catalogues/:id/merge/decisions",
          { params: { id }, body },
          i === 0 ? options : { ...options, idempotencyKey: `${options.idempotencyKey}-${i}` },
        );
      }
    },
    done: "Decided. It becomes an event of its own with the next refresh of the merge.",
  });
}

/** Nothing for what is not the reader's to see. */
function namedOf({ catalogue_id, event_id }: SourceEvent): readonly Named[] {
  return catalogue_id === null || event_id === null ? [] : [{ catalogue_id, event_id }];
}
