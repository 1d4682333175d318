import { type CallOptions, type Catalogue, callWithTag } from "../../api/call.ts";
import { useCall } from "../../ui/call.tsx";
import { unlessChanged } from "../../ui/form/attempts.ts";

export type SeenCatalogue = {
  /** As it is now; null before the first answer. */
  readonly seen: Catalogue | null;
  /** Its entity tag. */
  readonly tag: string;
  readonly error: unknown;
  readonly retry: () => void;
  /**
   * Sends a write that holds only for the catalogue as it was seen. When somebody else has changed
   * it, it is read anew and the write is refused.
   */
  readonly write: <T>(
    options: CallOptions,
    send: (options: CallOptions) => Promise<T>,
  ) => Promise<T>;
};

/** A catalogue as an editor sees it before changing it. */
export function useSeenCatalogue(id: string): SeenCatalogue {
  const { last, error, reload } = useCall(id, (signal) =>
    callWithTag("GET /api/catalogues/:id", { params: { id } }, { signal }),
  );
  const tag = last?.tag ?? "";
  return {
    seen: last?.answer ?? null,
    tag,
    error,
    retry: reload,
    write: (options, send) => unlessChanged(send({ ...options, ifMatch: tag }), reload),
  };
}
