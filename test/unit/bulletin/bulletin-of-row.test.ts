import fc from "fast-check";
import { expect, test } from "vitest";
import { bulletinOfRow } from "#contracts/bulletin/row.ts";
import { BulletinBody } from "#contracts/bulletin/schema.ts";
import { emptyRecord } from "#contracts/seismic-event/seismic-event.ts";
import { anyRecord } from "../../support/arbitrary-record.ts";

const ID = "0a1b2c3d-4e5f-8a6b-8000-000100000007";
const COMPACT = "0a1b2c3d4e5f8a6b8000000100000007";
const PLACE = { time: "2024-05-06T07:08:09.10Z", latitude: -41.5, longitude: 174.25 };

test("a row is one origin and one magnitude, in metres", () => {
  const record = emptyRecord(PLACE);
  const bulletin = bulletinOfRow({
    ...record,
    id: ID,
    source_id: "2024p344188",
    depth: 5.1,
    depth_uncertainty: 0.25,
    horizontal_uncertainty: 1.5,
    magnitude: 4.2,
    magnitude_type: "ML",
    magnitude_station_count: 12,
    used_phase_count: 40,
    azimuthal_gap: 77.5,
    agency_id: "WEL(GNS_Primary)",
    region: "Cook Strait",
    event_type: "earthquake",
    extra: { time_fixed: false, magnitude_method_id: "smi:nz.org.geonet/M", note: 1 },
  });
  expect(bulletin).toEqual({
    publicID: "smi:local.catalogue/event/2024p344188",
    type: "earthquake",
    description: [{ text: "Cook Strait", type: "region name" }],
    preferredOriginID: `smi:local.catalogue/origin/${COMPACT}`,
    preferredMagnitudeID: `smi:local.catalogue/magnitude/${COMPACT}`,
    origin: [
      {
        publicID: `smi:local.catalogue/origin/${COMPACT}`,
        time: { value: "2024-05-06T07:08:09.10Z" },
        latitude: { value: -41.5 },
        longitude: { value: 174.25 },
        depth: { value: 5100, uncertainty: 250 },
        timeFixed: false,
        originUncertainty: [
          { horizontalUncertainty: 1500, preferredDescription: "horizontal uncertainty" },
        ],
        quality: { usedPhaseCount: 40, azimuthalGap: 77.5 },
        creationInfo: { agencyID: "WEL(GNS_Primary)" },
      },
    ],
    magnitude: [
      {
        publicID: `smi:local.catalogue/magnitude/${COMPACT}`,
        originID: `smi:local.catalogue/origin/${COMPACT}`,
        mag: { value: 4.2 },
        type: "ML",
        methodID: "smi:nz.org.geonet/M",
        stationCount: 12,
      },
    ],
  });
});

test("what QuakeML has no place for stands in the event's own element", () => {
  const record = { ...emptyRecord(PLACE), depth_uncertainty: 3, magnitude_type: "Mw" };
  expect(bulletinOfRow({ ...record, id: ID, source_id: "two words" })).toMatchObject({
    publicID: `smi:local.catalogue/id/${COMPACT}`,
    foreign: [
      {
        ns: "urn:earthquake-catalogue:1.0",
        name: "attributes",
        text: JSON.stringify({
          depth_uncertainty: 3,
          magnitude_type: "Mw",
          source_id: "two words",
        }),
      },
    ],
  });
});

test("every row makes a bulletin that the schema takes", () => {
  fc.assert(
    fc.property(anyRecord, (record) => {
      expect(BulletinBody.safeParse(bulletinOfRow({ id: ID, ...record })).error).toBeUndefined();
    }),
  );
});
