import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { Refusal } from "#contracts/errors.ts";
import { type PackedBulletin, packing } from "#infra/bulletins/packed-bulletin.ts";
import { BulletinTooLarge } from "#infra/bulletins/seal-bulletin.ts";
import { inTurns } from "#infra/kernel/steps.ts";

/** A bulletin as the log takes it. @throws Refusal VALIDATION_ERROR for one beyond the limits */
export async function packedForEvent(bulletin: Bulletin): Promise<PackedBulletin> {
  try {
    return await inTurns(packing(bulletin));
  } catch (cause) {
    if (!(cause instanceof BulletinTooLarge)) throw cause;
    throw new Refusal("VALIDATION_ERROR", `The bulletin ${cause.message}`, { cause });
  }
}
