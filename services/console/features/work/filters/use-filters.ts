import type { FilterName } from "#contracts/query/filters.ts";
import type { Bounds } from "../../../model/bounds.ts";
import type { FilterValues } from "../../../model/work-state.ts";

/** Filters that a selection sets, by their names; empty ones are taken away. */
export type Selection = FilterValues;

/** The filters with those of a selection in their place. */
export function withSelection(filters: FilterValues, selection: Selection): FilterValues {
  const all = Object.entries({ ...filters, ...selection });
  return Object.fromEntries(all.filter(([, value]) => value !== ""));
}

export function withoutNames(filters: FilterValues, names: readonly FilterName[]): FilterValues {
  const left = Object.entries(filters).filter(([name]) => !names.includes(name as FilterName));
  return Object.fromEntries(left);
}

/** Digits of a degree in addresses, about ten metres. */
const DIGITS = 4;

/** The filters with the box that the map shows, as the API takes them too. */
export function withinMap(filters: FilterValues, map: Bounds | null): FilterValues {
  if (map === null) return filters;
  const south = Math.max(outward(map.south, Math.floor), Number(filters.minLatitude ?? -90));
  const north = Math.min(outward(map.north, Math.ceil), Number(filters.maxLatitude ?? 90));
  const [west, east] = commonLongitudes(
    [Number(filters.minLongitude ?? -180), Number(filters.maxLongitude ?? 180)],
    [outward(map.west, Math.floor), outward(map.east, Math.ceil)],
  );
  return {
    ...filters,
    minLatitude: String(Math.min(south, north)),
    maxLatitude: String(north),
    minLongitude: String(west),
    maxLongitude: String(east),
  };
}

type Stretch = readonly [west: number, east: number];

/**
 * The longitudes that two stretches have in common, each possibly over the date line. Of two common
 * pieces, at both ends of the second, the first stretch stands for both; without any it is one meridian.
 */
function commonLongitudes(one: Stretch, other: Stretch): Stretch {
  if (isWhole(other)) return one;
  if (isWhole(one)) return other;
  const startsInOther = within(one[0], other);
  const endsInOther = within(one[1], other);
  if (startsInOther && endsInOther) return one;
  if (startsInOther) return [one[0], other[1]];
  if (endsInOther) return [other[0], one[1]];
  return within(other[0], one) ? other : [other[0], other[0]];
}

function isWhole([west, east]: Stretch): boolean {
  return west <= -180 && east >= 180;
}

function within(longitude: number, [west, east]: Stretch): boolean {
  return west <= east
    ? longitude >= west && longitude <= east
    : longitude >= west || longitude <= east;
}

function outward(degrees: number, round: (value: number) => number): number {
  return Number((round(degrees * 10 ** DIGITS) / 10 ** DIGITS).toFixed(DIGITS));
}
