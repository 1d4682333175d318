import type { Bulletin } from "#contracts/bulletin/quakeml.ts";

export const EVENT_ID = "0a1b2c3d-4e5f-8a6b-8000-000100000007";
export const COMPACT = "0a1b2c3d4e5f8a6b8000000100000007";

const id = (name: string) => `smi:org.example/${name}`;
const waveformID = { networkCode: "NZ", stationCode: "WEL" };

/** An event with two origins, the first preferred and with an arrival, two magnitudes and a mechanism. */
export const GIVEN: Bulletin = {
  publicID: "smi:org.example/event/1",
  description: [{ text: "COOK STRAIT, NEW ZEALAND", type: "Flinn-Engdahl region" }],
  preferredOriginID: id("o1"),
  pick: [{ publicID: id("p1"), time: { value: "2024-05-06T07:08:12Z" }, waveformID }],
  origin: [
    {
      publicID: id("o1"),
      comment: [{ text: "by hand" }],
      arrival: [{ publicID: id("a1"), pickID: id("p1"), phase: "P", timeResidual: 0.25 }],
      time: { value: "2024-05-06T07:08:09.5Z", uncertainty: 0.1 },
      latitude: { value: -41.5 },
      longitude: { value: 174.25 },
      depth: { value: 5100, uncertainty: 900 },
      quality: { usedPhaseCount: 12, groundTruthLevel: "GT5" },
      creationInfo: { agencyID: "WEL", creationTime: "2024-05-06T08:00:00Z" },
      foreign: [{ ns: "urn:x", name: "dataid", attribute: true, text: "nz1" }],
    },
    {
      publicID: id("o2"),
      time: { value: "2024-05-06T07:08:10Z" },
      latitude: { value: -41 },
      longitude: { value: 174 },
    },
  ],
  stationMagnitude: [{ publicID: id("s1"), originID: id("o1"), mag: { value: 4.1 } }],
  magnitude: [
    {
      publicID: id("m1"),
      stationMagnitudeContribution: [{ stationMagnitudeID: id("s1"), weight: 1 }],
      mag: { value: 4.2, uncertainty: 0.2 },
      type: "ML",
      originID: id("o1"),
    },
    { publicID: id("m2"), mag: { value: 4 }, type: "Md", originID: id("o2") },
  ],
  focalMechanism: [
    {
      publicID: id("f1"),
      waveformID: [waveformID],
      nodalPlanes: {
        nodalPlane1: {
          strike: { value: 10, uncertainty: 5 },
          dip: { value: 20 },
          rake: { value: 30 },
        },
      },
      misfit: 0.25,
    },
  ],
};
