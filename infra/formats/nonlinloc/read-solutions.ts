import type { QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { numberOfText } from "../fixed-columns.ts";
import { isoTime } from "../lines/calendar-time.ts";
import { present } from "../lines/present.ts";
import { serviceId } from "../quakeml/shared/service-id.ts";
import { namedValues, quotedIn, type Statement } from "./statements.ts";

const MAX_AUTHOR = 128;
const MAX_VERSION = 64;
/** A magnitude that was not determined is −9.9. */
const NO_MAGNITUDE = -9;
const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
const RUN = /(\d\d)([A-Z][a-z]{2})(\d{4}) +(\d\d)h(\d\d)m(\d\d)/;

/** `SIGNATURE "who   obs:… NLLoc:v7.00.13(17Jan2022) run:17Nov2022 15h49m52"`, by the computer's clock. */
export function readCreation(
  statement: Statement | undefined,
): QuakemlObject<"CreationInfo"> | undefined {
  const [text = ""] = quotedIn(statement);
  const program = text.search(/obs:|NLLoc:/);
  const author = text.slice(0, program === -1 ? undefined : program).trim();
  const version = /NLLoc:\S+/.exec(text)?.[0];
  const [, day = "", month = "", year = "", ...clock] = RUN.exec(text) ?? [];
  const monthNumber = String(MONTHS.indexOf(month) / 3 + 1);
  const time = isoTime([year, monthNumber, day, ...clock]);
  const info = present({
    author: author === "" || author.length > MAX_AUTHOR ? undefined : author,
    creationTime: time?.slice(0, -1),
    version: version !== undefined && version.length <= MAX_VERSION ? version : undefined,
  });
  return Object.keys(info).length === 0 ? undefined : info;
}

/** `QUALITY … Mamp 2.1 5 Mdur -9.90 0`: magnitudes of amplitudes and of durations, each with its readings. */
export function readMagnitudes(
  statement: Statement | undefined,
  eventID: string,
  originID: string,
): QuakemlObject<"Magnitude">[] {
  const names = [
    ["Mamp", "ML"],
    ["Mdur", "Md"],
  ] as const;
  return names.flatMap(([name, type], i) => {
    const at = statement?.words.indexOf(name) ?? -1;
    if (statement === undefined || at === -1) return [];
    const value = numberOfText(statement.line, statement.words[at + 1] ?? "", `${name} is`);
    if (value === undefined || value <= NO_MAGNITUDE) return [];
    return [{ publicID: serviceId(eventID, "magnitude", i), mag: { value }, type, originID }];
  });
}

/**
 * `FOCALMECH Hyp lat long depth Mech direction dip rake mf misfit nObs n`; one without observations is
 * none. The dip's direction is 90° from the strike.
 */
export function readMechanism(
  statement: Statement | undefined,
  eventID: string,
  triggeringOriginID: string,
): QuakemlObject<"FocalMechanism">[] {
  const at = statement?.words.indexOf("Mech") ?? -1;
  if (statement === undefined || at === -1) return [];
  const values = namedValues(statement, at + 4);
  const observations = values.number("nObs") ?? 0;
  const [direction, dip, rake] = statement.words
    .slice(at + 1, at + 4)
    .map((text) => numberOfText(statement.line, text, "Mech is"));
  if (observations <= 0 || direction === undefined || dip === undefined || rake === undefined) {
    return [];
  }
  const strike = { value: (direction + 270) % 360 };
  return [
    {
      publicID: serviceId(eventID, "focalMechanism", 0),
      triggeringOriginID,
      nodalPlanes: { nodalPlane1: { strike, dip: { value: dip }, rake: { value: rake } } },
      ...present({
        stationPolarityCount: Number.isInteger(observations) ? observations : undefined,
        misfit: values.number("mf"),
      }),
    },
  ];
}
