import { type Column, nameOf } from "../columns/column.ts";
import { PHASE } from "../columns/phase-columns.ts";
import { putComments, putForeign, valueAt } from "../drafts.ts";
import type { PhaseLine, ReadOrigin } from "./event-lines.ts";
import { addMeasures } from "./phase-amplitudes.ts";
import { type PhaseParts, saidIn, waveformOf } from "./phase-parts.ts";

type Origin = ReadOrigin["origin"];

/** Objects whose values a line without a time repeats from the line of its phase. */
const REPEATED: ReadonlySet<string> = new Set(["arrival", "pick"]);

function isRepeated({ object, path }: Column): boolean {
  return REPEATED.has(object) && path[0] !== "waveformID";
}

/** Amplitude and magnitude of a line without a time. */
export function addUntimed(
  parts: PhaseParts,
  source: PhaseLine,
  place: number,
  origin: Origin | undefined,
): void {
  const { id, phase } = saidIn(source);
  const pick = id === undefined ? undefined : parts.pickOf.get(id);
  const waveformID = waveformOf(source);
  const pickID = pick?.pick["publicID"] as string | undefined;
  const belonging = { place, waveformID, pickID, originID: origin?.publicID };
  const holder = addMeasures(parts, source, belonging, undefined)[0];
  if (holder === undefined) {
    const ofOrigin = source.originId === null ? "" : ` (#OrigID ${source.originId})\n`;
    parts.kept.push({ block: "phase", text: ofOrigin + source.line.text.trimEnd() });
    return;
  }
  if (phase !== undefined && holder["genericAmplitude"] !== undefined) holder["type"] = phase;
  else if (phase !== undefined) putForeign(holder, "phase", phase);
  if (pickID === undefined && id !== undefined) putForeign(holder, "arrivalID", id);
  for (const column of PHASE.filter(isRepeated)) {
    const value = valueAt(source.drafts, column);
    if (value === undefined || value === valueAt(pick?.source.drafts ?? {}, column)) continue;
    putForeign(holder, nameOf(column), String(value));
  }
  putComments(holder, source.comments);
}
