import { call, callForAll } from "../api/call.ts";

/** Somebody, or some people, who can be made a member. */
export type Candidate = { readonly id: string; readonly text: string };

/** All accounts, by name; for administrators. */
export async function readPeople(signal: AbortSignal): Promise<readonly Candidate[]> {
  const { users } = (await callForAll("GET /api/users", {}, { signal })).answer;
  return users
    .map(({ id, name, email }) => ({ id, text: `${name} (${email})` }))
    .sort((a, b) => a.text.localeCompare(b.text));
}

/** All groups and accounts; for administrators. */
export async function readCandidates(signal: AbortSignal): Promise<readonly Candidate[]> {
  const [{ groups }, people] = await Promise.all([
    call("GET /api/groups", {}, { signal }),
    readPeople(signal),
  ]);
  return [...groups.map(({ id, name }) => ({ id, text: `${name} (group)` })), ...people];
}

/** Those with a text in their names or addresses, whatever its case. */
export function foundAmong(all: readonly Candidate[], search: string): readonly Candidate[] {
  const typed = search.trim().toLowerCase();
  return all.filter(({ text }) => text.toLowerCase().includes(typed));
}
