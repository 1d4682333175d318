import type { Signal } from "@preact/signals";
import { Link } from "wouter-preact";
import type { ListedRegion } from "../../ui/call/use-saved-regions.ts";
import { Actor } from "../../ui/person.tsx";
import { Table } from "../../ui/table.tsx";
import { count } from "../../ui/text/format.ts";
import { Moment } from "../../ui/text/moment.tsx";
import { Extent } from "./extent.tsx";

type RegionsTableProps = {
  readonly regions: readonly ListedRegion[];
  /** The id of the region that is pointed at, here or on the map. */
  readonly marked: Signal<string | null>;
};

export function RegionsTable({ regions, marked }: RegionsTableProps) {
  return (
    <Table
      label="Regions"
      kind="folds"
      columns={["Region", "Extent", { number: "Vertices" }, "Changed"]}
    >
      {regions.map((region) => (
        <tr
          key={region.id}
          class={marked.value === region.id ? "marked" : undefined}
          onMouseEnter={() => (marked.value = region.id)}
          onMouseLeave={() => (marked.value = null)}
        >
          <th scope="row">
            <Link href={`/regions/${region.id}`}>{region.name}</Link>
            {region.note !== null && <div class="purpose">{region.note}</div>}
          </th>
          <td class="words">
            <Extent bbox={region.bbox} />
          </td>
          <td class="number">{count(region.vertices)}</td>
          <td>
            <Moment at={region.updated_at} />
            <div class="purpose">
              by <Actor id={region.updated_by} />
            </div>
          </td>
        </tr>
      ))}
    </Table>
  );
}
