import { compareTimes } from "../seismic-event/time.ts";

/** Which solution an event shows: one rule for the row that the service makes and for whoever draws a bulletin. */

/** What is looked at of an origin that might be chosen. */
export type OriginChoice<T> = {
  readonly of: T;
  readonly publicID: string | undefined;
  readonly evaluationStatus: string | undefined;
  /** When it was made, ISO 8601 in UTC; null where that is not known. */
  readonly created: () => string | null;
};

const REVIEWED: ReadonlySet<string | undefined> = new Set(["reviewed", "final"]);

/**
 * The origin that is named if present, else the latest reviewed, else the first. The centroid of a
 * moment tensor is no hypocentre and chosen only without another origin.
 * @param centroids public ids of the origins that moment tensors are derived to
 */
export function chosenOrigin<T>(
  origins: readonly OriginChoice<T>[],
  named: string | undefined,
  centroids: ReadonlySet<string | undefined>,
): T | undefined {
  const preferred = find(origins, named);
  if (preferred !== undefined || origins.length < 2) return (preferred ?? origins[0])?.of;
  const hypocentres = origins.filter(({ publicID }) => !centroids.has(publicID));
  const candidates = hypocentres.length > 0 ? hypocentres : origins;
  return (latestReviewed(candidates) ?? candidates[0])?.of;
}

/** Latest by creation time, the last of several; a missing time counts as the earliest. */
function latestReviewed<T>(origins: readonly OriginChoice<T>[]): OriginChoice<T> | undefined {
  let latest: OriginChoice<T> | undefined;
  for (const origin of origins) {
    if (!REVIEWED.has(origin.evaluationStatus)) continue;
    if (latest === undefined || !isEarlier(origin.created(), latest.created())) latest = origin;
  }
  return latest;
}

function isEarlier(time: string | null, other: string | null): boolean {
  if (time === null || other === null) return time === null && other !== null;
  return compareTimes(time, other) < 0;
}

/** What is looked at of a magnitude that might be chosen. */
export type MagnitudeChoice<T> = {
  readonly of: T;
  readonly publicID: string | undefined;
  readonly originID: string | undefined;
  readonly type: string | undefined;
  readonly stations: number;
};

/** The magnitude that is named, else the best type and then the most stations, of the origin's if it has any. */
export function chosenMagnitude<T>(
  magnitudes: readonly MagnitudeChoice<T>[],
  named: string | undefined,
  originId: string | undefined,
): T | undefined {
  const preferred = find(magnitudes, named);
  if (preferred !== undefined || magnitudes.length < 2) return (preferred ?? magnitudes[0])?.of;
  const ofOrigin = magnitudes.filter(
    ({ originID }) => originId !== undefined && originID === originId,
  );
  const candidates = ofOrigin.length > 0 ? ofOrigin : magnitudes;
  return candidates.toSorted(byRank)[0]?.of;
}

/** Best first, in lower case but mB and mb (`contracts/seismic-event/README.md`, Magnitudes). */
const MAGNITUDE_RANKS: ReadonlyMap<string, number> = new Map(
  [
    ["mww"],
    ["mwc"],
    ["mwb"],
    ["mwr"],
    ["mw"],
    ["mwp", "mw(mb)"],
    ["ms", "ms_20", "ms_bb", "ms(bb)"],
    ["mB", "mB_bb"],
    ["mb"],
    ["ml", "mlv", "mlr"],
    ["mblg", "mb_lg", "mn"],
    ["md", "mc"],
    ["m"],
  ].flatMap((types, rank) => types.map((type): [string, number] => [type, rank])),
);
const WORST_RANK = 99;

function byRank<T>(a: MagnitudeChoice<T>, b: MagnitudeChoice<T>): number {
  return rankOf(a.type ?? "") - rankOf(b.type ?? "") || b.stations - a.stations;
}

function rankOf(type: string): number {
  const key = type.startsWith("mB") ? `mB${type.slice(2).toLowerCase()}` : type.toLowerCase();
  return MAGNITUDE_RANKS.get(key) ?? WORST_RANK;
}

function find<T extends { readonly publicID: string | undefined }>(
  choices: readonly T[],
  id: string | undefined,
): T | undefined {
  return id === undefined ? undefined : choices.find(({ publicID }) => publicID === id);
}
