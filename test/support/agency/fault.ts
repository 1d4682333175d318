import { createHash } from "node:crypto";

/** What a request meets instead of its answer. */
export type Fault =
  /** No byte, ever. */
  | { readonly kind: "hang" }
  /** The answer, as soon as `until` has settled. */
  | { readonly kind: "late"; readonly until: Promise<void> }
  /** The connection is closed without an answer if it was kept from an earlier request. */
  | { readonly kind: "dropped" }
  /** Half of the answer, then no byte. */
  | { readonly kind: "stall" }
  /** The answer in many small pieces, a moment between them. */
  | { readonly kind: "drip"; readonly everyMs?: number }
  /** The connection is cut in the middle of the answer. */
  | { readonly kind: "reset" }
  /** The connection is cut in the middle of an answer that is not the one given next time. */
  | { readonly kind: "changed" }
  /** Ends in the middle of an event, as if that were all. */
  | { readonly kind: "truncated" }
  /**
   * Half of the events, whole ones, but for the last line end of text; then the connection is closed as
   * at the end of an answer whose length is not announced.
   */
  | { readonly kind: "closed" }
  /** The same with the last chunk in order, as by a proxy whose agency has gone away. */
  | { readonly kind: "ended" }
  /** Ends before the length that was promised. */
  | { readonly kind: "shortened" }
  /** In the middle, a tag that does not fit; in text, the answer ends within a line. */
  | { readonly kind: "malformed" }
  /** 200 with a page for people, as text/html or whatever else it says. */
  | { readonly kind: "page"; readonly contentType?: string }
  /** As many events as the cap allows, as if they were all. */
  | { readonly kind: "capped" }
  | {
      readonly kind: "status";
      readonly status: number;
      readonly retryAfter?: string;
      /** The agency's own words. */
      readonly text?: string;
      /** Where a redirect goes. */
      readonly location?: string;
    };

/** A fault in a few words, for the titles of tests. */
export function nameOf(fault: Fault): string {
  if (fault.kind !== "status") return fault.kind;
  return fault.retryAfter === undefined
    ? `status ${fault.status}`
    : `status ${fault.status} with Retry-After: ${fault.retryAfter}`;
}

/** Asked for each request; `attempt` counts those for the same address, from 0. */
export type FaultSchedule = (address: string, attempt: number) => Fault | null;

export const NO_FAULTS: FaultSchedule = () => null;

/** The faults one after the other, whatever is asked for; then none. */
export function faultsInTurn(...faults: readonly (Fault | null)[]): FaultSchedule {
  let at = 0;
  return () => faults[at++] ?? null;
}

/** What is tried again: from time-outs to answers that can't be read. */
export const PASSING: readonly Fault[] = [
  { kind: "hang" },
  { kind: "stall" },
  { kind: "reset" },
  { kind: "changed" },
  { kind: "truncated" },
  { kind: "closed" },
  { kind: "ended" },
  { kind: "shortened" },
  { kind: "malformed" },
  { kind: "page" },
  { kind: "status", status: 500 },
];

const EVERY_FAULT: readonly Fault[] = [
  ...PASSING,
  { kind: "dropped" },
  { kind: "drip" },
  { kind: "capped" },
  { kind: "status", status: 503, retryAfter: "1" },
  { kind: "status", status: 503, retryAfter: "Wed, 21 Oct 2015 07:28:00 GMT" },
  { kind: "status", status: 429, retryAfter: "2" },
];

/**
 * Every fault by chance, in `share` of the requests, the same for the same seed in whatever order
 * requests come; after `mostInTurn` faults an address is answered.
 */
export function randomFaults(
  seed: number,
  { share = 0.4, mostInTurn = 3, faults = EVERY_FAULT } = {},
): FaultSchedule {
  return (address, attempt) => {
    if (attempt >= mostInTurn) return null;
    const digest = createHash("sha256").update(`${seed} ${address} ${attempt}`).digest();
    if (digest.readUInt32BE(0) >= share * 2 ** 32) return null;
    return faults[digest.readUInt32BE(4) % faults.length] ?? null;
  };
}
