import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call } from "./call.ts";
import type { AnswerOf } from "./operation-types.ts";

export type Settings = AnswerOf<"GET /api/settings">;

const settings = signal<Settings | null>(null);

/** What this installation is set to; null until the service has answered. */
export function useSettings(): Settings | null {
  useEffect(() => {
    if (settings.value) return;
    call("GET /api/settings", {}).then(
      (found) => {
        settings.value = found;
      },
      // What needs them does without.
      () => undefined,
    );
  }, []);
  return settings.value;
}
