import { describe, expect, it } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { BulletinBody } from "#contracts/bulletin/bulletin-schema.ts";
import { rowOfBulletin } from "#infra/formats/quakeml/row-of-bulletin.ts";
import { serviceId } from "#infra/formats/quakeml/shared/service-id.ts";

const BED = "http://quakeml.org/xmlns/bed/1.2";

const ORIGIN = {
  publicID: "smi:x.y/or1",
  time: { value: "2024-01-01T00:00:00Z", uncertainty: 0.5 },
  latitude: { value: 1.5 },
  longitude: { value: 2.5 },
  depth: { value: 5116.2109375, uncertainty: 1000 },
} as const;

const BULLETIN: Bulletin = { publicID: "smi:x.y/event/ev1", origin: [ORIGIN] };

function told(bulletin: Bulletin) {
  const warnings: string[] = [];
  const row = rowOfBulletin(BulletinBody.parse(bulletin), (message) => warnings.push(message));
  return { row, warnings };
}

describe("the row of a bulletin", () => {
  it("has kilometres, seconds and degrees of the preferred origin and magnitude", () => {
    const { row, warnings } = told({
      ...BULLETIN,
      preferredOriginID: "smi:x.y/or1",
      type: "earthquake",
      description: [{ text: "Taupo", type: "region name" }],
      origin: [
        { ...ORIGIN, publicID: "smi:x.y/or2", depth: { value: 0 } },
        {
          ...ORIGIN,
          quality: { usedPhaseCount: 12, azimuthalGap: 90.5 },
          originUncertainty: [{ horizontalUncertainty: 2500 }],
          timeFixed: true,
          evaluationMode: "manual",
        },
      ],
      magnitude: [
        { publicID: "smi:x.y/m1", mag: { value: 5 }, type: "ML", originID: "smi:x.y/or1" },
        { publicID: "smi:x.y/m2", mag: { value: 5.2, uncertainty: 0.1 }, type: "Mw" },
      ],
      focalMechanism: [
        {
          publicID: "smi:x.y/fm1",
          momentTensor: [
            {
              publicID: "smi:x.y/mt1",
              derivedOriginID: "smi:x.y/or2",
              scalarMoment: { value: 1e17, uncertainty: 1e16 },
            },
          ],
        },
      ],
    });
    expect(row).toEqual({
      time: "2024-01-01T00:00:00Z",
      latitude: 1.5,
      longitude: 2.5,
      depth: 5.1162109375,
      magnitude: 5,
      magnitude_type: "ML",
      depth_uncertainty: 1,
      region: "Taupo",
      source_id: "ev1",
      event_type: "earthquake",
      evaluation_mode: "manual",
      used_phase_count: 12,
      azimuthal_gap: 90.5,
      horizontal_uncertainty: 2.5,
      time_uncertainty: 0.5,
      focal_mechanisms: [
        {
          publicID: "smi:x.y/fm1",
          momentTensor: {
            publicID: "smi:x.y/mt1",
            derivedOriginID: "smi:x.y/or2",
            scalarMoment: 1e17,
          },
        },
      ],
      extra: { time_fixed: true, public_id: "smi:x.y/event/ev1" },
    });
    expect(warnings).toEqual([]);
  });

  it("keeps what QuakeML does not allow in extra, as if it stood in its place", () => {
    const { row, warnings } = told({
      ...BULLETIN,
      origin: [{ ...ORIGIN, foreign: [{ ns: BED, name: "evaluationMode", text: "robot" }] }],
      foreign: [
        { ns: BED, name: "type", text: "quarry" },
        { ns: "urn:other", name: "typeCertainty", text: "known" },
        { ns: "urn:anss", name: "eventsource", attribute: true, text: "us" },
        { ns: "urn:anss", name: "eventid", attribute: true, text: "7" },
        {
          ns: BED,
          name: "magnitude",
          attributes: [{ name: "publicID", text: "smi:x.y/m1" }],
          children: [
            { ns: BED, name: "mag", children: [{ ns: BED, name: "value", text: "INF" }] },
            { ns: BED, name: "type", text: "ML" },
          ],
        },
      ],
    });
    expect(row).toMatchObject({
      source_id: "us7",
      magnitude: null,
      magnitude_type: "ML",
      evaluation_mode: null,
      extra: { event_type: "quarry", evaluation_mode: "robot", magnitude: "INF" },
    });
    expect(row).not.toHaveProperty("event_type_certainty");
    expect(warnings).toHaveLength(3);
  });

  it("does not exist without an origin", () => {
    expect(told({ publicID: "smi:x.y/ev1" }).row).toBe("the event has no origin");
  });

  it("has no source_id where the event's id is the service's", () => {
    const publicID = serviceId("", "event", 3);
    expect(told({ ...BULLETIN, publicID }).row).not.toHaveProperty("source_id");
  });
});

describe("ids of the service", () => {
  it("depend on the event, the kind and the place, and are what the schema takes", () => {
    const ids = [
      serviceId("a", "pick", 0),
      serviceId("a", "pick", 1),
      serviceId("a", "arrival", 0),
      serviceId("b", "pick", 0),
      serviceId("a", "pick", "> é"),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(serviceId("a", "pick", 0)).toBe(ids[0]);
    for (const id of ids) expect(id).toMatch(/^smi:local\.catalogue\/[\w/]+$/);
  });
});
