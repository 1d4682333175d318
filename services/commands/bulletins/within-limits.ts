import { Refusal } from "#contracts/errors.ts";
import { BulletinTooLarge } from "#infra/bulletins/packed-bulletin.ts";
import type { Steps } from "#infra/kernel/iteration.ts";

/** The same steps. @throws Refusal VALIDATION_ERROR for a bulletin beyond the limits */
export function* withinLimits<R>(steps: Steps<R>): Steps<R> {
  try {
    return yield* steps;
  } catch (cause) {
    if (!(cause instanceof BulletinTooLarge)) throw cause;
    throw new Refusal("VALIDATION_ERROR", `The bulletin ${cause.message}`, { cause });
  }
}
