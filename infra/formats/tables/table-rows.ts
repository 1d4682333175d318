import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { type BulletinTable, TABLE_COLUMNS, type TableColumn } from "#contracts/bulletin/tables.ts";
import { parseTime } from "#contracts/seismic-event/time.ts";
import type { BulletinObject, Preferred } from "../bulletin/parts.ts";
import { decimalNumber } from "../written-values.ts";

/** A value of a table: times as canonical text where the given one is a time, else as given. */
export type Cell = string | number | boolean | null;

/** A row: `event_id`, `public_id`, `preferred`, then a value for each of the table's columns. */
export type TableRow = readonly Cell[];

/** What makes the rows of an event, one for each object, in the bulletin's order. */
export function tableRowsOf(table: BulletinTable) {
  const cells = TABLE_COLUMNS[table].map(cellOf);
  const objectsOf = OBJECTS[table];
  /** @param eventId ours, with hyphens */
  return function* rows(
    eventId: string,
    bulletin: Bulletin,
    shown: Preferred,
  ): Generator<TableRow, void> {
    for (const { id, isPreferred, object } of objectsOf(bulletin, shown)) {
      const row: Cell[] = [eventId, id, isPreferred];
      for (const cell of cells) row.push(cell(object));
      yield row;
    }
  };
}

type Listed = {
  readonly id: string;
  /** Whether it belongs to what the row shows. */
  readonly isPreferred: boolean;
  /** Where the columns' paths begin. */
  readonly object: BulletinObject;
};

const OBJECTS: Readonly<
  Record<BulletinTable, (bulletin: Bulletin, shown: Preferred) => Iterable<Listed>>
> = {
  origins: ({ origin }, shown) => listed(origin, (one) => one === shown.origin),
  magnitudes: ({ magnitude }, shown) => listed(magnitude, (one) => one === shown.magnitude),
  focal_mechanisms: ({ focalMechanism }, shown) =>
    listed(focalMechanism, (one) => one === shown.focalMechanism),
  station_magnitudes: ({ stationMagnitude }, shown) => {
    const ids = contributingTo(shown);
    return listed(stationMagnitude, ({ publicID }) => ids.has(publicID));
  },
  amplitudes({ amplitude, stationMagnitude = [] }, shown) {
    const contributing = contributingTo(shown);
    const used = stationMagnitude.filter(({ publicID }) => contributing.has(publicID));
    const ids = new Set(used.map(({ amplitudeID }) => amplitudeID));
    return listed(amplitude, ({ publicID }) => ids.has(publicID));
  },
  picks({ pick }, shown) {
    const ids = new Set(shown.origin?.arrival?.map(({ pickID }) => pickID));
    return listed(pick, ({ publicID }) => ids.has(publicID));
  },
  *arrivals({ origin: origins = [], pick: picks = [] }, shown) {
    const byId = new Map(picks.toReversed().map((pick) => [pick.publicID, pick]));
    for (const origin of origins) {
      for (const arrival of origin.arrival ?? []) {
        const object = { arrival, origin, pick: byId.get(arrival.pickID) };
        yield { id: arrival.publicID, isPreferred: origin === shown.origin, object };
      }
    }
  },
};

function* listed<T extends { readonly publicID: string }>(
  objects: readonly T[] = [],
  isPreferred: (object: T) => boolean,
): Generator<Listed> {
  for (const object of objects) {
    yield { id: object.publicID, isPreferred: isPreferred(object), object };
  }
}

/** The ids of the station magnitudes that the shown magnitude is made of. */
function contributingTo({ magnitude }: Preferred): ReadonlySet<string> {
  const contributions = magnitude?.stationMagnitudeContribution ?? [];
  return new Set(contributions.map(({ stationMagnitudeID }) => stationMagnitudeID));
}

/** Reads a column's value. */
function cellOf({ kind, path, places }: TableColumn): (object: BulletinObject) => Cell {
  return (object) => {
    let value: unknown = object;
    for (const member of path) value = (value as BulletinObject | undefined)?.[member];
    if (value === undefined) return null;
    if (kind === "time") return parseTime(value as string) ?? (value as string);
    return places === 0 ? (value as Cell) : decimalNumber(String(value), places);
  };
}
