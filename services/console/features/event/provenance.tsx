import { Link } from "wouter-preact";
import { addressOfEvent } from "../../model/address-of-event.ts";
import { Table } from "../../ui/table.tsx";
import { decimal } from "../../ui/text/format.ts";
import type { SeismicEvent } from "./read-event.ts";

type ProvenanceProps = { readonly sources: NonNullable<SeismicEvent["source_events"]> };

/** The events of other catalogues that a merge took for this one. */
export function Provenance({ sources }: ProvenanceProps) {
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
        ]}
      >
        {sources.map((one) => (
          <tr key={one.event_id}>
            <td>{one.source ?? "a catalogue that is not yours to see"}</td>
            <td>
              {one.catalogue_id !== null && one.event_id !== null && (
                <Link href={addressOfEvent(one.catalogue_id, one.event_id)}>
                  {one.source_id ?? one.event_id}
                </Link>
              )}
            </td>
            <td class="number">{decimal(one.time_difference, 2)}</td>
            <td class="number">{decimal(one.distance, 1)}</td>
            <td class="number">{decimal(one.quality_score, 2)}</td>
            <td>{one.chosen ? "yes" : "no"}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
