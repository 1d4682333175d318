import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestAgency, type TestAgency } from "../../support/agency/test-agency.ts";
import { cli } from "../../support/cli.ts";
import { randomOf } from "../../support/generate-catalogue.ts";
import { settledCatalogues, useKilledService } from "../killed.ts";
import {
  createUploaded,
  EVENTS,
  editUntilCutOff,
  expectEdited,
  expectImported,
  importAgain,
  noWrites,
  wholeEvents,
} from "./writes.ts";

const KILLS = 10;
/** In a part of the rounds PostgreSQL is killed too. */
const DATABASE_KILLED_EVERY = 4;
const SEED = 20_161_116;
const TEST_TIMEOUT_MS = 600_000;

let agency: TestAgency;
beforeAll(async () => {
  agency = await startTestAgency();
});
afterAll(() => agency.close());
const service = useKilledService(() => ({ AGENCY_URL: agency.url, AGENCY_RETRIES: "0" }));

test(
  `rows and bulletins agree, and versions are whole, after ${KILLS} kills while bulletins are created, edited and imported`,
  async () => {
    const random = randomOf(SEED);
    const [edits, comments, runs] = [noWrites(), noWrites(), noWrites()];
    const began = performance.now();
    const edited = await createUploaded(service.client, "edited");
    const imported = await importAgain(service.client, agency, runs);
    // In the rounds both are written at once, beside the edits: half of the kills find them unfinished.
    const writingMs = performance.now() - began;
    const created = new Set(["edited"]);
    const checked = new Set<string>();

    for (let round = 0; round < KILLS; round += 1) {
      const name = `round ${round}`;
      const works = [
        createUploaded(service.client, name).then(() => created.add(name)),
        editUntilCutOff(service.client, edited, edits, comments),
        importAgain(service.client, agency, runs, imported),
      ];
      const allCutOff = Promise.allSettled(works);
      await delay(random() * writingMs * 2);
      await service.kill(round % DATABASE_KILLED_EVERY === 0);
      await allCutOff;
      await service.start();

      const there = await settledCatalogues(service.client);
      expect(there.map((catalogue) => catalogue.name)).toEqual(
        expect.arrayContaining([...created]),
      );
      for (const catalogue of there) {
        // Also what was not acknowledged is whole, or not there at all.
        expect(catalogue.event_count).toBe(EVENTS);
        const version = `${catalogue.id} ${catalogue.version}`;
        if (checked.has(version)) continue;
        checked.add(version);
        const events = await wholeEvents(service.client, catalogue);
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
    const { exitCode, lines } = await cli({ DATA_DIR: service.dataDir }, "verify", "catalogues");
    expect(exitCode, lines.join("\n")).toBe(0);
  },
  TEST_TIMEOUT_MS,
);
