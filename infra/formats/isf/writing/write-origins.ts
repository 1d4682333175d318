import { ORIGIN } from "../columns/origin-columns.ts";
import { HEADERS } from "../shared/blocks.ts";
import { ownText, ownTexts } from "../shared/drafts.ts";
import { eventTypeOf, lettersOf } from "../shared/event-types.ts";
import { writtenTime } from "../shared/isf-times.ts";
import { CONFIDENCE, MODES } from "../shared/isf-values.ts";
import { NO_OTHER_AUTHOR, withAuthor, withoutAuthor } from "./authors.ts";
import { countLeft, countLeftIn, heldBy } from "./leaves.ts";
import { lose } from "./losses.ts";
import { writeColumns } from "./write-columns.ts";
import { isLineOfBlock, writeComments } from "./write-comments.ts";
import { mechanismsOf, writeMechanisms } from "./write-mechanisms.ts";
import type { Origin, WritingEvent } from "./writing-event.ts";

const TIME_DIGITS = 2;

const isNinety = (value: unknown) => value === CONFIDENCE;

const ORIGIN_HELD = heldBy(ORIGIN, "origin", {
  ...NO_OTHER_AUTHOR,
  publicID: true,
  "time.value": true,
  "depth.confidenceLevel": isNinety,
  type: (value) => value === "centroid",
  timeFixed: (value) => value === true,
  epicenterFixed: (value) => value === true,
  evaluationMode: true,
  "#analysis": true,
  "#eventType": true,
  "#mechanism": true,
});
const ELLIPSE_HELD = heldBy(ORIGIN, "ellipse", {
  preferredDescription: (value) => value === "uncertainty ellipse",
  confidenceLevel: isNinety,
});

/** The block of origins, each with its comments and the mechanisms that belong to it. */
export function writeOrigins(event: WritingEvent): string {
  const { bulletin, losses } = event;
  const mechanisms = mechanismsOf(event);
  let text = `${HEADERS.origins}\n`;
  for (const origin of event.origins) {
    const line = lineOf(origin, event);
    if (line === null) {
      lose(losses.objects, "origin");
      continue;
    }
    text += `${line}\n`;
    if (origin === event.preferred) text += " (#PRIME)\n";
    if (origin.type === "centroid") text += " (#CENTROID)\n";
    text += writeComments(origin.comment, "origin", losses);
    text += writeMechanisms(mechanisms.get(origin) ?? [], losses);
    for (const kept of ownTexts(origin, "mechanism")) text += keptMechanism(kept, event);
  }
  for (const kept of ownTexts(bulletin, "origin")) text += keptOrigin(kept, event);
  return text;
}

/** Null for an origin whose time is none. */
function lineOf(origin: Origin, event: WritingEvent): string | null {
  const time = writtenTime(origin.time.value, TIME_DIGITS);
  if (time === null) return null;
  const { losses } = event;
  if (!time.isExact) losses.rounded++;
  const [first, ...others] = origin.originUncertainty ?? [];
  const isEllipse = first !== undefined && isOfConfidence(first.confidenceLevel);
  const { depth } = origin;
  const isDepthHeld = depth === undefined || isOfConfidence(depth.confidenceLevel);
  const objects = {
    line: {
      date: time.date,
      time: time.clock,
      analysis: analysisOf(origin),
      eventType: eventTypeIn(origin, event),
      id: event.idOf(origin),
    },
    origin: {
      ...withAuthor(origin),
      ...(!isDepthHeld && { depth: { value: depth.value } }),
    },
    ...(isEllipse && { ellipse: first }),
  };
  const { comment, arrival, originUncertainty, depth: _, ...rest } = withoutAuthor(origin);
  const heldDepth = isDepthHeld ? { depth } : {};
  const unheldDepth = isDepthHeld ? {} : { ...depth, value: undefined };
  const left =
    countLeft({ ...rest, ...heldDepth }, ORIGIN_HELD) +
    countLeft(unheldDepth) +
    countLeft(first ?? {}, isEllipse ? ELLIPSE_HELD : undefined) +
    countLeftIn(others);
  lose(losses.values, "origin", left);
  return writeColumns(ORIGIN, objects, losses);
}

/** ISF's errors are of 90 %; those of which nothing is said are taken for such. */
function isOfConfidence(level: number | undefined): boolean {
  return level === undefined || level === CONFIDENCE;
}

function analysisOf(origin: Origin): string | undefined {
  const given = ownText(origin, "analysis");
  const mode = origin.evaluationMode;
  if (given !== undefined && MODES[given.toLowerCase()] === mode) return given;
  return Object.keys(MODES).find((letter) => MODES[letter] === mode) ?? given;
}

/** The letters as given, for the preferred origin only where they say what the event's type is. */
function eventTypeIn(origin: Origin, { bulletin, origins, preferred, losses }: WritingEvent) {
  const given = ownText(origin, "eventType");
  if (origin !== preferred) return given;
  const { type, typeCertainty } = bulletin;
  const said = given === undefined ? undefined : eventTypeOf(given);
  if (given !== undefined && said?.type === type && said?.typeCertainty === typeCertainty) {
    return given;
  }
  const letters = lettersOf(bulletin);
  if (letters === null) lose(losses.values, "event", countLeft({ type, typeCertainty }));
  const isSaidOfOthers = origins.some((one) => ownText(one, "eventType"));
  return letters ?? (isSaidOfOthers ? "uk" : undefined);
}

/** The line and the comments of an origin without a place, as they came. */
function keptOrigin(text: string, { losses }: WritingEvent): string {
  const lines = text.split("\n");
  const [line = "", ...comments] = lines;
  const isWhole =
    isLineOfBlock(line) && /^\s*\d{4}[/-]/.test(line) && comments.every(isCommentLine);
  if (isWhole && !comments.some((one) => one.includes("#PRIME"))) return `${text}\n`;
  lose(losses.values, "event");
  return "";
}

function keptMechanism(text: string, { losses }: WritingEvent): string {
  if (text.split("\n").every(isCommentLine)) return `${text}\n`;
  lose(losses.values, "origin");
  return "";
}

function isCommentLine(text: string): boolean {
  return text.trim().startsWith("(") && !text.includes("\r");
}
