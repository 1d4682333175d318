import { fork } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createCatalogue } from "../support/api/catalogue.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { eventsAt, hashOfParts, manifestOf, rowsOf } from "../support/parts.ts";
import { createRandom } from "../support/random.ts";
import { runs } from "../support/runs.ts";
import { sharedService } from "../support/service.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const EVENTS = 10_000;
/** Every so often the base is made anew. */
const [CHANGED, CHANGED_MUCH, MUCH_EVERY] = [5, 2_500, 4];

const service = sharedService();
const MAIN = join(import.meta.dirname, "../support/publisher-main.ts");

/** Publishes, and is killed after so many milliseconds; its own, where it was not killed. */
async function publish(id: string, folder: string, killAfter: number | null): Promise<number> {
  const child = fork(MAIN, [service.databaseUrl, id, folder]);
  const ended = once(child, "exit");
  await once(child, "message");
  const began = performance.now();
  child.send("now");
  if (killAfter !== null) {
    await Promise.race([wait(killAfter), ended]);
    child.kill("SIGKILL");
  }
  await ended;
  return performance.now() - began;
}

test("after a kill at any moment the manifest and all that it names are whole", async () => {
  const editor = service.client("editor");
  const { id } = await createCatalogue(editor, { events: [...generateEvents(3, EVENTS)] });
  const folder = join(await temporaryDirectory(), id);
  const whole = await publish(id, folder, null);
  const path = `/api/catalogues/${id}/events`;
  const random = createRandom(5);
  const kills = runs(200, 0.05);
  const versions = new Set<number>();
  for (let i = 0; i < kills; i += 1) {
    const count = i % MUCH_EVERY === 0 ? CHANGED_MUCH : CHANGED;
    const { body } = await editor.get<{ events: SeismicEvent[] }>(
      `${path}/filtered?limit=${count}`,
    );
    const events = body.events.map(({ source_id, time, latitude, longitude, magnitude }) => ({
      ...{ source_id, time, latitude, longitude, magnitude },
      depth: i + 1,
    }));
    const made = await editor.send("POST", path, { events, updateExisting: true });
    expect(made.status).toBe(200);
    await publish(id, folder, random.below(1.2 * whole));
    const manifest = await manifestOf(folder);
    versions.add(manifest.version);
    // Each is what the manifest says of it.
    await rowsOf(folder, [...manifest.base.files, ...manifest.changes, manifest.overview]);
  }
  // Some of them came before the manifest was replaced, and some after.
  expect(versions.size).toBeGreaterThan(1);
  expect(versions.size).toBeLessThan(kills + 1);
  await publish(id, folder, null);
  const manifest = await manifestOf(folder);
  const { body } = await editor.get<{ version: { version: number; sha256: string } }>(
    `/api/catalogues/${id}/versions/${manifest.version}`,
  );
  const rows = await eventsAt(folder, manifest, manifest.version);
  expect(hashOfParts(rows)).toBe(body.version.sha256);
  // What was cut off stays for a day.
  const left = (await readdir(folder)).filter((name) => name.startsWith("."));
  expect(left.length).toBeLessThanOrEqual(2 * kills);
}, 1_200_000);
