import { call } from "../../api/call.ts";
import { changesOfAccount, has } from "../../api/session.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { useCall } from "./use-call.ts";

/**
 * Whether the caller may change a catalogue. Where only members may, the service is asked: until it has
 * answered, nobody may.
 */
export function useMayChange({ id, editing }: Pick<Catalogue, "id" | "editing">): boolean {
  const isAsked = editing === "members" && has("editor") && !has("admin");
  const { answer: right } = useCall(
    `${id} ${isAsked} ${changesOfAccount.value}`,
    async (signal) => {
      if (!isAsked) return null;
      return (await call("GET /api/catalogues/:id/right", { params: { id } }, { signal })).right;
    },
  );
  return isAsked ? right === "edit" || right === "own" : has("editor");
}
