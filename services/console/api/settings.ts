import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type AnswerOf, call, share } from "./call.ts";

export type Settings = AnswerOf<"GET /api/settings">;

const settings = signal<Settings | null>(null);
/** The first who needs them asks for all; after a failure the next one does. */
let isAsked = false;

/** What this installation is set to; null until the service has answered, and on pages of a share. */
export function useSettings(): Settings | null {
  useEffect(() => {
    if (isAsked || share !== null) return;
    isAsked = true;
    call("GET /api/settings", {}).then(
      (answer) => {
        settings.value = answer;
      },
      // What needs them does without.
      () => {
        isAsked = false;
      },
    );
  }, []);
  return settings.value;
}
