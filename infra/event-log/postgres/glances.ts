import type { Reads } from "#infra/postgres/prepared-reads.ts";
import type { Position } from "../event-log.ts";
import { type BatchLimits, type Reading, readBatch } from "./read-batch.ts";

/** Looks at what comes next in the log: one for all subscriptions that stand at the same place. */
export type Glances = {
  /**
   * The next few events, of all types; `more` where they are not all that can be read.
   * @param version of the wake-up, taken by who asks: an answer from before it may miss its event
   */
  readonly after: (position: Position, version: number) => Promise<Reading>;
};

/** What follows single commands. A batch beyond it is read by each subscription for its own types. */
const LIMITS: BatchLimits = { events: 50, bytes: 64 * 1024, lone: false, scanned: 50 };
/** Subscriptions that follow the end of the log stand at few places. */
const MAX_REMEMBERED = 8;

type Glance = { readonly version: number; readonly reading: Promise<Reading>; hasFound: boolean };

/**
 * What was found after a position stays what follows it: the log only grows beyond what can be read.
 * What found nothing is remembered only until it is answered.
 */
export function createGlances(reads: Pick<Reads, "any">): Glances {
  const remembered = new Map<Position, Glance>();

  function forget(position: Position, glance: Glance): void {
    if (remembered.get(position) === glance) remembered.delete(position);
  }

  function look(position: Position, version: number): Glance {
    const reading = readBatch(reads, position, undefined, LIMITS);
    const glance = { version, reading, hasFound: false };
    reading.then(
      ({ batch }) => {
        if (batch === null) forget(position, glance);
        else glance.hasFound = true;
      },
      () => forget(position, glance),
    );
    remembered.set(position, glance);
    for (const oldest of remembered.keys()) {
      if (remembered.size <= MAX_REMEMBERED) break;
      remembered.delete(oldest);
    }
    return glance;
  }

  return {
    after(position, version) {
      const known = remembered.get(position);
      if (known && (known.hasFound || known.version === version)) return known.reading;
      return look(position, version).reading;
    },
  };
}
