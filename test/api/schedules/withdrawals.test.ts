import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { followEvents } from "../../support/feed-client.ts";
import { historyOf, useImports } from "../import/import-scene.ts";
import { scheduleOf } from "../support/schedules.ts";
import { endedRun, recent, scheduledFor } from "./schedule-scene.ts";

// It cannot be asked for what changed: each run asks for the whole window.
const scene = useImports({ dialect: "seiscomp" });
const NAMES = ["a", "b", "c", "d", "e", "f"];
const HOUR_MS = 3_600_000;
let editor: ApiClient;
let guest: ApiClient;
beforeAll(async () => {
  editor = await scene.service.loginAs("editor");
  guest = createApiClient(scene.service.url);
});

/** A public catalogue that a schedule has filled, and from whose agency one event is gone since. */
async function afterWithdrawalOf(name: string, withdrawn: "mark" | "remove") {
  for (const { row } of scene.agency.catalogue.events()) {
    scene.agency.catalogue.replace(String(row["source_id"]), null);
  }
  scene.agency.catalogue.add(...NAMES.map((one, i) => recent(one, i, i)));
  const made = await scheduledFor(editor, { withdrawn }, { is_public: true });
  await endedRun(editor, made.schedule);
  const path = `/api/catalogues/${made.catalogue}`;
  const feed = await followEvents(`${scene.service.url}${path}/feed`);
  onTestFinished(feed.close);
  scene.agency.catalogue.replace(name, null);
  const job = await endedRun(editor, made.schedule);
  expect(job).toMatchObject({ status: "succeeded" });
  const { version } = job.result as unknown as { version: number };
  return { ...made, path, feed, version };
}

test("what the agency rejects is withdrawn by the next run that reads the window whole, though its list does not tell", async () => {
  const { schedule, path } = await afterWithdrawalOf("c", "remove");
  const { catalogue } = scene.agency;
  const present = catalogue.events().find(({ row }) => row["source_id"] === "d");
  const row = { ...present?.row, evaluation_status: "rejected" };
  catalogue.replace("d", { row, updatedMs: Date.now() });
  // It is one of five, which is no more than a fifth.
  expect(await endedRun(editor, schedule)).toMatchObject({ result: { withdrawnEvents: 1 } });
  const { last_whole, last_run } = await scheduleOf(editor, schedule);
  expect(last_whole).toBe(last_run);
  const { body } = await guest.get<{ events: { source_id: string }[] }>(`${path}/events`);
  expect(body.events.map((event) => event.source_id).sort()).toEqual(["a", "b", "e", "f"]);
});

test("a run that withholds withdrawals writes the rest, says so, and has not failed", async () => {
  const { schedule, catalogue, path } = await afterWithdrawalOf("c", "remove");
  const idsNow = async () => {
    const { body } = await guest.get<{ events: { source_id: string }[] }>(`${path}/events`);
    return body.events.map((event) => event.source_id).sort();
  };
  scene.agency.catalogue.replace("a", null);
  scene.agency.catalogue.replace("b", null);
  scene.agency.catalogue.add(recent("g", 7));
  const withholding = { failures: 0, error: expect.stringContaining("has 2 of its") };
  for (const newEvents of [1, 0]) {
    const job = await endedRun(editor, schedule);
    expect(job).toMatchObject({ status: "succeeded", result: { newEvents, withheld: 2 } });
    const state = await scheduleOf(editor, schedule);
    expect(state).toMatchObject({ ...withholding, last_whole: state.last_run });
    expect(Date.parse(state.next_run ?? "") - Date.parse(state.last_run ?? "")).toBe(HOUR_MS);
    const [record] = await historyOf(editor, catalogue);
    expect(record).toMatchObject({ new_events: newEvents, withheld: 2, errors: null });
    expect(await idsNow()).toEqual(["a", "b", "d", "e", "f", "g"]);
  }
  const third = await endedRun(editor, schedule);
  expect(third).toMatchObject({ status: "succeeded", result: { withdrawnEvents: 2 } });
  expect(third.result).not.toHaveProperty("withheld");
  expect(await scheduleOf(editor, schedule)).toMatchObject({ failures: 0, error: null });
  expect(await idsNow()).toEqual(["d", "e", "f", "g"]);
});

type Diff = {
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
  readonly changes: { change: string; event: Record<string, unknown> }[];
};

describe("an event that the agency has no more", () => {
  test("is removed in the difference of versions, with what it was", async () => {
    const { path, version } = await afterWithdrawalOf("c", "remove");
    const { body } = await guest.get<Diff>(`${path}/versions/${version}/diff`);
    expect(body).toMatchObject({ added: 0, updated: 0, removed: 1 });
    expect(body.changes).toMatchObject([
      { change: "removed", event: { source_id: "c", magnitude: 2 } },
    ]);
    type Versions = { versions: { version: number; cause: string; removed: number }[] };
    const { versions } = (await guest.get<Versions>(`${path}/versions`)).body;
    expect(versions[0]).toMatchObject({ version, cause: "import", removed: 1 });
  });

  test("is deleted in the feed", async () => {
    const { feed, version, catalogue } = await afterWithdrawalOf("c", "remove");
    const [message] = await feed.take(1);
    expect(message).toMatchObject({ id: `${version}.1`, action: "delete" });
    expect(message?.data?.properties).toMatchObject({ version, catalogue });
    expect(message?.data?.geometry?.coordinates).toEqual([173, -42, -10]);
  });

  test("is updated in both where it is marked", async () => {
    const { feed, path, version } = await afterWithdrawalOf("d", "mark");
    const { body } = await guest.get<Diff>(`${path}/versions/${version}/diff`);
    expect(body).toMatchObject({ added: 0, updated: 1, removed: 0 });
    const [change] = body.changes;
    expect(change?.event).toMatchObject({ extra: { withdrawn_at: expect.stringMatching(/Z$/) } });
    expect(await feed.take(1)).toMatchObject([{ id: `${version}.1`, action: "update" }]);
  });

  test("is counted in the history of imports, which other runs do not speak of", async () => {
    const { catalogue, schedule } = await afterWithdrawalOf("c", "remove");
    await endedRun(editor, schedule);
    const runs = (await historyOf(editor, catalogue)).map((run) => [
      run.new_events,
      run.withdrawn_events,
    ]);
    expect(runs).toEqual([
      [0, undefined],
      [0, 1],
      [6, undefined],
    ]);
  });
});
