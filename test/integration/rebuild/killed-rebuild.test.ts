import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { catalogueById } from "#projections/read/catalogues.ts";
import { SERVICE } from "#projections/read/rights.ts";
import { holds } from "#projections/rebuild/verify.ts";
import { updateCatalogueCommand } from "#services/catalogues/commands.ts";
import { createdFrom, generatedRecords } from "../../support/catalogues/catalogue-scene.ts";
import { newCommand, useCatalogues } from "../../support/catalogues/use-catalogues.ts";
import { dumpReadModel } from "../catalogues/read-model.ts";
import { useRebuild } from "./use-rebuild.ts";

const MAIN = fileURLToPath(new URL("../../../services/cli/main.ts", import.meta.url));

/** A reader that holds a table for as long as it likes. */
const READING = `begin; set local idle_in_transaction_session_timeout to 0;
  select count(*) from read_model.seismic_events`;

const catalogues = useCatalogues();
const scene = useRebuild(catalogues);

/** The command in a process of its own, killed when it says that it is at `phase`. */
async function rebuildKilledAt(phase: string): Promise<void> {
  const child = spawn(process.execPath, [MAIN, "rebuild", "catalogues"], {
    env: { PATH: process.env["PATH"], DATABASE_URL: catalogues.databaseUrl },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "close");
  for await (const line of createInterface(child.stderr)) {
    if (line.endsWith(phase)) child.kill("SIGKILL");
  }
  await ended;
  expect(child.signalCode).toBe("SIGKILL");
}

test.each(["filling", "indexing", "waiting for readers"])(
  "a rebuild killed when it is %s leaves the live tables serving, and the next begins again",
  async (phase) => {
    const { context } = catalogues;
    const id = await createdFrom(context, generatedRecords(1, 5_000));
    const before = await dumpReadModel(scene.pool);
    const reader = await catalogues.projectorPool.connect();
    onTestFinished(() => reader.release());
    // It keeps the switch from being done before the process is killed.
    await reader.query(READING);
    await rebuildKilledAt(phase);
    await reader.query("commit");
    expect(await dumpReadModel(scene.pool)).toEqual(before);
    await updateCatalogueCommand(context, newCommand(), id, { name: phase }, null);
    expect(await catalogueById(context.pool, id, SERVICE)).toMatchObject({ name: phase });
    await scene.rebuild();
    expect(holds(await scene.verify())).toBe(true);
  },
);
