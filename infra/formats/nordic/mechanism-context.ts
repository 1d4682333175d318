import { columnsOf, type TextLine } from "../fixed-columns.ts";
import { ownValues } from "../lines/own.ts";
import { present } from "../lines/present.ts";

export type MechanismContext = {
  readonly eventID: string;
  /** The preferred origin. */
  readonly originID: string;
  /** Places of the next origin, magnitude and mechanism. */
  readonly origins: number;
  readonly magnitudes: number;
  readonly mechanisms: number;
};

/**
 * Who made a mechanism and how; program and quality stand in the same columns of planes and tensors.
 * @param values what the model has no place for
 */
export function madeBy(line: TextLine, agencyID: string, values: Readonly<Record<string, string>>) {
  const program = columnsOf(line, 71, 77);
  const quality = columnsOf(line, 78);
  return {
    ...(agencyID !== "" && { creationInfo: { agencyID } }),
    ...present({ foreign: ownValues("solution", { ...values, program, quality }) }),
  };
}
