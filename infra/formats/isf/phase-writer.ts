import { HEADERS, ORIGIN_ID } from "./blocks.ts";
import {
  type Column,
  type Draft,
  type Drafts,
  draftOf,
  nameOf,
  ownText,
  ownTexts,
  PHASE,
  PICK_COLUMNS,
  put,
  putForeign,
} from "./columns.ts";
import {
  type Amplitude,
  type Arrival,
  countLeft,
  countLeftIn,
  heldBy,
  holds,
  isLineOfBlock,
  type Losses,
  lose,
  NO_OTHER_AUTHOR,
  type Origin,
  type Pick,
  type StationMagnitude,
  type WritingEvent,
  withAuthor,
  withoutAuthor,
  writeColumns,
  writeComments,
} from "./line-writer.ts";
import { EMPTY_LOCATION, FLAGS, isOnNearestDay, UNUSED, WEIGHTS, writtenTime } from "./values.ts";

/** IASPEI's phases of amplitudes, by the type of the magnitude that is made of them. */
const AMPLITUDE_PHASES: readonly (readonly [RegExp, string])[] = [
  [/^ml/i, "AML"],
  [/^mb/i, "AMB"],
  [/^ms/i, "AMS"],
];
const FITTING_PHASE = /^[^\s()?]\S{0,7}$/;

/** The phase that a line of an amplitude's type has. */
function phaseOfType(type: string | undefined): string | undefined {
  return type !== undefined && FITTING_PHASE.test(type) ? type : undefined;
}

/** The phase of a line without a time: the amplitude's type, else what fits its magnitude. */
function untimedPhase({ amplitude, stationMagnitude }: Measure): string | undefined {
  if (amplitude === undefined) return ownText(stationMagnitude, "phase");
  const type = phaseOfType(amplitude.type);
  if (type !== undefined) return type;
  const magnitude = stationMagnitude?.type ?? amplitude.magnitudeHint ?? "";
  return AMPLITUDE_PHASES.find(([pattern]) => pattern.test(magnitude))?.[1];
}

/** What a line without a time said of pick and arrival, which stands with its amplitude or magnitude. */
function pickValuesOf({ amplitude, stationMagnitude }: Measure): Drafts {
  const holder = amplitude ?? stationMagnitude;
  const drafts: Drafts = {};
  for (const column of PICK_COLUMNS) {
    const text = ownText(holder, nameOf(column));
    if (text !== undefined) putText(drafts, column, text);
  }
  return drafts;
}

function putText(drafts: Drafts, column: Column, text: string): void {
  if (column.kind === "real") put(drafts, column, column.isForeign ? text : Number(text));
  else if (column.kind === "code") putForeign(draftOf(drafts, column.object), nameOf(column), text);
  else put(drafts, column, text);
}

const TIME_DIGITS = 3;
const ORIGIN_DIGITS = 2;
/** A station, but no word that begins an event. */
const STATION = /^(?!event$|\()(?!\?+$)\S{1,5}$/i;

type Picks = ReadonlyMap<string, Pick>;
/** Blocks of phases: the preferred origin's, whose id need not be said, then those of other origins. */
export function writePhases(event: WritingEvent): string {
  const { bulletin, preferred, idOf, losses } = event;
  const origins = [...event.origins].sort(
    (a, b) => Number(b === preferred) - Number(a === preferred),
  );
  const all = bulletin.pick ?? [];
  const picks: Picks = new Map(all.toReversed().map((pick) => [pick.publicID, pick]));
  const pickOf = ({ pickID }: Arrival, origin: Origin) => {
    const pick = picks.get(pickID);
    return pick !== undefined && isWritable(pick, origin) ? pick : null;
  };
  const measures = sortMeasures(event, origins, pickOf);
  const written = new Set<Pick>();
  let text = "";
  for (const origin of origins) {
    let lines = "";
    for (const arrival of origin.arrival ?? []) {
      const pick = pickOf(arrival, origin);
      if (pick === null) {
        lose(losses.objects, "arrival");
        continue;
      }
      if (!written.has(pick)) countPick(pick, arrival, losses);
      written.add(pick);
      lines += writeArrival(event, arrival, pick, measures.ofPick(origin, pick.publicID));
    }
    for (const measure of measures.rest(origin)) lines += untimedLine(event, measure, picks);
    const named = origin === preferred ? "" : ` (${ORIGIN_ID} ${idOf(origin)})\n`;
    if (lines !== "") text += `\n${HEADERS.phases}\n${named}${lines}`;
  }
  lose(losses.objects, "pick", all.filter((pick) => !written.has(pick)).length);
  return text + keptPhases(event);
}

/** Whether a pick's station fits, and its time of day is read again as of its day. */
function isWritable(pick: Pick, origin: Origin): boolean {
  const time = writtenTime(pick.time.value, TIME_DIGITS);
  const originTime = writtenTime(origin.time.value, ORIGIN_DIGITS);
  return (
    STATION.test(pick.waveformID.stationCode) &&
    time !== null &&
    originTime !== null &&
    isOnNearestDay(time.time, originTime.time)
  );
}

/** A phase's line with one amplitude and magnitude, and lines without a time for further ones. */
function writeArrival(
  event: WritingEvent,
  arrival: Arrival,
  pick: Pick,
  measures: readonly Measure[],
): string {
  const { losses, pickIds } = event;
  const own = measures.find(isOfPhase);
  const time = writtenTime(pick.time.value, TIME_DIGITS);
  if (time?.isExact === false) losses.rounded++;
  const { comment = [], ...rest } = arrival;
  lose(losses.values, "arrival", countLeft(rest, ARRIVAL_HELD) + countLeftIn(comment));
  const place = placeOf(pick.waveformID, own);
  if (own !== undefined) {
    const waveformID = { ...pick.waveformID, channelCode: place.amplitudeChannel };
    countMeasure(own, waveformID, false, losses);
  }
  const objects = {
    line: {
      phase: arrival.phase,
      time: time?.clock,
      id: ownText(pick, "arrivalID") ?? pickIds.of(pick.publicID),
      ...place,
      ...Object.fromEntries(WEIGHTS.map((name) => [name, flagOf(arrival, name)])),
    },
    pick: withAuthor(pick),
    arrival,
    ...measuredIn(own, pick),
  };
  let lines = `${writeColumns(PHASE, objects, losses)}\n`;
  lines += writeComments(pick.comment, "pick", losses);
  lines += commentsOf(own, event);
  const picks = new Map([[pick.publicID, pick]]);
  for (const measure of measures) if (measure !== own) lines += untimedLine(event, measure, picks);
  return lines;
}

/** Whether a measure may stand in the line of a phase: its amplitude is named for no other one. */
function isOfPhase({ amplitude, stationMagnitude }: Measure): boolean {
  if (amplitude !== undefined) return phaseOfType(amplitude.type) === undefined;
  return ownText(stationMagnitude, "phase") === undefined;
}

function flagOf(arrival: Arrival, name: keyof typeof FLAGS): string | undefined {
  const given = ownText(arrival, `${name}Flag`)?.trim();
  if (given !== undefined) return given === "" ? undefined : given;
  const weight = arrival[name];
  if (weight === undefined) return undefined;
  return weight === 0 ? UNUSED : FLAGS[name];
}

/** Amplitude and magnitude of a phase's line, else values that stand with the pick for want of them. */
function measuredIn(measure: Measure | undefined, pick: Pick): Record<string, object> {
  const { amplitude, stationMagnitude } = measure ?? {};
  const text = (name: string) => ownText(pick, name);
  const number = (name: string) => {
    const value = Number(text(name) ?? Number.NaN);
    return Number.isFinite(value) ? value : undefined;
  };
  const rated: Draft = { type: amplitude?.magnitudeHint ?? text("magnitudeType") };
  const limit = text("limit");
  if (limit !== undefined) putForeign(rated, "limit", limit);
  const stray = { snr: number("snr"), period: { value: number("period") } };
  return { amplitude: amplitude ?? stray, stationMagnitude: stationMagnitude ?? rated };
}

function placeOf(
  { locationCode }: Pick["waveformID"],
  { amplitude, stationMagnitude }: Measure = {},
) {
  return {
    location: locationCode === "" ? EMPTY_LOCATION : locationCode,
    amplitudeChannel: (amplitude ?? stationMagnitude)?.waveformID?.channelCode,
  };
}

/** The line of an amplitude or magnitude alone; "" where there is no station for it. */
function untimedLine(event: WritingEvent, measure: Measure, picks: Picks): string {
  const { losses, pickIds } = event;
  const { amplitude, stationMagnitude, pickID } = measure;
  const holder = amplitude ?? stationMagnitude;
  const pick = picks.get(pickID ?? "");
  const waveformID = holder?.waveformID ?? pick?.waveformID;
  if (waveformID === undefined || !STATION.test(waveformID.stationCode)) {
    if (amplitude !== undefined) lose(losses.objects, "amplitude");
    if (stationMagnitude !== undefined) lose(losses.objects, "stationMagnitude");
    return "";
  }
  // An id that several picks have means the first of them.
  const isFirst = pick !== undefined && ownText(pick, "arrivalID") === undefined;
  if (pickID !== undefined && !isFirst)
    lose(losses.values, amplitude ? "amplitude" : "stationMagnitude");
  countMeasure(measure, waveformID, true, losses);
  const { pick: ofPick, arrival } = pickValuesOf(measure);
  const objects = {
    line: {
      phase: untimedPhase(measure),
      id: isFirst ? pickIds.of(pick.publicID) : (ownText(holder, "arrivalID") ?? pickIds.fresh()),
      ...placeOf(waveformID, measure),
    },
    pick: { ...ofPick, waveformID: { ...waveformID, channelCode: undefined } },
    arrival,
    amplitude,
    stationMagnitude: stationMagnitude ?? { type: amplitude?.magnitudeHint },
  };
  return `${writeColumns(PHASE, objects, losses)}\n${commentsOf(measure, event)}`;
}

function commentsOf(measure: Measure | undefined, { losses }: WritingEvent): string {
  const { amplitude, stationMagnitude } = measure ?? {};
  return (
    writeComments(amplitude?.comment, "amplitude", losses) +
    writeComments(stationMagnitude?.comment, "stationMagnitude", losses)
  );
}

/** Lines of phases that QuakeML has no place for, as they came. */
function keptPhases({ bulletin, losses }: WritingEvent): string {
  let text = "";
  for (const kept of ownTexts(bulletin, "phase")) {
    if (kept.split("\n").every(isLineOfBlock)) text += `\n${HEADERS.phases}\n${kept}\n`;
    else lose(losses.values, "event");
  }
  return text;
}

/** An amplitude, the magnitude of it, or both: one line has room for one. */
type Measure = {
  readonly amplitude?: Amplitude | undefined;
  readonly stationMagnitude?: StationMagnitude | undefined;
  /** Of the pick that it is of, also where its amplitude cannot be written. */
  readonly pickID?: string | undefined;
};

/**
 * Amplitudes and station magnitudes by the origin below which they are written. A magnitude belongs to its origin, with its amplitude; an
 * amplitude without one to the first origin that has an arrival of its pick, else to the preferred one.
 * @param pickOf gives the pick of an arrival that is written below its origin
 */
function sortMeasures(
  { bulletin, preferred, losses }: WritingEvent,
  origins: readonly Origin[],
  pickOf: (arrival: Arrival, origin: Origin) => Pick | null,
) {
  const amplitudes = bulletin.amplitude?.filter(isWritableAmplitude) ?? [];
  const magnitudes =
    bulletin.stationMagnitude?.filter(({ mag }) =>
      holds(PHASE, "stationMagnitude.mag.value", mag.value),
    ) ?? [];
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
    /** Those of an origin's pick that have not been asked for. */
    ofPick(origin: Origin, pickID: string): readonly Measure[] {
      const ofOrigin = waiting.get(origin);
      const measures = ofOrigin?.get(pickID) ?? [];
      ofOrigin?.delete(pickID);
      return measures;
    },
    /** Those of an origin that have not been asked for. */
    rest(origin: Origin): readonly Measure[] {
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

const isFlag = (value: unknown) => value === 0 || value === 1;
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
  unit: (value) => value === "m",
  magnitudeHint: true,
});
const TYPED_HELD = new Map([...AMPLITUDE_HELD, ["type", () => true]]);
const MAGNITUDE_HELD = heldBy(PHASE, "stationMagnitude", {
  ...MEASURE,
  ...all(["originID", "amplitudeID", "#pickID", "#phase"]),
});

/** Counts what a phase's line leaves out of its pick. */
function countPick({ comment: _, phaseHint, ...pick }: Pick, arrival: Arrival, losses: Losses) {
  const isOther = phaseHint !== undefined && phaseHint !== arrival.phase;
  const left = countLeft(withoutAuthor(pick), PICK_HELD);
  lose(losses.values, "pick", left + Number(isOther));
}

/**
 * Counts what a line leaves out of an amplitude and a magnitude.
 * @param waveformID the line's, whose channel is theirs
 * @param isTyped whether the line is named for the amplitude's type
 */
function countMeasure(
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
