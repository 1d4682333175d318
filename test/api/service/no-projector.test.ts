import { expect, onTestFinished, test } from "vitest";
import type { ReadinessReport } from "#contracts/http/service.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { signIn } from "../../support/api-client.ts";
import { useDatabase } from "../../support/database.ts";
import { ADMIN, startTestService } from "../../support/start-test-service.ts";

const database = useDatabase();

async function start(roles?: string): Promise<{ url: string; stop: () => Promise<unknown> }> {
  const variables = { DATABASE_URL: database.url, ...(roles !== undefined && { ROLES: roles }) };
  const started = await startTestService(variables);
  let isOver = false;
  const stop = async () => {
    if (!isOver) await started.stop();
    isOver = true;
  };
  onTestFinished(async () => void (await stop()));
  return { url: started.url, stop };
}

const CORNERS = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
  [0, 0],
];
const SQUARE = { type: "Polygon", coordinates: [CORNERS] };

test("without a projector writes are stored and answered NOT_VISIBLE_YET, and found by their keys once one lives; reads go on", async () => {
  const whole = await start();
  const { id } = await createCatalogue(await signIn(whole.url, ADMIN), { name: "before" });
  await whole.stop();
  const gateway = await start("gateway");
  const admin = await signIn(gateway.url, ADMIN);
  const writes = [
    ["POST", "/api/catalogues", { name: "meanwhile", events: [seismicEvent()] }],
    ["PATCH", `/api/catalogues/${id}`, { name: "renamed" }],
    ["POST", `/api/catalogues/${id}/events`, { events: [seismicEvent()] }],
    ["POST", "/api/regions", { name: "a region", geometry: SQUARE }],
  ] as const;
  const send = () =>
    Promise.all(
      writes.map(([method, path, body], i) =>
        admin.send(method, path, body, { "idempotency-key": `write-${i}` }),
      ),
    );
  const sent = send();
  type Entries = { entries: readonly unknown[] };
  const committed = `/api/audit?catalogueId=${id}&type=RevisionCommitted`;
  const count = async () => (await admin.get<Entries>(committed)).body.entries.length;
  await expect.poll(count).toBe(2);
  // Based on what is not visible yet, so nothing of it is stored, and that is told.
  const based = Promise.all([
    admin.send("POST", `/api/catalogues/${id}/events`, { events: [seismicEvent()] }),
    admin.send("POST", "/api/import/agency", { catalogueId: id, hours: 1 }),
  ]);
  for (const { status, headers, body } of await sent) {
    expect({ status, body }).toMatchObject({ status: 503, body: { code: "NOT_VISIBLE_YET" } });
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  }
  for (const { status, body, headers } of await based) {
    const error = expect.stringContaining("nothing was changed");
    expect({ status, body }).toMatchObject({ status: 503, body: { error, code: "UNAVAILABLE" } });
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  }
  const report = await admin.get<ReadinessReport>("/api/ready");
  expect(report.status).toBe(200);
  expect((await admin.get(`/api/catalogues/${id}/events`)).status).toBe(200);
  await start("projector");
  for (const { status } of await send()) expect(status).toBeLessThan(300);
  const { body } = await admin.get<{ catalogues: { name: string; event_count: number }[] }>(
    "/api/catalogues",
  );
  expect(body.catalogues.map(({ name }) => name).sort()).toEqual(["meanwhile", "renamed"]);
  const events = await admin.get<{ events: unknown[] }>(`/api/catalogues/${id}/events`);
  expect(events.body.events).toHaveLength(2);
  const regions = await admin.get<{ regions: unknown[] }>("/api/regions");
  expect(regions.body.regions).toHaveLength(1);
});
