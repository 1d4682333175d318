import type { Client } from "pg";
import type { Session } from "#infra/postgres/session.ts";
import { openWatchedSession } from "#infra/postgres/session.ts";

/** This thread's connection, shared by successive submissions; it ends with the thread. */
let session: Promise<Session> | null = null;

/** The connection of this thread for lookups of events; opened on demand and again after a loss. */
export async function lookupConnection(databaseUrl: string): Promise<Client> {
  const open = await session?.catch(() => null);
  if (open && !open.lost.aborted) return open.client;
  session = openWatchedSession(databaseUrl, "lookups of submissions");
  return (await session).client;
}
