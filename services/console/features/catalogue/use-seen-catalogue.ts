import { CallError, type CallOptions, callWithTag } from "../../api/call.ts";
import type { Catalogue } from "../../model/operation-types.ts";
import { useCall } from "../../ui/call/use-call.ts";
import { useAttempts } from "../../ui/form/attempts.ts";

export type SeenCatalogue = {
  /** As it is now; null before the first answer. */
  readonly seen: Catalogue | null;
  readonly error: unknown;
  readonly retry: () => void;
  /**
   * Sends a write that holds only for the catalogue as it was seen. When somebody else has changed
   * it, it is read anew and the write is refused.
   * @param what is written: another attempt of the same has the same key
   */
  readonly write: <T>(what: unknown, send: (options: CallOptions) => Promise<T>) => Promise<T>;
};

/** A catalogue as an editor sees it before changing it. */
export function useSeenCatalogue(id: string): SeenCatalogue {
  const { last, error, reload } = useCall(id, (signal) =>
    callWithTag("GET /api/catalogues/:id", { params: { id } }, { signal }),
  );
  const attempt = useAttempts();
  const tag = last?.tag ?? "";
  return {
    seen: last?.answer ?? null,
    error,
    retry: reload,
    write: async (what, send) => {
      try {
        return await attempt({ what, tag }, (idempotencyKey) =>
          send({ ifMatch: tag, idempotencyKey }),
        );
      } catch (reason) {
        if (reason instanceof CallError && reason.status === 412) reload();
        throw reason;
      }
    },
  };
}
