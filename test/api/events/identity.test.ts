import { describe, expect, test } from "vitest";
import type { ValidationReport } from "#contracts/http/validation-report.ts";
import { sharedService } from "../../support/service.ts";
import { eventsOf } from "../formats/file-round.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = sharedService();

const [A, B, C] = ["smi:de.bgr/2015/event/1", "smi:de.bgr/2016/event/1", "smi:de.bgr/2017/event/1"];

/** An event that is told by its magnitude. */
const event = (sourceId: string | null, publicId: string | null, magnitude: number) =>
  seismicEvent({
    magnitude,
    source_id: sourceId,
    ...(publicId !== null && { extra: { public_id: publicId } }),
  });

type Added = {
  readonly newEvents: number;
  readonly updatedEvents: number;
  readonly skippedEvents: number;
  readonly validationReport: ValidationReport;
};

async function catalogueOf(...events: readonly unknown[]) {
  const client = await service.loginAs("editor");
  const { id, validationReport } = await createCatalogue(client, { events });
  const path = `/api/catalogues/${id}/events`;
  return {
    client,
    path,
    validationReport,
    add: async (body: unknown) => (await client.send<Added>("POST", path, body)).body,
    /** `source_id`, public id and magnitude of each event, the weakest first. */
    list: async () => {
      const stored = await eventsOf(client, id);
      const rows = stored.map((one) => [one.source_id, one.extra?.["public_id"], one.magnitude]);
      return rows.sort((a, b) => Number(a[2]) - Number(b[2]));
    },
  };
}

describe("submitted events", () => {
  test("submitted events of one source_id are all kept where their public ids differ, the later under these", async () => {
    const { list, validationReport } = await catalogueOf(
      event("1", A, 1),
      event("1", B, 2),
      event(null, C, 3),
    );
    expect(validationReport).toMatchObject({ failedValidation: 0, successRate: 100 });
    expect(await list()).toEqual([
      ["1", A, 1],
      [B, B, 2],
      [null, C, 3],
    ]);
  });

  test.each([
    ["of one public id", event("1", A, 1), event("2", A, 2), "2"],
    ["of one public id without a source_id", event("1", A, 1), event(null, A, 2), A],
    ["of one public id that is the source_id", event("1", A, 1), event(A, null, 2), A],
    ["of one source_id, the first without a public id", event("1", null, 1), event("1", A, 2), "1"],
    ["of one source_id, the later without a public id", event("1", A, 1), event("1", null, 2), "1"],
  ])("%s: the later is invalid", async (_, first, later, id) => {
    const { list, validationReport } = await catalogueOf(first, later);
    expect(validationReport.invalidEvents).toEqual([
      {
        index: 1,
        id,
        reason: "source_id duplicate id",
        errors: [{ field: "source_id", message: "duplicate id" }],
      },
    ]);
    expect(await list()).toHaveLength(1);
  });
});

describe("events that are added", () => {
  test("events that are added never overwrite one of another public id, and are found again by their own", async () => {
    const { add, list } = await catalogueOf(event("1", A, 1));
    const events = [event("1", B, 2), event("1", C, 3)];
    expect(await add({ events, updateExisting: true })).toMatchObject({
      newEvents: 2,
      updatedEvents: 0,
    });
    expect(await list()).toEqual([
      ["1", A, 1],
      [B, B, 2],
      [C, C, 3],
    ]);
    const again = [event("1", C, 5), event("mine", B, 4), event(A, null, 1)];
    expect(await add({ events: again, updateExisting: true })).toMatchObject({
      newEvents: 0,
      updatedEvents: 2,
      skippedEvents: 1,
    });
    expect(await list()).toEqual([
      ["1", A, 1],
      [B, B, 4],
      [C, C, 5],
    ]);
  });

  test("events that are added keep the public id of an event that they update without one", async () => {
    const { add, list } = await catalogueOf(event("1", A, 1));
    await add({ events: [event("1", null, 2)], updateExisting: true });
    expect(await list()).toEqual([["1", A, 2]]);
    await add({ events: [event("1", B, 3)], updateExisting: true });
    expect(await list()).toEqual([
      ["1", A, 2],
      [B, B, 3],
    ]);
  });

  test("events that are added give their public id to one that has none", async () => {
    const { add, list } = await catalogueOf(event("1", null, 1));
    await add({ events: [event("1", A, 2), event("1", B, 3)], updateExisting: true });
    expect(await list()).toEqual([
      ["1", A, 2],
      [B, B, 3],
    ]);
  });

  test("events that are added leave alone what their bare id alone does not tell apart", async () => {
    const { add, list } = await catalogueOf(event("1", A, 1), event("1", B, 2));
    const events = [event("1", null, 9)];
    expect(await add({ events, updateExisting: true })).toMatchObject({ skippedEvents: 1 });
    expect(await list()).toEqual([
      ["1", A, 1],
      [B, B, 2],
    ]);
  });
});

test("a change to an id that another event of the catalogue has is refused", async () => {
  const { client, path, list } = await catalogueOf(event("1", A, 1), event("1", B, 2));
  const { body } = await client.get<{ events: { id: string; magnitude: number }[] }>(path);
  const first = `${path}/${body.events.find(({ magnitude }) => magnitude === 1)?.id}`;
  const change = (patch: unknown) => client.send("PATCH", first, patch);
  expectRefusal(await change({ source_id: B }), "CONFLICT", "source_id");
  expectRefusal(await change({ extra: { public_id: B } }), "CONFLICT", "public id");
  expect((await change({ source_id: "2", extra: { public_id: C } })).status).toBe(200);
  expect(await list()).toEqual([
    ["2", C, 1],
    [B, B, 2],
  ]);
});
