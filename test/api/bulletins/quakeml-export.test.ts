import { beforeAll, describe, expect, test } from "vitest";
import type { ApiClient } from "../../support/api-client.ts";
import { tangledBulletin } from "../../support/bulletins/tangled-bulletin.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = sharedService();
let editor: ApiClient;
let base = "";

beforeAll(async () => {
  editor = await service.loginAs("editor");
  const { id } = await createCatalogue(editor, {
    events: [seismicEvent(), { bulletin: tangledBulletin() }],
  });
  base = `/api/catalogues/${id}/export`;
});

const textOf = async (query: string) => {
  const answer = await editor.stream(`${base}?format=quakeml${query}`);
  expect(answer.status).toBe(200);
  return answer.text();
};

const count = (xml: string, element: string) => xml.split(`<${element} publicID=`).length - 1;

describe("an export as QuakeML", () => {
  test("has every event whole, with what its references lead to or not", async () => {
    for (const query of ["", "&detail=full", "&form=valid", "&detail=full&form=given"]) {
      const xml = await textOf(query);
      expect([count(xml, "event"), count(xml, "origin"), count(xml, "pick")]).toEqual([2, 4, 3]);
      expect([count(xml, "arrival"), count(xml, "amplitude")]).toEqual([3, 2]);
      expect(xml).toContain("smi:test.local/nowhere/1");
      expect(xml).toContain('<event publicID="smi:test.local/tangled/event/0"');
    }
  });

  test("has what the rows show as a summary", async () => {
    const xml = await textOf("&detail=summary");
    expect([count(xml, "event"), count(xml, "origin"), count(xml, "pick")]).toEqual([2, 2, 0]);
  });

  test("has a form and a detail, which no other format has", async () => {
    for (const [query, field] of [
      ["format=csv&detail=summary", "detail"],
      ["format=json&form=given", "form"],
      ["format=quakeml&detail=summary&form=given", "form"],
      ["format=quakeml&form=any", "form"],
    ] as const) {
      expectRefusal(await editor.get(`${base}?${query}`), "VALIDATION_ERROR", field);
    }
  });
});
