import { nameOf } from "../columns/column.ts";
import { PHASE, PICK_COLUMNS } from "../columns/phase-columns.ts";
import { WEIGHTS } from "../shared/isf-values.ts";
import { NO_OTHER_AUTHOR, withoutAuthor } from "./authors.ts";
import { countLeft, countLeftIn, heldBy } from "./leaves.ts";
import { type Losses, lose } from "./losses.ts";
import type { Measure } from "./measures.ts";
import type { Arrival, Pick } from "./writing-event.ts";

const isFlag = (value: unknown) => value === 0 || value === 1;
const isMetre = (value: unknown) => value === "m";
const all = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, true as const]));

/** Values that stand with a pick whose line has no amplitude or magnitude. */
const STRAYS = ["#snr", "#period", "#magnitudeType", "#limit"];

const ARRIVAL_HELD = heldBy(PHASE, "arrival", {
  ...all(["publicID", "pickID", "phase", ...WEIGHTS.map((name) => `#${name}Flag`)]),
  ...Object.fromEntries(WEIGHTS.map((name) => [name, isFlag])),
});
const PICK_HELD = heldBy(PHASE, "pick", {
  ...NO_OTHER_AUTHOR,
  ...all(["publicID", "time.value", "waveformID.locationCode", "#arrivalID", ...STRAYS]),
});
const MEASURE = all([
  "publicID",
  "pickID",
  "#arrivalID",
  ...PICK_COLUMNS.map((c) => `#${nameOf(c)}`),
]);
const AMPLITUDE_HELD = heldBy(PHASE, "amplitude", {
  ...MEASURE,
  unit: isMetre,
  magnitudeHint: true,
});
const TYPED_HELD = new Map([...AMPLITUDE_HELD, ["type", () => true]]);
const MAGNITUDE_HELD = heldBy(PHASE, "stationMagnitude", {
  ...MEASURE,
  ...all(["originID", "amplitudeID", "#pickID", "#phase"]),
});

/** Counts what a phase's line leaves out of its arrival. */
export function countArrival({ comment = [], ...arrival }: Arrival, losses: Losses): void {
  lose(losses.values, "arrival", countLeft(arrival, ARRIVAL_HELD) + countLeftIn(comment));
}

/** Counts what a phase's line leaves out of its pick. */
export function countPick(
  { comment: _, phaseHint, ...pick }: Pick,
  arrival: Arrival,
  losses: Losses,
): void {
  const isOther = phaseHint !== undefined && phaseHint !== arrival.phase;
  const left = countLeft(withoutAuthor(pick), PICK_HELD);
  lose(losses.values, "pick", left + Number(isOther));
}

/**
 * Counts what a line leaves out of an amplitude and a magnitude.
 * @param waveformID the line's, whose channel is theirs
 * @param isTyped whether the line is named for the amplitude's type
 */
export function countMeasure(
  { amplitude, stationMagnitude }: Measure,
  waveformID: object,
  isTyped: boolean,
  losses: Losses,
): void {
  for (const [kind, object, held] of [
    ["amplitude", amplitude, isTyped ? TYPED_HELD : AMPLITUDE_HELD],
    ["stationMagnitude", stationMagnitude, MAGNITUDE_HELD],
  ] as const) {
    if (object === undefined) continue;
    const { comment: _, waveformID: own = {}, ...values } = object;
    const others = Object.entries(own).filter(
      ([name, value]) => value !== (waveformID as Record<string, unknown>)[name],
    );
    const left = countLeft(values, held) + countLeft(Object.fromEntries(others));
    lose(losses.values, kind, left);
  }
}
