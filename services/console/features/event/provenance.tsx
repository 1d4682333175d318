import { useSignal } from "@preact/signals";
import { Link } from "wouter-preact";
import { share } from "../../api/share.ts";
import { addressOfEvent } from "../../model/address-of-event.ts";
import { Table } from "../../ui/table.tsx";
import { decimal } from "../../ui/text/format.ts";
import { namedOf, type SourceEvent, SplitOff } from "./split-off.tsx";

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
