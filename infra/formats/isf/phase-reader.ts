import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { canonicalJson } from "../../json/json-text.ts";
import { serviceId } from "../bulletin/members.ts";
import { columnsOf, FaultyLine } from "../lines/fixed-columns.ts";
import type { EventLines, KeptLine, NotedLine, PhaseLine, ReadOrigin, Warn } from "./blocks.ts";
import {
  type Draft,
  draftOf,
  hasValue,
  nameOf,
  PICK_COLUMNS,
  putComments,
  putForeign,
  valueAt,
} from "./columns.ts";
import { dayIn, EMPTY_LOCATION, FLAGS, timeIn, timeNear, UNUSED, WEIGHTS } from "./values.ts";

type Origin = ReadOrigin["origin"];

/**
 * Picks, arrivals, amplitudes and station magnitudes of an event's phases. Arrivals become members of
 * their origins: the one that a comment before them names, else the preferred one. A line without a time
 * is an amplitude or a magnitude of the phase with its id.
 * @throws FaultyLine
 */
export function phasesOfLines(
  lines: EventLines,
  origins: readonly ReadOrigin[],
  preferred: Origin | undefined,
  warn: Warn,
): PhaseParts {
  const parts: PhaseParts = {
    eventId: lines.id,
    picks: [],
    amplitudes: [],
    stationMagnitudes: [],
    kept: [],
    pickOf: new Map(),
    repeatable: new Map(),
  };
  for (const { line } of addInformation(lines, warn)) {
    parts.kept.push({ block: "phaseInformation", text: line.text.trimEnd() });
  }
  const byId = new Map(origins.toReversed().map(({ origin }) => [origin.publicID, origin]));
  const arrivals = new Map<Origin, Draft[]>();
  for (const [place, phase] of lines.phases.entries()) {
    const { line, originId } = phase;
    const origin = originId === null ? preferred : byId.get(originId);
    const day = origin ?? preferred;
    if (day === undefined) break;
    if (saidIn(phase).time === undefined) {
      addUntimed(parts, phase, place, origin);
      continue;
    }
    const pick = pickOf(parts, phase, place, day.time.value);
    if (origin === undefined) {
      warn(line.number, `the origin ${originId} is not there; the phase is a pick without arrival`);
      putForeign(pick, "originID", originId ?? "");
      keepApart(arrivalOf(parts, phase, place, pick), pick);
    } else {
      const list = arrivals.get(origin) ?? [];
      arrivals.set(origin, list);
      list.push(arrivalOf(parts, phase, place, pick));
    }
    const belonging = {
      place,
      waveformID: pick["waveformID"] as Draft,
      pickID: pick["publicID"] as string,
      originID: origin?.publicID,
    };
    addMeasures(parts, phase, belonging, pick);
  }
  for (const [origin, list] of arrivals) Object.assign(origin, { arrival: list });
  return parts;
}

/** The pick of a line; one that a line of another origin has said is the same. */
function pickOf(parts: PhaseParts, source: PhaseLine, place: number, originTime: string): Draft {
  const { line, comments, drafts } = source;
  const said = saidIn(source);
  const draft = drafts["pick"] ?? {};
  const { phase, date, time = "", id } = said;
  const value =
    date === undefined ? timeNear(line, originTime, time) : timeIn(line, dayIn(line, date), time);
  const pick: Draft = {
    publicID: id ?? serviceId(parts.eventId, "pick", place),
    ...draft,
    time: { value, ...(draft["time"] as object | undefined) },
    waveformID: waveformOf(source),
  };
  if (phase !== undefined) pick["phaseHint"] ??= phase;
  for (const name of ["backazimuth", "horizontalSlowness"]) {
    const quantity = pick[name] as Draft | undefined;
    if (quantity === undefined || hasValue(quantity)) continue;
    putForeign(pick, `${name}Uncertainty`, String(quantity["uncertainty"]));
    delete pick[name];
  }
  putComments(pick, comments);
  const earlier = id === undefined ? undefined : parts.pickOf.get(id);
  if (id !== undefined && earlier === undefined) parts.pickOf.set(id, { pick, source });
  if (earlier !== undefined) {
    if (earlier.source.originId !== source.originId && isSame(earlier.pick, pick)) {
      return earlier.pick;
    }
    pick["publicID"] = serviceId(parts.eventId, "pick", place);
    putForeign(pick, "arrivalID", id ?? "");
  }
  parts.picks.push(pick);
  return pick;
}

/** Whether two lines say the same of a pick, whatever the phase is for their origins. */
function isSame(a: Draft, b: Draft): boolean {
  const [first, second] = [a, b].map((pick) =>
    canonicalJson({ ...pick, phaseHint: null } as object as JsonObject),
  );
  return first === second;
}

function arrivalOf(parts: PhaseParts, source: PhaseLine, place: number, pick: Draft): Draft {
  const arrival: Draft = {
    publicID: serviceId(parts.eventId, "arrival", place),
    pickID: pick["publicID"],
    phase: saidIn(source).phase ?? "",
    ...source.drafts["arrival"],
  };
  for (const name of WEIGHTS) {
    const flag = saidIn(source)[name];
    const isUsed = flag?.toUpperCase() === FLAGS[name];
    const isKnown = flag === undefined || isUsed || flag === UNUSED;
    const weight = arrival[name];
    const contradicts = weight !== undefined && (weight === 0) === isUsed;
    if (!isKnown || contradicts) putForeign(arrival, `${name}Flag`, flag ?? " ");
    else if (flag !== undefined) arrival[name] ??= isUsed ? 1 : 0;
  }
  return arrival;
}

/** Characters of a network's code, at most (QuakeML 1.2 BED, WaveformStreamID). */
const MAX_NETWORK = 8;

/**
 * Adds the lines of phase information to the drafts of the phases that they name. One that names none is
 * returned.
 */
function addInformation({ phases, information }: EventLines, warn: Warn): readonly NotedLine[] {
  if (information.length === 0) return [];
  const waiting = Map.groupBy(phases.toReversed(), ({ drafts }) => drafts["line"]?.["id"]);
  return information.filter((one) => {
    const { id, network, ...said } = one.drafts["line"] ?? {};
    const phase = id === undefined ? undefined : waiting.get(id)?.pop();
    if (phase === undefined) {
      warn(one.line.number, "the phase of this information is not there; kept as foreign");
      return true;
    }
    const { drafts } = phase;
    merge(draftOf(drafts, "line"), said);
    for (const [object, draft] of Object.entries(one.drafts)) {
      if (object !== "line") merge(draftOf(drafts, object), draft);
    }
    if (network !== undefined) {
      const [pick, networkCode] = [draftOf(drafts, "pick"), String(network)];
      if (networkCode.length > MAX_NETWORK) putForeign(pick, "network", networkCode);
      else merge(pick, { waveformID: { networkCode } });
    }
    phase.comments.push(...one.comments);
    return false;
  });
}

/** Adds members, also those of inner objects; lists are joined. */
function merge(target: Draft, added: Draft): void {
  for (const [name, value] of Object.entries(added)) {
    const there = target[name];
    if (Array.isArray(value))
      target[name] = [...((there as unknown[] | undefined) ?? []), ...value];
    else if (typeof value === "object" && typeof there === "object") {
      merge(there as Draft, value as Draft);
    } else target[name] = value;
  }
}

/** Amplitude and magnitude of a line without a time. */
function addUntimed(
  parts: PhaseParts,
  source: PhaseLine,
  place: number,
  origin: Origin | undefined,
): void {
  const { id, phase } = saidIn(source);
  const pick = id === undefined ? undefined : parts.pickOf.get(id);
  const waveformID = waveformOf(source);
  const pickID = pick?.pick["publicID"] as string | undefined;
  const belonging = { place, waveformID, pickID, originID: origin?.publicID, type: phase };
  const { holder, hasAmplitude } = addMeasures(parts, source, belonging);
  if (holder === undefined && !hasAmplitude) {
    const ofOrigin = source.originId === null ? "" : ` (#OrigID ${source.originId})\n`;
    parts.kept.push({ block: "phase", text: ofOrigin + source.line.text.trimEnd() });
  }
  if (holder === undefined) return;
  if (phase !== undefined && !hasAmplitude) putForeign(holder, "phase", phase);
  if (pickID === undefined && id !== undefined) putForeign(holder, "arrivalID", id);
  for (const column of PICK_COLUMNS) {
    const value = valueAt(source.drafts, column);
    if (value === undefined || value === valueAt(pick?.source.drafts ?? {}, column)) continue;
    putForeign(holder, nameOf(column), columnsOf(source.line, column.from, column.to));
  }
  putComments(holder, source.comments);
}

/** What an amplitude or a magnitude of a line belongs to; `type` is the amplitude's. */
type Belonging = {
  readonly place: number;
  readonly waveformID: Draft;
  readonly pickID: string | undefined;
  readonly originID: string | undefined;
  readonly type?: string | undefined;
};

/**
 * Adds the amplitude and the station magnitude of a line, if it has any, and gives the first that was
 * added. Values that need an amplitude or a magnitude to which they belong stay with `holder` otherwise.
 */
function addMeasures(
  parts: PhaseParts,
  source: PhaseLine,
  { place, pickID, originID, waveformID: ofPick, type }: Belonging,
  holder?: Draft,
) {
  const { amplitude: measured, stationMagnitude: rated } = source.drafts;
  const channelCode = saidIn(source).amplitudeChannel;
  const { channelCode: _, ...station } = ofPick;
  const waveformID = { ...station, ...(channelCode !== undefined && { channelCode }) };
  const publicID = serviceId(parts.eventId, "amplitude", place);
  const added: Draft[] = [];

  const hasAmplitude = hasValue(measured?.["genericAmplitude"]);
  const hasMagnitude = hasValue(rated?.["mag"]);
  if (measured !== undefined && !hasAmplitude && holder !== undefined) keepApart(measured, holder);
  const amplitude: Draft | undefined = hasAmplitude
    ? {
        publicID,
        ...whole(measured as Draft),
        unit: "m",
        ...(type !== undefined && { type }),
        ...(pickID !== undefined && { pickID }),
        waveformID,
        ...(!hasMagnitude && rated?.["type"] !== undefined && { magnitudeHint: rated["type"] }),
      }
    : undefined;
  let amplitudeID: string | undefined;
  if (amplitude !== undefined) {
    amplitudeID = repeatedId(parts, amplitude, source.originId);
    if (amplitudeID === undefined) added.push(amplitude);
    amplitudeID ??= publicID;
  }
  if (hasMagnitude && originID !== undefined) {
    const magnitude: Draft = {
      publicID: serviceId(parts.eventId, "stationMagnitude", place),
      originID,
      ...rated,
      ...(amplitudeID !== undefined && { amplitudeID }),
      waveformID,
    };
    if (amplitudeID === undefined && pickID !== undefined) putForeign(magnitude, "pickID", pickID);
    parts.stationMagnitudes.push(magnitude);
    added.push(magnitude);
  } else if (rated !== undefined && holder !== undefined) {
    keepApart(amplitude === undefined ? rated : { ...rated, type: undefined }, holder);
  }
  if (amplitude !== undefined && added.includes(amplitude)) parts.amplitudes.push(amplitude);
  return { holder: added[0], hasAmplitude };
}

/** The id of an amplitude that a line of another origin has said already. */
function repeatedId(
  { repeatable }: PhaseParts,
  amplitude: Draft,
  originId: string | null,
): string | undefined {
  if (amplitude["pickID"] === undefined) return undefined;
  const { publicID, ...said } = amplitude;
  const key = canonicalJson(said as JsonObject);
  const earlier = repeatable.get(key);
  if (earlier !== undefined && earlier.originId !== originId) return earlier.publicID;
  repeatable.set(key, { publicID: publicID as string, originId });
  return undefined;
}

/** Without a quantity that has an uncertainty alone, which then stands beside. */
function whole(measured: Draft): Draft {
  const { period, ...rest } = measured;
  if (period === undefined || hasValue(period)) return measured;
  const { uncertainty } = period as Draft;
  putForeign(rest, "periodUncertainty", String(uncertainty));
  return rest;
}

/** Keeps the values of an object that cannot be one as foreign elements of another. */
function keepApart(values: Draft, holder: Draft): void {
  for (const [name, value] of Object.entries(values)) {
    if (name === "foreign") holder.foreign = [...(holder.foreign ?? []), ...(values.foreign ?? [])];
    else if (typeof value === "object") {
      for (const [inner, text] of Object.entries(value as Draft)) {
        const ofInner = name + inner.slice(0, 1).toUpperCase() + inner.slice(1);
        putForeign(holder, inner === "value" ? name : ofInner, String(text));
      }
    } else if (value !== undefined) {
      putForeign(holder, name === "type" ? "magnitudeType" : name, String(value));
    }
  }
}

/** What the lines of an event's phases make, while they are read. */
type PhaseParts = {
  readonly eventId: string;
  readonly picks: Draft[];
  readonly amplitudes: Draft[];
  readonly stationMagnitudes: Draft[];
  /** Lines of which the bulletin has no other place. */
  readonly kept: { readonly block: KeptLine; readonly text: string }[];
  /** The pick that an arrival's id means, which is the first with it. */
  readonly pickOf: Map<string, { readonly pick: Draft; readonly source: PhaseLine }>;
  /** Amplitudes that lines of another origin may repeat, by what they say. */
  readonly repeatable: Map<string, { readonly publicID: string; readonly originId: string | null }>;
};

/** What a phase's line says beside the columns that have a place. */
function saidIn({ drafts }: PhaseLine) {
  type Name =
    | "phase"
    | "time"
    | "date"
    | "id"
    | "location"
    | "amplitudeChannel"
    | keyof typeof FLAGS;
  return (drafts["line"] ?? {}) as { readonly [name in Name]?: string };
}

/** @throws FaultyLine for a line without a station */
function waveformOf(source: PhaseLine): Draft {
  const given = (source.drafts["pick"]?.["waveformID"] ?? {}) as Draft;
  if (given["stationCode"] === undefined) {
    throw new FaultyLine(source.line.number, "the line of a phase has no station");
  }
  const { location } = saidIn(source);
  return {
    networkCode: "",
    ...given,
    ...(location !== undefined && {
      locationCode: location === EMPTY_LOCATION ? "" : location,
    }),
  };
}
