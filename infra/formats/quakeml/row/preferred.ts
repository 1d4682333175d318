import { compareTimes } from "#contracts/seismic-event/origin-time.ts";
import { parseTime } from "#contracts/seismic-event/parse-time.ts";
import { decimalNumber } from "../../decimal-number.ts";
import { isOwnEvent } from "./agency-ids.ts";
import { childOf, childrenOf, type Members, numberOf, textOf } from "./members.ts";

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

const REVIEWED: ReadonlySet<string | undefined> = new Set(["reviewed", "final"]);

/**
 * The preferred origin of an event: the one named if present, else the latest reviewed, else the
 * first. The centroid of a moment tensor is no hypocentre and chosen only without another origin.
 */
export function preferredOrigin(
  event: Members,
  origins: readonly Members[],
  mechanisms: readonly Members[],
): Members | undefined {
  const preferred = find(origins, textOf(event, "preferredOriginID"));
  if (preferred !== undefined || origins.length < 2) return preferred ?? origins[0];
  const centroids = new Set(
    mechanisms.flatMap((mechanism) =>
      childrenOf(mechanism, "momentTensor").map((tensor) => textOf(tensor, "derivedOriginID")),
    ),
  );
  const hypocentres = origins.filter((origin) => !centroids.has(textOf(origin, "publicID")));
  const candidates = hypocentres.length > 0 ? hypocentres : origins;
  return latestReviewed(candidates) ?? candidates[0];
}

/**
 * The one named, else the best type and then the most stations, of the origin's if it has any. One
 * that is no number, as SeisComP writes, is chosen only without another. An event that our writer made
 * names the one that its row had, or had none.
 */
export function preferredMagnitude(
  event: Members,
  all: readonly Members[],
  origin: Members,
  warn: (message: string) => void,
): Members | undefined {
  const id = textOf(event, "preferredMagnitudeID");
  if (id === undefined && isOwnEvent(event)) return undefined;
  const numbers = all.filter(isKnown);
  const magnitudes = numbers.length > 0 ? numbers : all;
  const preferred = find(magnitudes, id);
  if (preferred === undefined && find(all, id) !== undefined) {
    warn("the preferred magnitude is not a number; another of the event's is taken");
  }
  if (preferred !== undefined || magnitudes.length < 2) return preferred ?? magnitudes[0];
  const originId = textOf(origin, "publicID");
  const ofOrigin = magnitudes.filter(
    (magnitude) => originId !== undefined && textOf(magnitude, "originID") === originId,
  );
  return [...(ofOrigin.length > 0 ? ofOrigin : magnitudes)].sort(byRank)[0];
}

function isKnown(magnitude: Members): boolean {
  const value = numberOf(childOf(magnitude, "mag"), "value");
  if (typeof value !== "string") return value !== undefined;
  return Number.isFinite(decimalNumber(value, 0));
}

/** The focal mechanisms, with the preferred one first and the others in document order. */
export function preferredFirst(event: Members, mechanisms: readonly Members[]): readonly Members[] {
  const preferred = find(mechanisms, textOf(event, "preferredFocalMechanismID"));
  if (preferred === undefined || preferred === mechanisms[0]) return mechanisms;
  return [preferred, ...mechanisms.filter((mechanism) => mechanism !== preferred)];
}

function find(nodes: readonly Members[], id: string | undefined): Members | undefined {
  return id === undefined ? undefined : nodes.find((node) => textOf(node, "publicID") === id);
}

/** Latest by creation time, the last of several; a missing time counts as the earliest. */
function latestReviewed(origins: readonly Members[]): Members | undefined {
  let latest: Members | undefined;
  for (const origin of origins) {
    if (!REVIEWED.has(textOf(origin, "evaluationStatus"))) continue;
    if (latest === undefined || !isEarlier(createdAt(origin), createdAt(latest))) latest = origin;
  }
  return latest;
}

function createdAt(origin: Members): string | null {
  return parseTime(textOf(childOf(origin, "creationInfo"), "creationTime") ?? "");
}

function isEarlier(time: string | null, other: string | null): boolean {
  if (time === null || other === null) return time === null && other !== null;
  return compareTimes(time, other) < 0;
}

function byRank(a: Members, b: Members): number {
  return (
    rankOf(textOf(a, "type") ?? "") - rankOf(textOf(b, "type") ?? "") ||
    stationsOf(b) - stationsOf(a)
  );
}

function rankOf(type: string): number {
  const key = type.startsWith("mB") ? `mB${type.slice(2).toLowerCase()}` : type.toLowerCase();
  return MAGNITUDE_RANKS.get(key) ?? WORST_RANK;
}

function stationsOf(magnitude: Members): number {
  return Number(textOf(magnitude, "stationCount")) || 0;
}
