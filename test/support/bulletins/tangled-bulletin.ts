import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { smallBulletin } from "./small-bulletin.ts";

/**
 * A bulletin with what agencies' have: one id for a pick and its arrival, references that lead nowhere,
 * a magnitude of another origin, a centroid, a pick that no arrival has, and comments.
 */
export function tangledBulletin(name = "tangled"): Bulletin {
  const bulletin = smallBulletin(name);
  const {
    origin: origins = [],
    pick: picks = [],
    amplitude = [],
    stationMagnitude = [],
  } = bulletin;
  const [first] = origins;
  const [pick] = picks;
  if (first === undefined || pick === undefined) throw new Error("the bulletin has too little");
  const id = (kind: string, place: number) => `smi:test.local/${name}/${kind}/${place}`;
  const nowhere = "smi:test.local/nowhere/1";
  const quantity = (value: number) => ({ value });
  const plane = { strike: quantity(10), dip: quantity(60), rake: quantity(-90) };
  return {
    ...bulletin,
    description: [{ text: "North of Cook Strait", type: "region name" }],
    origin: [
      {
        ...first,
        comment: [{ text: "located by hand" }],
        arrival: [
          { publicID: pick.publicID, pickID: pick.publicID, phase: "P", timeWeight: 1 },
          { publicID: id("arrival", 8), pickID: nowhere, phase: "S" },
        ],
      },
      ...origins.slice(1),
      {
        publicID: id("centroid", 3),
        time: { value: "2024-05-06T07:08:05Z" },
        latitude: quantity(-41.6),
        longitude: quantity(174.6),
        depth: quantity(15_000),
        type: "centroid",
      },
    ],
    pick: [...picks, { ...pick, publicID: id("pick", 7), phaseHint: "Pn" }],
    amplitude: [
      ...amplitude,
      { publicID: id("amplitude", 2), genericAmplitude: quantity(2), pickID: nowhere },
    ],
    stationMagnitude: [
      ...stationMagnitude,
      { publicID: id("stationMagnitude", 5), originID: nowhere, mag: quantity(4) },
    ],
    focalMechanism: [
      {
        publicID: id("mechanism", 1),
        triggeringOriginID: first.publicID,
        nodalPlanes: { preferredPlane: 1, nodalPlane1: plane },
        momentTensor: [
          {
            publicID: id("tensor", 1),
            derivedOriginID: id("centroid", 3),
            momentMagnitudeID: nowhere,
          },
        ],
      },
    ],
  };
}
