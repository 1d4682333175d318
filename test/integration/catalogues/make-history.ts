import { expect } from "vitest";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import type { RegionGeometry } from "#contracts/events/regions.ts";
import { createCircuitBreaker } from "#infra/agency/http/exchange.ts";
import { type PackedBulletin, packBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { createRequestSlots, NOBODY } from "#infra/kernel/fair-queue.ts";
import { SERVICE } from "#projections/read/rights.ts";
import { deleteCatalogueCommand, updateCatalogueCommand } from "#services/catalogues/commands.ts";
import type { CommandContext } from "#services/context.ts";
import { createImporter } from "#services/imports/agencies.ts";
import { runImport } from "#services/imports/run.ts";
import { mergeCataloguesCommand } from "#services/merges/commands.ts";
import {
  createRegionCommand,
  deleteRegionCommand,
  updateRegionCommand,
} from "#services/regions/commands.ts";
import { openGatewayThreads } from "#services/threads.ts";
import { servedEvents } from "../../support/agency/generated-events.ts";
import { startTestAgency } from "../../support/agency/test-agency.ts";
import { UNBOUNDED } from "../../support/agency/unbounded.ts";
import { squareOf } from "../../support/api/regions.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import {
  createdFrom,
  generatedRecords,
  withFullDisk,
} from "../../support/catalogues/catalogue-scene.ts";
import { newCommand, type TestCatalogues } from "../../support/catalogues/use-catalogues.ts";
import { randomOf } from "../../support/generate-catalogue.ts";
import { addRecords } from "./additions.ts";

const MERGE = {
  config: {
    timeThreshold: 5,
    distanceThreshold: 20,
    mergeStrategy: "average",
    priority: "",
    linkage: "nearest",
  },
} as const;

/** A merge of two of the catalogues, and one given up when it was to be committed. */
async function mergeSome(
  catalogues: TestCatalogues,
  by: CommandContext,
  ids: readonly string[],
): Promise<void> {
  const { threads, close } = openGatewayThreads(catalogues.databaseUrl);
  const sources = ids.map((id, i) => ({ id, source: `source ${i}` }));
  const merge = (context: CommandContext) =>
    mergeCataloguesCommand(
      { context, threads },
      newCommand(),
      { name: "merged", sources, reader: SERVICE, ...MERGE },
      { ...NOBODY, onProgress: () => {} },
    );
  const { eventCount } = await merge(catalogues.context);
  expect(eventCount).toBeGreaterThan(100);
  await expect(merge(by)).rejects.toThrow("the disk is full");
  await close();
}

/** More than one chunk holds. */
const LARGE = 2_100;

const WINDOW = { start: "2014-01-01T00:00:00Z", end: "2024-01-01T00:00:00Z" };

/** Imports: one that adds and updates, one that the agency fails, one that cannot be committed. */
async function importSome(
  catalogues: TestCatalogues,
  by: CommandContext,
  catalogueId: string,
): Promise<void> {
  const agency = await startTestAgency({ events: servedEvents(50, 100) });
  const breaker = createCircuitBreaker({ name: "agency" });
  const { threads, close } = openGatewayThreads(catalogues.databaseUrl);
  const importer = createImporter(threads.imports, () => ({
    breaker,
    slots: createRequestSlots(2),
  }));
  const request = {
    agency: {
      id: "agency",
      name: "agency",
      url: agency.url,
      requestsAtOnce: 2,
      userAgent: "test",
      timeoutMs: 30_000,
      retries: 0,
    },
    name: "imported",
    window: WINDOW,
    filters: UNBOUNDED,
    detail: "full",
    updateExisting: true,
  } as const;
  const importInto = (context: CommandContext, id: string | null) =>
    runImport(
      { context, importer },
      newCommand(),
      { ...request, catalogueId: id },
      { ...NOBODY, onProgress: () => {} },
    );
  const { tally } = await importInto(catalogues.context, catalogueId);
  expect(tally.newEvents + tally.updatedEvents).toBe(100);
  await expect(importInto(by, null)).rejects.toThrow("the import failed");
  agency.fail(() => ({ kind: "status", status: 400 }));
  await expect(importInto(catalogues.context, null)).rejects.toThrow("the import failed");
  await close();
  breaker.close();
  await agency.close();
}

/** Regions: one that is redrawn, one that is deleted, one across the antimeridian. */
async function drawSome(context: CommandContext): Promise<void> {
  const save = (geometry: RegionGeometry) =>
    createRegionCommand(context, newCommand(), { name: "drawn", geometry, note: null });
  await save(squareOf(170, -40, 190, -30));
  const redrawn = await save(squareOf(0, 0, 1, 1));
  const geometry = squareOf(0, 0, 2, 2);
  await updateRegionCommand(context, newCommand(), redrawn, { geometry, note: "larger" });
  await deleteRegionCommand(context, newCommand(), await save(geometry));
}

/** Two with a bulletin, one of them larger than a frame, with more picks and a longer head than fit a piece. */
export function someBulletins(): (Bulletin | null)[] {
  const bulletin = smallBulletin("large");
  const text = Array.from({ length: 50_000 }, (_, i) => Math.sin(i).toString(36)).join("");
  const [pick] = bulletin.pick ?? [];
  const picks = Array.from({ length: 6_000 }, (_, i) => ({ ...pick, publicID: `smi:a/${i}` }));
  const large = { ...bulletin, comment: [{ text }], pick: picks } as Bulletin;
  return [null, smallBulletin("1"), large, null, smallBulletin("4")];
}

let packed: (PackedBulletin | null)[] | undefined;

export function createdWithBulletins(
  context: CommandContext,
  command = newCommand(),
): Promise<string> {
  packed ??= someBulletins().map((bulletin) => bulletin && packBulletin(bulletin));
  const records = generatedRecords(1, packed.length);
  return createdFrom(context, records, command, (i) => packed?.[i] ?? null);
}

/**
 * Regions, and catalogues with bulletins, edits, imports, merges, edits and creations given up half-way, new names and
 * deletions.
 */
export async function makeHistory(catalogues: TestCatalogues): Promise<void> {
  const { context } = catalogues;
  const fullDisk = withFullDisk(context, "RevisionCommitted");
  const random = randomOf(11);
  const ids: string[] = [];
  const any = () => Math.floor(random() * ids.length);
  for (let i = 0; i < 6; i += 1) {
    const count = i === 0 ? LARGE : 120 + Math.floor(random() * 50);
    ids.push(await createdFrom(context, generatedRecords(i, count)));
    const id = ids[any()] ?? "";
    const add = (by: CommandContext, seed: number) => {
      return addRecords(catalogues, id, generatedRecords(seed, 50), { updateExisting: true }, by);
    };
    await expect(add(fullDisk, 100 + i)).rejects.toThrow("the disk is full");
    await add(context, 50 + i);
    const change = { name: `catalogue ${i}`, isPublic: i % 3 > 0, publishHistory: i % 3 === 2 };
    await updateCatalogueCommand(context, newCommand(), id, change, null);
    if (i % 3 !== 2) continue;
    await expect(createdFrom(fullDisk, generatedRecords(i, 50))).rejects.toThrow("full");
    await deleteCatalogueCommand(context, newCommand(), ids.splice(any(), 1)[0] ?? "", null);
  }
  await createdWithBulletins(context);
  await mergeSome(catalogues, fullDisk, ids.slice(0, 2));
  await importSome(catalogues, fullDisk, ids[0] ?? "");
  await drawSome(context);
  // Once the last change is visible, so is all before it, and the projector stands still.
  await updateCatalogueCommand(context, newCommand(), ids[0] ?? "", { name: "the last" }, null);
}
