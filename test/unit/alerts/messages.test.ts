import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { emptyRecord } from "#contracts/seismic-event/seismic-event.ts";
import {
  capOf,
  contentOf,
  digestWith,
  mailOf,
  messageOf,
  testContent,
} from "#services/alerts/messages.ts";
import { valuesOf } from "#services/domain/alerts.ts";

const BASE = "https://quakes.example.org";
const CATALOGUE = "6f1c2a52-0f6e-4b8e-9d43-2f1f6f0f7a10";
const EVENT = "0d9e7b36-7c1a-4e55-a2f8-6b3c5d4e1f30";
const entry = { version: 4, committedAt: "2026-11-30T12:00:00.000Z", catalogueName: "N & Z" };
const of = { catalogueId: CATALOGUE, entry };
const head = {
  id: "b7a1d9c4-53e2-4f0a-8c6b-91d2e4a3c520",
  type: "earthquake.revised",
  timestamp: "2026-11-30T12:00:01.234Z",
  alert: { id: "e4c8f1a7-2b6d-4930-b5e1-7a8f9c0d2b40", name: 'M 5 <"& more' },
  catalogue: { id: CATALOGUE, name: "N & Z", version: 4 },
} as const;

function event(parts: object = {}) {
  const record = emptyRecord({ time: "2026-11-30T11:00:00.5Z", latitude: -41.5, longitude: 174 });
  const known = { magnitude: 5.2, magnitude_type: "Mw", depth: 12, region: "Cook <Strait>" };
  return { id: EVENT, ...record, ...known, ...parts };
}
const revised = contentOf(
  { before: event(), after: event({ magnitude: 5.6, depth: null }) },
  valuesOf(event()),
  of,
);
const earlier = [
  { id: "one", createdAt: "2026-11-30T10:00:00.000Z" },
  { id: "two", createdAt: "2026-11-30T11:00:00.999Z" },
];

function lint(xml: string): string {
  const schema = ["--schema", "test/fixtures/formats/cap-1.2.xsd"];
  const linted = spawnSync("xmllint", ["--noout", "--nonet", ...schema, "-"], { input: xml });
  return linted.status === 0 ? "" : String(linted.stderr);
}
const hasLint = spawnSync("xmllint", ["--version"]).status === 0;

test("CAP 1.2 names all earlier messages of the event, and is valid by its schema (skipped without xmllint)", () => {
  const update = capOf(head, revised, earlier, BASE);
  const sender = `quakes.example.org/alerts/${head.alert.id}`;
  const values = [...update.matchAll(/<(\w+)>([^<]*)<\/\1>/g)].map(([, name, text]) => [
    name,
    text,
  ]);
  expect(values).toEqual([
    ["identifier", head.id],
    ["sender", sender],
    ["sent", "2026-11-30T12:00:01-00:00"],
    ["status", "Actual"],
    ["msgType", "Update"],
    ["scope", "Restricted"],
    ["restriction", "Readers of the catalogue N &amp; Z"],
    [
      "references",
      `${sender},one,2026-11-30T10:00:00-00:00 ${sender},two,2026-11-30T11:00:00-00:00`,
    ],
    ["language", "en"],
    ["category", "Geo"],
    ["event", "Earthquake"],
    ["urgency", "Past"],
    ["severity", "Unknown"],
    ["certainty", "Observed"],
    ["headline", "Revised: M 5.6 Mw Cook &lt;Strait&gt;"],
    ["web", `${BASE}/catalogues/${CATALOGUE}/events/${EVENT}`],
    ["valueName", "magnitude"],
    ["value", "5.6"],
    ["valueName", "magnitudeType"],
    ["value", "Mw"],
    ["valueName", "version"],
    ["value", "4"],
    ["areaDesc", "Cook &lt;Strait&gt;"],
    ["circle", "-41.5,174 0"],
  ]);
  const kinds = {
    "earthquake.new": ["Actual", "Alert"],
    "earthquake.withdrawn": ["Actual", "Cancel"],
    test: ["Test", "Alert"],
  } as const;
  for (const [type, [status, msgType]] of Object.entries(kinds)) {
    const content = type === "test" ? testContent(of, new Date(head.timestamp)) : revised;
    const cap = capOf({ ...head, type: type as keyof typeof kinds }, content, [], BASE);
    expect(cap).toContain(`<status>${status}</status>\n<msgType>${msgType}</msgType>`);
    expect(cap).not.toContain("references");
    if (hasLint) expect(lint(cap)).toBe("");
  }
  if (hasLint) expect(lint(update)).toBe("");
  if (hasLint) expect(lint(update.replace("Past", "Yesterday"))).not.toBe("");
});

test("a mail says the same in words: one line of subject, what changed, where to look", () => {
  const { subject, message } = mailOf(head, revised, BASE);
  expect(subject).toBe("Revised: M 5.6 Mw Cook <Strait>");
  expect(message).toBe(`Revised: M 5.6 Mw Cook <Strait>

Origin time: 2026-11-30T11:00:00.500Z
Place: −41.5°, 174°
Changed: magnitude, before 5.2; depth, before 12 km
${BASE}/catalogues/${CATALOGUE}/events/${EVENT}

Alert "M 5 <"& more" for the catalogue "N & Z", version 4.
To change or to end it: ${BASE}/alerts
`);
  const broken = contentOf(
    { before: null, after: event({ region: "A\r\nBcc: b@example.org" }) },
    null,
    of,
  );
  expect(mailOf(head, broken, BASE).subject).not.toMatch(/[\r\n]/);
});

test("a digest counts its messages and shows the ten largest", () => {
  const row = (magnitude: number | null, kind: "earthquake.new" | "earthquake.revised") => ({
    kind,
    content: contentOf({ before: null, after: event({ magnitude }) }, null, of),
  });
  const rows = [null, ...Array.from({ length: 12 }, (_, i) => i)].map((m) =>
    row(m, "earthquake.new"),
  );
  const digest = [...rows, row(5.5, "earthquake.revised")].reduce(
    (before: ReturnType<typeof digestWith> | null, one) => digestWith(before, one),
    null,
  );
  if (digest === null) throw new Error("there are rows");
  expect(digest.counts).toEqual({ "earthquake.new": 13, "earthquake.revised": 1 });
  const sizes = digest.largest.map((one) => (one.event["properties"] as { mag: number }).mag);
  expect(sizes).toEqual([11, 10, 9, 8, 7, 6, 5.5, 5, 4, 3]);
  const body = messageOf({ ...head, type: "digest" }, digest, BASE);
  expect(body).toMatchObject({ type: "digest", counts: digest.counts, catalogue: head.catalogue });
  expect(mailOf({ ...head, type: "digest" }, digest, BASE)).toMatchObject({
    subject: "Digest: 13 new, 1 revised",
    message: expect.stringContaining("Revised: M 5.5 Mw Cook <Strait>"),
  });
});
