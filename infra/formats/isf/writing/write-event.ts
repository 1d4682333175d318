import type { Bulletin, QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { isServiceId } from "../../quakeml/shared/service-id.ts";
import { MAGNITUDE } from "../columns/origin-columns.ts";
import { HEADERS, PREFERRED } from "../shared/blocks.ts";
import { ownTexts } from "../shared/drafts.ts";
import { lettersOf } from "../shared/event-types.ts";
import { NO_OTHER_AUTHOR, withAuthor, withoutAuthor } from "./authors.ts";
import { countLeft, countLeftIn, heldBy } from "./leaves.ts";
import { type Losses, lose } from "./losses.ts";
import { shortEventId } from "./short-ids.ts";
import { hasCells, writeColumns } from "./write-columns.ts";
import { isLineOfBlock, writeComments } from "./write-comments.ts";
import { writeOrigins } from "./write-origins.ts";
import { writePhases } from "./write-phases.ts";
import { type WritingEvent, writingEvent } from "./writing-event.ts";

type Magnitude = QuakemlObject<"Magnitude">;

/** Types of descriptions that name the region, best first, as for the row. */
const REGIONS = ["region name", "Flinn-Engdahl region", "earthquake name"];
const PREFERRED_LINE = ` (${PREFERRED})\n`;
const UNPRINTABLE = /[\s\p{Cc}]+/gu;

const MAGNITUDE_HELD = heldBy(MAGNITUDE, "magnitude", {
  ...NO_OTHER_AUTHOR,
  publicID: true,
  originID: true,
});

/** The lines of an event, from its title on; what they leave out is added to `losses`. */
export function writeEvent(bulletin: Bulletin, losses: Losses): string {
  const event = writingEvent(bulletin, losses);
  const { publicID } = bulletin;
  const id = shortEventId(publicID);
  if (id !== publicID && !isServiceId(publicID)) losses.ids++;
  const magnitudes = writeMagnitudes(event);
  const title = `Event ${id.padEnd(8)} ${regionOf(event)}`.trimEnd();
  const text =
    `${title}\n\n${writeOrigins(event)}` +
    writeKept(event, "bibliography") +
    magnitudes +
    writeKept(event, "effects") +
    writePhases(event);
  countEvent(bulletin, magnitudes.includes(PREFERRED_LINE), losses);
  losses.ids += event.originIds.replaced() + event.pickIds.replaced();
  return `${text}\n`;
}

function regionOf({ bulletin, losses }: WritingEvent): string {
  const { description: all = [] } = bulletin;
  const named = REGIONS.flatMap((type) => all.filter((one) => one.type === type))[0];
  lose(losses.values, "event", countLeftIn(all.filter((one) => one !== named)));
  const text = named?.text ?? "";
  const region = text.trim().replaceAll(UNPRINTABLE, " ");
  if (region !== text) losses.rounded++;
  return region;
}

function writeMagnitudes(event: WritingEvent): string {
  const { bulletin, losses } = event;
  let lines = "";
  for (const magnitude of bulletin.magnitude ?? []) lines += writeMagnitude(magnitude, event);
  for (const line of ownTexts(bulletin, "magnitude")) {
    if (isLineOfBlock(line) && !line.trimStart().startsWith("(")) lines += `${line}\n`;
    else lose(losses.values, "event");
  }
  return lines === "" ? "" : `\n${HEADERS.magnitudes}\n${lines}`;
}

function writeMagnitude(magnitude: Magnitude, event: WritingEvent): string {
  const { bulletin, losses, originIds } = event;
  const { originID } = magnitude;
  const originId = originID === undefined ? undefined : originIds.of(originID);
  const objects = { line: { originId }, magnitude: withAuthor(magnitude) };
  const line = writeColumns(MAGNITUDE, objects, losses);
  const isWhole = hasCells(line, MAGNITUDE, ["magnitude.mag.value"]);
  if (!isWhole || !isLineOfBlock(line) || line.startsWith("(")) {
    lose(losses.objects, "magnitude");
    return "";
  }
  const { comment, ...rest } = withoutAuthor(magnitude);
  lose(losses.values, "magnitude", countLeft(rest, MAGNITUDE_HELD));
  // Of several with an id, the first is meant.
  const named = bulletin.magnitude?.find((one) => one.publicID === bulletin.preferredMagnitudeID);
  const preferred = magnitude === named ? PREFERRED_LINE : "";
  return `${line}\n${preferred}${writeComments(comment, "magnitude", losses)}`;
}

/** A block whose lines were kept as they stood. */
function writeKept({ bulletin, losses }: WritingEvent, block: "effects" | "bibliography"): string {
  const lines = ownTexts(bulletin, block).filter((line) => {
    const isWhole = isLineOfBlock(line);
    if (!isWhole) lose(losses.values, "event");
    return isWhole;
  });
  return lines.length === 0 ? "" : `\n${[HEADERS[block], ...lines].join("\n")}\n`;
}

const EVENT_HELD = heldBy([], "event", {
  publicID: true,
  preferredOriginID: true,
  "#origin": true,
  "#magnitude": true,
  "#phase": true,
  "#effects": true,
  "#bibliography": true,
});

/** Counts what is the event's own and has no line; its lists are counted where they are written. */
function countEvent(bulletin: Bulletin, isPreferredTold: boolean, losses: Losses): void {
  const { comment = [], type, typeCertainty, preferredMagnitudeID, ...event } = bulletin;
  const own = Object.entries(event).filter(
    ([name, value]) => name === "foreign" || !Array.isArray(value),
  );
  const isTyped = lettersOf(bulletin) !== null;
  lose(losses.objects, "comment", comment.length);
  if (!isPreferredTold) lose(losses.values, "event", countLeft({ preferredMagnitudeID }));
  if (!isTyped && type === undefined) lose(losses.values, "event", countLeft({ typeCertainty }));
  lose(losses.values, "event", countLeft(Object.fromEntries(own), EVENT_HELD));
}
