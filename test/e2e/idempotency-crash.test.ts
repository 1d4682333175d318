import { randomUUID } from "node:crypto";
import { expect, test, vi } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import { withClient } from "../support/database-template.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { useService } from "../support/service.ts";
import { startServiceProcess } from "../support/service-process.ts";

const EVENTS = 20_000;
const JWT_SECRET = "a secret that two copies of it share";
const ADMIN = { email: "admin@example.org", password: "a long admin password" };
const service = useService({ JWT_SECRET });

type Listed = { total: number; catalogues: { event_count: number; status: string }[] };

/** Whether the other copy is between the first event of a creation and its commit. */
async function isCreating(databaseUrl: string): Promise<boolean> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ opened: number; committed: number }>(`
      select count(*) filter (where type = 'SeismicEventsRecorded')::int as opened,
        count(*) filter (where type = 'RevisionCommitted')::int as committed
      from event_log.events`);
    return (rows[0]?.opened ?? 0) > 0 && rows[0]?.committed === 0;
  });
}

test("a creation that is killed is made once by the same request to another copy", async () => {
  const killed = await startServiceProcess({
    DATABASE_URL: service.databaseUrl,
    PUBLIC_BASE_URL: "http://catalogues.example.org",
    JWT_SECRET,
    ROLES: "gateway",
  });
  const guest = createApiClient(service.url);
  const { body } = await guest.send<{ token: string }>("POST", "/api/auth/login", ADMIN);
  const form = JSON.stringify({ name: "killed", events: [...generateEvents(7, EVENTS)] });
  const headers = { "idempotency-key": randomUUID() };
  const create = (url: string) =>
    createApiClient(url, body.token).send("POST", "/api/catalogues", form, headers);

  const cutOff = create(killed.url).then(
    ({ status }) => status,
    () => "cut off",
  );
  await vi.waitFor(async () => expect(await isCreating(service.databaseUrl)).toBe(true), {
    timeout: 30_000,
    interval: 2,
  });
  await killed.kill();
  expect(await cutOff).toBe("cut off");

  // The database notices a moment later that the other copy is gone.
  const answer = await vi.waitFor(
    async () => {
      const given = await create(service.url);
      expect(given.status).toBe(201);
      return given;
    },
    { timeout: 30_000, interval: 100 },
  );
  expect(answer.headers.has("idempotency-replayed")).toBe(false);
  expect(await create(service.url)).toMatchObject({ status: 201, body: answer.body });
  const { body: listed } = await guest.get<Listed>("/api/catalogues?search=killed");
  expect(listed.catalogues).toMatchObject([{ event_count: EVENTS, status: "active" }]);
});
