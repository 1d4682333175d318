import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { type PackedBulletin, packing } from "#infra/bulletins/packed-bulletin.ts";
import { inTurns } from "#infra/kernel/iteration.ts";
import { withinLimits } from "./within-limits.ts";

/** A bulletin as the log takes it. @throws Refusal VALIDATION_ERROR for one beyond the limits */
export function packedForEvent(bulletin: Bulletin): Promise<PackedBulletin> {
  return inTurns(withinLimits(packing(bulletin)));
}
