import { expect } from "vitest";
import { parse } from "yaml";
import { NO_BOUNDS } from "#contracts/events/catalogues.ts";
import { citationCff } from "#infra/formats/citation.ts";
import { testRows } from "../../../support/test-rows.ts";

const ADDRESS = "https://catalogues.example.org/api/catalogues/a";
const NAME = "Kaikōura";

type Cff = {
  readonly title: unknown;
  readonly abstract: unknown;
  readonly authors: readonly Readonly<Record<string, unknown>>[];
};

testRows(
  "any word stays a text for readers of YAML 1.1 and of 1.2",
  [
    ..."No|yes|on|N|y|null|~|1_000|0b1|12:30:45|2016-11-13|<<|a: b # c".split("|"),
    '"\\\n\u0085\u2028\ufeff\u007f',
  ],
  (word) => {
    const text = citationCff({
      catalogueId: "6d0f7a0e-3c52-4c4e-9a57-2f8d1b0c9e11",
      version: 1,
      filters: [],
      address: `${ADDRESS}/versions/1`,
      catalogueAddress: ADDRESS,
      name: NAME,
      committedAt: "2026-11-13T11:02:56.346Z",
      eventCount: 0,
      bounds: NO_BOUNDS,
      longitudes: null,
      sha256: null,
      previous: null,
      sources: [],
      metadata: {
        title: word,
        description: word,
        creators: [{ name: `${word}, ${word}` }, { name: word }],
      },
    });
    for (const version of ["1.1", "1.2"] as const) {
      const { title, abstract, authors } = parse(text, { version }) as Cff;
      expect({ title, abstract, authors }).toEqual({
        title: word,
        abstract: word,
        authors: [{ "family-names": word, "given-names": word }, { name: word }],
      });
    }
  },
);
