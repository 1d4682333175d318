/** Bulletins as events show them, and within what the log takes. */

import { ownAttributesOf } from "#contracts/bulletin/own-members.ts";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { type ErrorCode, Refusal } from "#contracts/errors.ts";
import {
  BulletinTooLarge,
  type PackedBulletin,
  packing,
} from "#infra/bulletins/packed-bulletin.ts";
import { shownSolutions } from "#infra/formats/bulletin/parts.ts";
import { rowOfBulletin } from "#infra/formats/bulletin/row.ts";
import { inTurns, type Steps } from "#infra/kernel/iteration.ts";
import { type BulletinView, VIEWED_NAMES } from "#services/domain/bulletins/view.ts";
import { createRelievingValidator } from "#services/domain/events/validation/validate-event.ts";

const SILENT = () => {};

/** How bulletins are shown as rows: by the rules with which files are read. */
export function createBulletinView(nowMs: number): BulletinView {
  const validate = createRelievingValidator(nowMs);
  return {
    origin: (bulletin) => shownSolutions(bulletin).origin,
    magnitude: (bulletin) => shownSolutions(bulletin).magnitude,
    row(bulletin) {
      const row = rowOfBulletin(bulletin, SILENT);
      if (typeof row === "string") return null;
      const own = ownAttributesOf(bulletin);
      for (const name of VIEWED_NAMES) {
        const value = own[name];
        if (value !== undefined) row[name] = value;
      }
      const validated = validate(row);
      if (!validated.ok) return null;
      const { extra: _, source_events: __, ...viewed } = validated.record;
      return viewed;
    },
  };
}

/** A bulletin as the log takes it. @throws Refusal VALIDATION_ERROR for one beyond the limits */
export function packedForEvent(bulletin: Bulletin): Promise<PackedBulletin> {
  return inTurns(withinLimits(packing(bulletin)));
}

/**
 * The same steps.
 * @param what the bulletin is called in a refusal
 * @throws Refusal with `code` for a bulletin beyond the limits
 */
export function* withinLimits<R>(
  steps: Steps<R>,
  code: ErrorCode = "VALIDATION_ERROR",
  what = "The bulletin",
): Steps<R> {
  try {
    return yield* steps;
  } catch (cause) {
    if (!(cause instanceof BulletinTooLarge)) throw cause;
    throw new Refusal(code, `${what} ${cause.message}`, { cause });
  }
}
