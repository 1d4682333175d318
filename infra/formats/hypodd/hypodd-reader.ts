import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { FaultyLine, numberOfText, required, type TextLine } from "../fixed-columns.ts";
import type { FormatReader, RowSink } from "../format-reader.ts";
import { createBlockReader, type LinePlace } from "../lines/block-reader.ts";
import { isoTime } from "../lines/calendar-time.ts";
import { degreesEast, degreesOfKm } from "../lines/degrees.ts";
import { own, ownValues } from "../lines/own.ts";
import { present } from "../lines/present.ts";
import { serviceId } from "../quakeml/shared/service-id.ts";
import { readPhases } from "./read-phases.ts";
import { isCalendar, isNumber, isPosition, wordsOf } from "./words.ts";

/** Lines by which a file is recognised. */
const FIRST_LINES = 20;

/**
 * A reader of hypoDD's phase data (`.pha`, `phase.dat`), and of relocations (`.reloc`, `.loc`, and
 * those of tomoDD), which are solutions of events that are known by their ids.
 */
export function createHypoddReader(sink: RowSink): FormatReader {
  let isBegun = false;
  return createBlockReader(sink, {
    format: "hypodd",
    place(line, block) {
      // Names of columns may stand above the events.
      isBegun ||= /\d/.test(line.text);
      return isBegun ? placeOf(line, block) : "outside";
    },
    read: (block) => (block.some(isHeader) ? readPhases(block) : readRelocation(block)),
  });
}

function placeOf(line: TextLine, block: readonly TextLine[]): LinePlace {
  if (line.text.trim() === "") return "outside";
  if (isHeader(line)) return "first";
  return block.length > 0 ? "within" : "last";
}

function isHeader({ text }: TextLine): boolean {
  return text.trimStart().startsWith("#");
}

/** True for a file most of whose first lines are phase data, or relocated events. */
export function isHypodd(lines: readonly string[]): boolean {
  const filled = lines.filter((line) => line.trim() !== "").slice(0, FIRST_LINES);
  const fits = filled.some(isPhaseHeader)
    ? (line: string) => isPhaseHeader(line) || isPhase(line)
    : isRelocation;
  const fitting = filled.filter(fits).length;
  return fitting > 0 && fitting * 2 >= filled.length;
}

function isPhaseHeader(line: string): boolean {
  const [first, ...others] = wordsOf(line);
  // The last is the id, which may be any word.
  const isWhole = first === "#" && others.length === 14 && others.slice(0, -1).every(isNumber);
  return isWhole && isCalendar(others) && isPosition(others.slice(6));
}

function isPhase(line: string): boolean {
  const [, seconds = "", weight = "", ...others] = wordsOf(line);
  return others.length === 1 && isNumber(seconds) && isNumber(weight);
}

function isRelocation(line: string): boolean {
  const words = wordsOf(line);
  const [id = ""] = words;
  const isTable = RELOCATION_COLUMNS.has(words.length) && words.every(isNumber);
  return isTable && /^\d+$/.test(id) && isPosition(words.slice(1)) && isCalendar(words.slice(10));
}

const LOCATED = "ID LAT LON DEPTH X Y Z EX EY EZ YR MO DY HR MI SC MAG".split(" ");
const DATA = "NCCP NCCS NCTP NCTS RCC RCT".split(" ");

/** Names of the columns by their number: hypoDD's `.loc`, tomoDD's and hypoDD's `.reloc`. */
const RELOCATION_COLUMNS: ReadonlyMap<number, readonly string[]> = new Map([
  [18, [...LOCATED, "CID"]],
  [23, [...LOCATED, ...DATA]],
  [24, [...LOCATED, ...DATA, "CID"]],
]);

/** What the model has no place for: metres from the cluster's centroid, counts and residuals of data, cluster. */
const KEPT = ["X", "Y", "Z", ...DATA, "CID"];
const KM_TO_M = 3;
const M_TO_KM = -3;

/**
 * A relocated event of hypoDD: one origin, of the event with the id that the relocation was made
 * from, and the magnitude that was handed in. Errors are metres; 0 stands for an unknown one.
 * @throws FaultyLine
 */
function readRelocation([line]: readonly TextLine[]): Bulletin {
  if (line === undefined) throw new FaultyLine(1, "there is no event");
  const words = wordsOf(line.text);
  const names = RELOCATION_COLUMNS.get(words.length);
  if (names === undefined) {
    const message = `a relocated event has 18, 23 or 24 words, here are ${words.length}`;
    throw new FaultyLine(line.number, message);
  }
  const values = new Map(names.map((name, i) => [name, words[i] ?? ""]));
  const text = (name: string) => values.get(name) ?? "";
  const number = (name: string, places = 0) => numberOfText(line, text(name), `${name} is`, places);
  const needed = (name: string, places = 0) => required(line, number(name, places), name);
  const publicID = text("ID");
  // Another relocation of the event is another origin.
  const originID = serviceId(publicID, "origin", line.text.trim());
  const latitude = needed("LAT");
  const [east, north] = [number("EX", M_TO_KM) ?? 0, number("EY", M_TO_KM) ?? 0];
  const magnitude = number("MAG");
  const time = isoTime(["YR", "MO", "DY", "HR", "MI", "SC"].map(text));
  const kept = KEPT.flatMap((name) => (values.has(name) ? [[name, text(name)]] : []));
  return {
    publicID,
    ...(magnitude && {
      magnitude: [
        {
          publicID: serviceId(publicID, "magnitude", line.text.trim()),
          mag: { value: magnitude },
          originID,
        },
      ],
    }),
    origin: [
      {
        publicID: originID,
        time: { value: required(line, time, "time of the origin") },
        longitude: {
          value: needed("LON"),
          ...present({ uncertainty: degreesEast(east, latitude) || undefined }),
        },
        latitude: { value: latitude, ...present({ uncertainty: degreesOfKm(north) || undefined }) },
        depth: {
          value: needed("DEPTH", KM_TO_M),
          ...present({ uncertainty: number("EZ") || undefined }),
        },
        foreign: ownValues("relocation", Object.fromEntries(kept)),
      },
    ],
    preferredOriginID: originID,
    ...(magnitude === 0 && { foreign: [own("magnitude", text("MAG"))] }),
  };
}
