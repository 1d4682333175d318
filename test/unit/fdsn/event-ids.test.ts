import { expect, test } from "vitest";
import { eventIdForms } from "#contracts/fdsn/event-id-forms.ts";
import { testRows } from "../../support/test-rows.ts";

const ID = "7f3e1b52-9c4d-8a86-8000-000100000001";
const HEX = "7f3e1b529c4d8a868000000100000001";

testRows(
  "an id of ours is known in any form",
  [
    [ID],
    [ID.toUpperCase()],
    [HEX],
    [` ${HEX.toUpperCase()} `],
    [`smi:local.catalogue/id/${ID}`],
    [`smi:local.catalogue/id/${HEX}`],
  ],
  (text) => {
    expect(eventIdForms(text)).toMatchObject({ ourId: ID, bareId: null });
  },
);

testRows(
  "an id of others is looked for as a source id, a public id, and the bare one of it",
  [
    ["2024p344188", ["2024p344188"], null],
    ["us7000abcd", ["us7000abcd"], null],
    [
      "smi:local.catalogue/event/2024p344188",
      ["smi:local.catalogue/event/2024p344188", "2024p344188"],
      null,
    ],
    ["smi:nz.org.geonet/2024p344188", ["smi:nz.org.geonet/2024p344188"], "2024p344188"],
    [
      "quakeml:earthquake.usgs.gov/fdsnws/event/1/query?eventid=ci15481673&format=quakeml",
      ["quakeml:earthquake.usgs.gov/fdsnws/event/1/query?eventid=ci15481673&format=quakeml"],
      "ci15481673",
    ],
    [
      "smi:de.bgr/out.scb/20150304062151/event/1",
      ["smi:de.bgr/out.scb/20150304062151/event/1"],
      "1",
    ],
  ],
  (text, sourceIds, bareId) => {
    expect(eventIdForms(text)).toEqual({ ourId: null, sourceIds, publicIds: [text], bareId });
  },
);

test("the id of a source that looks like ours is looked for as both", () => {
  const forms = eventIdForms(`smi:local.catalogue/event/${HEX}`);
  expect(forms.ourId).toBe(ID);
  expect(forms.sourceIds).toContain(HEX);
});

test("a text that is too long is no public id", () => {
  expect(eventIdForms(`smi:a/${"b".repeat(300)}`).publicIds).toEqual([]);
});
