import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import type { CurrentLineProps } from "./current-line.tsx";

/** The line comes after the events: its scripts are no part of the first page's. */
export function LateCurrentLine(props: CurrentLineProps) {
  const loaded = useSignal<{ readonly CurrentLine: ComponentType<CurrentLineProps> } | null>(null);
  useEffect(() => {
    import("./current-line.tsx").then(
      (file) => {
        loaded.value = file;
      },
      // The page of the schedules tells the same.
      () => undefined,
    );
  }, []);
  const CurrentLine = loaded.value?.CurrentLine;
  return CurrentLine ? <CurrentLine {...props} /> : null;
}
