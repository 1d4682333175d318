import type { Bulletin, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { isServiceId } from "../bulletin/members.ts";
import { REGION_DESCRIPTIONS } from "../bulletin/row.ts";
import type { BulletinWriter } from "../format-writer.ts";
import { HEADERS, PREFERRED } from "./blocks.ts";
import { MAGNITUDE, ownTexts } from "./columns.ts";
import {
  countLeft,
  countLeftIn,
  hasCells,
  heldBy,
  isLineOfBlock,
  type Losses,
  lose,
  lossLines,
  NO_OTHER_AUTHOR,
  noLosses,
  withAuthor,
  withoutAuthor,
  writeColumns,
  writeComments,
} from "./line-writer.ts";
import { writeOrigins } from "./origin-writer.ts";
import { writePhases } from "./phase-writer.ts";
import { lettersOf } from "./values.ts";
import { shortEventId, type WritingEvent, writingEvent } from "./writing-event.ts";

/**
 * A writer of bulletins in ISF 2.1 (IASPEI Seismic Format): origins, magnitudes, mechanisms and phases of
 * each event in the columns that the reader knows. Comments after `STOP`, where no reader looks for
 * values, count what the columns have no room for.
 * @param title of the bulletin, for people
 */
export function createIsfWriter(title: string): BulletinWriter {
  const losses = noLosses();
  const head = title.replaceAll(UNPRINTABLE, " ").trim();
  return {
    begin: () =>
      [
        "BEGIN IMS2.0",
        "DATA_TYPE BULLETIN IMS1.0:short with ISF2.1 extensions",
        // The line below is a title whatever it says, but must not be taken for an event's.
        `Bulletin ${head}`.trimEnd(),
        "",
        "",
      ].join("\n"),
    event: (bulletin) => writeEvent(bulletin, losses),
    end: () => `STOP\n${lossLines(losses)}`,
  };
}

const PREFERRED_LINE = ` (${PREFERRED})\n`;
const UNPRINTABLE = /[\s\p{Cc}]+/gu;

const MAGNITUDE_HELD = heldBy(MAGNITUDE, "magnitude", {
  ...NO_OTHER_AUTHOR,
  publicID: true,
  originID: true,
});

/** The lines of an event, from its title on; what they leave out is added to `losses`. */
function writeEvent(bulletin: Bulletin, losses: Losses): string {
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
  const named = REGION_DESCRIPTIONS.flatMap((type) => all.filter((one) => one.type === type))[0];
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

function writeMagnitude(magnitude: QuakemlObject<"Magnitude">, event: WritingEvent): string {
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
