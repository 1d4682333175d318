import { useMemo } from "preact/hooks";
import { Link } from "wouter-preact";
import { addressOfEvent } from "../../model/address-of-event.ts";
import { type EventColumns, locatedAt, timeAt } from "../../model/event-columns.ts";
import { distanceKm, type Place } from "../../model/great-circle.ts";
import { Table } from "../../ui/table.tsx";
import { Aligned } from "../../ui/text/aligned.tsx";
import { magnitudeName } from "../../ui/text/digits.ts";
import { decimal } from "../../ui/text/format.ts";
import { UtcTime } from "../../ui/text/moment.tsx";
import { Where } from "../../ui/text/where.tsx";

/** Events that are listed, at most. */
const MOST = 5;

type NearbyListProps = {
  readonly catalogueId: string;
  readonly asOf: string | undefined;
  /** The event whose neighbours they are. */
  readonly id: string;
  readonly at: Place;
  readonly columns: EventColumns;
};

/** The neighbours whose epicentres are nearest, nearest first. */
export function NearbyList({ catalogueId, asOf, id, at, columns }: NearbyListProps) {
  const nearest = useMemo(() => nearestOf(columns, id, at), [columns, id]);
  if (nearest.length === 0) return null;
  return (
    <Table
      label="Nearest events"
      kind="compact folds"
      columns={[
        "Nearest events",
        "Time, UTC",
        "Where",
        { number: "Depth, km" },
        { number: "Away, km" },
      ]}
    >
      {nearest.map(({ index, km }) => (
        <tr key={index}>
          <th scope="row" class="nowrap">
            <Link href={addressOfEvent(catalogueId, columns.idOf(index), asOf)}>
              {magnitudeName(columns.magnitude[index], null)[0]}
            </Link>
          </th>
          <td class="nowrap">
            <UtcTime at={timeAt(columns, index)} length={19} />
          </td>
          <td>
            <Where event={locatedAt(columns, index)} />
          </td>
          <td class="number">
            <Aligned value={columns.depth[index]} measure="depth" />
          </td>
          <td class="number">{decimal(km, 1)}</td>
        </tr>
      ))}
    </Table>
  );
}

/** Indexes of the nearest events with their distances. */
function nearestOf(columns: EventColumns, id: string, at: Place) {
  const own = columns.indexOf(id);
  return Array.from({ length: columns.count }, (_, index) => ({
    index,
    km: distanceKm(at, locatedAt(columns, index)),
  }))
    .filter(({ index }) => index !== own)
    .toSorted((a, b) => a.km - b.km)
    .slice(0, MOST);
}
