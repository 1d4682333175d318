import { beforeAll, describe, expect, test } from "vitest";
import type { AuditEntry } from "#contracts/http/audit.ts";
import type { EventChange } from "#contracts/http/events/single-event.ts";
import type { VersionRecord } from "#contracts/http/versions.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { keyed } from "../support/keyed.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = sharedService();
let editor: ApiClient;
let admin: ApiClient;
beforeAll(async () => {
  editor = await service.loginAs("editor");
  admin = await service.loginAs("admin");
});

async function oneEvent() {
  const { id } = await createCatalogue(editor, { events: [{ bulletin: smallBulletin() }] });
  const { body } = await editor.get<{ events: SeismicEvent[] }>(`/api/catalogues/${id}/events`);
  return { id, path: `/api/catalogues/${id}/events/${body.events[0]?.id}` };
}

const historyOf = async (path: string, client = editor) =>
  (await client.get<{ history: EventChange[] }>(`${path}/history`)).body.history;

const summaries = async (id: string) => {
  const query = `subject=catalogue-${id}&type=RevisionOpened`;
  const { body } = await admin.get<{ entries: AuditEntry[] }>(`/api/audit?${query}`);
  return body.entries.map(({ summary }) => summary);
};

describe("the reason of a write of events", () => {
  test("stands in the event's history and in the audit, whatever the write", async () => {
    const { id, path } = await oneEvent();
    const writes: [Parameters<ApiClient["send"]>[0], string, unknown?][] = [
      ["PATCH", path, { magnitude: 2 }],
      ["PATCH", `${path}/preferred`, { magnitudeID: smallBulletin().magnitude?.[0]?.publicID }],
      ["POST", `${path}/comments`, { text: "felt" }],
      ["DELETE", `${path}/bulletin`],
      ["PUT", `${path}/bulletin`, { bulletin: smallBulletin() }],
      ["POST", `${path}/restore`, { version: 2 }],
      ["DELETE", path],
      ["POST", `/api/catalogues/${id}/versions/1/restore`],
    ];
    for (const [i, [method, to, body]] of writes.entries()) {
      const reason = encodeURIComponent(`Grund ${i}: "Ā & <b>"`);
      const answer = await editor.send<{ version: number }>(method, `${to}?reason=${reason}`, body);
      expect([answer.status, answer.body.version], `${method} ${to}`).toEqual([
        to.endsWith("comments") ? 201 : 200,
        i + 2,
      ]);
    }
    const told = writes.map((_, i) => `Grund ${i}: "Ā & <b>"`);
    const history = await historyOf(path);
    expect(history.map(({ reason }) => reason)).toEqual([...told.toReversed(), null]);
    const audited = await summaries(id);
    expect(audited[1]).toBe(`Version 2 begun (edit): ${told[0]}`);
    expect(audited[6]).toBe(`Version 7 begun (edit as of 2): ${told[5]}`);
    expect(audited[8]).toBe(`Version 9 begun (restore as of 1): ${told[7]}`);
  });

  test("stands at added events too", async () => {
    const { id } = await oneEvent();
    const to = `/api/catalogues/${id}/events`;
    const added = { events: [seismicEvent({ id: "b", magnitude: 1 })] };
    expect((await editor.send("POST", `${to}?reason=late+data`, added)).status).toBe(200);
    const { body } = await editor.get<{ events: SeismicEvent[] }>(`${to}/filtered?maxMagnitude=1`);
    expect(await historyOf(`${to}/${body.events[0]?.id}`)).toMatchObject([
      { change: "added", reason: "late data" },
    ]);
  });

  test("is no guest's business", async () => {
    const { id, path } = await oneEvent();
    await editor.send("PATCH", `/api/catalogues/${id}`, { is_public: true });
    await editor.send("PATCH", `${path}?reason=as+Ann+says`, { magnitude: 2 });
    const [seen] = await historyOf(path, createApiClient(service.url));
    expect(seen).toMatchObject({ version: 2, actor: null, reason: null });
  });

  test("changes no hash of a version", async () => {
    const { path, id } = await oneEvent();
    const sha256 = async (version: number) => {
      const to = `/api/catalogues/${id}/versions/${version}`;
      return (await editor.get<{ version: VersionRecord }>(to)).body.version.sha256;
    };
    await editor.send("PATCH", `${path}?reason=relocated`, { region: "here" });
    await editor.send("POST", `/api/catalogues/${id}/versions/1/restore?reason=wrong+region`);
    expect(await sha256(3)).toBe(await sha256(1));
  });

  test("belongs to the request that a key repeats", async () => {
    const { path } = await oneEvent();
    const key = keyed();
    const change = (reason: string) =>
      editor.send("PATCH", `${path}?reason=${reason}`, { magnitude: 2 }, key);
    expect((await change("one")).status).toBe(200);
    expect((await change("one")).status).toBe(200);
    expectRefusal(await change("two"), "CONFLICT");
    expect((await historyOf(path)).map(({ reason }) => reason)).toEqual(["one", null]);
  });

  test.each([
    ["empty", "reason="],
    ["of blanks", "reason=%20%20"],
    ["too long", `reason=${"r".repeat(501)}`],
    ["not text", "reason=%00"],
    ["given twice", "reason=a&reason=b"],
  ])("is refused where it is %s", async (_, query) => {
    const { path } = await oneEvent();
    const to = `${path}?${query}`;
    expectRefusal(await editor.send("PATCH", to, { magnitude: 2 }), "VALIDATION_ERROR", "reason");
    expectRefusal(await editor.send("DELETE", to), "VALIDATION_ERROR", "reason");
  });

  test("may have 500 characters", async () => {
    const { path } = await oneEvent();
    const reason = "r".repeat(500);
    await editor.send("PATCH", `${path}?reason=${reason}`, { magnitude: 2 });
    expect((await historyOf(path))[0]?.reason).toBe(reason);
  });
});
