import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Job } from "#contracts/http/jobs.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { endOf } from "../../support/api/operations.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { giveRight, type Person, person, restricted } from "./rights-scene.ts";

const service = sharedService();
let owner: Person;
let former: Person;
let admin: ApiClient;
beforeAll(async () => {
  owner = await person(service, "editor");
  former = await person(service, "editor");
  admin = await service.loginAs("admin");
});

/** Takes the right of somebody who made a catalogue away. */
async function takeOver(id: string): Promise<void> {
  await giveRight(former.client, id, owner.id, "own");
  await owner.client.send("DELETE", `/api/catalogues/${id}/members/${former.id}`);
}

describe("whoever has lost the right to a catalogue", () => {
  test("is not told of it by operations of his own", async () => {
    type Started = { operationId: string };
    const body = { name: "x", events: [seismicEvent()], access: "restricted" };
    const started = await former.client.send<Started>("POST", "/api/catalogues", body, {
      prefer: "respond-async",
    });
    const job = await endOf(former.client, started.body.operationId);
    const id = String(job.result?.["id"]);
    const listed = async () =>
      (await former.client.get<{ operations: Job[] }>("/api/operations")).body.operations;
    expect((await listed()).map((one) => one.id)).toContain(job.id);
    await takeOver(id);
    expect((await listed()).map((one) => one.id)).not.toContain(job.id);
    const unknown = randomUUID();
    for (const path of ["", "/stream"]) {
      const answer = await former.client.get(`/api/operations/${job.id}${path}`);
      const expected = await former.client.get(`/api/operations/${unknown}${path}`);
      expect([answer.status, answer.body]).toEqual([expected.status, expected.body]);
    }
    expect((await admin.get(`/api/operations/${job.id}`)).status).toBe(200);
  });

  test("is not told of it by the repetition of a request", async () => {
    const headers = { "idempotency-key": randomUUID() };
    const body = { name: "x", events: [seismicEvent()], access: "restricted" };
    const create = () =>
      former.client.send<{ id: string }>("POST", "/api/catalogues", body, headers);
    const { id } = (await create()).body;
    expect((await create()).body.id).toBe(id);
    const change = { "idempotency-key": randomUUID() };
    const rename = () =>
      former.client.send("PATCH", `/api/catalogues/${id}`, { name: "y" }, change);
    expect((await rename()).status).toBe(200);
    await takeOver(id);
    for (const again of [await create(), await rename()]) {
      expect(again).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
    }
  });

  test("is answered as before by the key of a deletion", async () => {
    const { id } = await restricted(owner.client);
    const headers = { "idempotency-key": randomUUID() };
    const remove = () => owner.client.send("DELETE", `/api/catalogues/${id}`, undefined, headers);
    expect((await remove()).status).toBe(200);
    expect((await remove()).status).toBe(200);
  });
});

test("of a catalogue that was restricted when it was deleted only administrators see the versions", async () => {
  const { id } = await restricted(owner.client);
  const open = (await createCatalogue(owner.client)).id;
  for (const one of [id, open]) await owner.client.send("DELETE", `/api/catalogues/${one}`);
  const seen = async (client: ApiClient, one: string) =>
    (await client.get(`/api/catalogues/${one}/versions/1`)).status;
  expect(await seen(former.client, open)).toBe(410);
  expect(await seen(former.client, id)).toBe(404);
  expect(await seen(await service.loginAs("guest"), id)).toBe(404);
  expect(await seen(admin, id)).toBe(410);
});

test("a guest at the root of the event service does not learn which ids there are", async () => {
  const guest = await service.loginAs("guest");
  const internal = (await createCatalogue(owner.client)).id;
  const { id } = await restricted(owner.client);
  for (const catalog of [internal, id, randomUUID()]) {
    expect((await guest.get(`/fdsnws/event/1/query?catalog=${catalog}`)).status).toBe(401);
  }
});
