import { Link } from "wouter-preact";
import { addressOfEvent } from "../../model/address-of-event.ts";
import { ScrollArea } from "../../ui/scroll-area.tsx";
import { TableHead } from "../../ui/table-head.tsx";
import { decimal } from "../../ui/text/format.ts";
import type { SeismicEvent } from "./read-event.ts";

type ProvenanceProps = { readonly sources: NonNullable<SeismicEvent["source_events"]> };

/** The events of other catalogues that a merge took for this one. */
export function Provenance({ sources }: ProvenanceProps) {
  return (
    <section class="stack">
      <h2>Merged from</h2>
      <ScrollArea label="Sources of the event">
        <table class="compact">
          <TableHead
            columns={[
              "Source",
              "Event",
              { number: "Time difference, s" },
              { number: "Distance, km" },
              { number: "Score" },
              "Used",
            ]}
          />
          <tbody>
            {sources.map((one) => (
              <tr key={one.event_id}>
                <td>{one.source}</td>
                <td>
                  <Link href={addressOfEvent(one.catalogue_id, one.event_id)}>
                    {one.source_id ?? one.event_id}
                  </Link>
                </td>
                <td class="number">{decimal(one.time_difference, 2)}</td>
                <td class="number">{decimal(one.distance, 1)}</td>
                <td class="number">{decimal(one.quality_score, 2)}</td>
                <td>{one.chosen ? "yes" : "no"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
    </section>
  );
}
