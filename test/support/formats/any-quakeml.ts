import fc from "fast-check";
import { documentOf, magnitudeOf, originOf } from "./quakeml-documents.ts";

const OWN = "urn:earthquake-catalogue:1.0";

const blank = fc.constantFrom("", "", "", "\n", "\n  ", " ", "\t", "\r\n", "\r");

/** Text as it stands in the document, of what is plain, what is not, and what is malformed. */
const text = fc
  .array(
    fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom("Mw", "5.5", "earthquake", " ", "\n", "-38.1") },
      {
        weight: 3,
        arbitrary: fc.constantFrom("Taupō", "🌋", "\u00e9", "]", "] ]>", ">", "'", '"'),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom("&amp;", "&#65;", "&quot;", "\r\n", "\r", "<![CDATA[x]]>"),
      },
      { weight: 1, arbitrary: fc.constantFrom("\u2028", "\u0085", "\u007f", "\u009f", "\ufffd") },
      {
        weight: 1,
        arbitrary: fc.constantFrom("<!-- c -->", "<!-- </event> -->", "<?p </event>?>"),
      },
    ),
    { maxLength: 4 },
  )
  .map((parts) => parts.join(""));
const broken = fc.constantFrom(
  ...["]]>", "&", "&lol;", "\u0001", "\ufffe", "\ud800", "<", "</x>", "<!DOCTYPE q>"],
);

const attribute = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('publicID="smi:x.y/1"', "publicID='2'", 'publicID=""') },
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      'c:eventid="6"',
      'eventsource="us"',
      'x:eventid="2"',
      'a:publicID="3"',
    ),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom('a="&lt;"', 'b="x\ny"', 'd="x\ty"', 'e="]]>"', 'f="ō🌋"', 'g = "1"'),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      `xmlns="${OWN}"`,
      'xmlns:q="urn:x"',
      `xmlns:ec="${OWN}"`,
      'xmlnsx="1"',
    ),
  },
);
const brokenAttribute = fc.constantFrom('a="<"', "a", "a=1", 'b="1"b="2"', ':a="1"', 'a="1" a="2"');
const attributes = fc.oneof(
  { weight: 100, arbitrary: fc.constant("") },
  {
    weight: 80,
    arbitrary: fc
      .tuple(
        fc.constantFrom(" ", " ", " ", "\n\t", "\r\n"),
        fc.uniqueArray(attribute, { maxLength: 3, selector: (given) => given.split(/[ =]/)[0] }),
        blank,
      )
      .map(([before, list, after]) => list.map((item) => before + item).join("") + after),
  },
  { weight: 1, arbitrary: brokenAttribute.map((given) => ` ${given}`) },
);

const name = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.constantFrom(
      ...(`
  type description text origin magnitude mag value time creationInfo version agencyID
  methodID timeFixed originUncertainty confidenceEllipsoid majorAxisPlunge`.match(/\S+/g) ?? []),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom("pick", "comment", "attributes", "event", "originID", "_a-b.1"),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("q:origin", "ec:attributes", "bed:type", "né", "__proto__"),
  },
);

const { element } = fc.letrec<{ element: string; content: string }>((tie) => ({
  element: fc
    .tuple(name, attributes, tie("content"), fc.nat(300), blank)
    .map(([tag, given, content, kind, space]) => {
      if (kind < 40) return `<${tag}${given}/>`;
      if (kind === 40) return `<${tag}${given}>${content}</${tag}x>`;
      if (kind === 41) return `<${tag}${given}>${content}`;
      return `<${tag}${given}>${content}</${tag}${kind < 60 ? space : ""}>`;
    }),
  content: fc.oneof(
    { depthSize: "small" },
    { weight: 3, arbitrary: text },
    {
      weight: 2,
      arbitrary: fc
        .array(fc.oneof(tie("element"), blank), { maxLength: 3 })
        .map((list) => list.join("")),
    },
    { weight: 2, arbitrary: fc.tuple(text, tie("element"), text).map((list) => list.join("")) },
  ),
}));

const part = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      originOf(),
      originOf("<region>Taupō</region>"),
      originOf(
        "<timeFixed>1</timeFixed><earthModelID>smi:x.y/iasp91</earthModelID><originUncertainty>" +
          "<confidenceLevel>90</confidenceLevel></originUncertainty>",
      ),
      magnitudeOf(
        "6",
        "Mww",
        "<creationInfo><agencyID>MG</agencyID></creationInfo>",
        "smi:x.y/ma2",
      ),
      magnitudeOf("5", "Mw"),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom("<type>earthquake</type>", "<type/>", "<attributes>{}</attributes>"),
  },
  { weight: 6, arbitrary: blank },
  { weight: 5, arbitrary: element },
  { weight: 1, arbitrary: text },
);

const event = fc
  .tuple(
    fc.constantFrom("event", "event", "event", "event", "origin", "q:event", "events", "comment"),
    attributes,
    fc.array(part, { maxLength: 5 }),
    fc.constantFrom("", "", "", "", "", " "),
  )
  .map(([tag, given, parts, space]) => `<${tag}${given}>${parts.join("")}</${tag}${space}>`);

const child = fc.oneof(
  { weight: 60, arbitrary: event },
  { weight: 40, arbitrary: blank },
  { weight: 4, arbitrary: element },
  { weight: 4, arbitrary: text },
  { weight: 1, arbitrary: fc.constantFrom("<event/>", "<event", "</event>", "<event></origin>") },
);

const place = fc.nat(1000).map((thousandths) => thousandths / 1000);

function seldom<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });
}

const HEADS = ["", "\ufeff", '<?xml version="1.0"?>', '<?xml version="1.1"?>\n'] as const;
/**
 * Documents of events that are mostly plain, some with markup of every other kind, some malformed or
 * cut off. Outside the root there is nothing wrong: where saxes tells that depends on the pieces.
 */
export const anyDocument = fc
  .record({
    head: fc.constantFrom(...HEADS),
    children: fc.array(child, { minLength: 2, maxLength: 10, size: "max" }),
    isBare: fc.boolean(),
    fault: seldom(fc.tuple(broken, place)),
    length: seldom(place),
  })
  .map(({ head, children, isBare, fault, length }) => {
    let inside = children.join("");
    if (fault !== null) {
      const at = Math.floor(fault[1] * inside.length);
      inside = inside.slice(0, at) + fault[0] + inside.slice(at);
    }
    const body = isBare ? `<eventParameters>${inside}</eventParameters>` : documentOf(inside);
    const document = head + body;
    return length === null ? document : document.slice(0, Math.floor(length * document.length));
  });
