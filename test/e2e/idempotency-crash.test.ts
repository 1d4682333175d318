import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { expect, test, vi } from "vitest";
import type { ApiClient } from "../support/api-client.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { useKilledCopies } from "./killed.ts";

const EVENTS = 20_000;
const copies = useKilledCopies();

type Listed = { total: number; catalogues: { event_count: number; status: string }[] };

/** Any number that nothing else locks. */
const LOCK = 7_391;

/** Every commit of a revision waits for the lock. */
const HOLD_COMMITS = `
  create function hold_commits() returns trigger language plpgsql as $$
    begin
      if new.type = 'RevisionCommitted' then perform pg_advisory_xact_lock(${LOCK}); end if;
      return new;
    end $$;
  create trigger hold before insert on event_log.events for each row execute function hold_commits();
  select pg_advisory_lock(${LOCK})`;

const WAITING = `
  select pid from pg_locks
  where locktype = 'advisory' and objid = ${LOCK} and not granted
    and database = (select oid from pg_database where datname = current_database())`;

/** Ends the commits that wait, as a database does that notices its client's end, and lets others go on. */
const RELEASE_COMMITS = `
  select pg_terminate_backend(pid) from (${WAITING}) waiting;
  drop trigger hold on event_log.events;
  drop function hold_commits;
  select pg_advisory_unlock(${LOCK})`;

test("a creation that is killed is made once by the same request to another copy", async () => {
  const killed = await copies.startCopy();
  const [staying, cut] = [await copies.clientOf(), await copies.clientOf(killed.url)];
  const database = new Client({ connectionString: copies.databaseUrl });
  await database.connect();
  const form = JSON.stringify({ name: "killed", events: [...generateEvents(7, EVENTS)] });
  const headers = { "idempotency-key": randomUUID() };
  const create = (client: ApiClient) => client.send("POST", "/api/catalogues", form, headers);

  await database.query(HOLD_COMMITS);
  const cutOff = create(cut).then(
    ({ status }) => status,
    () => "cut off",
  );
  await vi.waitFor(async () => expect((await database.query(WAITING)).rowCount).toBe(1), {
    timeout: 60_000,
    interval: 20,
  });
  await killed.kill();
  expect(await cutOff).toBe("cut off");
  await database.query(RELEASE_COMMITS);
  await database.end();

  // The database notices a moment later that the other copy is gone.
  const answer = await vi.waitFor(
    async () => {
      const given = await create(staying);
      expect(given.status).toBe(201);
      return given;
    },
    { timeout: 60_000, interval: 100 },
  );
  expect(answer.headers.has("idempotency-replayed")).toBe(false);
  expect(await create(staying)).toMatchObject({ status: 201, body: answer.body });
  const { body: listed } = await staying.get<Listed>("/api/catalogues?search=killed");
  expect(listed.catalogues).toMatchObject([{ event_count: EVENTS, status: "active" }]);
});
