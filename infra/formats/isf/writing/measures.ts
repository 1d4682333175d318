import { PHASE } from "../columns/phase-columns.ts";
import { ownText } from "../shared/drafts.ts";
import { lose } from "./losses.ts";
import { holds } from "./write-columns.ts";
import type {
  Amplitude,
  Arrival,
  Origin,
  Pick,
  StationMagnitude,
  WritingEvent,
} from "./writing-event.ts";

/** An amplitude, the magnitude of it, or both: one line has room for one. */
export type Measure = {
  readonly amplitude?: Amplitude | undefined;
  readonly stationMagnitude?: StationMagnitude | undefined;
  /** Of the pick that it is of, also where its amplitude cannot be written. */
  readonly pickID?: string | undefined;
};

/** The measures of an event by the origin below which they are written. */
export type Measures = {
  /** Those of an origin's pick that have not been asked for. */
  readonly ofPick: (origin: Origin, pickID: string) => readonly Measure[];
  /** Those of an origin that have not been asked for. */
  readonly rest: (origin: Origin) => readonly Measure[];
};

/**
 * Sorts amplitudes and station magnitudes. A magnitude belongs to its origin, with its amplitude; an
 * amplitude without one to the first origin that has an arrival of its pick, else to the preferred one.
 * @param pickOf gives the pick of an arrival that is written below its origin
 */
export function sortMeasures(
  { bulletin, preferred, losses }: WritingEvent,
  origins: readonly Origin[],
  pickOf: (arrival: Arrival, origin: Origin) => Pick | null,
): Measures {
  const amplitudes = bulletin.amplitude?.filter(isWritableAmplitude) ?? [];
  const magnitudes = bulletin.stationMagnitude?.filter(isWritableMagnitude) ?? [];
  const left = (all: readonly object[] = [], kept: readonly object[]) => all.length - kept.length;
  lose(losses.objects, "amplitude", left(bulletin.amplitude, amplitudes));
  lose(losses.objects, "stationMagnitude", left(bulletin.stationMagnitude, magnitudes));
  const known = new Map(origins.toReversed().map((origin) => [origin.publicID, origin]));
  const firstOfPick = new Map<string, Origin>();
  for (const origin of origins.toReversed()) {
    for (const arrival of origin.arrival ?? []) {
      if (pickOf(arrival, origin) !== null) firstOfPick.set(arrival.pickID, origin);
    }
  }
  const byId = new Map(bulletin.amplitude?.toReversed().map((one) => [one.publicID, one]));
  const waiting = new Map<Origin, Map<string | undefined, Measure[]>>();
  /** The origins for which an amplitude has been rated: one magnitude of each can have it. */
  const rated = new Map<Amplitude, Set<Origin>>();
  const isRated = (origin: Origin, amplitude: Amplitude) =>
    rated.get(amplitude)?.has(origin) === true;

  function add(origin: Origin, pickID: string | undefined, measure: Measure): void {
    const ofOrigin = waiting.get(origin) ?? new Map<string | undefined, Measure[]>();
    waiting.set(origin, ofOrigin);
    const same = ofOrigin.get(pickID);
    if (same === undefined) ofOrigin.set(pickID, [{ ...measure, pickID }]);
    else same.push({ ...measure, pickID });
  }

  for (const stationMagnitude of magnitudes) {
    const { originID, amplitudeID = "" } = stationMagnitude;
    const origin = known.get(originID);
    if (origin === undefined) {
      lose(losses.objects, "stationMagnitude");
      continue;
    }
    const amplitude = byId.get(amplitudeID);
    const pickID = amplitude?.pickID ?? ownText(stationMagnitude, "pickID");
    const isFirst =
      amplitude !== undefined && isWritableAmplitude(amplitude) && !isRated(origin, amplitude);
    if (isFirst) rated.get(amplitude)?.add(origin) ?? rated.set(amplitude, new Set([origin]));
    else if (stationMagnitude.amplitudeID !== undefined) lose(losses.values, "stationMagnitude");
    add(origin, pickID, { amplitude: isFirst ? amplitude : undefined, stationMagnitude });
  }
  for (const amplitude of amplitudes) {
    if (rated.has(amplitude)) continue;
    const { pickID } = amplitude;
    const origin = firstOfPick.get(pickID ?? "") ?? preferred;
    if (origin === undefined) lose(losses.objects, "amplitude");
    else add(origin, pickID, { amplitude });
  }
  return {
    ofPick(origin, pickID) {
      const ofOrigin = waiting.get(origin);
      const measures = ofOrigin?.get(pickID) ?? [];
      ofOrigin?.delete(pickID);
      return measures;
    },
    rest(origin) {
      const measures = [...(waiting.get(origin)?.values() ?? [])].flat();
      waiting.delete(origin);
      return measures;
    },
  };
}

/** ISF's amplitudes are of motion, in nanometres. */
function isWritableAmplitude({ unit, genericAmplitude }: Amplitude): boolean {
  return unit === "m" && holds(PHASE, "amplitude.genericAmplitude.value", genericAmplitude.value);
}

function isWritableMagnitude({ mag }: StationMagnitude): boolean {
  return holds(PHASE, "stationMagnitude.mag.value", mag.value);
}
