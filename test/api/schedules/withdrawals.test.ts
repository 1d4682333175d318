import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { followEvents } from "../../support/feed-client.ts";
import { historyOf, useImports } from "../import/import-scene.ts";
import { endedRun, recent, scheduledFor } from "./schedule-scene.ts";

// It cannot be asked for what changed: each run asks for the whole window.
const scene = useImports({ dialect: "seiscomp" });
const NAMES = ["a", "b", "c", "d", "e", "f"];
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
