import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { FaultyLine, numberOfText, required, type TextLine } from "../fixed-columns.ts";
import { isoTime } from "../lines/calendar-time.ts";
import { degreesEast, degreesOfKm } from "../lines/degrees.ts";
import { own, ownValues } from "../lines/own.ts";
import { present } from "../lines/present.ts";
import { serviceId } from "../quakeml/shared/service-id.ts";
import { wordsOf } from "./words.ts";

const LOCATED = "ID LAT LON DEPTH X Y Z EX EY EZ YR MO DY HR MI SC MAG".split(" ");
const DATA = "NCCP NCCS NCTP NCTS RCC RCT".split(" ");

/** Names of the columns by their number: hypoDD's `.loc`, tomoDD's and hypoDD's `.reloc`. */
export const RELOCATION_COLUMNS: ReadonlyMap<number, readonly string[]> = new Map([
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
export function readRelocation([line]: readonly TextLine[]): Bulletin {
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
