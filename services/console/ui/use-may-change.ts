import { type Catalogue, call } from "../api/call.ts";
import { changesOfAccount, has } from "../api/session.ts";
import { useCall } from "./call.tsx";

type Changed = Pick<Catalogue, "id" | "access" | "editing">;

/**
 * Whether the caller may change a catalogue. Where only members may, the service is asked: until it has
 * answered, nobody may.
 */
export function useMayChange({ id, access, editing }: Changed): boolean {
  const isOfMembers = editing === "members" || access === "restricted";
  const isAsked = isOfMembers && has("editor") && !has("admin");
  const { answer: right } = useCall(
    `${id} ${isAsked} ${changesOfAccount.value}`,
    async (signal) => {
      if (!isAsked) return null;
      return (await call("GET /api/catalogues/:id/right", { params: { id } }, { signal })).right;
    },
  );
  return isAsked ? right === "edit" || right === "own" : has("editor");
}
