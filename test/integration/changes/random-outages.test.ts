import fc from "fast-check";
import { expect, test } from "vitest";
import { deleteCatalogueCommand, updateCatalogueCommand } from "#services/catalogues/commands.ts";
import type { Publisher } from "#services/publisher/publish-under-lease.ts";
import { createdFrom, generatedRecords } from "../../support/catalogues/catalogue-scene.ts";
import { newCommand } from "../../support/catalogues/use-catalogues.ts";
import { checkChanges } from "../../support/check-changes.ts";
import { runs } from "../../support/runs.ts";
import { addRecords } from "../catalogues/additions.ts";
import { POLL, useChanges } from "./use-changes.ts";

const scene = useChanges();

const STEPS = [
  "create",
  "rename",
  "rename",
  "publish or hide",
  "add events",
  "add events",
  "delete",
  "all is published",
  "broker dies",
  "broker comes back",
  "broker comes back empty",
  "one publisher starts or ends",
  "the other starts or ends",
] as const;
type Step = (typeof STEPS)[number];

/** Catalogues, two publishers and the broker, of which each may be there or not. */
function newWorld() {
  const { context } = scene.catalogues;
  const catalogues: { id: string; isPublic: boolean }[] = [];
  const publishers: (Publisher | null)[] = [null, null];
  let brokerRuns = true;
  let step = 0;

  async function toggle(which: 0 | 1): Promise<void> {
    await publishers[which]?.close();
    publishers[which] = publishers[which] ? null : scene.startPublisher();
  }

  async function perform(kind: Step): Promise<void> {
    step += 1;
    const last = catalogues.at(-1);
    const change = (to: { name?: string; isPublic?: boolean }) =>
      last && updateCatalogueCommand(context, newCommand(), last.id, to, null);
    switch (kind) {
      case "create":
        catalogues.push({
          id: await createdFrom(context, generatedRecords(1, 3)),
          isPublic: false,
        });
        return;
      case "rename":
        await change({ name: `after step ${step}` });
        return;
      case "publish or hide":
        if (last) last.isPublic = !last.isPublic;
        await change({ isPublic: last?.isPublic ?? false });
        return;
      case "add events":
        if (last) {
          const records = generatedRecords(step, 5);
          await addRecords(scene.catalogues, last.id, records, { updateExisting: true });
        }
        return;
      case "delete":
        if (last) await deleteCatalogueCommand(context, newCommand(), last.id, null);
        catalogues.pop();
        return;
      case "all is published":
        if (brokerRuns && publishers.some((publisher) => publisher !== null)) await scene.settled();
        return;
      case "broker dies":
        await scene.broker.kill();
        brokerRuns = false;
        return;
      case "broker comes back":
        if (!brokerRuns) await scene.broker.restart();
        brokerRuns = true;
        return;
      case "broker comes back empty":
        await scene.broker.wipe();
        await scene.broker.restart();
        brokerRuns = true;
        return;
      case "one publisher starts or ends":
        return toggle(0);
      case "the other starts or ends":
        return toggle(1);
      default: {
        const unknown: never = kind;
        throw new Error(`unknown step: ${unknown}`);
      }
    }
  }

  async function end(): Promise<void> {
    for (const publisher of publishers) await publisher?.close();
  }
  return { perform, end };
}

test("whatever breaks, the stream comes to hold every change of the log, those of a catalogue in order", async () => {
  const { log } = scene.catalogues.context;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom<Step>(...STEPS), { minLength: 8, maxLength: 25 }),
      async (steps) => {
        const world = newWorld();
        try {
          for (const step of steps) await world.perform(step);
          await world.perform("broker comes back");
        } finally {
          await world.end();
        }
        const publisher = scene.startPublisher();
        const losses = async () => checkChanges(log, await scene.messages(), scene.start());
        try {
          await expect.poll(losses, POLL).toEqual([]);
        } finally {
          await publisher.close();
        }
      },
    ),
    { numRuns: runs(20, 1 / 10), endOnFailure: true },
  );
});
