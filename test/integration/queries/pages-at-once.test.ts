import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { emptyRecord } from "#contracts/seismic-event/seismic-event.ts";
import { createModelCatalogue } from "./model-catalogue.ts";
import { useReadModel } from "./use-read-model.ts";

const model = useReadModel();
afterEach(() => vi.useRealTimers());

test("more pages than there are connections wait for their turn, however long the others take", async () => {
  const catalogue = await createModelCatalogue(model.writer);
  await catalogue.commit({
    add: [emptyRecord({ time: "2016-11-13T11:02:56Z", latitude: 0, longitude: 0 })],
  });
  const { pool } = model.reads;
  const held = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  const release = () => held.splice(0).forEach((client) => void client.release());
  onTestFinished(release);

  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const answer = model.api.filterEvents({ id: catalogue.id });
  await expect.poll(() => pool.waitingCount).toBe(1);
  vi.advanceTimersByTime(55_000);
  vi.useRealTimers();
  release();
  expect((await answer).body.count).toBe(1);
});
