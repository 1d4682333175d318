import { type CallOptions, callWithTag } from "../../api/call.ts";
import { useCall } from "../../ui/call.tsx";
import { unlessChanged } from "../../ui/form/attempts.ts";

export type SeenCatalogue = ReturnType<typeof useSeenCatalogue>;

/**
 * A catalogue as an editor sees it before changing it, with its entity tag; null before the first answer. `write` sends
 * what holds only for the catalogue as it was seen: where somebody else has changed it, it is read anew and the write
 * is refused.
 */
export function useSeenCatalogue(id: string) {
  const { last, error, reload } = useCall(id, (signal) =>
    callWithTag("GET /api/catalogues/:id", { params: { id } }, { signal }),
  );
  const { answer: seen = null, tag = "" } = last ?? {};
  const write = <T>(options: CallOptions, send: (options: CallOptions) => Promise<T>) =>
    unlessChanged(send({ ...options, ifMatch: tag }), reload);
  return { seen, tag, error, retry: reload, write };
}
