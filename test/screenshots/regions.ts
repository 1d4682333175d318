import type { ApiClient } from "../support/api-client.ts";

const REGIONS = [
  {
    name: "Taupō Volcanic Zone",
    note: "As GeoNet draws it for its monthly reports.",
    rings: [
      [
        [175.3, -39.35],
        [175.75, -39.3],
        [177.2, -37.6],
        [176.9, -37.35],
        [175.9, -38.2],
        [175.3, -39.35],
      ],
    ],
  },
  {
    name: "Hikurangi and Kermadec margin",
    note: null,
    rings: [
      [
        [174.5, -42.2],
        [177.5, -42.3],
        [180.5, -38.5],
        [184.5, -31],
        [181, -29.8],
        [177.8, -36.6],
        [174.5, -42.2],
      ],
    ],
  },
  {
    name: "Around the lake, without it",
    note: "Quarry blasts on the shore are to be told from earthquakes below the lake; the hole is the lake itself.",
    rings: [
      [
        [175.6, -39.1],
        [176.3, -39.1],
        [176.3, -38.5],
        [175.6, -38.5],
        [175.6, -39.1],
      ],
      [
        [175.75, -38.95],
        [176.05, -38.95],
        [176, -38.68],
        [175.8, -38.72],
        [175.75, -38.95],
      ],
    ],
  },
];

/** Saves some regions; the id of the last. */
export async function savedRegions(client: ApiClient): Promise<string> {
  let last = "";
  for (const { name, note, rings } of REGIONS) {
    const geometry = { type: "Polygon", coordinates: rings };
    const body = { name, geometry, note };
    const answer = await client.send<{ region: { id: string } }>("POST", "/api/regions", body);
    last = answer.body.region.id;
  }
  return last;
}
