import { createRandom } from "../../../fuzz/random.ts";
import type { Fault } from "../fault.ts";

export type OutageKind = Fault | { readonly kind: "refused" };

/** A time in which an agency is not itself. */
export type Outage = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly kind: OutageKind;
};

/** What befalls all requests of an outage; `refused`: connections are. None costs a client's patience. */
export const OUTAGES: readonly OutageKind[] = [
  { kind: "refused" },
  { kind: "status", status: 503 },
  { kind: "status", status: 429, retryAfter: "120" },
  { kind: "drip" },
  { kind: "reset" },
  { kind: "truncated" },
  { kind: "page" },
];

const HOUR = 3_600_000;

/** Outages of up to six hours from a seed, about one in `everyMs`, none of which overlap. */
export function createOutages(
  seed: number,
  {
    fromMs,
    toMs,
    everyMs,
    kinds = OUTAGES,
  }: {
    readonly fromMs: number;
    readonly toMs: number;
    readonly everyMs: number;
    readonly kinds?: readonly OutageKind[];
  },
): readonly Outage[] {
  const random = createRandom(seed ^ 0x5eed);
  const outages: Outage[] = [];
  for (let atMs = fromMs + random.below(everyMs); atMs < toMs; ) {
    const endMs = Math.min(toMs, atMs + 1 + random.below(6 * HOUR));
    outages.push({ fromMs: atMs, toMs: endMs, kind: random.pick(kinds) });
    atMs = endMs + 1 + random.below(2 * everyMs);
  }
  return outages;
}
