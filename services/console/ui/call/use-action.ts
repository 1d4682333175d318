import { type Signal, useSignal } from "@preact/signals";
import { notice } from "./notices.tsx";

export type Action = {
  readonly isBusy: Signal<boolean>;
  /** Runs it unless something still runs; what fails is told in a notice, or by `onError`. */
  readonly run: (action: () => Promise<void>, onError?: (error: unknown) => void) => void;
};

/** What buttons do without a form: one thing at a time. */
export function useAction(): Action {
  const isBusy = useSignal(false);
  const run: Action["run"] = (action, onError = notice.error) => {
    if (isBusy.value) return;
    isBusy.value = true;
    action()
      .catch(onError)
      .finally(() => {
        isBusy.value = false;
      });
  };
  return { isBusy, run };
}
