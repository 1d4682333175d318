import type { QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { columnsOf, numberIn, required, type TextLine } from "../fixed-columns.ts";
import { present } from "../lines/present.ts";
import { serviceId } from "../quakeml/shared/service-id.ts";
import { type MechanismContext, madeBy } from "./mechanism-context.ts";

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
    ...madeBy(line, columnsOf(line, 67, 69), {
      amplitudeRatioFit: isOld ? "" : columnsOf(line, 56, 60),
      badPolarities: isOld ? columnsOf(line, 31, 36) : columnsOf(line, 61, 62),
      badAmplitudeRatios: isOld ? "" : columnsOf(line, 64, 65),
    }),
  };
}
