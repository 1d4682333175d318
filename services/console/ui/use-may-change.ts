import type { Catalogue } from "../api/call.ts";
import { changesOfAccount, has } from "../api/session.ts";
import { useAnswer } from "./call.tsx";

type Changed = Pick<Catalogue, "id" | "access" | "editing">;

/**
 * Whether the caller may change a catalogue. Where only members may, the service is asked: until it has
 * answered, nobody may.
 */
export function useMayChange({ id, access, editing }: Changed): boolean {
  const isOfMembers = editing === "members" || access === "restricted";
  const isAsked = isOfMembers && has("editor") && !has("admin");
  const asked = isAsked ? { params: { id } } : null;
  const { answer } = useAnswer("GET /api/catalogues/:id/right", asked, changesOfAccount.value);
  return isAsked ? answer?.right === "edit" || answer?.right === "own" : has("editor");
}
