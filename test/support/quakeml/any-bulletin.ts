import fc from "fast-check";
import type { Bulletin, Field } from "#contracts/bulletin/quakeml.ts";
import { type MemberSource, objectOf } from "./every-member.ts";

const BED = "http://quakeml.org/xmlns/bed/1.2";

const anyText = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 8 }) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
  { weight: 1, arbitrary: fc.constantFrom("", " ", "\r\n", "]]>", "\u0000", "&amp;", "\ud800") },
);
/** What may stand for an id: some are valid by the schema. */
const anyId = fc.oneof(
  { weight: 3, arbitrary: fc.nat(3).map((n) => `smi:local.test/${n}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("smi:orig1", ">", "quakeml:a/b", "a b", "smi:x.y/a#b#c"),
  },
);
const anyTime = fc.oneof(
  fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
    .map((d) => d.toISOString()),
  fc.constantFrom(
    "2024-02-29T00:00:00",
    "2023-02-29T00:00:00",
    "soon",
    "2024-01-01T00:00:00+14:00",
  ),
);
const anyNs = fc.constantFrom(
  "urn:a",
  "urn:b/c?d&e",
  "",
  BED,
  "http://quakeml.org/xmlns/quakeml/1.2",
);
const anyName = fc.constantFrom("one", "two", "constructor", "__proto__", "a b", "xmlns");
const anyAttribute = fc.record(
  {
    ns: fc.constantFrom("urn:a", "urn:b"),
    name: fc.constantFrom("k", "l", "__proto__"),
    text: anyText,
  },
  { requiredKeys: ["name", "text"] },
);
const filled = anyText.filter((text) => text.trim() !== "");
const { element: anyElement } = fc.letrec<{ element: object; leaf: object }>((tie) => ({
  leaf: fc.record({ ns: anyNs, name: anyName, text: filled }),
  element: fc.record(
    {
      ns: anyNs,
      name: anyName,
      text: filled,
      attributes: fc.uniqueArray(anyAttribute, {
        minLength: 1,
        maxLength: 2,
        selector: ({ ns, name }) => `${ns} ${name}`,
      }),
      children: fc.array(fc.oneof({ maxDepth: 3 }, tie("leaf"), tie("element")), {
        minLength: 1,
        maxLength: 2,
      }),
    },
    { requiredKeys: ["ns", "name"] },
  ),
}));
const anyForeignAttribute = fc.record({
  ns: anyNs,
  name: anyName,
  attribute: fc.constant(true),
  text: anyText,
});

function arbitraryOf({ kind, values = [], maxLength = 20 }: Field): fc.Arbitrary<unknown> {
  switch (kind) {
    case "real":
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
    case "integer":
      return fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
    case "boolean":
      return fc.boolean();
    case "enumeration":
      return fc.constantFrom(...values);
    case "time":
      return anyTime;
    case "text":
      return anyText.map((text) => text.slice(0, maxLength));
    default:
      return anyId;
  }
}

/** Bulletins of every kind, with ids that the schema refuses, references to nothing, and foreign parts. */
export const anyBulletin: fc.Arbitrary<Bulletin> = fc.gen().map((g) => {
  const source: MemberSource = {
    count({ many, required }) {
      if (many) return g(fc.nat, { max: 2 }) === 2 ? g(fc.nat, { max: 2 }) : 0;
      return required || g(fc.boolean) ? 1 : 0;
    },
    id: (kind) => (kind === "event" ? "smi:local.test/event/1" : g(() => anyId)),
    value: (field) => g(() => arbitraryOf(field)),
    foreign: () =>
      g(fc.nat, { max: 5 }) > 0
        ? []
        : [
            ...g(() => fc.array(anyForeignAttribute, { maxLength: 2 })),
            ...g(() => fc.array(anyElement, { maxLength: 2 })),
          ],
  };
  return objectOf("Event", "event", source) as Bulletin;
});
