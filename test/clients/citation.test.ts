import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { type CatalogueMetadata, CatalogueMetadataInput } from "#contracts/catalogue-metadata.ts";
import { NO_BOUNDS } from "#contracts/events/catalogues.ts";
import { CITATION_WRITERS, type CitedVersion } from "#infra/formats/citation.ts";
import { hasPython, runPython } from "../support/clients/python.ts";

type Read = {
  readonly datacite: { readonly faults: string[]; readonly title: string };
  readonly cff: {
    readonly faults: string[];
    readonly title: string;
    readonly abstract: string | null;
    readonly authors: number;
  };
  readonly bibtex: {
    readonly failed: number;
    readonly title: string;
    readonly year: string;
    readonly doi: string | null;
  };
  readonly ris: { readonly title: string; readonly authors: string[]; readonly type: string };
};

const ADDRESS = "https://catalogues.example.org/api/catalogues";
const ID = "6d0f7a0e-3c52-4c4e-9a57-2f8d1b0c9e11";

/** Marks that mean something in one of the formats, and scripts that none may lose. */
const arbitraryLine = fc
  .array(
    fc.constantFrom(
      ..."{}\\%&$#_~^\"'`@:-?!|>*[],;=<",
      " ",
      "and",
      ", ",
      ": ",
      "ER  - ",
      "Kaikōura",
      "地震",
      "🌏",
      "é",
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => `x${parts.join("")}y`);

const arbitraryMetadata: fc.Arbitrary<CatalogueMetadata> = fc
  .record(
    {
      title: arbitraryLine,
      description: fc.array(arbitraryLine, { minLength: 1, maxLength: 3 }).map((l) => l.join("\n")),
      creators: fc.array(
        fc.record(
          {
            name: fc.oneof(
              arbitraryLine,
              fc.constantFrom("Example, Ann", "GNS Science", "A and B"),
            ),
            orcid: fc.constantFrom("0000-0002-1825-0097", "https://orcid.org/0000-0002-1694-233X"),
            ror: fc.constantFrom("03vek6s52", "https://ror.org/042nb2s44"),
          },
          { requiredKeys: ["name"] },
        ),
        { maxLength: 3 },
      ),
      publisher: arbitraryLine,
      license: fc.constantFrom("CC-BY-4.0", "ODbL-1.0", "CC-BY-3.0-IGO"),
      doi: fc.constantFrom(
        "10.1234/abc_d",
        "https://doi.org/10.5066/F7MS3QZH",
        "10.1234/a<b>{c}%d",
      ),
      references: fc.array(
        fc.constantFrom("https://example.org/a?b=c&d={e}", "http://a.example/"),
        {
          maxLength: 3,
        },
      ),
    },
    { requiredKeys: [] },
  )
  .filter((metadata) => CatalogueMetadataInput.safeParse(metadata).success);

function cited(metadata: CatalogueMetadata | null, i: number): CitedVersion {
  const bounds = {
    ...NO_BOUNDS,
    min_latitude: -90,
    max_latitude: 90,
    min_longitude: -180,
    max_longitude: 180,
    start_time: "1931-02-02T22:46:00Z",
    end_time: "2016-11-13T11:02:56.346Z",
  };
  return {
    catalogueId: ID,
    version: i + 1,
    address: `${ADDRESS}/${ID}/versions/${i + 1}`,
    catalogueAddress: `${ADDRESS}/${ID}`,
    name: 'Kaikōura: {a} "name"',
    committedAt: "2026-11-24T08:00:00.123Z",
    eventCount: 3,
    bounds: i % 2 === 0 ? bounds : NO_BOUNDS,
    longitudes: null,
    sha256: i % 3 === 0 ? null : "0".repeat(64),
    previous: i === 0 ? null : `${ADDRESS}/${ID}/versions/${i}`,
    sources: i % 2 === 0 ? [] : [`${ADDRESS}/${ID}/versions/1`],
    metadata,
    filters: i % 2 === 0 ? [] : ["M ≥ 2", "depth ≤ 40 km", "within 30 km of 38.8° S 175.9° E"],
  };
}

const METADATA = [null, {}, ...fc.sample(arbitraryMetadata, { numRuns: 200, seed: 7 })];
const versions = METADATA.map(cited);
let read: Read[];

beforeAll(async () => {
  if (!hasPython) return;
  const citations = versions.map((version) =>
    Object.fromEntries(
      Object.entries(CITATION_WRITERS).map(([name, write]) => [name, write(version)]),
    ),
  );
  read = await runPython<Read[]>("citation_readers.py", { input: citations });
});

const titleOf = ({ metadata, name }: CitedVersion) => metadata?.title ?? name;
const each = (check: (version: CitedVersion, found: Read) => void) => {
  expect(read).toHaveLength(versions.length);
  for (const [i, version] of versions.entries()) check(version, read[i] as Read);
};

describe.skipIf(!hasPython)("citations, whatever the metadata", () => {
  test("as DataCite JSON are valid by the schema that the package datacite ships", () => {
    each((version, { datacite }) => {
      expect(datacite).toEqual({ faults: [], title: titleOf(version) });
    });
  });

  test("as CITATION.cff are valid by the schema that cffconvert ships, and keep every text", () => {
    each((version, { cff }) => {
      expect(cff.faults).toEqual([]);
      expect(cff.title).toBe(titleOf(version));
      expect(cff.abstract).toBe(version.metadata?.description ?? null);
      expect(cff.authors).toBeGreaterThan(0);
    });
  });

  test("as BibTeX are read by bibtexparser, with the title as it was", () => {
    each((version, { bibtex }) => {
      expect(bibtex).toMatchObject({ failed: 0, year: "2026" });
      expect(bibtex.title).toBe(titleOf(version));
    });
  });

  test("as RIS are read by rispy, with title and authors", () => {
    each((version, { ris }) => {
      expect(ris.type).toBe("DATA");
      expect(ris.title).toBe(titleOf(version).trim());
      expect(ris.authors).toEqual(version.metadata?.creators?.map(({ name }) => name.trim()) ?? []);
    });
  });
});
