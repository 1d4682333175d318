import type { QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import {
  columnsOf,
  FaultyLine,
  integerIn,
  numberIn,
  required,
  type TextLine,
} from "../fixed-columns.ts";
import { ownValues } from "../lines/own.ts";
import { present } from "../lines/present.ts";
import { serviceId } from "../quakeml/service-id.ts";
import { magnitudeTypeOf } from "./magnitude-types.ts";
import { readOriginTime } from "./read-origins.ts";

export type MechanismContext = {
  readonly eventID: string;
  /** The preferred origin. */
  readonly originID: string;
  /** Places of the next origin, magnitude and mechanism. */
  readonly origins: number;
  readonly magnitudes: number;
  readonly mechanisms: number;
};

/** A moment tensor with the origin and magnitude of its first line. */
export type TensorSolution = {
  readonly focalMechanism: QuakemlObject<"FocalMechanism">;
  readonly origin: QuakemlObject<"Origin"> | undefined;
  readonly magnitude: QuakemlObject<"Magnitude"> | undefined;
};

const KM_TO_M = 3;
const COMPONENTS = ["Mrr", "Mtt", "Mpp", "Mrt", "Mrp", "Mtp"] as const;
/** SEISAN before version 8 has one whole number after the angles, of polarities that do not fit. */
const OLD_PLANE = /^ *\d+ *$/;

/**
 * A line of type F: a fault plane, and how well it fits.
 * @throws FaultyLine
 */
export function readPlane(
  line: TextLine,
  { eventID, originID, mechanisms }: MechanismContext,
): QuakemlObject<"FocalMechanism"> {
  const isOld = OLD_PLANE.test(line.text.slice(30, 66));
  const angle = (name: string, from: number, at: number) => ({
    value: required(line, numberIn(line, from, from + 9), name),
    ...present({ uncertainty: isOld ? undefined : numberIn(line, at, at + 4) }),
  });
  return {
    publicID: serviceId(eventID, "focalMechanism", mechanisms),
    triggeringOriginID: originID,
    nodalPlanes: {
      nodalPlane1: {
        strike: angle("strike", 1, 31),
        dip: angle("dip", 11, 36),
        rake: angle("rake", 21, 41),
      },
    },
    ...present({
      misfit: isOld ? undefined : numberIn(line, 46, 50),
      stationDistributionRatio: isOld ? undefined : numberIn(line, 51, 55),
    }),
    ...madeBy(line, {
      amplitudeRatioFit: isOld ? "" : columnsOf(line, 56, 60),
      badPolarities: isOld ? columnsOf(line, 31, 36) : columnsOf(line, 61, 62),
      badAmplitudeRatios: isOld ? "" : columnsOf(line, 64, 65),
    }),
  };
}

/**
 * Two lines of type M: when and where the centroid is, with its magnitude; and the tensor in N·m.
 * @throws FaultyLine
 */
export function readTensor(
  [first, second]: readonly [TextLine, TextLine | undefined],
  context: MechanismContext,
): TensorSolution {
  if (second === undefined || columnsOf(second, 2, 3) !== "MT") {
    throw new FaultyLine(first.number, "the first line of a moment tensor has no second");
  }
  const { eventID } = context;
  const origin = readCentroid(first, serviceId(eventID, "origin", context.origins));
  const derivedOriginID = origin?.publicID ?? context.originID;
  const magnitudeID = serviceId(eventID, "magnitude", context.magnitudes);
  const magnitude = readMagnitude(first, magnitudeID, derivedOriginID);
  const moment = numberIn(second, 53, 62);
  const exponent = integerIn(second, 50, 51) ?? 0;
  const quantities = COMPONENTS.map((name, i) => {
    const at = 4 + 7 * i;
    return [name, { value: required(second, numberIn(second, at, at + 5, exponent), name) }];
  });
  const momentTensor: QuakemlObject<"MomentTensor"> = {
    publicID: serviceId(eventID, "momentTensor", context.mechanisms),
    derivedOriginID,
    ...present({
      momentMagnitudeID: magnitude?.publicID,
      scalarMoment: moment === undefined ? undefined : { value: moment },
    }),
    tensor: Object.fromEntries(quantities) as QuakemlObject<"Tensor">,
  };
  return {
    origin,
    magnitude,
    focalMechanism: {
      publicID: serviceId(eventID, "focalMechanism", context.mechanisms),
      momentTensor: [momentTensor],
      triggeringOriginID: context.originID,
      ...madeBy(first, {}),
    },
  };
}

function readCentroid(line: TextLine, publicID: string): QuakemlObject<"Origin"> | undefined {
  const [latitude, longitude] = [numberIn(line, 24, 30), numberIn(line, 31, 38)];
  if (latitude === undefined || longitude === undefined) return undefined;
  const depth = numberIn(line, 39, 43, KM_TO_M);
  const agencyID = columnsOf(line, 46, 48);
  return {
    publicID,
    time: { value: readOriginTime(line) },
    longitude: { value: longitude },
    latitude: { value: latitude },
    ...(depth !== undefined && { depth: { value: depth } }),
    type: "centroid",
    ...(agencyID !== "" && { creationInfo: { agencyID } }),
  };
}

function readMagnitude(
  line: TextLine,
  publicID: string,
  originID: string,
): QuakemlObject<"Magnitude"> | undefined {
  const value = numberIn(line, 56, 59);
  if (value === undefined) return undefined;
  const agencyID = columnsOf(line, 61, 63);
  return {
    publicID,
    mag: { value },
    ...present({ type: magnitudeTypeOf(columnsOf(line, 60)) }),
    originID,
    ...(agencyID !== "" && { creationInfo: { agencyID } }),
  };
}

/** Agency, program and quality stand in the same columns of planes and tensors. */
function madeBy(line: TextLine, values: Readonly<Record<string, string>>) {
  const isTensor = columnsOf(line, 80) === "M";
  const agencyID = isTensor ? columnsOf(line, 46, 48) : columnsOf(line, 67, 69);
  return {
    ...(agencyID !== "" && { creationInfo: { agencyID } }),
    ...present({
      foreign: ownValues("solution", {
        ...values,
        program: columnsOf(line, 71, 77),
        quality: columnsOf(line, 78),
      }),
    }),
  };
}
