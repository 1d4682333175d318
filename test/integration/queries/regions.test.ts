import { expect, test } from "vitest";
import {
  createRegionCommand,
  createRegions,
  deleteRegionCommand,
  updateRegionCommand,
} from "#services/regions/commands.ts";
import { squareOf } from "../../support/api/regions.ts";
import { newCommand, useCatalogues } from "../../support/catalogues/use-catalogues.ts";

const catalogues = useCatalogues();

const SQUARE = squareOf(0, 0, 10, 10);

test("what is made of a region's geometry is kept until that changes, in each process", async () => {
  const { context } = catalogues;
  const settings = { name: "Square", geometry: SQUARE, note: null };
  const id = await createRegionCommand(context, newCommand(), settings);
  const [regions, others] = [createRegions(context.pool), createRegions(context.pool)];
  const first = await regions.find(id);
  expect(first?.area).toEqual([SQUARE.coordinates]);
  await updateRegionCommand(context, newCommand(), id, { name: "Renamed" });
  const [same, again] = await Promise.all([regions.find(id), regions.find(id)]);
  expect(same?.area).toBe(first?.area);
  expect(again?.area).toBe(first?.area);

  const geometry = squareOf(0, 0, 20, 10);
  await updateRegionCommand(context, newCommand(), id, { geometry });
  const changed = await regions.find(id);
  expect(changed?.area).toEqual([geometry.coordinates]);
  expect(changed?.revision).not.toBe(first?.revision);
  expect((await others.find(id))?.revision).toBe(changed?.revision);

  await deleteRegionCommand(context, newCommand(), id);
  expect(await regions.find(id)).toBeNull();
});
