import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { Alert, AlertMessage } from "#contracts/http/alerts.ts";
import { newAccount } from "../../support/api/accounts.ts";
import { alertOfCatalogue, recentEvent } from "../../support/api/alerts.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { createApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";

const service = useService({ RATE_LIMIT_WRITE: "0", RATE_LIMIT_READ: "0" });
const editor = service.client("editor");
const viewer = service.client("viewer");
const scene = (form: object = {}) =>
  alertOfCatalogue(editor, "https://1.1.1.1", { active: false, ...form });
const LONG = `whsec_${randomBytes(64).toString("base64")}`;

test("an alert is shown as it was given, but for address and secret, which is told once", async () => {
  const given = {
    filter: { minMagnitude: 4, startTime: "2020-01-01", eventType: "earthquake,explosion" },
    on: ["revised", "new", "revised"],
    revisedBy: { magnitude: 0.1, status: true },
    maxAgeHours: 48,
    format: "cap",
    perHour: 5,
    to: { kind: "webhook", url: "https://user:pass@1.1.1.1:443/a?token=b", secret: LONG },
  };
  const { id, alert, secret, address } = await scene(given);
  expect(secret).toBe(LONG);
  const shown = {
    ...{
      name: "Mine",
      catalogues: [id],
      maxAgeHours: 48,
      format: "cap",
      perHour: 5,
      active: false,
    },
    filter: { ...given.filter, startTime: "2020-01-01T00:00:00Z" },
    on: ["revised", "new"],
    revisedBy: given.revisedBy,
    to: { kind: "webhook", origin: "https://1.1.1.1" },
    ...{ state: "paused", error: null },
  };
  expect(alert).toMatchObject(shown);
  expect((await editor.get(address)).body).toEqual({ alert });
  const { body } = await editor.get<{ alerts: Alert[] }>("/api/alerts");
  expect(body.alerts[0]).toEqual(alert);
  expect(JSON.stringify(body)).not.toMatch(/token=b|pass|whsec/);
  expect(await service.log.text()).not.toMatch(/token=b|user:pass|Mine|whsec/);
  const audit = (await service.client("admin").get("/api/audit?order=desc")).body;
  expect(JSON.stringify(audit)).toContain(`Alert ${alert.id} made: revised, new in 1 catalogue`);
});

test("defaults are any change of everything a day old at most, by JSON, sixty an hour, with a secret that is made", async () => {
  const { alert, secret } = await scene({ active: undefined });
  expect(alert).toMatchObject({
    ...{ filter: {}, on: ["new", "revised", "withdrawn"], revisedBy: null, maxAgeHours: 24 },
    ...{ format: "json", perHour: 60, active: true, state: "active" },
  });
  expect(Buffer.from(secret.replace("whsec_", ""), "base64")).toHaveLength(24);
});

test("a change leaves the rest, and tells a secret only where it is new", async () => {
  const { alert, address, secret } = await scene();
  const renamed = await editor.send<{ alert: Alert }>("PATCH", address, {
    name: "Ours",
    perHour: 9,
  });
  expect(renamed.body).toEqual({
    alert: { ...alert, name: "Ours", perHour: 9, updated_at: expect.any(String) },
  });
  const url = "https://1.0.0.1/elsewhere";
  const moved = await editor.send<object>("PATCH", address, { to: { kind: "webhook", url } });
  expect(moved.body).toMatchObject({ alert: { to: { origin: "https://1.0.0.1" } } });
  expect(moved.body).not.toHaveProperty("secret");
  const mail = await editor.send<object>("PATCH", address, { to: { kind: "mail" }, active: true });
  expect(mail.body).toMatchObject({ alert: { to: { kind: "mail" }, state: "unconfirmed" } });
  const back = await editor.send<object>("PATCH", address, { to: { kind: "webhook", url } });
  expect(back.body).toMatchObject({
    alert: { state: "active" },
    secret: expect.stringMatching(/^whsec_/),
  });
  expect(back.body).not.toMatchObject({ secret });
});

test.for([
  [{ name: " " }, "MISSING_NAME"],
  [{ name: "x".repeat(101) }, "VALIDATION_ERROR"],
  [{ catalogues: [] }, "VALIDATION_ERROR"],
  [{ filter: { limit: 3 } }, "VALIDATION_ERROR"],
  [{ filter: { minMagnitude: 5, maxMagnitude: 4 } }, "VALIDATION_ERROR"],
  [{ filter: { region: "7d1f0c9e-52a4-4c1b-8e0a-3b6f5d9a1c20" } }, "VALIDATION_ERROR"],
  [{ on: [] }, "VALIDATION_ERROR"],
  [{ revisedBy: {} }, "VALIDATION_ERROR"],
  [{ revisedBy: { magnitude: -1 } }, "VALIDATION_ERROR"],
  [{ maxAgeHours: 8_761 }, "VALIDATION_ERROR"],
  [{ perHour: 1_001 }, "VALIDATION_ERROR"],
  [{ to: { kind: "mail" }, format: "cap" }, "VALIDATION_ERROR"],
  [{ to: { kind: "webhook", url: "ftp://1.1.1.1/" } }, "VALIDATION_ERROR"],
  [{ to: { kind: "webhook", url: "http://127.0.0.1/" } }, "VALIDATION_ERROR"],
  [{ to: { kind: "webhook", url: "http://localhost/" } }, "VALIDATION_ERROR"],
  [{ to: { kind: "webhook", url: "http://[::ffff:10.0.0.1]/" } }, "VALIDATION_ERROR"],
  [{ to: { kind: "webhook", url: "https://1.1.1.1:8443/" } }, "VALIDATION_ERROR"],
  [
    { to: { kind: "webhook", url: "https://1.1.1.1/", secret: "whsec_c2hvcnQ=" } },
    "VALIDATION_ERROR",
  ],
] as const)("an alert is refused with %j", async ([parts, code]) => {
  const { id } = await createCatalogue(editor);
  const to = { kind: "webhook", url: "https://1.1.1.1/" };
  const body = { name: "Mine", catalogues: [id], to, ...parts };
  expectRefusal(await editor.send("POST", "/api/alerts", body), code);
});

test("another's alert is not there, an administrator lists it, and a session writes where a token reads", async () => {
  const { id, address, alert } = await scene();
  const admin = service.client("admin");
  for (const [method, path] of [
    ["PATCH", ""],
    ["DELETE", ""],
    ["POST", "/test"],
  ] as const) {
    expectRefusal(await admin.send(method, `${address}${path}`, {}), "NOT_FOUND");
  }
  expectRefusal(await viewer.get(address), "NOT_FOUND");
  const listed = await admin.get<{ alerts: Alert[] }>(`/api/alerts?user=${alert.user_id}`);
  expect(listed.body.alerts.map((one) => one.id)).toContain(alert.id);
  expectRefusal(await viewer.get(`/api/alerts?user=${alert.user_id}`), "FORBIDDEN");
  expectRefusal(await admin.get("/api/alerts?user=nobody"), "NOT_FOUND");
  const token = async (form: object) => {
    const body = { name: "script", scopes: ["write"], ...form };
    const made = await editor.send<{ secret: string }>("POST", "/api/tokens", body);
    return createApiClient(service.url, made.body.secret);
  };
  const script = await token({});
  expect((await script.get(address)).body).toEqual({ alert });
  expectRefusal(await script.send("PATCH", address, { active: true }), "FORBIDDEN");
  expectRefusal(await script.send("DELETE", address), "FORBIDDEN");
  const other = await createCatalogue(editor);
  const limited = await token({ catalogues: [other.id] });
  expectRefusal(await limited.get(address), "NOT_FOUND");
  expect((await limited.get<{ alerts: Alert[] }>("/api/alerts")).body.alerts).toEqual([]);
  const body = { name: "Mine", to: { kind: "mail" } };
  const preview = (catalogues: string[]) =>
    limited.send("POST", "/api/alerts/preview", { ...body, catalogues });
  expectRefusal(await preview([id]), "NOT_FOUND");
  expect((await preview([other.id])).status).toBe(200);
});

test("an account has twenty alerts at most, and twenty links of confirmation a day", async () => {
  const account = await newAccount(service, "viewer");
  const { client } = await account.signIn();
  const { id } = await createCatalogue(editor);
  const make = () =>
    client.send<{ alert: Alert }>("POST", "/api/alerts", {
      ...{ name: "Mine", catalogues: [id], to: { kind: "mail" } },
    });
  const made = [];
  for (let i = 0; i < 20; i += 1) made.push(await make());
  expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
  expectRefusal(await make(), "CONFLICT", "20 alerts");
  const first = made[0]?.body.alert.id;
  expect((await client.send("DELETE", `/api/alerts/${first}`)).status).toBe(200);
  expectRefusal(await make(), "CONFLICT", "Too many links");
});

test("a preview tells from the log what would have been told, and sends nothing", async () => {
  const { id, of } = await scene();
  const submit = (...events: unknown[]) => editor.send("POST", `${of}/events`, { events });
  await submit(recentEvent({ magnitude: 5 }), recentEvent({ magnitude: 3 }), seismicEvent());
  const { body: listed } = await editor.get<{ events: { id: string; magnitude: number }[] }>(
    `${of}/events/filtered?minMagnitude=5&maxMagnitude=5`,
  );
  const event = listed.events[0]?.id ?? "";
  await editor.send("PATCH", `${of}/events/${event}`, { magnitude: 5.05 });
  await editor.send("PATCH", `${of}/events/${event}`, { magnitude: 5.1 });
  await editor.send("PATCH", `${of}/events/${event}`, { magnitude: 4.5 });
  const form = {
    ...{ name: "Mine", catalogues: [id], to: { kind: "webhook", url: "https://1.1.1.1/" } },
    filter: { minMagnitude: 5 },
    revisedBy: { magnitude: 0.1 },
  };
  type Preview = { count: number; byType: object; messages: AlertMessage[]; truncated: boolean };
  const answer = await editor.send<Preview>("POST", "/api/alerts/preview", form);
  const { messages, ...counts } = answer.body;
  const types = ["earthquake.new", "earthquake.revised", "earthquake.withdrawn"];
  expect(counts).toEqual({
    count: 3,
    byType: Object.fromEntries(types.map((type) => [type, 1])),
    truncated: false,
  });
  expect(
    messages.map(({ type, catalogue, changes }) => [type, catalogue.version, changes]),
  ).toEqual([
    ["earthquake.new", 2, undefined],
    ["earthquake.revised", 4, { magnitude: 0.1 }],
    ["earthquake.withdrawn", 5, { magnitude: -0.6 }],
  ]);
  const past = "/api/alerts/preview?to=2020-01-01";
  expect((await editor.send<Preview>("POST", past, form)).body.count).toBe(0);
  expectRefusal(await editor.send("POST", `${past}&from=2021-01-01`, form), "VALIDATION_ERROR");
});
