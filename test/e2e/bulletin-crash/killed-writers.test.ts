import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogues.ts";
import type { ApiClient } from "../../support/api-client.ts";
import type { WriterStep } from "../../support/bulletin-writer-main.ts";
import { cli } from "../../support/cli.ts";
import { withClient } from "../../support/database-template.ts";
import { randomOf } from "../../support/generate-catalogue.ts";
import { useService } from "../../support/service.ts";
import { settledCatalogues } from "../killed.ts";
import { expectViews, type Whole } from "./writes.ts";

const KILLS = 200;
/** Writers at work at once. */
const LANES = 2;
const EVENTS = 60;
const EDITS = 3;
/** What the measured writer does: more than one round. */
const MEASURED_STEPS = 2 * (EDITS + 2);
const SEED = 20_161_117;
const TEST_TIMEOUT_MS = 600_000;
const PROGRAM = fileURLToPath(new URL("../../support/bulletin-writer-main.ts", import.meta.url));
const COMPILE_CACHE = fileURLToPath(
  new URL("../../../infra/process/compile-cache.js", import.meta.url),
);

const service = useService({}, { eventLog: "postgres" });
let client: ApiClient;
beforeAll(async () => {
  client = await service.loginAs("admin");
});

/** The last edit of a catalogue that was attempted, and acknowledged: 0 is its creation, -1 nothing. */
type Progress = { readonly attempted: number; readonly acknowledged: number };
const written = new Map<string, Progress>();

function note({ catalogue, depth = 0, is }: WriterStep): void {
  const progress = written.get(catalogue) ?? { attempted: -1, acknowledged: -1 };
  written.set(catalogue, { ...progress, [is]: depth });
}

/** A process that writes until it is killed, `killed` after its first step, or after so many steps. */
async function writeUntil(killed: { readonly ms: number } | { readonly steps: number }) {
  const args = ["--import", COMPILE_CACHE, PROGRAM, service.databaseUrl, EVENTS, EDITS].map(String);
  const writer = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(writer, "close");
  let began = 0;
  let steps = 0;
  for await (const line of createInterface({ input: writer.stdout })) {
    note(JSON.parse(line));
    steps += 1;
    if (steps === 1) {
      began = performance.now();
      if ("ms" in killed) void delay(killed.ms).then(() => writer.kill("SIGKILL"));
    }
    if ("steps" in killed && steps === killed.steps) writer.kill("SIGKILL");
  }
  const [code, signal] = await closed;
  expect([code, signal]).toEqual([null, "SIGKILL"]);
  return performance.now() - began;
}

async function eventsOf({ id }: Catalogue): Promise<readonly Whole[]> {
  const path = `/api/catalogues/${id}/export?format=json&include=bulletin`;
  const answer = await client.stream(path);
  return ((await answer.json()) as { events: Whole[] }).events;
}

async function abandonedRevisions(): Promise<number> {
  const { rows } = await withClient(service.databaseUrl, (database) =>
    database.query<{ count: number }>(
      "select count(*)::integer as count from event_log.events where type = 'RevisionAbandoned'",
    ),
  );
  return rows[0]?.count ?? 0;
}

test(
  `rows and bulletins agree, and nothing acknowledged is lost, after ${KILLS} writing processes are killed at random`,
  async () => {
    const random = randomOf(SEED);
    const roundsMs = await writeUntil({ steps: MEASURED_STEPS });
    const delays = Array.from({ length: KILLS - 1 }, () => random() * roundsMs);
    const lane = async () => {
      for (let ms = delays.pop(); ms !== undefined; ms = delays.pop()) await writeUntil({ ms });
    };
    await Promise.all(Array.from({ length: LANES }, lane));

    const there = await settledCatalogues(client);
    const acknowledged = [...written].filter(([, progress]) => progress.acknowledged >= 0);
    const names = there.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(acknowledged.map(([name]) => name)));
    for (const catalogue of there) {
      // Also what was not acknowledged is whole, or not there at all.
      const progress = written.get(catalogue.name) ?? expect.fail(`${catalogue.name} was not said`);
      const events = await eventsOf(catalogue);
      expect(events).toHaveLength(EVENTS);
      expectViews(events);
      const edited = events.find(({ bulletin }) => bulletin.origin?.length === 3);
      expect(edited?.depth ?? 0).toBeGreaterThanOrEqual(progress.acknowledged);
      expect(edited?.depth ?? 0).toBeLessThanOrEqual(progress.attempted);
    }
    const cut = await abandonedRevisions();
    process.stdout.write(
      `${KILLS} kills, ${cut} of them within a revision, ${acknowledged.length} catalogues acknowledged, 0 lost\n`,
    );
    expect(cut).toBeGreaterThan(KILLS / 20);
    // Those of the measured writer are one.
    const edited = acknowledged.filter(([, progress]) => progress.acknowledged > 0);
    expect(edited.length).toBeGreaterThan(1);
    const { exitCode, lines } = await cli(
      { DATABASE_URL: service.databaseUrl },
      "verify",
      "catalogues",
    );
    expect(exitCode, lines.join("\n")).toBe(0);
  },
  TEST_TIMEOUT_MS,
);
