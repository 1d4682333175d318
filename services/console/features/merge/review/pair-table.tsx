import { addressOfEvent } from "../../../model/page-route.ts";
import { Table } from "../../../ui/table.tsx";
import {
  type FieldName,
  labelOf,
  toldMargin,
  toldValue,
} from "../../../ui/text/attribute-names.ts";
import { magnitudeName } from "../../../ui/text/digits.ts";
import { UNKNOWN } from "../../../ui/text/format.ts";
import { UtcTime } from "../../../ui/text/moment.tsx";
import { Where } from "../../../ui/text/where.tsx";
import type { ReviewPair } from "./queue.ts";
import type { Solutions } from "./use-desk.ts";

/** What tells how well a solution is known; rows that neither has are left out. */
const FIELDS: readonly FieldName[] = [
  "agency_id",
  "used_station_count",
  "azimuthal_gap",
  "standard_error",
  "evaluation_mode",
  "evaluation_status",
];

type PairTableProps = {
  readonly pair: ReviewPair;
  readonly solutions: Solutions | null;
  readonly nameOf: (catalogue: string) => string;
};

/** Both solutions of a pair, side by side. */
export function PairTable({ pair, solutions, nameOf }: PairTableProps) {
  const { first, second } = pair;
  const read = [solutions?.[0]?.event ?? null, solutions?.[1]?.event ?? null];
  const both = [first, second].map((paired, i) => ({ paired, event: read[i] ?? null }));
  const fields = FIELDS.filter((name) =>
    read.some((event) => event !== null && toldValue(name, event) !== UNKNOWN),
  );
  return (
    <Table
      label="Both solutions"
      kind="compact pair"
      columns={[{ hidden: "Attribute" }, "First", "Second"]}
    >
      <tr>
        <th scope="row">Source</th>
        {both.map(({ paired }, i) => (
          <td key={i}>
            {paired.source || nameOf(paired.catalogue_id)}{" "}
            {/* Not the router's link, which knows no other tab: the desk stays open. */}
            <a
              class="nowrap"
              href={addressOfEvent(paired.catalogue_id, paired.event_id)}
              target="_blank"
              rel="noopener"
              title="Opens in a new tab"
            >
              {paired.source_id ?? paired.event_id.slice(0, 8)}
            </a>
          </td>
        ))}
      </tr>
      <tr>
        <th scope="row">Time, UTC</th>
        {both.map(({ paired, event }, i) => (
          <td key={i} class="nowrap">
            <UtcTime at={paired.time} length={22} />{" "}
            <Margin text={event && toldMargin("time", event)} />
          </td>
        ))}
      </tr>
      <tr>
        <th scope="row">Place</th>
        {both.map(({ paired, event }, i) => (
          <td key={i}>
            <Where event={event ?? paired} />
          </td>
        ))}
      </tr>
      <tr>
        <th scope="row">Coordinates</th>
        {both.map(({ paired, event }, i) => (
          <td key={i} class="nowrap">
            {toldValue("latitude", event ?? paired)} {toldValue("longitude", event ?? paired)}
          </td>
        ))}
      </tr>
      <tr>
        <th scope="row">Depth</th>
        {both.map(({ paired, event }, i) => (
          <td key={i} class="nowrap">
            {toldValue("depth", event ?? paired)}{" "}
            <Margin text={event && toldMargin("depth", event)} />
          </td>
        ))}
      </tr>
      <tr>
        <th scope="row">Magnitude</th>
        {both.map(({ paired, event }, i) => (
          <td key={i} class="nowrap">
            <strong>{magnitudeName(paired.magnitude, event?.magnitude_type ?? null)[0]}</strong>{" "}
            <Margin text={event && toldMargin("magnitude", event)} />
          </td>
        ))}
      </tr>
      {fields.map((name) => (
        <tr key={name}>
          <th scope="row">{labelOf(name)}</th>
          {both.map(({ event }, i) => (
            <td key={i}>{event ? toldValue(name, event) : UNKNOWN}</td>
          ))}
        </tr>
      ))}
    </Table>
  );
}

function Margin({ text }: { readonly text: string | null }) {
  return text ? <span class="muted">{text}</span> : null;
}
