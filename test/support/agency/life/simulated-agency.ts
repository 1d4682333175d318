import { createRandom } from "../../random.ts";
import type { Fault } from "../fault.ts";
import { startTestAgency, type TestAgency, type TestAgencyOptions } from "../test-agency.ts";
import type { IdStyle } from "./life.ts";
import { createLife, idOf, type Life, type LifeChange, type LifeOptions } from "./life.ts";

type OutageKind = Fault | { readonly kind: "refused" };

/** A time in which an agency is not itself. */
type Outage = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly kind: OutageKind;
};

/** What befalls all requests of an outage; `refused`: connections are. None costs a client's patience. */
const OUTAGES: readonly OutageKind[] = [
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
function createOutages(
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

export type SimulationOptions = Omit<TestAgencyOptions, "events" | "forgets"> &
  Omit<LifeOptions, "events" | "ids"> & {
    /** In the whole life. Default 2,000. */
    readonly eventCount?: number;
    /** Of the changes, how many `updatedafter` never tells. Default none. */
    readonly lies?: number;
    /** About one outage in so many milliseconds of its life. Default none. */
    readonly outageEveryMs?: number;
    /** Told of each change as time comes to it: `createPushServer` has one. */
    readonly onChange?: (change: LifeChange) => void;
  };

export type SimulatedAgency = Omit<TestAgency, "fail" | "catalogue"> & {
  readonly life: Life;
  readonly outages: readonly Outage[];
  readonly nowMs: () => number;
  /** Lets time pass, forward only: what happened meanwhile has happened, and outages begin and end. */
  readonly advanceTo: (atMs: number) => Promise<void>;
  /** From now on it has no outages. */
  readonly heal: () => Promise<void>;
};

/**
 * An agency that lives: what it has at a moment is a function of the seed and of the moment, and time
 * passes as the test says. It begins at the life's first instant, without events.
 */
export async function startSimulatedAgency(options: SimulationOptions): Promise<SimulatedAgency> {
  const { seed, eventCount, lies = 0, outageEveryMs, onChange = () => {}, ...habits } = options;
  const life = createLife({
    ...habits,
    seed,
    ids: idStyleOf(options),
    ...(eventCount !== undefined && { events: eventCount }),
  });
  const { fromMs, toMs } = life;
  let outages =
    outageEveryMs === undefined
      ? []
      : createOutages(seed, { fromMs, toMs, everyMs: outageEveryMs });
  let nowMs = fromMs;
  let next = 0;
  const agency = await startTestAgency({
    ...habits,
    forgets: ({ updatedMs = 0 }) => isUntold(updatedMs, lies),
  });
  const { catalogue, fail, ...served } = agency;

  async function applyOutage(): Promise<void> {
    const kind = outages.find((outage) => outage.fromMs <= nowMs && nowMs < outage.toMs)?.kind;
    const isRefusing = kind?.kind === "refused";
    await agency.refuse(isRefusing);
    fail(() => (kind === undefined || kind.kind === "refused" ? null : kind));
  }

  return {
    ...served,
    life,
    outages,
    nowMs: () => nowMs,
    async advanceTo(atMs) {
      if (atMs < nowMs) throw new RangeError("time passes forward only");
      nowMs = atMs;
      for (;;) {
        const change = life.changes[next];
        if (change === undefined || change.atMs > atMs) break;
        next += 1;
        if (change.before !== null) catalogue.replace(idOf(change.before), null);
        if (change.after !== null) catalogue.add(change.after);
        onChange(change);
      }
      await applyOutage();
    },
    async heal() {
      outages = [];
      await applyOutage();
    },
  };
}

function idStyleOf({ dialect }: TestAgencyOptions): IdStyle {
  return dialect === "geonet" || dialect === "comcat" ? dialect : "plain";
}

const GOLDEN = 0x9e3779b1;

/** The same for the same moment, however often it is asked for. */
function isUntold(updatedMs: number, share: number): boolean {
  return Math.imul(updatedMs % 2 ** 31, GOLDEN) >>> 0 < share * 2 ** 32;
}
