import { expect, test } from "vitest";
import { packBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { presentRevision } from "#projections/queries/edits/edit-queries.ts";
import { readKnownEvents } from "#projections/queries/edits/read-known-events.ts";
import {
  addCommentCommand,
  deleteSolutionCommand,
  preferSolutionsCommand,
} from "#services/commands/catalogues/change-solutions.ts";
import type { Command } from "#services/commands/context.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { createdFrom, generatedRecords } from "../catalogues/catalogue-scene.ts";
import { newCommand, useCatalogues } from "../catalogues/use-catalogues.ts";

const catalogues = useCatalogues();
const PUBLIC_ID = "smi:test.local/one/magnitude/2";

/** A catalogue of one event with `smallBulletin()`. */
async function oneEvent() {
  const { context } = catalogues;
  const bulletin = packBulletin(smallBulletin());
  const catalogueId = await createdFrom(
    context,
    generatedRecords(5, 1),
    newCommand(),
    () => bulletin,
  );
  const base = await presentRevision(context.pool, catalogueId);
  const ids = { sourceId: "eq0000000", publicId: null };
  const [known] = base === null ? [] : await readKnownEvents(context.pool, base, [ids]);
  return { catalogueId, eventId: known?.id ?? "" };
}

/** Runs a command, another change, then the first again as after a crash that lost its answer. */
async function twice<T>(
  place: { catalogueId: string; eventId: string },
  run: (command: Command) => Promise<T>,
): Promise<[T, T]> {
  const command = newCommand();
  const first = await run(command);
  const later = { ...place, text: "later", author: "somebody else" };
  await addCommentCommand(catalogues.context, newCommand(), later, null);
  return [first, await run({ ...command, retried: true })];
}

test("a retried deletion of a solution answers what the first one deleted", async () => {
  const place = await oneEvent();
  const solution = { ...place, kind: "magnitude", publicID: PUBLIC_ID, cascade: false } as const;
  const [first, second] = await twice(place, (command) =>
    deleteSolutionCommand(catalogues.context, command, solution, null),
  );
  expect(first.deleted).toEqual([{ kind: "magnitude", publicID: PUBLIC_ID }]);
  expect(second).toEqual(first);
});

test("a retried comment answers the comment that the first one made", async () => {
  const place = await oneEvent();
  const [first, second] = await twice(place, (command) =>
    addCommentCommand(catalogues.context, command, { ...place, text: "felt", author: "A" }, null),
  );
  expect(first.comment).toMatchObject({ text: "felt", creationInfo: { author: "A" } });
  expect(second).toEqual(first);
});

test("a retried preference answers the event as the first one left it", async () => {
  const place = await oneEvent();
  const [first, second] = await twice(place, (command) =>
    preferSolutionsCommand(catalogues.context, command, place, { magnitudeID: PUBLIC_ID }, null),
  );
  expect(first.event.magnitude).toBe(4.7);
  expect(second).toEqual(first);
});
