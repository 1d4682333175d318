import { createHash } from "node:crypto";
import type { Bulletin, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { parseTime } from "#contracts/seismic-event/time.ts";
import { isServiceId } from "../bulletin/members.ts";
import { preferredOrigin } from "../bulletin/parts.ts";
import { ORIGIN } from "./columns.ts";
import { holds, type Losses, lose } from "./line-writer.ts";

export type Origin = QuakemlObject<"Origin">;
export type Pick = QuakemlObject<"Pick">;
export type Arrival = QuakemlObject<"Arrival">;
export type Amplitude = QuakemlObject<"Amplitude">;
export type StationMagnitude = QuakemlObject<"StationMagnitude">;
export type Mechanism = QuakemlObject<"FocalMechanism">;

/** An event while it is written. */
export type WritingEvent = {
  readonly bulletin: Bulletin;
  /** Those with a time, and a place that fits. */
  readonly origins: readonly Origin[];
  /** The one whose time, place and arrivals the row shows. */
  readonly preferred: Origin | undefined;
  /** Of references to origins, which mean the first with an id. */
  readonly originIds: ShortIds;
  /** The id of an origin itself, which only it has. */
  readonly idOf: (origin: Origin) => string;
  readonly pickIds: ShortIds;
  readonly losses: Losses;
};

export function writingEvent(bulletin: Bulletin, losses: Losses): WritingEvent {
  const { origin: all = [], pick = [], focalMechanism = [] } = bulletin;
  const origins = all.filter(isWritable);
  const lost = all.filter((origin) => !origins.includes(origin));
  lose(losses.objects, "origin", lost.length);
  lose(losses.objects, "arrival", lost.flatMap(({ arrival = [] }) => arrival).length);
  const originIds = createShortIds(all.map(({ publicID }) => publicID));
  return {
    bulletin,
    origins,
    preferred: preferredOrigin(bulletin, origins, focalMechanism) as Origin | undefined,
    originIds,
    idOf: ownIds(origins, originIds, losses),
    pickIds: createShortIds(pick.map(({ publicID }) => publicID)),
    losses,
  };
}

function isWritable({ time, latitude, longitude }: Origin): boolean {
  return (
    parseTime(time.value) !== null &&
    holds(ORIGIN, "origin.latitude.value", latitude.value) &&
    holds(ORIGIN, "origin.longitude.value", longitude.value)
  );
}

/** Of several origins with one id the first has it, since references mean that one. */
function ownIds(origins: readonly Origin[], ids: ShortIds, losses: Losses) {
  const firsts = new Map(origins.toReversed().map((origin) => [origin.publicID, origin]));
  const others = origins.filter((origin) => firsts.get(origin.publicID) !== origin);
  const own = new Map(others.map((origin) => [origin, ids.fresh()]));
  losses.ids += own.size;
  return (origin: Origin) => own.get(origin) ?? ids.of(origin.publicID);
}

/** ISF 2.1 has eleven columns; parentheses would close comments, marks alone stand for nothing. */
const FITTING = /^(?!\?+$)[!-'*-~]{1,11}$/;
const SEPARATORS = /[/=#?]/;
/** IMS1.0's eight columns, which all readers take. */
const SHORT = /^[\w.-]{1,8}$/;
const SHORT_LENGTH = 8;

type ShortIds = ReturnType<typeof createShortIds>;

/**
 * Ids as they fit into the columns: as they are, else the end of their path, else some digits of their
 * hash.
 * @param ids all of one kind in an event
 */
function createShortIds(ids: readonly string[]) {
  const taken = new Set(ids.filter((id) => FITTING.test(id)));
  const known = new Map<string, string>();
  const replaced = new Set<string>();
  let last = 0;

  function shorten(id: string): string {
    const tail = tailOf(id);
    if (SHORT.test(tail) && !taken.has(tail)) return tail;
    for (let attempt = 0; ; attempt++) {
      const digits = hashed(`${id}${attempt === 0 ? "" : attempt}`);
      if (!taken.has(digits)) return digits;
    }
  }

  function shortened(id: string): string {
    const short = known.get(id) ?? shorten(id);
    known.set(id, short);
    taken.add(short);
    return short;
  }

  for (const id of ids) if (!FITTING.test(id)) shortened(id);
  return {
    /** The id as it is written, always the same for one id. */
    of(id: string): string {
      if (FITTING.test(id)) return id;
      if (!isServiceId(id)) replaced.add(id);
      return shortened(id);
    },
    /** An id that nothing else has. */
    fresh(): string {
      do last++;
      while (taken.has(String(last)));
      taken.add(String(last));
      return String(last);
    },
    /** How many ids of the bulletin are written as others. */
    replaced: () => replaced.size,
  };
}

/** An event's id without blanks: as it is, else the end of its path, else digits of its hash. */
export function shortEventId(id: string): string {
  if (FITTING.test(id)) return id;
  const tail = tailOf(id);
  return FITTING.test(tail) ? tail : hashed(id);
}

function tailOf(id: string): string {
  return id.split(SEPARATORS).at(-1) ?? "";
}

function hashed(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, SHORT_LENGTH);
}
