import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ReadinessReport } from "#contracts/http/service.ts";
import { freePort } from "#infra/postgres/embedded/server.ts";
import { createApiClient, signIn } from "../../support/api-client.ts";
import { type NatsServer, startNatsServer } from "../../support/nats-server.ts";
import { readChanges } from "../../support/read-changes.ts";
import { useService } from "../../support/service.ts";
import { createCatalogue } from "../support/catalogue.ts";
import { feedReports } from "./feed-reports.ts";

const POLL = { timeout: 60_000, interval: 100 };

async function checksOf(url: string): Promise<Record<string, string | undefined>> {
  const { body } = await createApiClient(url).get<ReadinessReport>("/api/ready");
  return Object.fromEntries(body.checks.map(({ name, message }) => [name, message]));
}

const { check: changesOf, lag: lagOf } = feedReports("changes");

describe("with NATS", () => {
  const variables: Record<string, string> = {};
  const gatewayAlone: Record<string, string> = { ROLES: "gateway" };
  let broker: NatsServer;
  beforeAll(async () => {
    broker = await startNatsServer();
    for (const some of [variables, gatewayAlone]) some["NATS_URL"] = broker.url;
  });
  afterAll(() => broker.stop());
  const service = useService(variables);
  const gateway = useService(gatewayAlone, { copyOf: service });

  const settled = () =>
    expect
      .poll(() => changesOf(service.url), POLL)
      .toEqual({
        name: "changes",
        status: "healthy",
        message: "publisher: connected; up to date",
      });

  test("the service publishes, and tells in its readiness and metrics how far it is", async () => {
    const { id } = await createCatalogue(await service.loginAs("editor"));
    await settled();
    await expect.poll(() => lagOf(service.url), POLL).toBe("0");
    const told = (await readChanges(broker.url)).filter(({ change }) => change.subject === id);
    const kinds = ["created", "version"];
    expect(told.map(({ subject }) => subject)).toEqual(kinds.map((k) => `catalogues.${id}.${k}`));
  });

  test("a gateway without a publisher tells of the changes all the same", async () => {
    await expect
      .poll(() => changesOf(gateway.url), POLL)
      .toMatchObject({ message: "publisher: in another process; up to date" });
    await expect.poll(() => lagOf(gateway.url), POLL).toBe("0");
  });

  test("a version is told as its address, source and number, tells it", async () => {
    const editor = await service.loginAs("editor");
    const { id } = await createCatalogue(editor);
    await settled();
    const told = (await readChanges(broker.url)).find(
      ({ subject }) => subject === `catalogues.${id}.version`,
    );
    if (told?.change.type !== "catalogue-change.version.v1") throw new Error("it was not told");
    const { catalogue_id, ...facts } = told.change.data;
    expect(catalogue_id).toBe(id);
    const path = `${new URL(told.change.source).pathname}/versions/${facts.version}`;
    const { body } = await editor.get<{ version: object }>(path);
    expect(body.version).toMatchObject({ ...facts, version: 1 });
  });

  test("nothing in the stream tells of a person, a share or a role", async () => {
    const admin = await service.loginAs("admin");
    const registration = {
      name: "Inge Lehmann",
      email: "inge.lehmann@example.org",
      password: "the inner core is solid",
    };
    const guest = createApiClient(service.url);
    const { body } = await guest.send<{ user: { id: string } }>(
      "POST",
      "/api/auth/register",
      registration,
    );
    const { id: userId } = body.user;
    await admin.send("PATCH", `/api/users/${userId}`, { role: "editor" });
    const editor = await signIn(service.url, registration);
    const { id } = await createCatalogue(editor);
    const label = "for Beno Gutenberg";
    const share = await editor.send("POST", `/api/catalogues/${id}/shares`, { label });
    expect(share.status).toBe(201);
    await editor.send("DELETE", `/api/catalogues/${id}`);
    await settled();
    const text = JSON.stringify(await readChanges(broker.url));
    expect(text).toContain(id);
    expect(text).not.toMatch(/lehmann|gutenberg|editor|user_|share|secret|@/i);
    expect(text).not.toContain(userId);
  });
});

describe("with NATS away", () => {
  const variables: Record<string, string> = {};
  beforeAll(async () => {
    variables["NATS_URL"] = `nats://127.0.0.1:${await freePort()}`;
  });
  const service = useService(variables);

  test("the service is ready, changes catalogues, and tells that changes wait", async () => {
    await createCatalogue(await service.loginAs("editor"));
    await expect
      .poll(() => changesOf(service.url), POLL)
      .toEqual({
        name: "changes",
        status: "healthy",
        message: "publisher: disconnected; behind",
      });
    const { status } = await createApiClient(service.url).get("/api/ready");
    expect(status).toBe(200);
  });
});

describe("with a single NATS server, and three that each stream should be on", () => {
  const variables: Record<string, string> = { NATS_REPLICAS: "3" };
  let broker: NatsServer;
  beforeAll(async () => {
    broker = await startNatsServer();
    variables["NATS_URL"] = broker.url;
  });
  afterAll(() => broker.stop());
  const service = useService(variables);

  test("readiness tells why nothing is published", async () => {
    const reason =
      "the broker does not keep 3 copies of its stream (NATS_REPLICAS): replicas > 1 not supported in non-clustered mode";
    await expect
      .poll(() => checksOf(service.url), POLL)
      .toMatchObject({
        changes: `publisher: not ready: ${reason}; behind`,
        notifications: `publisher: not ready: ${reason}; notifier: disconnected; 0 pending, 0 parked`,
      });
  });
});
