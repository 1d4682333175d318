import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Link } from "wouter-preact";
import { callForAll } from "../api/call.ts";
import { has, user } from "../api/session.ts";

const names = signal<ReadonlyMap<string, string>>(new Map());

/** Asks for all names; those of accounts that are deleted stay unknown. */
async function readNames(): Promise<void> {
  const { users } = (await callForAll("GET /api/users", {})).answer;
  names.value = new Map(users.map(({ id, name }) => [id, name]));
}

/** Reads the names of all accounts, for the pages of administrators that show ids. */
export function useNames(): ReadonlyMap<string, string> {
  useEffect(() => {
    readNames().catch(() => undefined);
  }, []);
  return names.value;
}

/** Actors without an account. */
const NOBODIES: Readonly<Record<string, string>> = { system: "the service", guest: "a guest" };

/** An account by its name, where it still has one, with the way to its line in the list. */
export function Person({ id }: { readonly id: string }) {
  if (!id.startsWith("user_")) return <span class="muted">{NOBODIES[id] ?? id}</span>;
  return (
    <Link href={`/admin/users?search=${encodeURIComponent(id)}`} title={id}>
      {names.value.get(id) ?? id}
    </Link>
  );
}

/** Who did something: by name for administrators, who alone may read it (`NamesOfPeople`). */
export function Actor({ id }: { readonly id: string }) {
  if (id === user.value?.id) return <>you</>;
  return has("admin") ? <Person id={id} /> : <span class="muted small">{id}</span>;
}

/** Reads the names of those whom a page shows by `Person`; only administrators may ask for them. */
export function NamesOfPeople() {
  useNames();
  return null;
}
