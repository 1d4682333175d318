import { beforeAll, describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { clientOf } from "../../support/api/client-of.ts";
import {
  hasCentroidsAlone,
  rowByTheRules,
  seededBulletins,
} from "../../support/bulletins/row-oracle.ts";
import { runs } from "../../support/runs.ts";
import { sharedService } from "../../support/service.ts";
import { exportFile, uploadFile } from "../formats/file-round.ts";

const service = sharedService();
const BATCH = 500;
const bulletins = seededBulletins(runs(10_000, 1 / 20), 20_261_126);
const editor = clientOf(service, "editor");
let id = "";

beforeAll(async () => {
  ({ id } = await createCatalogue(editor, { events: [] }));
  for (let from = 0; from < bulletins.length; from += BATCH) {
    const events = bulletins.slice(from, from + BATCH).map((bulletin) => ({ bulletin }));
    const answer = await editor.send("POST", `/api/catalogues/${id}/events`, { events });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect(answer.body).toMatchObject({ newEvents: events.length });
  }
});

type Row = {
  readonly [name: string]: unknown;
  readonly extra: { readonly public_id: string; readonly depth?: number };
};

function expectRows(rows: readonly Row[]): void {
  expect(rows).toHaveLength(bulletins.length);
  const shown = new Map(rows.map((row) => [row.extra.public_id, row]));
  for (const bulletin of bulletins) {
    const expected = rowByTheRules(bulletin);
    const row = shown.get(bulletin.publicID);
    const seen = Object.fromEntries(
      Object.keys(expected).map((name) => [name, row?.[name] ?? null]),
    );
    expect(seen, JSON.stringify(bulletin)).toEqual(expected);
    if (row?.["depth"] === null) expect([undefined, 6371]).toContain(row.extra.depth);
  }
}

const leadsTo = (list: readonly { publicID: string }[] = [], id?: string) =>
  list.some(({ publicID }) => publicID === id);

describe("the rows of bulletins by chance", () => {
  test("show the preferred solutions by the rules, where ids are missing or lead nowhere, and of centroids alone", async () => {
    const cases: readonly [string, (bulletin: Bulletin) => boolean][] = [
      ["no preferred origin", (one) => one.preferredOriginID === undefined],
      ["a dangling one", (one) => !leadsTo(one.origin, one.preferredOriginID)],
      ["no preferred magnitude", (one) => one.preferredMagnitudeID === undefined],
      ["a dangling one", (one) => !leadsTo(one.magnitude, one.preferredMagnitudeID)],
      ["centroids alone", hasCentroidsAlone],
    ];
    for (const [name, holds] of cases) {
      expect(bulletins.filter(holds).length, name).toBeGreaterThan(bulletins.length / 20);
    }
    const file = new TextDecoder().decode(await exportFile(editor, id, "json"));
    expectRows((JSON.parse(file) as { events: Row[] }).events);
  });

  test("are the same where they come as QuakeML", async () => {
    const file = await exportFile(editor, id, "quakeml");
    const { data, errors } = await uploadFile(editor, file, "seeded.xml");
    expect(errors).toEqual([]);
    expectRows(data as Row[]);
  });
});
