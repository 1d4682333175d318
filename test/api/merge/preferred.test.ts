import { describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { MergePreview } from "#contracts/http/merges/merge.ts";
import type { MagnitudeConversion } from "#contracts/merge/magnitude-conversion.ts";
import type { MergeConfig } from "#contracts/merge/merge-config.ts";
import { clientOf } from "../../support/api/client-of.ts";
import {
  exportedEvents,
  merge,
  mergeForm,
  type Source,
  sourceOf,
} from "../../support/api/merges.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const editor = clientOf(service, "editor");
const PLACE = { time: "2024-05-06T07:08:02Z", latitude: -41.5, longitude: 174.5 };
/** Chosen by its quality, with a magnitude of one station. */
const LOCATED = {
  ...PLACE,
  depth: 20,
  used_station_count: 31,
  azimuthal_gap: 60,
  agency_id: "ISC",
  magnitude: 5,
  magnitude_type: "mb",
  magnitude_station_count: 1,
};

const OURS: MagnitudeConversion = {
  name: "Ours",
  from: "Mw",
  agency: "WEL",
  to: "Mw(GEM)",
  slope: 0.5,
  intercept: 2,
  sigma: 0.25,
  range: [2, 6],
  reference: "Our own",
};

/** The only event of a merge, and its bulletin. */
async function merged(sources: readonly Source[], config: Partial<MergeConfig>) {
  const { catalogueId } = await merge(editor, sources, config);
  const [event] = await exportedEvents(editor, catalogueId);
  if (event === undefined) throw new Error("no event");
  const path = `/api/catalogues/${catalogueId}/events/${event.id}/bulletin`;
  const { bulletin } = (await editor.get<{ bulletin: Bulletin }>(path)).body;
  return { event, bulletin };
}

async function twoSources(): Promise<Source[]> {
  return [
    await sourceOf(editor, "located", [LOCATED]),
    await sourceOf(editor, "whole", [{ bulletin: smallBulletin() }]),
  ];
}

describe("a merge that chooses by groups of attributes", () => {
  test("tells which member gave which, in rows, previews and the preferred solutions of bulletins", async () => {
    const sources = await twoSources();
    const config = { prefer: { location: ["isc"], magnitude: ["WEL"] } };
    const { event, bulletin } = await merged(sources, config);
    expect(event).toMatchObject({
      depth: 20,
      agency_id: "ISC",
      magnitude: 4.5,
      magnitude_type: "Mw",
      extra: { magnitude_agency_id: "WEL" },
    });
    const gave = event.source_events?.map(({ source, chosen, gave }) => [source, chosen, gave]);
    expect(gave).toEqual([
      ["whole", false, ["magnitude"]],
      ["located", true, ["location"]],
    ]);
    const magnitude = bulletin.magnitude?.find(
      ({ publicID }) => publicID === bulletin.preferredMagnitudeID,
    );
    expect(magnitude).toMatchObject({ mag: { value: 4.5 }, type: "Mw", member: [0] });
    const origin = bulletin.origin?.find(({ publicID }) => publicID === bulletin.preferredOriginID);
    expect(origin).toMatchObject({ depth: { value: 20_000 }, member: [1] });

    const form = mergeForm(sources, config);
    const preview = await editor.send<MergePreview>("POST", "/api/merge/preview", form);
    const [group] = preview.body.groups;
    expect(group?.reason).toMatch(
      /; location of located: agency isc; magnitude of whole: agency WEL$/,
    );
    expect(group?.members.map(({ source, gave }) => [source, gave])).toEqual([
      ["whole", ["magnitude"]],
      ["located", ["location"]],
    ]);
  });

  test("converts the chosen magnitude, beside the original in the bulletin", async () => {
    const sources = await twoSources();
    const config = { prefer: { magnitude: ["WEL"] }, conversions: ["isc-gem-mb", OURS] };
    const { event, bulletin } = await merged(sources, config);
    expect(event).toMatchObject({
      magnitude: 4.25,
      magnitude_type: "Mw(GEM)",
      magnitude_uncertainty: expect.closeTo(Math.hypot(0.1, 0.25), 10),
      extra: {
        converted_from: { magnitude: 4.5, magnitude_type: "Mw", conversion: "Ours" },
      },
    });
    const made = bulletin.magnitude?.at(-1);
    expect(made).toMatchObject({
      publicID: bulletin.preferredMagnitudeID,
      mag: { value: 4.25 },
      methodID: "smi:local.catalogue/conversion/Ours",
    });
    expect(bulletin.magnitude?.map(({ mag }) => mag.value)).toEqual(
      expect.arrayContaining([4.5, 4.7, 5]),
    );
    // The same once more, whoever merges and when.
    expect((await merged(sources, config)).bulletin).toEqual(bulletin);
    const quality = await merged(sources, { conversions: ["isc-gem-mb"] });
    expect(quality.event).toMatchObject({ magnitude: 5.11, magnitude_type: "Mw" });
  });
});
