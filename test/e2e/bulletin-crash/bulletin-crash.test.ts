import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogue.ts";
import { startTestAgency, type TestAgency } from "../../support/agency/test-agency.ts";
import { type ApiClient, signIn } from "../../support/api-client.ts";
import { cli } from "../../support/cli.ts";
import { randomOf } from "../../support/generate-catalogue.ts";
import { createPreparedDataDir } from "../../support/prepared-data-dir.ts";
import { type ServiceProcess, startServiceProcess } from "../../support/service-process.ts";
import { unlimitedFor } from "../../support/unlimited-for.ts";
import { expectEdited, expectImported, wholeEvents } from "./check-events.ts";
import { createUploaded, EVENTS, editUntilCutOff, importAgain, noWrites } from "./writes.ts";

const KILLS = 10;
/** In a part of the rounds PostgreSQL is killed too. */
const DATABASE_KILLED_EVERY = 4;
const SEED = 20_161_116;
const SETTLED = { timeout: 60_000 };
const TEST_TIMEOUT_MS = 600_000;
const ADMIN = { email: "crash@example.org", password: "only for the crash test" };

let directory: { path: string; remove: () => Promise<void> };
let agency: TestAgency;
let service: ServiceProcess;
let client: ApiClient;

async function start(): Promise<void> {
  const own = { DATA_DIR: directory.path, AGENCY_URL: agency.url, AGENCY_RETRIES: "0" };
  service = await startServiceProcess({ ...unlimitedFor(ADMIN), ...own });
  client = await signIn(service.url, ADMIN);
}

beforeAll(async () => {
  directory = await createPreparedDataDir();
  agency = await startTestAgency();
  await start();
});
afterAll(async () => {
  await service.stop();
  await agency.close();
  await directory.remove();
});

async function crash(database: boolean): Promise<void> {
  if (database) {
    const pidFile = await readFile(join(directory.path, "postgres", "postmaster.pid"), "utf8");
    process.kill(Number(pidFile.split("\n")[0]), "SIGKILL");
  }
  await service.kill();
}

/** All catalogues, once no revision of a killed process is left open. */
async function settledCatalogues(): Promise<readonly Catalogue[]> {
  let there: readonly Catalogue[] = [];
  const read = async () => {
    const path = "/api/catalogues?pageSize=100";
    there = (await client.get<{ catalogues: Catalogue[] }>(path)).body.catalogues;
    return there.every(({ status }) => status === "active");
  };
  await expect.poll(read, SETTLED).toBe(true);
  return there;
}

test(
  `rows and bulletins agree, and versions are whole, after ${KILLS} kills while bulletins are created, edited and imported`,
  async () => {
    const random = randomOf(SEED);
    const [edits, comments, runs] = [noWrites(), noWrites(), noWrites()];
    const began = performance.now();
    const edited = await createUploaded(client, "edited");
    const imported = await importAgain(client, agency, runs);
    // In the rounds both are written at once, beside the edits: half of the kills find them unfinished.
    const writingMs = performance.now() - began;
    const created = new Set(["edited"]);
    const checked = new Set<string>();

    for (let round = 0; round < KILLS; round += 1) {
      const name = `round ${round}`;
      const works = [
        createUploaded(client, name).then(() => created.add(name)),
        editUntilCutOff(client, edited, edits, comments),
        importAgain(client, agency, runs, imported),
      ];
      const allCutOff = Promise.allSettled(works);
      await delay(random() * writingMs * 2);
      await crash(round % DATABASE_KILLED_EVERY === 0);
      await allCutOff;
      await start();

      const there = await settledCatalogues();
      expect(there.map((catalogue) => catalogue.name)).toEqual(
        expect.arrayContaining([...created]),
      );
      for (const catalogue of there) {
        // Also what was not acknowledged is whole, or not there at all.
        expect(catalogue.event_count).toBe(EVENTS);
        const version = `${catalogue.id} ${catalogue.version}`;
        if (checked.has(version)) continue;
        checked.add(version);
        const events = await wholeEvents(client, catalogue);
        expect(events).toHaveLength(EVENTS);
        if (catalogue.id === edited) expectEdited(events, edits, comments);
        if (catalogue.id === imported) expectImported(events, runs);
      }
    }
    const acknowledged = [edits, comments, runs].map((writes) => writes.acknowledged.length);
    process.stdout.write(
      `${KILLS} kills, ${created.size} catalogues and ${acknowledged} edits, comments and imports acknowledged, 0 lost\n`,
    );
    expect(edits.acknowledged.length).toBeGreaterThan(0);
    await service.stop();
    const { exitCode, lines } = await cli({ DATA_DIR: directory.path }, "verify", "catalogues");
    expect(exitCode, lines.join("\n")).toBe(0);
  },
  TEST_TIMEOUT_MS,
);
