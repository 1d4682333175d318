import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { canonicalJson } from "../../canonical/canonical-json.ts";
import { serviceId } from "../../quakeml/shared/service-id.ts";
import { type Draft, draftOf, hasValue, putComments, putForeign } from "../shared/drafts.ts";
import { dayIn, timeIn, timeNear } from "../shared/isf-times.ts";
import { FLAGS, UNUSED, WEIGHTS } from "../shared/isf-values.ts";
import type { EventLines, NotedLine, PhaseLine, ReadOrigin, Warn } from "./event-lines.ts";
import { addMeasures, keepApart } from "./phase-amplitudes.ts";
import { type PhaseParts, saidIn, waveformOf } from "./phase-parts.ts";
import { addUntimed } from "./untimed-lines.ts";

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
  const waiting = new Map<unknown, PhaseLine[]>();
  for (const phase of phases.toReversed()) {
    const id = phase.drafts["line"]?.["id"];
    const same = waiting.get(id);
    if (same === undefined) waiting.set(id, [phase]);
    else same.push(phase);
  }
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
    if (network !== undefined) putNetwork(draftOf(drafts, "pick"), String(network));
    phase.comments.push(...one.comments);
    return false;
  });
}

function putNetwork(pick: Draft, network: string): void {
  if (network.length > MAX_NETWORK) putForeign(pick, "network", network);
  else merge(pick, { waveformID: { networkCode: network } });
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
