import { type Column, nameOf } from "../columns/column.ts";
import { PICK_COLUMNS } from "../columns/phase-columns.ts";
import { type Drafts, draftOf, ownText, put, putForeign } from "../shared/drafts.ts";
import type { Measure } from "./measures.ts";

/** IASPEI's phases of amplitudes, by the type of the magnitude that is made of them. */
const AMPLITUDE_PHASES: readonly (readonly [RegExp, string])[] = [
  [/^ml/i, "AML"],
  [/^mb/i, "AMB"],
  [/^ms/i, "AMS"],
];
const FITTING_PHASE = /^[^\s()?]\S{0,7}$/;

/** The phase that a line of an amplitude's type has. */
export function phaseOfType(type: string | undefined): string | undefined {
  return type !== undefined && FITTING_PHASE.test(type) ? type : undefined;
}

/** The phase of a line without a time: the amplitude's type, else what fits its magnitude. */
export function untimedPhase({ amplitude, stationMagnitude }: Measure): string | undefined {
  if (amplitude === undefined) return ownText(stationMagnitude, "phase");
  const type = phaseOfType(amplitude.type);
  if (type !== undefined) return type;
  const magnitude = stationMagnitude?.type ?? amplitude.magnitudeHint ?? "";
  return AMPLITUDE_PHASES.find(([pattern]) => pattern.test(magnitude))?.[1];
}

/** What a line without a time said of pick and arrival, which stands with its amplitude or magnitude. */
export function pickValuesOf({ amplitude, stationMagnitude }: Measure): Drafts {
  const holder = amplitude ?? stationMagnitude;
  const drafts: Drafts = {};
  for (const column of PICK_COLUMNS) {
    const text = ownText(holder, nameOf(column));
    if (text !== undefined) putText(drafts, column, text);
  }
  return drafts;
}

function putText(drafts: Drafts, column: Column, text: string): void {
  if (column.kind === "real") put(drafts, column, column.isForeign ? text : Number(text));
  else if (column.kind === "code") putForeign(draftOf(drafts, column.object), nameOf(column), text);
  else put(drafts, column, text);
}
