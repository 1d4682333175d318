import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import type { ColumnsHeader } from "#contracts/query/packed-columns.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { decodeColumns, packedValue } from "../../support/packed/decode-columns.ts";
import { createRandom } from "../../support/random.ts";
import { runs } from "../../support/runs.ts";
import { useService } from "../../support/service.ts";

const LIMITS = { events: 60, largest: 25 };
const service = useService({}, { columnsLimits: LIMITS });
const editor = service.client("editor");

const NAMES = ["id", "time", "magnitude", "longitude", "event_type"] as const;
const JSON_FORM = { accept: "application/json" };

/** Versions 1 to 3: most of the events have the same time or magnitude as others, and some no magnitude. */
let events: string;
let shared: string;

beforeAll(async () => {
  const { below, pick } = createRandom(59);
  const event = () => ({
    time: `2020-01-0${1 + below(5)}T00:00:0${1 + below(2)}.5Z`,
    latitude: below(121) - 60,
    longitude: below(361) - 180,
    depth: below(100),
    magnitude: pick([null, null, 2, 2.5, 3, 6.1]),
    event_type: pick(["earthquake", "explosion"]),
  });
  const some = (count: number) => Array.from({ length: count }, event);
  const { id } = await createCatalogue(editor, { events: some(150), is_public: true });
  events = `/api/catalogues/${id}/events`;
  await editor.send("POST", events, { events: some(40) });
  const { body } = await editor.get<{ events: SeismicEvent[] }>(`${events}?pageSize=100`);
  await editor.send("POST", `${events}/remove`, { events: body.events.map((each) => each.id) });
  const made = await editor.send<{ share: { url: string } }>(
    "POST",
    `/api/catalogues/${id}/shares`,
    {},
  );
  shared = `${new URL(made.body.share.url).pathname}/events`;
});

async function listed(query: string): Promise<readonly SeismicEvent[]> {
  const { body } = await editor.get<{ events: SeismicEvent[] }>(`${events}/filtered?${query}`);
  return body.events;
}

type Compare = (a: SeismicEvent, b: SeismicEvent) => number;

const byTime: Compare = (a, b) => Date.parse(b.time) - Date.parse(a.time);
const byId: Compare = (a, b) => (a.id < b.id ? -1 : 1);
const newestFirst: Compare = (a, b) => byTime(a, b) || byId(b, a);
const largestFirst: Compare = (a, b) =>
  Number(b.magnitude ?? -9) - Number(a.magnitude ?? -9) || byTime(a, b) || byId(a, b);

/** What an answer has to have of the events that satisfy its filters. */
function answered(all: readonly SeismicEvent[]): readonly SeismicEvent[] {
  if (all.length <= LIMITS.events) return all;
  return all.toSorted(largestFirst).slice(0, LIMITS.largest).sort(newestFirst);
}

/** What is told of how many there are. */
function told({ headers }: Pick<Response, "headers">, header: ColumnsHeader) {
  const isTruncated = headers.get("x-truncated");
  return { isTruncated, count: header.count, total: header.total };
}

const anyFilter = fc.constantFrom(
  ...[
    "minMagnitude=2.5",
    "maxMagnitude=2.5",
    "minMagnitude=6",
    "maxDepth=50",
    "eventType=explosion",
  ],
  ...["minLongitude=100&maxLongitude=-60", "minLatitude=10", "startTime=2020-01-03"],
);

test("columns of too many events are those of the largest, unknown magnitudes last, then of the newest, then by id", async () => {
  const anyQuery = fc
    .tuple(fc.uniqueArray(anyFilter, { maxLength: 2 }), fc.constantFrom(1, 2, 3))
    .filter(
      ([filters]) => new Set(filters.map((one) => one.replace(/=.*/, ""))).size === filters.length,
    )
    .map(([filters, version]) => [...filters, `asOf=${version}`].join("&"));
  const seen = new Set<boolean>();
  await fc.assert(
    fc.asyncProperty(anyQuery, async (query) => {
      const all = await listed(query);
      const isTruncated = all.length > LIMITS.events;
      seen.add(isTruncated);
      const expected = answered(all);
      const figures = {
        isTruncated: isTruncated ? "true" : null,
        count: expected.length,
        total: isTruncated ? all.length : undefined,
      };
      const path = `${events}/columns?columns=${NAMES}&${query}`;
      const packed = await editor.stream(path);
      const { header, values } = decodeColumns(new Uint8Array(await packed.arrayBuffer()));
      expect(told(packed, header)).toEqual(figures);
      expect(values).toEqual(NAMES.map((name) => expected.map((each) => packedValue(each, name))));
      const json = await editor.get<ColumnsHeader>(path, JSON_FORM);
      expect(told(json, json.body)).toEqual(figures);
      expect(json.body.columns).toEqual(
        NAMES.map((name) => ({ name, values: expected.map((each) => each[name]) })),
      );
    }),
    { numRuns: runs(60), endOnFailure: true },
  );
  expect(seen.size).toBe(2);
});

test("they are the same for guests and below a share, when they are asked for again, and have the version's tag", async () => {
  const guest = service.client("guest");
  const answers = [];
  for (const path of [events, events, shared, shared]) {
    const { status, headers, body } = await guest.get<ColumnsHeader>(`${path}/columns`, JSON_FORM);
    const tag = headers.get("etag") ?? "";
    answers.push({ status, tag, body, told: told({ headers }, body) });
    const again = await guest.get(`${path}/columns`, { ...JSON_FORM, "if-none-match": tag });
    expect(again.status).toBe(304);
  }
  const total = (await listed("")).length;
  expect(answers[0]).toMatchObject({
    ...{ status: 200, tag: '"3-as-json"' },
    told: { isTruncated: "true", count: LIMITS.largest, total },
  });
  for (const answer of answers) expect(answer).toEqual(answers[0]);
  const { body } = await guest.get<{ limits: object }>("/api/settings");
  expect(body.limits).toMatchObject({ maxColumnEvents: LIMITS.events });
});
