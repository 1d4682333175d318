import { createLastSeen } from "#infra/postgres/last-seen.ts";
import type { Statements } from "#infra/postgres/prepared-statements.ts";
import type { Position } from "../event-log.ts";
import { type BatchLimits, type Reading, readBatch } from "./read-batch.ts";

/** The next few events, of all types; `more` where they are not all that could be read. */
export type Glance = {
  readonly reading: Promise<Reading>;
  /** Of the wake-up when it was begun: what woke later it may have missed. */
  readonly version: number;
};

/** Looks at what comes next in the log: one for all subscriptions that stand at the same place. */
export type Glances = {
  /** @param version of the wake-up: of an older glance only what it has found is given */
  readonly after: (position: Position, version: number) => Glance;
};

/** What follows single commands. A batch beyond it is read by each subscription for its own types. */
const LIMITS: BatchLimits = { events: 50, bytes: 64 * 1024, lone: false, scanned: 50 };
/** Subscriptions that follow the end of the log stand at few places. */
const MAX_REMEMBERED = 8;

type Remembered = Glance & { hasFound: boolean };

/**
 * What was found after a position stays what follows it: the log only grows beyond what can be read.
 * What found nothing is remembered only until it is answered.
 */
export function createGlances(reads: Pick<Statements, "any">): Glances {
  const remembered = createLastSeen<Remembered>(MAX_REMEMBERED);

  function forget(position: Position, glance: Glance): void {
    if (remembered.of(position) === glance) remembered.put(position, null);
  }

  function look(position: Position, version: number): Glance {
    const reading = readBatch(reads, position, undefined, LIMITS);
    const glance: Remembered = { reading, version, hasFound: false };
    reading.then(
      ({ batch }) => {
        if (batch === null) forget(position, glance);
        else glance.hasFound = true;
      },
      () => forget(position, glance),
    );
    remembered.put(position, glance);
    return glance;
  }

  return {
    after(position, version) {
      const known = remembered.of(position);
      if (known && (known.hasFound || known.version === version)) return known;
      return look(position, version);
    },
  };
}
