import { columnsOf } from "../../fixed-columns.ts";
import { nameOf } from "../columns/column.ts";
import { PICK_COLUMNS } from "../columns/phase-columns.ts";
import { putComments, putForeign, valueAt } from "../shared/drafts.ts";
import type { PhaseLine, ReadOrigin } from "./event-lines.ts";
import { addMeasures } from "./phase-amplitudes.ts";
import { type PhaseParts, saidIn, waveformOf } from "./phase-parts.ts";

type Origin = ReadOrigin["origin"];

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
  const belonging = { place, waveformID, pickID, originID: origin?.publicID, type: phase };
  const { holder, hasAmplitude } = addMeasures(parts, source, belonging, undefined);
  if (holder === undefined && !hasAmplitude) {
    const ofOrigin = source.originId === null ? "" : ` (#OrigID ${source.originId})\n`;
    parts.kept.push({ block: "phase", text: ofOrigin + source.line.text.trimEnd() });
  }
  if (holder === undefined) return;
  if (phase !== undefined && !hasAmplitude) putForeign(holder, "phase", phase);
  if (pickID === undefined && id !== undefined) putForeign(holder, "arrivalID", id);
  for (const column of PICK_COLUMNS) {
    const value = valueAt(source.drafts, column);
    if (value === undefined || value === valueAt(pick?.source.drafts ?? {}, column)) continue;
    putForeign(holder, nameOf(column), columnsOf(source.line, column.from, column.to));
  }
  putComments(holder, source.comments);
}
