import type { ComponentChildren } from "preact";
import type { SeismicEvent } from "../../../model/operation-types.ts";
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
import { SourcedEvent } from "../clusters/cluster-view.tsx";
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

type Paired = ReviewPair["first"];
/** An attribute, and how each solution has it; null is a solution that is not read. */
type Row = readonly [
  name: string,
  tell: (paired: Paired, event: SeismicEvent | null) => ComponentChildren,
];

const withMargin = (
  told: ComponentChildren,
  name: Parameters<typeof toldMargin>[0],
  event: SeismicEvent | null,
) => (
  <span class="nowrap">
    {told} <span class="muted">{event && toldMargin(name, event)}</span>
  </span>
);

const ROWS: readonly Row[] = [
  ["Time, UTC", ({ time }, event) => withMargin(<UtcTime at={time} length={22} />, "time", event)],
  ["Place", (paired, event) => <Where event={event ?? paired} />],
  [
    "Coordinates",
    (paired, event) => (
      <span class="nowrap">
        {toldValue("latitude", event ?? paired)} {toldValue("longitude", event ?? paired)}
      </span>
    ),
  ],
  ["Depth", (paired, event) => withMargin(toldValue("depth", event ?? paired), "depth", event)],
  [
    "Magnitude",
    ({ magnitude }, event) => {
      const [name] = magnitudeName(magnitude, event?.magnitude_type ?? null);
      return withMargin(<strong>{name}</strong>, "magnitude", event);
    },
  ],
];

type PairTableProps = {
  readonly pair: ReviewPair;
  readonly solutions: Solutions | null;
  readonly nameOf: (catalogue: string) => string;
};

/** Both solutions of a pair, side by side. */
export function PairTable({ pair: { first, second }, solutions, nameOf }: PairTableProps) {
  const [a, b] = [solutions?.[0]?.event ?? null, solutions?.[1]?.event ?? null];
  const isTold = (name: FieldName) =>
    [a, b].some((event) => event !== null && toldValue(name, event) !== UNKNOWN);
  const source: Row = ["Source", (paired) => <SourcedEvent event={paired} nameOf={nameOf} />];
  const further = FIELDS.filter(isTold).map(
    (name): Row => [labelOf(name), (_, event) => (event ? toldValue(name, event) : UNKNOWN)],
  );
  return (
    <Table
      label="Both solutions"
      kind="compact pair"
      columns={[
        { head: "Attribute", isHidden: true, isRowHead: true, cell: ([name]) => name },
        { head: "First", cell: ([, tell]) => tell(first, a) },
        { head: "Second", cell: ([, tell]) => tell(second, b) },
      ]}
      rows={[source, ...ROWS, ...further]}
    />
  );
}
