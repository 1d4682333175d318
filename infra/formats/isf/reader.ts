import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { canonicalJson } from "../../json/json-text.ts";
import { serviceId } from "../bulletin/members.ts";
import type { FormatReader, RowSink } from "../format-reader.ts";
import { createBlockReader, type LinePlace } from "../lines/block-reader.ts";
import { columnsOf, FaultyLine, integerIn, type TextLine } from "../lines/fixed-columns.ts";
import {
  type AnnouncedData,
  blockBegunBy,
  CENTROID,
  commentIn,
  dataAnnouncedBy,
  type EventLines,
  isMessageLine,
  isStop,
  type KeptLine,
  linesOfEvent,
  type MechanismLines,
  type MechanismPart,
  type NotedLine,
  type OriginLine,
  type PhaseLine,
  PREFERRED,
  PRIME,
  type ReadOrigin,
  readColumns,
  startsWithWord,
  titleIn,
  type Warn,
} from "./blocks.ts";
import {
  AXES,
  AXES_ERRORS,
  type Draft,
  type Drafts,
  draftOf,
  hasValue,
  nameOf,
  PICK_COLUMNS,
  PLANE,
  putComments,
  putForeign,
  TENSOR,
  TENSOR_ERRORS,
  valueAt,
} from "./columns.ts";
import {
  CONFIDENCE,
  dayIn,
  EMPTY_LOCATION,
  eventTypeOf,
  FLAGS,
  lettersOf,
  MODES,
  timeIn,
  timeNear,
  UNUSED,
  WEIGHTS,
} from "./values.ts";

/** Mail headers, and the page of a web site, may stand before the bulletin. */
const HEAD_LINES = 40;
const READABLE = /^ims1\.0(?::short)?$/i;

/**
 * A reader of bulletins in IMS1.0:short and its extensions ISF 1.0, 2.0 and 2.1 (IASPEI Seismic Format): an
 * event from its title to the next one's or to `STOP`. Without `STOP` the file may be cut off, and its
 * last event is an error. Other messages before, between and after bulletins are passed over. People keep
 * bulletins without the message's head: an event's title and then the header of its origins begin one, too,
 * which needs no `STOP` where its last line is whole.
 */
export function createIsfReader(sink: RowSink): FormatReader {
  const format = createFormat();
  return createBlockReader(sink, { format: "isf", isCatalogue: true, end: "STOP", ...format });
}

/** True for a text in whose head a bulletin is announced, whatever its columns are, or with a header of origins. */
export function isIsf(lines: readonly string[]): boolean {
  const isAnnounced = (line: string) => dataAnnouncedBy(line)?.isBulletin === true;
  return lines.slice(0, HEAD_LINES).some(isAnnounced) || lines.some(isHeaderOfOrigins);
}

/** No other format has the words of this line. */
function isHeaderOfOrigins(text: string): boolean {
  return blockBegunBy(withoutMarkup(text)) === "origins";
}

function createFormat() {
  /** False before the announcement of a bulletin, and after one of something else. */
  let isInBulletin = false;
  /** Undefined before the first line with text. */
  let isPage: boolean | undefined;
  let announced: AnnouncedData | null = null;
  /** The line above, but for blank ones, where no event is open. */
  let above: TextLine | undefined;
  /** Titles of events without a head, by the header below them. */
  const titles = new WeakMap<TextLine, TextLine>();

  function plain(line: TextLine): TextLine {
    return isPage ? { text: withoutMarkup(line.text), number: line.number } : line;
  }

  function place(line: TextLine, block: readonly TextLine[]): LinePlace {
    if (line.text.trim() !== "") isPage ??= line.text.trimStart().startsWith("<");
    const open = block.length > 0;
    const { text } = plain(line);
    const data = dataAnnouncedBy(line.text);
    if (data !== null) {
      announced = data;
      isInBulletin = data.isBulletin && READABLE.test(data.format);
      if (data.isBulletin && !isInBulletin) return open ? "first" : "last";
      return open ? "last" : "outside";
    }
    if (isInBulletin && titleIn(text) !== null) return "first";
    if (!open && announced?.isBulletin !== true && isHeaderOfOrigins(text)) {
      isInBulletin = true;
      if (above !== undefined && titleIn(plain(above).text) !== null) titles.set(line, above);
      return "first";
    }
    if (text.trim() !== "") above = line;
    if (!isInBulletin || !open) return "outside";
    return isStop(text) ? "last" : "within";
  }

  function read(block: readonly TextLine[], warn: Warn): Bulletin {
    const above = block.slice(0, 1).flatMap((line) => titles.get(line) ?? []);
    const [first, ...rest] = [...above, ...block].map(plain);
    if (first === undefined) throw new FaultyLine(0, "there is no event");
    const title = titleIn(first.text);
    if (title === null) {
      const { format } = dataAnnouncedBy(first.text) ?? {};
      const columns = `bulletins in ${format} have columns that are not read`;
      const message = format === undefined ? "the origins are of no event" : columns;
      throw new FaultyLine(first.number, message);
    }
    const last = rest.at(-1)?.text ?? "";
    const isClosed = isMessageLine(last);
    return bulletinOfLines(linesOfEvent(title, isClosed ? rest.slice(0, -1) : rest, warn), warn);
  }

  const mayEndAfter = (_: TextLine, isClosed: boolean) => isClosed && announced === null;
  return { place, read, mayEndAfter };
}

const TAG = /<\/?[a-z][^<>]*>/gi;
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", nbsp: " " };

/** A line of a page as a browser shows it. */
function withoutMarkup(text: string): string {
  return text
    .replace(TAG, "")
    .replace(/&(\w{2,4});/g, (whole, name: string) => ENTITIES[name] ?? whole);
}

/**
 * The bulletin of an event's lines. Preferred is the prime origin, else the last that is no centroid, and
 * the magnitude that our writer marks. A line that QuakeML has no place for, as that of an origin without
 * a place, is kept as it stands.
 * @throws FaultyLine
 */
function bulletinOfLines(lines: EventLines, warn: Warn): Bulletin {
  const event: Draft = { publicID: lines.id };
  if (lines.region !== "") event["description"] = [{ text: lines.region, type: "region name" }];
  putComments(event, lines.comments);
  const origins = originsOf(lines, event, warn);
  const preferred = preferredOf(origins);
  const magnitudes = magnitudesOf(lines, event, warn);
  const mechanisms = origins.flatMap((one) => mechanismsOfLines(lines.id, one, warn));
  const phases = phasesOfLines(lines, origins, preferred?.origin, warn);
  for (const { block, text } of [...lines.kept, ...phases.kept]) putForeign(event, block, text);
  if (preferred !== undefined) {
    event["preferredOriginID"] = preferred.origin.publicID;
    putType(event, preferred, origins);
  }
  const lists = {
    focalMechanism: mechanisms.map((mechanism, place) => ({
      publicID: serviceId(lines.id, "focalMechanism", place),
      ...mechanism,
    })),
    amplitude: phases.amplitudes,
    magnitude: magnitudes,
    stationMagnitude: phases.stationMagnitudes,
    origin: origins.map(({ origin }) => origin),
    pick: phases.picks,
  };
  for (const [name, list] of Object.entries(lists)) if (list.length > 0) event[name] = list;
  return event as unknown as Bulletin;
}

function originsOf(lines: EventLines, event: Draft, warn: Warn): ReadOrigin[] {
  return lines.origins.flatMap((source, place) => {
    const { drafts, line, comments } = source;
    const origin = draftOf(drafts, "origin");
    const said = (drafts["line"] ?? {}) as Readonly<Record<string, string>>;
    const { latitude, longitude } = origin;
    if (latitude === undefined || longitude === undefined || said["time"] === undefined) {
      warn(line.number, "the origin has no time or place; its line is kept as foreign");
      putForeign(event, "origin", wholeText(source));
      return [];
    }
    const day = dayIn(line, said["date"] ?? "");
    origin["publicID"] = said["id"] ?? serviceId(lines.id, "origin", place);
    origin["time"] = { value: timeIn(line, day, said["time"]), ...(origin["time"] as object) };
    putUncertainties(origin, drafts["ellipse"]);
    putAnalysis(origin, said["analysis"]);
    const author = (origin["creationInfo"] as Draft | undefined)?.["author"];
    if (author !== undefined) origin["creationInfo"] = { agencyID: author, author };
    if (comments.some((text) => startsWithWord(text, CENTROID))) origin["type"] = "centroid";
    const free = comments.filter(
      (text) => ![PRIME, CENTROID].some((word) => startsWithWord(text, word)),
    );
    putComments(origin, free);
    return [{ origin: origin as unknown as ReadOrigin["origin"], source }];
  });
}

/** The line of an origin with its comments, as they stand. */
function wholeText({ line, comments, mechanisms }: OriginLine): string {
  const ofMechanisms = mechanisms.flatMap((part) => part.lines.map(({ text }) => text.trimEnd()));
  return [line.text.trimEnd(), ...comments.map((text) => ` (${text})`), ...ofMechanisms].join("\n");
}

function putUncertainties(origin: Draft, ellipse: Draft | undefined): void {
  const depth = origin["depth"] as Draft | undefined;
  if (depth?.["uncertainty"] !== undefined) {
    if (depth["value"] === undefined) {
      putForeign(origin, "depthUncertainty", String(depth["uncertainty"]));
      delete origin["depth"];
    } else depth["confidenceLevel"] = CONFIDENCE;
  }
  if (ellipse === undefined) return;
  const preferredDescription = "uncertainty ellipse";
  origin["originUncertainty"] = [{ ...ellipse, preferredDescription, confidenceLevel: CONFIDENCE }];
}

function putAnalysis(origin: Draft, letter: string | undefined): void {
  if (letter === undefined) return;
  const mode = MODES[letter.toLowerCase()];
  if (mode !== undefined) origin["evaluationMode"] = mode;
  if (letter !== "a" && letter !== "m") putForeign(origin, "analysis", letter);
}

function preferredOf(origins: readonly ReadOrigin[]): ReadOrigin | undefined {
  const prime = origins.findLast(({ source }) =>
    source.comments.some((text) => startsWithWord(text, PRIME)),
  );
  return prime ?? origins.findLast(({ origin }) => origin.type !== "centroid") ?? origins.at(-1);
}

/**
 * The event's type is what the preferred origin says, be it that it is unknown; where that says nothing,
 * the last one's that has one. Other origins keep theirs.
 */
function putType(event: Draft, preferred: ReadOrigin, origins: readonly ReadOrigin[]): void {
  const lettersIn = ({ source }: ReadOrigin) =>
    source.drafts["line"]?.["eventType"] as string | undefined;
  const known = origins.map((one) => eventTypeOf(lettersIn(one) ?? ""));
  const own = lettersIn(preferred);
  const type = own === undefined ? known.findLast((one) => one !== null) : eventTypeOf(own);
  Object.assign(event, type ?? {});
  for (const one of origins) {
    const letters = lettersIn(one);
    const isSaid = one === preferred && letters === lettersOf(event as unknown as Bulletin);
    if (letters !== undefined && !isSaid) {
      putForeign(one.origin as unknown as Draft, "eventType", letters);
    }
  }
}

function magnitudesOf(lines: EventLines, event: Draft, warn: Warn): Draft[] {
  return lines.magnitudes.flatMap(({ drafts, line, comments }, place) => {
    const magnitude = draftOf(drafts, "magnitude");
    if (!hasValue(magnitude["mag"])) {
      warn(line.number, "the magnitude has no value; its line is kept as foreign");
      putForeign(event, "magnitude", line.text.trimEnd());
      return [];
    }
    const originID = drafts["line"]?.["originId"];
    const publicID = serviceId(lines.id, "magnitude", place);
    if (comments.includes(PREFERRED)) event["preferredMagnitudeID"] = publicID;
    putComments(
      magnitude,
      comments.filter((text) => text !== PREFERRED),
    );
    return [{ publicID, ...magnitude, ...(originID !== undefined && { originID }) }];
  });
}

/**
 * The mechanisms in the comments of an origin's line. Tensor, planes and axes of one author that stand
 * one after the other are of one mechanism. Values that QuakeML cannot hold, as axes without lengths,
 * stay with the origin as they stand.
 */
function mechanismsOfLines(
  eventId: string,
  { origin, source: { mechanisms, drafts } }: ReadOrigin,
  warn: Warn,
): Draft[] {
  const groups: { parts: Map<MechanismPart, Drafts>; author: unknown }[] = [];
  for (const comment of mechanisms) {
    const solutions = solutionsOf(comment, warn);
    if (solutions === null) {
      const number = comment.lines[0]?.number ?? 0;
      warn(number, `the comment ${comment.part} is not whole; it is kept as foreign`);
      const text = comment.lines.map((line) => line.text.trimEnd()).join("\n");
      putForeign(draftOf(drafts, "origin"), "mechanism", text);
      continue;
    }
    for (const solution of solutions) {
      const author = (solution["mechanism"]?.["creationInfo"] as Draft | undefined)?.["author"];
      const last = groups.at(-1);
      const isSame = last !== undefined && last.author === author && !last.parts.has(comment.part);
      if (isSame) last.parts.set(comment.part, solution);
      else groups.push({ parts: new Map([[comment.part, solution]]), author });
    }
  }
  return groups.map(({ parts }, place) =>
    mechanismOf(
      parts,
      origin.publicID,
      serviceId(eventId, "momentTensor", `${origin.publicID}.${place}`),
    ),
  );
}

function mechanismOf(
  parts: ReadonlyMap<MechanismPart, Drafts>,
  originId: string,
  tensorId: string,
): Draft {
  const mechanism: Draft = {};
  for (const { mechanism: said = {} } of parts.values()) {
    const foreign = [...(mechanism.foreign ?? []), ...(said.foreign ?? [])];
    Object.assign(mechanism, said, foreign.length > 0 && { foreign });
  }
  const planes = parts.get("FAULT_PLANE");
  if (planes !== undefined) {
    const { first, second, line = {} } = planes;
    const preferred = preferredPlane(line);
    mechanism["nodalPlanes"] = {
      ...(preferred !== undefined && { preferredPlane: preferred }),
      nodalPlane1: first,
      ...(second !== undefined && { nodalPlane2: second }),
    };
  }
  const axes = parts.get("PRINAX")?.["axes"];
  if (axes !== undefined) mechanism["principalAxes"] = axes;
  const tensor = parts.get("MOMTENS");
  if (tensor === undefined) mechanism["triggeringOriginID"] = originId;
  else mechanism["momentTensor"] = [tensorOf(tensor, originId, tensorId)];
  return mechanism;
}

/** Of the two planes, `first` and `second`, one may be called the fault's or the auxiliary one. */
function preferredPlane({ first, second }: Draft): 1 | 2 | undefined {
  if (first === "FAULT" || (second === "AUXIL" && first === undefined)) return 1;
  if (second === "FAULT" || (first === "AUXIL" && second === undefined)) return 2;
  return undefined;
}

function tensorOf(
  { tensor = {}, body, surface }: Drafts,
  originId: string,
  publicID: string,
): Draft {
  const dataUsed = [
    ...(body === undefined ? [] : [{ waveType: "body waves", ...body }]),
    ...(surface === undefined ? [] : [{ waveType: "surface waves", ...surface }]),
  ];
  const { sourceTimeFunction } = tensor;
  return {
    publicID,
    derivedOriginID: originId,
    ...(dataUsed.length > 0 && { dataUsed }),
    ...tensor,
    ...(sourceTimeFunction !== undefined && {
      sourceTimeFunction: { type: "unknown", ...(sourceTimeFunction as Draft) },
    }),
  };
}

/** The elements of a tensor; QuakeML has all six or none. */
const ELEMENTS = ["Mrr", "Mtt", "Mpp", "Mrt", "Mrp", "Mtp"] as const;

/**
 * The solutions of one comment, of which a mechanism may have one of each part; null where QuakeML cannot
 * hold one of them.
 */
function solutionsOf({ part, lines }: MechanismLines, warn: Warn): Drafts[] | null {
  const values = lines.filter((line) => /\d/.test(line.text) && !MECHANISM_HEADER.test(line.text));
  const solutions: Drafts[] = [];
  for (const line of values) {
    const isFirst =
      part === "MOMTENS"
        ? columnsOf(line, 12, 13) !== ""
        : commentIn(line.text)?.startsWith("+") !== true;
    if (isFirst) solutions.push({});
    const drafts = solutions.at(-1);
    if (drafts === undefined) return null;
    readPart(part, isFirst, line, drafts, warn);
  }
  const isWhole = solutions.every((drafts) => WHOLE[part](drafts));
  return isWhole ? solutions : null;
}

const MECHANISM_HEADER = /#(?:MOMTENS|FAULT_PLANE|PRINAX)|\be(?:M0|Tv)\b/;

function readPart(
  part: MechanismPart,
  isFirst: boolean,
  line: TextLine,
  drafts: Drafts,
  warn: Warn,
): void {
  // The parenthesis that closes a comment may stand in the author's columns.
  const open = { ...line, text: line.text.replace(/\)\s*$/, "") };
  switch (part) {
    case "MOMTENS":
    case "PRINAX": {
      const isTensor = part === "MOMTENS";
      const [from, to] = isTensor ? [12, 13] : [11, 12];
      if (isFirst) draftOf(drafts, "line")["scale"] = integerIn(open, from, to);
      const first = isTensor ? TENSOR : AXES;
      const second = isTensor ? TENSOR_ERRORS : AXES_ERRORS;
      const scale = drafts["line"]?.["scale"] as number | undefined;
      readColumns(isFirst ? first : second, open, drafts, warn, scale);
      break;
    }
    case "FAULT_PLANE": {
      const one = readColumns(PLANE, open, { mechanism: drafts["mechanism"] ?? {} }, warn);
      drafts["mechanism"] = draftOf(one, "mechanism");
      const place = isFirst ? "first" : "second";
      drafts[place] = one["plane"] ?? {};
      if (one["line"]?.["plane"] !== undefined) {
        draftOf(drafts, "line")[place] = one["line"]["plane"];
      }
    }
  }
}

/** Whether QuakeML can hold the values of a part. */
const WHOLE: Readonly<Record<MechanismPart, (drafts: Drafts) => boolean>> = {
  MOMTENS: ({ tensor = {} }) => {
    const elements = (tensor["tensor"] ?? {}) as Record<string, Draft>;
    const known = ELEMENTS.filter((name) => hasValue(elements[name])).length;
    const isWhole = known === ELEMENTS.length || Object.keys(elements).length === 0;
    return isWhole && (tensor["scalarMoment"] === undefined || hasValue(tensor["scalarMoment"]));
  },
  FAULT_PLANE: ({ first, second }) =>
    [first, second].every(
      (plane) =>
        plane === undefined || ["strike", "dip", "rake"].every((name) => hasValue(plane[name])),
    ),
  PRINAX: ({ axes = {} }) =>
    ["tAxis", "nAxis", "pAxis"].every((name) => {
      const axis = axes[name] as Draft | undefined;
      if (axis === undefined) return name === "nAxis";
      return ["azimuth", "plunge", "length"].every((member) => hasValue(axis[member]));
    }),
};

type Origin = ReadOrigin["origin"];

/**
 * Picks, arrivals, amplitudes and station magnitudes of an event's phases. Arrivals become members of
 * their origins: the one that a comment before them names, else the preferred one. A line without a time
 * is an amplitude or a magnitude of the phase with its id.
 * @throws FaultyLine
 */
function phasesOfLines(
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
