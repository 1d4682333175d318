import { createHash } from "node:crypto";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { createRecent } from "#infra/kernel/recent.ts";
import { createKeptAnswers } from "#services/gateway/kept.ts";
import { newAccessToken } from "../../support/api/access-tokens.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { merge, sourceOf } from "../../support/api/merges.ts";
import { saveRegion, squareOf } from "../../support/api/regions.ts";
import { createApiClient, sessionToken } from "../../support/api-client.ts";
import { buildBareApp, INTERNAL_CATALOGUE } from "../../support/bare-app.ts";
import { NO_REGIONS } from "../../support/no-regions.ts";
import { createRandom } from "../../support/random.ts";
import { runs } from "../../support/runs.ts";
import { sharedService, useService } from "../../support/service.ts";

const service = sharedService();
let plain = "";
beforeAll(async () => {
  plain = (
    await createCatalogue(await service.loginAs("editor"), { events: some(), is_public: true })
  ).id;
});
/** What is changed by another process is read here, at the root too. */
const gateway = useService(() => ({ ROLES: "gateway", FDSN_CATALOGUE: plain }), {
  copyOf: service,
});

/** Answers given again so far. */
async function repeated(): Promise<number> {
  const { body } = await createApiClient(gateway.url).get<string>("/metrics");
  return Number(/^repeated_answers_total (\d+)$/m.exec(body)?.[1]);
}

/** Of each answer: what a cache or a reader goes by. */
const HEADERS = [
  "etag",
  "content-encoding",
  "cache-control",
  "vary",
  "content-type",
  "content-disposition",
  "link",
];

async function answerOf(path: string, reader: Readonly<Record<string, string>>) {
  const answer = await fetch(gateway.url + path, {
    headers: { "accept-encoding": "gzip", ...reader },
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const headers = new Headers(answer.headers);
  // What nobody stores varies by nothing.
  if (headers.get("cache-control") === "no-store") headers.delete("vary");
  return {
    status: answer.status,
    // The summary feeds' tag is that of the minute.
    headers: HEADERS.map((name) => headers.get(name)?.replace(/-at-\d+/, "")),
    // Refusals of the event service tell when they were asked for.
    text: answer.ok ? bytes.toString("latin1") : "",
  };
}

let asked = 0;

/** What is answered to somebody who asks as nobody has before: no answer is kept for his codings. */
function fresh(path: string, headers: Readonly<Record<string, string>>) {
  asked += 1;
  return answerOf(path, { ...headers, "accept-encoding": `gzip, x-${asked}` });
}

const SECONDS = 60;
let made = 0;

function event() {
  made += 1;
  const time = new Date(Date.UTC(2020, 0, 1) + made * SECONDS * 1_000).toISOString();
  const longitude = (made * 7) % 20;
  return seismicEvent({
    time,
    latitude: (made * 3) % 20,
    longitude,
    magnitude: 2 + (made % 50) / 10,
  });
}

const some = () => Array.from({ length: 8 }, event);

const READS = [
  "/events",
  "/events?pageSize=3&page=2",
  "/events?limit=4",
  "/events?pagination=cursor&limit=3",
  "/events/filtered?minMagnitude=4",
  "/events/filtered?region=REGION",
  "/events/columns",
  "/analytics/magnitude-frequency",
  "/fdsnws/event/1/query?limit=5",
  "/fdsnws/event/1/query?format=text&minmagnitude=3",
  "/fdsnws/event/1/query?format=geojson",
  "/fdsnws/event/1/query?format=text&region=REGION",
  "/fdsnws/event/1/query?updatedafter=2020-01-01&nodata=404",
  "/fdsnws/event/1/count",
  "/fdsnws/event/1/catalogs",
  "/fdsnws/event/1/contributors",
  "/versions/1/fdsnws/event/1/query?format=text",
  "/events?asOf=1",
  "/events/filtered?asOf=2&include=source_events",
  "/feed/v1.0/summary/all_month.csv",
] as const;

/** Without a catalogue in the address. */
const ROOT_READS = [
  "/fdsnws/event/1/query?limit=5",
  "/fdsnws/event/1/query?format=text&catalog=CATALOGUE",
  "/fdsnws/event/1/count",
  "/fdsnws/event/1/catalogs",
] as const;

/** For all runs of the property. */
const ALL_MS = 3_600_000;

/** Each asks three times, after each change. */
const READS_OF_STATE = 8;

type Reader = { readonly headers: Readonly<Record<string, string>>; readonly base: () => string };

test(
  "an answer that is given again is what everybody would be answered now, over random histories of all that it follows from",
  async () => {
    const random = createRandom(58);
    const editor = await service.loginAs("editor");
    const admin = await service.loginAs("admin");
    const viewer = await service.loginAs("viewer");
    const sources = [await sourceOf(editor, "A", some()), await sourceOf(editor, "B", some())];
    const merged = (await merge(editor, sources)).catalogueId;
    const { body } = await saveRegion(editor, { geometry: squareOf(0, 0, 10, 10) });
    const region = body.region.id;
    const token = await newAccessToken(editor, { catalogues: [plain, merged] });
    const { body: me } = await viewer.get<{ user: { id: string } }>("/api/auth/session");
    const ids = [plain, merged, ...sources.map(({ id }) => id)];
    const shares = new Map<string, { id: string; path: string }>();

    const change = {
      add: (id: string) =>
        editor.send("POST", `/api/catalogues/${id}/events`, { events: [event()] }),
      edit: async (id: string) => {
        const { body: page } = await editor.get<{ events: { id: string }[] }>(
          `/api/catalogues/${id}/events`,
        );
        const [first] = page.events;
        const path = `/api/catalogues/${id}/events/${first?.id}`;
        return random.chance(0.5)
          ? editor.send("PATCH", path, { magnitude: random.below(80) / 10 })
          : editor.send("DELETE", path);
      },
      name: (id: string) =>
        admin.send("PATCH", `/api/catalogues/${id}`, { name: `Named ${random.below(4)}` }),
      metadata: (id: string) =>
        admin.send("PATCH", `/api/catalogues/${id}`, {
          metadata: { description: `Of ${random.below(3)}` },
        }),
      access: (id: string) =>
        admin.send("PATCH", `/api/catalogues/${id}`, {
          access: random.pick(["public", "public", "internal", "restricted"]),
        }),
      member: (id: string) => {
        const path = `/api/catalogues/${id}/members/${me.user.id}`;
        return random.chance(0.5)
          ? editor.send("PUT", path, { right: "read" })
          : editor.send("DELETE", path);
      },
      restore: (id: string) => editor.send("POST", `/api/catalogues/${id}/versions/1/restore`, {}),
      share: async (id: string) => {
        const known = shares.get(id);
        if (known !== undefined && random.chance(0.5)) {
          shares.delete(id);
          return editor.send("DELETE", `/api/catalogues/${id}/shares/${known.id}`);
        }
        const answer = await editor.send<{ share: { id: string; url: string } }>(
          "POST",
          `/api/catalogues/${id}/shares`,
          {},
        );
        const { share } = answer.body;
        shares.set(id, { id: share.id, path: new URL(share.url).pathname });
        return answer;
      },
      region: () => {
        const east = 5 + random.below(10);
        return editor.send("PATCH", `/api/regions/${region}`, {
          geometry: squareOf(0, 0, east, 10),
        });
      },
    };
    const kinds = Object.keys(change) as (keyof typeof change)[];
    const readers = await readersOf();

    const before = await repeated();
    const seen = new Set<string>();
    const changes = Math.ceil(runs(100_000, 1 / 200) / (3 * READS_OF_STATE));
    for (let step = 0; step < changes; step += 1) {
      // Each kind of change once, then by chance.
      const kind = kinds[step] ?? random.pick(kinds);
      const { status } = await change[kind](step < kinds.length ? plain : random.pick(ids));
      seen.add(`${kind} ${status < 300}`);
      for (const _ of Array.from({ length: READS_OF_STATE })) {
        const { headers, base } = random.pick(readers);
        const path = random.chance(0.2)
          ? random.pick(ROOT_READS).replace("CATALOGUE", random.pick(ids))
          : base() + random.pick(READS).replace("REGION", region);
        const first = await answerOf(path, headers);
        const again = await answerOf(path, headers);
        const now = await fresh(path, headers);
        expect({ path, ...again }).toEqual({ path, ...now });
        expect({ path, ...first }).toEqual({ path, ...now });
      }
    }
    expect([...seen]).toEqual(expect.arrayContaining(kinds.map((kind) => `${kind} true`)));
    expect(await repeated()).toBeGreaterThan(before);

    async function readersOf(): Promise<Reader[]> {
      const ofCatalogue = () => `/api/catalogues/${random.pick(ids)}`;
      const signed = await Promise.all(
        (["editor", "admin", "viewer"] as const).map(async (role) => {
          const session = await sessionToken(service.url, service.signInOf(role));
          return { headers: { authorization: `Bearer ${session}` }, base: ofCatalogue };
        }),
      );
      const ofShare = () => [...shares.values()].map(({ path }) => path);
      return [
        ...signed,
        { headers: {}, base: ofCatalogue },
        { headers: {}, base: ofCatalogue },
        { headers: { "accept-datetime": new Date().toUTCString() }, base: ofCatalogue },
        { headers: { authorization: `Bearer ${token.secret}` }, base: ofCatalogue },
        { headers: {}, base: () => (shares.size === 0 ? ofCatalogue() : random.pick(ofShare())) },
      ];
    }
  },
  ALL_MS,
);

test("what is kept is told apart by its coding and its format", async () => {
  const editor = await service.loginAs("editor");
  const many = Array.from({ length: 60 }, event);
  const { id } = await createCatalogue(editor, { events: many, is_public: true });
  const path = `/api/catalogues/${id}/events?pageSize=60`;
  const digest = (text: string) => createHash("sha256").update(text).digest("hex");
  const bodies = new Set<string>();
  const codings = ["identity", "gzip", "zstd", "br"];
  for (const _ of [1, 2]) {
    for (const coding of codings) {
      const answer = await fetch(gateway.url + path, { headers: { "accept-encoding": coding } });
      expect(answer.headers.get("content-encoding")).toBe(coding === "identity" ? null : coding);
      bodies.add(digest(await answer.text()));
    }
  }
  expect(bodies.size).toBe(1);
  const columns = `/api/catalogues/${id}/events/columns`;
  const types = ["application/json", "application/octet-stream"];
  const forms = codings.flatMap((coding) => types.map((accept) => [coding, accept] as const));
  for (const timesKept of [0, forms.length]) {
    const before = await repeated();
    for (const [coding, accept] of forms) {
      const asked = { headers: { accept, "accept-encoding": coding } };
      const answer = await fetch(gateway.url + columns, asked);
      expect(answer.headers.get("content-type")).toContain(accept);
      await answer.arrayBuffer();
    }
    expect((await repeated()) - before).toBe(timesKept);
  }
});

const MIB = 1024 ** 2;

/** An application that answers feeds as `open` does, and what is asked of it: the number of answers made so far. */
async function feedOf(
  open: () => AsyncGenerator<Uint8Array>,
  keptUntil = Number.POSITIVE_INFINITY,
) {
  const clock = { now: 0 };
  let answers = 0;
  const kept = createKeptAnswers(createRecent(64 * MIB), NO_REGIONS, () => new Date(clock.now));
  const app = await buildBareApp(
    {
      getSummaryFeed: async () => {
        answers += 1;
        return { contentType: "application/json", keptUntil, open, isPublic: true };
      },
    },
    {
      keptAnswers: kept,
      checkAnswers: false,
      catalogueFacts: async () => ({ ...INTERNAL_CATALOGUE, isPublic: true, publicFrom: 0 }),
    },
  );
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => app.close());
  const path = `/api/catalogues/${INTERNAL_CATALOGUE.id}/feed/v1.0/summary/all_day.geojson`;
  const ask = (init: RequestInit = {}) =>
    fetch(url + path, { ...init, headers: { "accept-encoding": "identity", ...init.headers } });
  return { ask, clock, made: () => answers };
}

async function* pieces(bytes: number) {
  for (let left = bytes; left > 0; left -= MIB) yield new Uint8Array(Math.min(left, MIB)).fill(32);
}

test("an answer is given again until its time, to GET alone", async () => {
  const { ask, clock, made } = await feedOf(() => pieces(3 * MIB), 1_000);
  for (const _ of [1, 2]) expect((await (await ask()).arrayBuffer()).byteLength).toBe(3 * MIB);
  expect(made()).toBe(1);
  await ask({ method: "HEAD" });
  expect(made()).toBe(2);
  clock.now = 1_000;
  await (await ask()).arrayBuffer();
  expect(made()).toBe(3);
});

test("one above 16 MiB is sent whole and not kept", async () => {
  const { ask, made } = await feedOf(() => pieces(17 * MIB));
  for (const _ of [1, 2]) expect((await (await ask()).arrayBuffer()).byteLength).toBe(17 * MIB);
  expect(made()).toBe(2);
});

test("one that breaks off, at its source or at its client, is not kept", async () => {
  let isBroken = true;
  const { ask, made } = await feedOf(async function* () {
    yield* pieces(2 * MIB);
    if (isBroken) throw new Error("the source broke off");
  });
  await expect((await ask()).arrayBuffer()).rejects.toThrow();
  isBroken = false;
  const leaving = new AbortController();
  const left = await ask({ signal: leaving.signal });
  leaving.abort();
  await expect(left.arrayBuffer()).rejects.toThrow();
  for (const _ of [1, 2]) expect((await (await ask()).arrayBuffer()).byteLength).toBe(2 * MIB);
  expect(made()).toBeLessThanOrEqual(3);
});
