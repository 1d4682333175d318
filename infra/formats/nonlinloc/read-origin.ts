import type { QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { FaultyLine, required } from "../fixed-columns.ts";
import { isoTime } from "../lines/calendar-time.ts";
import { degreesEast, degreesOfKm } from "../lines/degrees.ts";
import { present } from "../lines/present.ts";
import { namedValues, type Statement, type Statements } from "./statements.ts";

const KM_TO_M = 3;
/** NonLinLoc's errors are of one standard deviation. */
const CONFIDENCE = 68;

type Located = Pick<
  QuakemlObject<"Origin">,
  "time" | "longitude" | "latitude" | "depth" | "originUncertainty" | "quality"
>;

/**
 * The most likely hypocentre with its errors, from the statements GEOGRAPHIC, STATISTICS and QML_….
 * Lengths are kilometres in all of them.
 * @throws FaultyLine
 */
export function readOrigin(geographic: Statement, statements: Statements): Located {
  const { line, words } = geographic;
  const place = namedValues(geographic, 7);
  const variance = namedValues(statements.get("STATISTICS"));
  const latitude = required(line, place.number("Lat"), "latitude");
  const longitude = required(line, place.number("Long"), "longitude");
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 360) {
    throw new FaultyLine(line.number, "the place is in kilometres, not in degrees");
  }
  const east = (km: number) => degreesEast(km, latitude);
  return {
    time: { value: required(line, isoTime(words.slice(1, 7)), "time of the origin") },
    longitude: { value: longitude, ...deviation(variance.number("CovXX"), east) },
    latitude: { value: latitude, ...deviation(variance.number("YY"), degreesOfKm) },
    depth: {
      value: required(line, place.number("Depth", KM_TO_M), "depth"),
      ...deviation(variance.number("ZZ"), (km) => km * 1000),
    },
    ...present({
      originUncertainty: readUncertainty(statements),
      quality: readQuality(statements),
    }),
  };
}

/** A standard deviation from a variance in km²; rounding may make a small one negative. */
function deviation(
  variance: number | undefined,
  convert: (km: number) => number | undefined,
): { readonly uncertainty?: number; readonly confidenceLevel?: number } {
  if (variance === undefined || variance < 0) return {};
  const uncertainty = convert(Math.sqrt(variance));
  return uncertainty === undefined ? {} : { uncertainty, confidenceLevel: CONFIDENCE };
}

function readUncertainty(statements: Statements): QuakemlObject<"OriginUncertainty">[] {
  const horizontal = namedValues(statements.get("QML_OriginUncertainty"));
  const confidenceEllipsoid = readEllipsoid(statements.get("QML_ConfidenceEllipsoid"));
  const members = present({
    horizontalUncertainty: horizontal.known("horUnc", KM_TO_M),
    minHorizontalUncertainty: horizontal.known("minHorUnc", KM_TO_M),
    maxHorizontalUncertainty: horizontal.known("maxHorUnc", KM_TO_M),
    azimuthMaxHorizontalUncertainty: horizontal.known("azMaxHorUnc"),
    confidenceEllipsoid,
  });
  if (Object.keys(members).length === 0) return [];
  const preferredDescription = confidenceEllipsoid ? "confidence ellipsoid" : "uncertainty ellipse";
  return [{ ...members, preferredDescription, confidenceLevel: CONFIDENCE }];
}

function readEllipsoid(
  statement: Statement | undefined,
): QuakemlObject<"ConfidenceEllipsoid"> | undefined {
  if (statement === undefined) return undefined;
  const values = namedValues(statement);
  const member = (name: string, places = 0) =>
    required(statement.line, values.number(name, places), name);
  return {
    semiMajorAxisLength: member("semiMajorAxisLength", KM_TO_M),
    semiMinorAxisLength: member("semiMinorAxisLength", KM_TO_M),
    semiIntermediateAxisLength: member("semiIntermediateAxisLength", KM_TO_M),
    majorAxisPlunge: member("majorAxisPlunge"),
    majorAxisAzimuth: member("majorAxisAzimuth"),
    majorAxisRotation: member("majorAxisRotation"),
  };
}

/** Versions before 4 have no statement of QuakeML's quality, but some of it in QUALITY. */
function readQuality(statements: Statements): QuakemlObject<"OriginQuality"> | undefined {
  const said = statements.get("QML_OriginQuality");
  const statement = said ?? statements.get("QUALITY");
  const [phases = "", error = "", gap = "", nearest = ""] =
    said === undefined
      ? ["Nphs", "RMS", "Gap", "Dist"]
      : ["usedPhCt", "stdErr", "azGap", "minDist"];
  const values = namedValues(statement);
  const degrees = (name: string) => {
    const km = values.known(name);
    return km === undefined ? undefined : degreesOfKm(km);
  };
  const groundTruth = values.text("gtLevel") ?? "";
  const count = (name: string) => wholeNumber(statement, name, values.known(name));
  const quality = present({
    associatedPhaseCount: count("assocPhCt"),
    usedPhaseCount: count(phases),
    associatedStationCount: count("assocStaCt"),
    usedStationCount: count("usedStaCt"),
    depthPhaseCount: count("depthPhCt"),
    standardError: values.known(error),
    azimuthalGap: values.known(gap),
    secondaryAzimuthalGap: values.known("secAzGap"),
    groundTruthLevel: /^(?:-|.{33,})?$/.test(groundTruth) ? undefined : groundTruth,
    maximumDistance: degrees("maxDist"),
    minimumDistance: degrees(nearest),
    medianDistance: degrees("medDist"),
  });
  return Object.keys(quality).length === 0 ? undefined : quality;
}

function wholeNumber(
  statement: Statement | undefined,
  name: string,
  value: number | undefined,
): number | undefined {
  if (value === undefined || Number.isSafeInteger(value)) return value;
  throw new FaultyLine(statement?.line.number ?? 1, `${name} is ${value}, no whole number`);
}
