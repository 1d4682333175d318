import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { createRandom, type Random } from "../../random.ts";
import type { ServedEvent } from "../served-catalogue.ts";

/** Degrees, kilometres, magnitudes and milliseconds that every format of the agency can carry. */
const DEGREES = 1_000;
const TENTHS = 10;

/** A first solution: automatic, around New Zealand, across the antimeridian too. */
function bornEvent(id: string, originMs: number, random: Random): JsonObject {
  return {
    source_id: id,
    time: new Date(originMs).toISOString(),
    latitude: rounded(-47 + random.below(12 * DEGREES) / DEGREES, DEGREES),
    longitude: wrapped(166 + random.below(20 * DEGREES) / DEGREES),
    depth: random.below(300 * TENTHS) / TENTHS,
    magnitude: magnitudeOf(random),
    magnitude_type: "ML",
    event_type: random.chance(0.97) ? "earthquake" : "quarry blast",
    region: `${random.below(80)} km north of Wellington`,
    evaluation_mode: "automatic",
    used_station_count: 4 + random.below(40),
  };
}

/** A further solution: the place moves by kilometres, the time by seconds. */
function relocated(row: JsonObject, random: Random): JsonObject {
  const movedMs = random.below(20_000) - 10_000;
  return {
    ...row,
    time: new Date(Date.parse(String(row["time"])) + movedMs).toISOString(),
    latitude: rounded(Number(row["latitude"]) + (random.below(200) - 100) / DEGREES, DEGREES),
    longitude: wrapped(Number(row["longitude"]) + (random.below(200) - 100) / DEGREES),
    depth: random.below(300 * TENTHS) / TENTHS,
    evaluation_mode: "manual",
    used_station_count: 10 + random.below(60),
  };
}

/** Another magnitude, which may lie on the other side of a filter. */
function rerated(row: JsonObject, random: Random): JsonObject {
  const magnitude = rounded(Number(row["magnitude"] ?? 2) + (random.below(13) - 6) / 10, TENTHS);
  return { ...row, magnitude, evaluation_mode: "manual" };
}

/** After Gutenberg and Richter, from 1.5 on; one of fifty is unknown. */
function magnitudeOf(random: Random): number | null {
  if (random.chance(0.02)) return null;
  return rounded(1.5 - Math.log10(1 - random.below(9_999) / 10_000), TENTHS);
}

function wrapped(longitude: number): number {
  const degrees =
    longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude;
  return rounded(degrees, DEGREES);
}

function rounded(value: number, perUnit: number): number {
  return Math.round(value * perUnit) / perUnit;
}

export type LifeOptions = {
  readonly seed: number;
  /** Default ten years from 2015. */
  readonly fromMs?: number;
  readonly spanMs?: number;
  /** Default 2,000. */
  readonly events?: number;
  readonly ids?: IdStyle;
};

export type ChangeKind =
  | "added"
  | "relocated"
  | "rerated"
  /** `updated` moved, and nothing else. */
  | "touched"
  | "merged"
  | "renamed"
  | "deleted";

/** What happened to one event; a merge is two changes of one moment. */
export type LifeChange = {
  readonly atMs: number;
  readonly kind: ChangeKind;
  readonly before: ServedEvent | null;
  readonly after: ServedEvent | null;
};

/** All that an agency does in its life, in order of time. */
export type Life = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly changes: readonly LifeChange[];
  /** The events as the agency has them at a moment, by preferred id. */
  readonly eventsAt: (atMs: number) => ReadonlyMap<string, ServedEvent>;
};

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const YEAR = 365 * DAY;
const START_MS = Date.UTC(2015, 0, 1);

/** Of the revisions of an event; half of the events have none. */
const REVISIONS: readonly Exclude<ChangeKind, "added">[] = [
  "relocated",
  "relocated",
  "relocated",
  "rerated",
  "rerated",
  "touched",
  "merged",
  "renamed",
  "deleted",
];
const MOST_REVISIONS = 4;
/** Of the events, those that an agency finds years later, in old records. */
const LATE_SHARE = 0.03;

type Planned = { readonly atMs: number; readonly kind: ChangeKind; readonly place: number };

/** A life from a seed: the same one for the same options, whatever is asked of it. */
export function createLife(options: LifeOptions): Life {
  const { seed, fromMs = START_MS, spanMs = 10 * YEAR, events = 2_000 } = options;
  const random = createRandom(seed);
  const origins = Array.from({ length: events }, () => fromMs + random.below(spanMs)).sort(
    (a, b) => a - b,
  );
  const plan = origins.flatMap((originMs, place) => lifeOfOne(originMs, place, random));
  const toMs = fromMs + spanMs;
  const happened = happen(plan, idMaker(options.ids ?? "plain", random), origins, random);
  const changes = happened.filter(({ atMs }) => atMs < toMs);
  return {
    fromMs,
    toMs,
    changes,
    eventsAt(atMs) {
      const state = new Map<string, ServedEvent>();
      for (const change of changes) {
        if (change.atMs > atMs) break;
        applyChange(state, change);
      }
      return state;
    },
  };
}

export function applyChange(
  state: Map<string, ServedEvent>,
  { before, after }: Pick<LifeChange, "before" | "after">,
): void {
  if (before !== null) state.delete(idOf(before));
  if (after !== null) state.set(idOf(after), after);
}

export function idOf({ row }: ServedEvent): string {
  return String(row["source_id"]);
}

/** Announced within minutes, revised for weeks, each time later. */
function lifeOfOne(originMs: number, place: number, random: Random): Planned[] {
  const isLate = random.chance(LATE_SHARE);
  let atMs = originMs + (isLate ? random.below(3 * YEAR) : (2 + random.below(20)) * MINUTE);
  const plan: Planned[] = [{ atMs, kind: "added", place }];
  const revisions = random.chance(0.5) ? 0 : 1 + random.below(MOST_REVISIONS);
  for (let i = 0; i < revisions; i++) {
    atMs += MINUTE + random.below(i === 0 ? DAY : 20 * DAY);
    plan.push({ atMs, kind: random.pick(REVISIONS), place });
  }
  return plan;
}

/** Carries the plan out; what is planned for an event that is gone does not happen. */
function happen(
  plan: readonly Planned[],
  nextId: () => string,
  origins: readonly number[],
  random: Random,
): LifeChange[] {
  const living = new Map<number, ServedEvent>();
  const changes: LifeChange[] = [];

  function record(place: number, change: LifeChange): void {
    if (change.after === null) living.delete(place);
    else living.set(place, change.after);
    changes.push(change);
  }

  for (const { atMs, kind, place } of plan.toSorted((a, b) => a.atMs - b.atMs)) {
    const before = living.get(place) ?? null;
    const made = (row: JsonObject, ids: readonly string[]): ServedEvent => ({
      row,
      ids,
      updatedMs: atMs,
      picks: place % 3 === 0 ? 2 : 0,
    });
    if (kind === "added") {
      const id = nextId();
      const after = made(bornEvent(id, origins[place] ?? 0, random), [id]);
      record(place, { atMs, kind, before: null, after });
    } else if (before !== null && kind !== "merged") {
      record(place, { atMs, kind, before, after: revised(kind, before, made, nextId, random) });
    } else if (before !== null) {
      const [other, kept] = neighbourOf(place, living) ?? [];
      if (other === undefined || kept === undefined) continue;
      record(place, { atMs, kind: "merged", before, after: null });
      const after = made(kept.row, [...(kept.ids ?? []), ...(before.ids ?? [])]);
      record(other, { atMs, kind: "merged", before: kept, after });
    }
  }
  return changes;
}

function revised(
  kind: Exclude<ChangeKind, "added" | "merged">,
  { row, ids = [] }: ServedEvent,
  made: (row: JsonObject, ids: readonly string[]) => ServedEvent,
  nextId: () => string,
  random: Random,
): ServedEvent | null {
  switch (kind) {
    case "relocated":
      return made(relocated(row, random), ids);
    case "rerated":
      return made(rerated(row, random), ids);
    case "touched":
      return made(row, ids);
    case "renamed": {
      const id = nextId();
      return made({ ...row, source_id: id }, [id, ...ids]);
    }
    case "deleted":
      return null;
  }
}

/** Another event into which one is merged: the next one, or the one before. */
function neighbourOf(
  place: number,
  living: ReadonlyMap<number, ServedEvent>,
): readonly [number, ServedEvent] | null {
  for (const other of [place + 1, place - 1]) {
    const event = living.get(other);
    if (event !== undefined) return [other, event];
  }
  return null;
}

/** Public ids as GeoNet makes them, as ComCat does (a network's two letters first), or as numbers. */
export type IdStyle = "geonet" | "comcat" | "plain";

const NETWORKS = ["us", "nc", "ci", "ak"];

/** Makes ids that never come twice. */
function idMaker(style: IdStyle, random: Random): () => string {
  let count = 0;
  return () => {
    count += 1;
    switch (style) {
      case "geonet":
        return `2015p${String(100_000 + count).padStart(6, "0")}`;
      case "comcat":
        return `${random.pick(NETWORKS)}7000${count.toString(36).padStart(4, "0")}`;
      case "plain":
        return String(1_000_000 + count);
    }
  };
}
