import { useMemo } from "preact/hooks";
import { type Attempt, createAttempts } from "../../api/attempts.ts";

/** Gives the attempts of a form or a button their keys, as long as it is shown and about the same. */
export function useAttempts(about?: unknown): Attempt {
  return useMemo(createAttempts, [about]);
}
