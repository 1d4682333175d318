import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useSubmit } from "../../../ui/form/submit.tsx";

/** Asks what a merge would do; what is entered after that makes the answer void, also one that is still to come. */
export function usePreview<P>(ask: (signal: AbortSignal) => Promise<P>) {
  const preview = useSignal<P | null>(null);
  const abort = useRef(new AbortController());
  const submission = useSubmit(async () => {
    abort.current = new AbortController();
    const { signal } = abort.current;
    try {
      preview.value = await ask(signal);
    } catch (reason) {
      if (!signal.aborted) throw reason;
    }
  });
  useEffect(() => () => abort.current.abort(), []);
  const clear = () => {
    abort.current.abort();
    preview.value = null;
  };
  return { ...submission, preview, clear };
}
