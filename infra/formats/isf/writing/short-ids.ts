import { createHash } from "node:crypto";
import { isServiceId } from "../../quakeml/shared/service-id.ts";

/** ISF 2.1 has eleven columns; parentheses would close comments, marks alone stand for nothing. */
const FITTING = /^(?!\?+$)[!-'*-~]{1,11}$/;
const SEPARATORS = /[/=#?]/;
/** IMS1.0's eight columns, which all readers take. */
const SHORT = /^[\w.-]{1,8}$/;
const SHORT_LENGTH = 8;

export type ShortIds = {
  /** The id as it is written, always the same for one id. */
  readonly of: (id: string) => string;
  /** An id that nothing else has. */
  readonly fresh: () => string;
  /** How many given ids are written as others. */
  readonly replaced: () => number;
};

/**
 * Ids as they fit into the columns: as they are, else the end of their path, else some digits of their
 * hash.
 * @param ids all of one kind in an event
 */
export function createShortIds(ids: readonly string[]): ShortIds {
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
    of(id) {
      if (FITTING.test(id)) return id;
      if (!isServiceId(id)) replaced.add(id);
      return shortened(id);
    },
    fresh() {
      do last++;
      while (taken.has(String(last)));
      taken.add(String(last));
      return String(last);
    },
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
