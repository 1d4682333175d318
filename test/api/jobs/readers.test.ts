import { describe, expect, test } from "vitest";
import type { ApiClient } from "../../support/api-client.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import { sharedService } from "../../support/service.ts";
import { newAccount } from "../support/accounts.ts";
import { createCatalogue } from "../support/catalogue.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = sharedService();
const LATER = { prefer: "respond-async" };
const events = [...generateEvents(1, 200)];

async function started(by: ApiClient, method: "GET" | "POST", path: string, body?: unknown) {
  const answer =
    method === "GET"
      ? await by.get<{ operationId: string }>(path, LATER)
      : await by.send<{ operationId: string }>("POST", path, body, LATER);
  expect(answer.status).toBe(202);
  return `/api/operations/${answer.body.operationId}`;
}

async function scene() {
  const editor = await service.loginAs("editor");
  const open = (await createCatalogue(editor, { events, is_public: true })).id;
  const closed = (await createCatalogue(editor, { events })).id;
  const [guest, viewer] = [await service.loginAs("guest"), await service.loginAs("viewer")];
  return { editor, open, closed, guest, viewer };
}

const compared = (a: string, b: string) => ({ a, b, timeThreshold: 1, distanceThreshold: 1 });

describe("an operation of analytics", () => {
  test("is seen by whoever may read its catalogue, also as it goes on", async () => {
    const { editor, open, closed, guest, viewer } = await scene();
    const ways = (id: string) => [
      started(editor, "GET", `/api/catalogues/${id}/analytics/completeness`),
      started(editor, "POST", `/api/catalogues/${id}/analytics/decluster`, {
        method: "gardner-knopoff",
      }),
      started(editor, "POST", "/api/compare", compared(open, id)),
    ];
    for (const path of await Promise.all(ways(open))) {
      for (const reader of [guest, viewer]) {
        expect((await reader.get(path)).status).toBe(200);
        const stream = await reader.stream(`${path}/stream`);
        expect([stream.status, await stream.text()]).toEqual([200, expect.stringContaining("id")]);
      }
    }
    for (const path of await Promise.all(ways(closed))) {
      expect((await viewer.get(path)).status).toBe(200);
      expectRefusal(await guest.get(path), "UNAUTHENTICATED");
      expectRefusal(await guest.get(`${path}/stream`), "UNAUTHENTICATED");
    }
  });

  test("is cancelled by its owner and administrators alone, and is in nobody else's list", async () => {
    const { editor, open, viewer } = await scene();
    const path = await started(editor, "GET", `/api/catalogues/${open}/analytics/completeness`);
    const other = (await (await newAccount(service, "editor")).signIn()).client;
    for (const reader of [viewer, other]) {
      expectRefusal(await reader.send("DELETE", path), "NOT_FOUND");
      const list = await reader.get<{ operations: { id: string }[] }>("/api/operations");
      expect(list.body.operations.map(({ id }) => id)).not.toContain(path.split("/").at(-1));
    }
  });

  test("is not seen once its catalogue is not public any more, or deleted", async () => {
    const { editor, open, guest, viewer } = await scene();
    const path = await started(editor, "GET", `/api/catalogues/${open}/analytics/completeness`);
    expect((await guest.get(path)).status).toBe(200);
    await editor.send("PATCH", `/api/catalogues/${open}`, { is_public: false });
    expectRefusal(await guest.get(path), "UNAUTHENTICATED");
    expect((await viewer.get(path)).status).toBe(200);
    await editor.send("DELETE", `/api/catalogues/${open}`);
    expectRefusal(await viewer.get(path), "NOT_FOUND");
    expect((await editor.get(path)).status).toBe(200);
  });
});

test("an operation of another kind is its owner's, whoever may read the catalogues", async () => {
  const { editor, open, closed, guest, viewer } = await scene();
  const path = await started(editor, "POST", "/api/merge", {
    name: "merged",
    sourceCatalogues: [
      { id: open, source: "one" },
      { id: closed, source: "other" },
    ],
    config: { timeThreshold: 1, distanceThreshold: 1, mergeStrategy: "quality", priority: "" },
  });
  expectRefusal(await viewer.get(path), "NOT_FOUND");
  expectRefusal(await guest.get(path), "UNAUTHENTICATED");
});
