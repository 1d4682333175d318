import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogue.ts";
import { type PushServer, startPushServer } from "../../support/agency/life/push-server.ts";
import { startTestAgency, type TestAgency } from "../../support/agency/test-agency.ts";
import { signIn } from "../../support/api-client.ts";
import { runService } from "../../support/run-service.ts";
import { useService } from "../../support/service.ts";
import { ADMIN } from "../../support/start-test-service.ts";
import { eventsOf } from "../import/import-scene.ts";
import { newSchedule } from "../support/schedules.ts";

const SOON = { timeout: 5_000, interval: 50 };
const SECONDS = { timeout: 15_000, interval: 100 };
const VARIABLES = { AGENCY_ALLOW_PRIVATE: "true" };
const base = useService({ ROLES: "projector" });
let server: PushServer;
let agency: TestAgency;
beforeAll(async () => {
  [server, agency] = await Promise.all([startPushServer(), startTestAgency({ dialect: "emsc" })]);
});
afterAll(async () => {
  await Promise.all([server.close(), agency.close()]);
});

/** A gateway beside others, which may be stopped before the test has ended. */
async function startGateway() {
  const running = await runService({ ...VARIABLES, ROLES: "gateway" }, { copyOf: base });
  let stopped: Promise<void> | null = null;
  const stop = (): Promise<void> => {
    stopped ??= running.stop();
    return stopped;
  };
  onTestFinished(stop);
  return { client: await signIn(running.url, ADMIN), stop };
}

function eventOf(id: string) {
  const time = new Date(Date.now() - 3_600_000).toISOString();
  const place = { latitude: -42, longitude: 173, depth: 10 };
  return { row: { source_id: id, time, ...place, magnitude: 3, magnitude_type: "ML" } };
}

test("of two processes one listens, and the other takes over and makes up for what was missed", async () => {
  const first = await startGateway();
  const second = await startGateway();
  const settings = { id: "pushing", name: "Pushing", url: agency.url, push: server.url };
  await first.client.send("POST", "/api/agencies", { ...settings, dialect: "emsc" });
  const form = { name: "Pushed", events: [] };
  const { id } = (await first.client.send<Catalogue>("POST", "/api/catalogues", form)).body;
  await newSchedule(second.client, id, { agency: "pushing", push: true });
  await expect.poll(server.clients, SECONDS).toBe(1);
  server.tell({ before: null, after: eventOf("a") });
  const ids = async () => [...(await eventsOf(second.client, id)).keys()].toSorted();
  await expect.poll(ids, SOON).toEqual(["a"]);
  expect(server.connections()).toBe(1);

  agency.catalogue.add(eventOf("a"), eventOf("missed"));
  await first.stop();
  await expect.poll(() => [server.connections(), server.clients()], SECONDS).toEqual([2, 1]);
  await expect.poll(ids, SECONDS).toEqual(["a", "missed"]);
  server.tell({ before: null, after: eventOf("b") });
  await expect.poll(ids, SOON).toEqual(["a", "b", "missed"]);
});
