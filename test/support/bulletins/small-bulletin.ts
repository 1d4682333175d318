import type { Bulletin } from "#contracts/bulletin/quakeml.ts";

/** A bulletin with two origins and something of every kind that lists and references need. */
export function smallBulletin(name = "one"): Bulletin {
  const id = (kind: string, place: number | string) => `smi:test.local/${name}/${kind}/${place}`;
  const quantity = (value: number) => ({ value });
  const waveformID = { networkCode: "NZ", stationCode: "WEL", channelCode: "HHZ" };
  const origin = (place: number, latitude: number) => ({
    publicID: id("origin", place),
    time: { value: `2024-05-06T07:08:0${place}.5Z`, uncertainty: 0.1 },
    latitude: quantity(latitude),
    longitude: quantity(174.5),
    depth: quantity(12_300),
    arrival: [
      {
        publicID: id("arrival", place),
        pickID: id("pick", place),
        phase: place === 1 ? "P" : "S",
        timeResidual: 0.25,
      },
    ],
  });
  const pick = (place: number) => ({
    publicID: id("pick", place),
    time: { value: `2024-05-06T07:08:1${place}.25Z` },
    waveformID,
  });
  return {
    publicID: id("event", 0),
    type: "earthquake",
    preferredOriginID: id("origin", 1),
    preferredMagnitudeID: id("magnitude", 1),
    creationInfo: { agencyID: "WEL", creationTime: "2024-05-06T08:00:00Z" },
    comment: [{ text: "felt widely" }],
    origin: [origin(1, -41.5), origin(2, -41.75)],
    magnitude: [
      {
        publicID: id("magnitude", 1),
        mag: { value: 4.5, uncertainty: 0.2 },
        type: "Mw",
        originID: id("origin", 1),
        creationInfo: { agencyID: "WEL" },
        stationMagnitudeContribution: [
          { stationMagnitudeID: id("stationMagnitude", 1), residual: 0.1, weight: 1 },
        ],
      },
      { publicID: id("magnitude", 2), mag: quantity(4.7), type: "ML", originID: id("origin", 2) },
    ],
    stationMagnitude: [
      {
        publicID: id("stationMagnitude", 1),
        originID: id("origin", 1),
        mag: quantity(4.6),
        amplitudeID: id("amplitude", 1),
        waveformID,
      },
    ],
    amplitude: [
      {
        publicID: id("amplitude", 1),
        genericAmplitude: quantity(0.001),
        pickID: id("pick", 1),
        waveformID,
      },
    ],
    pick: [pick(1), pick(2)],
  };
}
