import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Alert } from "#contracts/http/alerts.ts";
import {
  type AlertReceiver,
  expectedSignature,
  startAlertReceiver,
} from "../../support/alert-receiver.ts";
import { newAccount } from "../../support/api/accounts.ts";
import { alertOfCatalogue, recentEvent } from "../../support/api/alerts.ts";
import type { CatalogueForm } from "../../support/api/catalogue.ts";
import { SQUARE } from "../../support/api/matrix.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { useService } from "../../support/service.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../../support/webhook-receiver.ts";

let receiver: AlertReceiver;
let mails: WebhookReceiver;
beforeAll(async () => {
  receiver = await startAlertReceiver();
  mails = await startWebhookReceiver();
});
const service = useService(() => ({
  ALERTS_ALLOW_PRIVATE: "true",
  RATE_LIMIT_WRITE: "0",
  RATE_LIMIT_READ: "0",
  EMAIL_WEBHOOK_URL: mails.url,
  EMAIL_WEBHOOK_SECRET: "the mails' secret",
}));
afterAll(async () => {
  await receiver.close();
  await mails.close();
});
const editor = service.client("editor");
const scene = (form: object = {}, catalogue: CatalogueForm = {}) =>
  alertOfCatalogue(editor, receiver.url, form, catalogue);

test("a new event, its revision and its withdrawal are told in order, each signed", async () => {
  const { id, path, alert, secret, add, change, remove, newest, deliveries } = await scene({
    revisedBy: { magnitude: 0.2 },
  });
  const to = { kind: "webhook", origin: receiver.url };
  expect(alert).toMatchObject({ state: "active", error: null, to });
  await add(recentEvent({ magnitude: 5.2 }));
  const event = await newest();
  await receiver.taken(path, 1);
  await change(event, { magnitude: 5.3 });
  await change(event, { magnitude: 5.4 });
  await receiver.taken(path, 2);
  await remove(event);
  const calls = await receiver.taken(path, 3);
  expect(calls.map(({ body }) => [body.type, body.catalogue.version])).toEqual([
    ["earthquake.new", 2],
    ["earthquake.revised", 4],
    ["earthquake.withdrawn", 5],
  ]);
  const [first, second, third] = calls;
  expect(first?.body).toMatchObject({
    alert: { id: alert.id, name: "Mine" },
    catalogue: { id, name: "Kaikōura" },
    event: { type: "Feature", properties: { mag: 5.2, event_id: event, version: 2 } },
    links: { event: expect.stringContaining(`/api/catalogues/${id}/events/${event}`) },
  });
  expect(first?.body).not.toHaveProperty("previous");
  expect(second?.body).toMatchObject({ previous: { magnitude: 5.2 }, changes: { magnitude: 0.2 } });
  expect(third?.body).toMatchObject({ previous: { magnitude: 5.4 } });
  for (const call of calls) {
    expect(call.headers["webhook-signature"]).toBe(expectedSignature(secret, call));
    expect(call.headers["webhook-id"]).toBe(call.body.id);
  }
  await vi.waitFor(async () =>
    expect(
      (await deliveries()).map((one) => [one.type, one.status, one.attempts, one.response]),
    ).toEqual([
      ["earthquake.withdrawn", "delivered", 1, 200],
      ["earthquake.revised", "delivered", 1, 200],
      ["earthquake.new", "delivered", 1, 200],
    ]),
  );
});

test("nothing is told of what was there before, is old, out of the filter, or by a change of the rule", async () => {
  const { path, address, add, change, newest } = await scene({
    filter: { minMagnitude: 5, eventType: "earthquake,explosion" },
  });
  const earthquake = { event_type: "earthquake" };
  await add(
    recentEvent({ magnitude: 4.9, ...earthquake }),
    recentEvent({ event_type: "quarry blast" }),
    recentEvent({ time: "2016-11-13T11:02:56Z", magnitude: 6, ...earthquake }),
  );
  await editor.send("PATCH", address, { filter: { minMagnitude: 4 } });
  await add(recentEvent({ magnitude: 4.4, depth: 3, time: new Date().toISOString() }));
  const [first] = await receiver.taken(path, 1);
  expect(first?.body.event["properties"]).toMatchObject({ mag: 4.4 });
  await change(await newest(), { depth: 5 });
  const [, second] = await receiver.taken(path, 2);
  expect(second?.body).toMatchObject({ type: "earthquake.revised", changes: { depthKm: 2 } });
  const { body } = await editor.get<{ alert: Alert }>(address);
  expect(body.alert.filter).toEqual({ minMagnitude: 4 });
});

test("what changes while a message is on its way is joined into one that follows it, or into none", async () => {
  const { path, add, change, newest, deliveries } = await scene({ revisedBy: { magnitude: 0.2 } });
  const { promise, resolve } = Promise.withResolvers<void>();
  receiver.behave((call) => (call.path === path ? promise.then(() => 200) : 200));
  await add(recentEvent({ magnitude: 5 }));
  await receiver.taken(path, 1);
  const event = await newest();
  await change(event, { magnitude: 5.5 });
  await change(event, { magnitude: 6 });
  await vi.waitFor(async () => {
    const waiting = (await deliveries()).map(({ type, version, attempts }) => [
      type,
      version,
      attempts,
    ]);
    expect(waiting).toEqual([
      ["earthquake.revised", 4, 0],
      ["earthquake.new", 2, 1],
    ]);
  });
  await change(event, { magnitude: 5.1 });
  await vi.waitFor(async () => expect(await deliveries()).toHaveLength(1));
  await change(event, { magnitude: 5.6 });
  resolve();
  const calls = await receiver.taken(path, 2);
  expect(calls.map(({ body }) => [body.type, body.previous?.magnitude, body.changes])).toEqual([
    ["earthquake.new", undefined, undefined],
    ["earthquake.revised", 5, { magnitude: 0.6 }],
  ]);
  receiver.behave(200);
});

test("an alert by a region pauses and says so once the region is deleted", async () => {
  const made = await editor.send<{ region: { id: string } }>("POST", "/api/regions", {
    name: "A square",
    geometry: SQUARE,
  });
  const { region } = made.body;
  const { path, add, now } = await scene({ filter: { region: region.id } });
  await add(
    recentEvent({ latitude: 20, longitude: 20 }),
    recentEvent({ latitude: 5, longitude: 5 }),
  );
  const [call] = await receiver.taken(path, 1);
  expect(call?.body.event["properties"]).toMatchObject({ lat: 5 });
  expect((await editor.send("DELETE", `/api/regions/${region.id}`)).status).toBe(200);
  expect(await now()).toMatchObject({ state: "paused", error: expect.stringContaining("region") });
  expectRefusal(
    await editor.send("POST", "/api/alerts/preview", {
      ...{ name: "Mine", catalogues: [(await now()).catalogues[0]], to: { kind: "mail" } },
      filter: { region: region.id },
    }),
    "VALIDATION_ERROR",
    "region",
  );
});

test("mails begin once the link was followed that is sent to the account's address, and say what the message says", async () => {
  const account = await newAccount(service, "editor");
  const { client } = await account.signIn();
  const { add, alert, now, change, newest, address } = await alertOfCatalogue(client, "", {
    to: { kind: "mail" },
  });
  expect(alert).toMatchObject({ state: "unconfirmed", to: { kind: "mail" } });
  expectRefusal(await client.send("POST", `${address}/test`), "CONFLICT");
  await add(recentEvent());
  const ofAccount = (type: string) =>
    vi.waitFor(
      () => {
        const mail = mails.taken.find((one) => one.to === account.email && one.type === type);
        if (mail === undefined) throw new Error(`no mail of ${type}`);
        return mail;
      },
      { timeout: 30_000 },
    );
  const link = /http\S+confirm\?token=\S+/.exec(
    (await ofAccount("alert_confirmation")).message,
  )?.[0];
  const { pathname, search } = new URL(link ?? "");
  const guest = service.client("guest");
  expectRefusal(await guest.get(`${pathname}${search}x`), "NOT_FOUND");
  expect((await guest.get(`${pathname}${search}`)).status).toBe(200);
  expect((await guest.get(`${pathname}${search}`)).status).toBe(200);
  expect(await now()).toMatchObject({ state: "active" });
  await change(await newest(), { magnitude: 6 });
  const mail = await ofAccount("alert");
  expect(mail.subject).toMatch(/^Revised: M 6 /);
  expect(mail.message).toContain("magnitude, before 5.2");
  const call = mails.calls.find(({ body }) => body.id === mail.id);
  expect(call?.headers).toMatchObject({
    "webhook-id": mail.id,
    "webhook-signature": expect.stringMatching(/^v1,/),
    "x-webhook-signature": expect.stringMatching(/^sha256=/),
  });
});
