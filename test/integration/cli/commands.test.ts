import { describe, expect, test } from "vitest";
import { CHUNK_EVENT } from "#contracts/events/catalogues.ts";
import type { ReadableEvent } from "#infra/log/domain-events.ts";
import { runAlone } from "#infra/postgres/coordination.ts";
import { updateCatalogueCommand } from "#services/catalogues/commands.ts";
import { createdFrom, generatedRecords } from "../../support/catalogues/catalogue-scene.ts";
import { newCommand, useCatalogues } from "../../support/catalogues/use-catalogues.ts";
import { cli } from "../../support/cli.ts";

const catalogues = useCatalogues();
const stored = useCatalogues("eventstoredb");

const run = (...args: string[]) => cli({ DATABASE_URL: catalogues.databaseUrl }, ...args);

async function printed(...args: string[]): Promise<ReadableEvent[]> {
  const { lines, exitCode } = await run("log", ...args);
  expect(exitCode).toBe(0);
  return lines.map((line) => JSON.parse(line));
}

async function newCatalogue({ context } = catalogues): Promise<string> {
  const id = await createdFrom(context, generatedRecords(1, 10));
  await updateCatalogueCommand(context, newCommand("user_2_ana"), id, { name: "Ōpōtiki" }, null);
  return id;
}

const TYPES = [
  "CatalogueCreated",
  "RevisionOpened",
  CHUNK_EVENT,
  "RevisionCommitted",
  "CatalogueRenamed",
];

describe("log", () => {
  test("the command log prints all of a catalogue, its chunks summed up or with their events, after a position, up to a limit", async () => {
    const id = await newCatalogue();
    await newCatalogue();
    const events = await printed("--catalogue", id.toUpperCase());
    expect(events.map(({ type }) => type)).toEqual(TYPES);
    expect(events[2]).toMatchObject({
      stream: `catalogue-${id}-revision-1`,
      revision: 0,
      actor: "user_1_tester",
      data: { bytes: expect.any(Number), added: 10, updated: 0, removed: 0 },
    });
    expect(events[4]).toEqual({
      position: expect.stringMatching(/^[0-9a-f]{32}$/),
      stream: `catalogue-${id}`,
      revision: 3,
      type: "CatalogueRenamed",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
      actor: "user_2_ana",
      data: { catalogueId: id, name: "Ōpōtiki" },
    });
    const [chunk] = await printed("--stream", `catalogue-${id}-revision-1`, "--events");
    const added = (chunk?.data["added"] ?? []) as Record<string, unknown>[];
    const [record] = generatedRecords(1, 1);
    expect(added[0]).toMatchObject({ time: record?.time, latitude: record?.latitude });
    expect(Object.values(added[0] ?? {})).not.toContain(null);
    const { rows } = await catalogues.projectorPool.query<{ id: string }>(
      `select e.event_id as id from read_model.seismic_events e
       join read_model.catalogues c on c.key = e.catalogue_key where c.id = $1 order by event_id`,
      [id],
    );
    expect(added.map((event) => event["id"])).toEqual(rows.map((row) => row.id));

    const stream = ["--stream", `catalogue-${id}`];
    const all = await printed(...stream);
    const after = all[1]?.position ?? "";
    expect(await printed(...stream, "--after", after)).toEqual(all.slice(2));
    expect(await printed(...stream, "--limit", "2")).toEqual(all.slice(0, 2));
    expect((await printed("--after", after, "--limit", "1"))[0]?.type).toBe(CHUNK_EVENT);
    expect(await printed("--after", await catalogues.context.log.head())).toEqual([]);
  });

  test("the command log follows what is written later", async () => {
    const after = await catalogues.context.log.head();
    const following = printed("--after", after, "--follow", "--limit", "5");
    const id = await newCatalogue();
    const last = { stream: `catalogue-${id}`, type: "CatalogueRenamed" };
    expect((await following).at(-1)).toMatchObject(last);
  });
});

describe("verify", () => {
  test("the command verify prints rows and hashes of every table, and names a row that was changed by hand, and rebuild tells its phases", async () => {
    const id = await newCatalogue();
    const { exitCode, lines } = await run("verify");
    expect(lines.join("\n")).toMatch(/^catalogues: as the log says, at [0-9a-f]{32}$/m);
    expect(lines.join("\n")).toMatch(/^ {2}seismic_events: \d+0 rows, sha256 [0-9a-f]{64}$/m);
    expect(lines.join("\n")).toMatch(/^ {2}content hashes: \d+ revisions, 0 wrong$/m);
    expect(lines.join("\n")).toMatch(/^users: as the log says/m);
    expect(exitCode).toBe(0);
    const pool = catalogues.projectorPool;
    await pool.query("update read_model.catalogues set name = 'forged' where id = $1", [id]);
    const found = await run("verify", "catalogues");
    expect(found.exitCode).toBe(1);
    expect(found.lines[0]).toContain("catalogues: NOT as the log says");
    expect(found.lines.join("\n")).toMatch(/^ {4}\d+: different in name$/m);
    const rebuilt = await run("rebuild", "catalogues");
    expect(rebuilt.exitCode).toBe(0);
    expect(rebuilt.said.map((line) => line.replace(/.*: /, ""))).toEqual(
      expect.arrayContaining(["filling", "indexing", "switching"]),
    );
  });

  test("the command verify is refused while another is at it", async () => {
    const { signal } = new AbortController();
    await runAlone(catalogues.databaseUrl, "verify catalogues", signal, () =>
      expect(run("verify", "catalogues")).rejects.toThrow("verify catalogues is running already"),
    );
  });
});

test("the command parked lists what stands still, and retries it, one by one or all", async () => {
  const pool = catalogues.projectorPool;
  const alter = (what: string) => pool.query(`alter table read_model.catalogues ${what}`);
  expect((await run("parked")).lines).toEqual([]);
  const ids = [await newCatalogue(), await newCatalogue()];
  await alter("add constraint unlucky check (name <> 'unlucky') not valid");
  for (const id of ids) {
    const change = { name: "unlucky" };
    await updateCatalogueCommand(catalogues.context, newCommand(), id, change, null);
  }
  const listed = (await run("parked")).lines.map((line) => JSON.parse(line));
  expect(listed.map(({ subject }) => subject).sort()).toEqual(ids.toSorted());
  const refused = await run("parked", "--all");
  expect(refused).toMatchObject({ exitCode: 1, lines: [] });
  expect(refused.said).toHaveLength(2);
  await alter("drop constraint unlucky");
  const [first, second] = listed;
  const applied = ({ subject }: { subject: string }) => [`${subject}: 1 events applied`];
  expect(await run("parked", "--retry", first.id)).toEqual({
    exitCode: 0,
    lines: applied(first),
    said: [],
  });
  expect((await run("parked", "--all")).lines).toEqual(applied(second));
  const nothing = { exitCode: 0, lines: [], said: ["Nothing is parked"] };
  expect(await run("parked", "--all")).toEqual(nothing);
});

test("commands work on a log in EventStoreDB, and do not take the database for the log of a service that has it elsewhere", async () => {
  const env = { DATABASE_URL: stored.databaseUrl, ...stored.logVariables };
  const id = await newCatalogue(stored);
  const { lines } = await cli(env, "log", "--catalogue", id);
  expect(lines.map((line) => JSON.parse(line).type)).toEqual(TYPES);
  expect(await cli(env, "rebuild", "catalogues")).toMatchObject({ exitCode: 0 });
  const elsewhere = cli({ DATABASE_URL: stored.databaseUrl }, "verify");
  await expect(elsewhere).rejects.toThrow("the read models come from an event store");
});

test("what a command does not know is refused in a sentence", async () => {
  for (const [args, sentence] of [
    ["log --catalogue a --stream b", "Give --catalogue or --stream, not both"],
    ["log --limit 0", "--limit takes a number from 1 on"],
    ["log --colour", "--colour"],
    ["log everything", "everything"],
    ["verify a b", "Name one projection, or none for all"],
    ["verify everything", "There is no projection everything: there are catalogues, users"],
    ["parked --all --retry x", "Give --retry or --all, not both"],
    ["forget", "Name a command: admin, backup"],
    ["constructor", "Name a command: admin, backup"],
    ["", "Name a command: admin, backup"],
  ] as const) {
    const words = args.split(" ").filter((word) => word !== "");
    await expect(run(...words), args).rejects.toThrow(sentence);
  }
});
