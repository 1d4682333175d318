import { useMemo } from "preact/hooks";
import { type Attempts, createAttempts } from "../../api/attempts.ts";

/** Gives the attempts of a form or a button their keys, as long as it is shown. */
export function useAttempts(): Attempts["run"] {
  return useMemo(createAttempts, []).run;
}
