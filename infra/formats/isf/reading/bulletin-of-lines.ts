import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { serviceId } from "../../quakeml/shared/service-id.ts";
import { CENTROID, PREFERRED, PRIME, startsWithWord } from "../shared/blocks.ts";
import { type Draft, draftOf, hasValue, putComments, putForeign } from "../shared/drafts.ts";
import { eventTypeOf, lettersOf } from "../shared/event-types.ts";
import { dayIn, timeIn } from "../shared/isf-times.ts";
import { CONFIDENCE, MODES } from "../shared/isf-values.ts";
import type { EventLines, NotedLine, OriginLine, ReadOrigin, Warn } from "./event-lines.ts";
import { mechanismsOfLines } from "./mechanisms-of-lines.ts";
import { phasesOfLines } from "./phases-of-lines.ts";

/**
 * The bulletin of an event's lines. Preferred is the prime origin, else the last that is no centroid, and
 * the magnitude that our writer marks. A
 * line that QuakeML has no place for, as that of an origin without a place, is kept as it stands.
 * @throws FaultyLine
 */
export function bulletinOfLines(lines: EventLines, warn: Warn): Bulletin {
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
    putComments(origin, comments.filter(isFree));
    return [{ origin: origin as unknown as ReadOrigin["origin"], source }];
  });
}

function isFree(text: string): boolean {
  return !startsWithWord(text, PRIME) && !startsWithWord(text, CENTROID);
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
  return lines.magnitudes.flatMap((source: NotedLine, place) => {
    const { drafts, line, comments } = source;
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
