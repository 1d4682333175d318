import type { QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import {
  columnsOf,
  FaultyLine,
  integerIn,
  numberIn,
  required,
  type TextLine,
} from "../fixed-columns.ts";
import { present } from "../lines/present.ts";
import { serviceId } from "../quakeml/shared/service-id.ts";
import { magnitudeTypeOf } from "./magnitude-types.ts";
import { type MechanismContext, madeBy } from "./mechanism-context.ts";
import { readPlace } from "./read-place.ts";

/** A moment tensor with the origin and magnitude of its first line. */
type TensorSolution = {
  readonly focalMechanism: QuakemlObject<"FocalMechanism">;
  readonly origin: QuakemlObject<"Origin"> | undefined;
  readonly magnitude: QuakemlObject<"Magnitude"> | undefined;
};

const COMPONENTS = ["Mrr", "Mtt", "Mpp", "Mrt", "Mrp", "Mtp"] as const;

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
  const centroid = readPlace(first, serviceId(eventID, "origin", context.origins));
  const origin = centroid === null ? undefined : { ...centroid, type: "centroid" as const };
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
      ...madeBy(first, columnsOf(first, 46, 48), {}),
    },
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
