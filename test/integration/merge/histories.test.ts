import fc from "fast-check";
import { sql } from "slonik";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { Refusal } from "#contracts/errors.ts";
import type { RefreshPreview } from "#contracts/http/merges.ts";
import { MERGE_LIMITS, type MergeConfig } from "#contracts/merges/config.ts";
import type { MergeDecision } from "#contracts/merges/decisions.ts";
import {
  emptyRecord,
  type SeismicEvent,
  type SeismicEventRecord,
} from "#contracts/seismic-event/seismic-event.ts";
import { type PackedBulletin, packBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { NOBODY } from "#infra/kernel/fair-queue.ts";
import { createChunkWriter } from "#infra/log/chunks.ts";
import { SERVICE } from "#projections/read/rights.ts";
import { type EventRow, toSeismicEvent, WHOLE_COLUMNS } from "#projections/read/versions.ts";
import { totalsAfter } from "#services/changes/revision-changes.ts";
import { touchedBounds } from "#services/domain/catalogues/catalogue.ts";
import { GROUPING_RULES } from "#services/domain/merges/grouping/group-events.ts";
import {
  mergeCataloguesCommand,
  type RefreshedMerge,
  refreshMergeCommand,
  setDecisionsCommand,
} from "#services/merges/commands.ts";
import type { OfMerge } from "#services/merges/decisions.ts";
import { editCatalogue } from "#services/revision.ts";
import { openGatewayThreads } from "#services/threads.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { createdFrom } from "../../support/catalogues/catalogue-scene.ts";
import { editOf, newCommand, useCatalogues } from "../../support/catalogues/use-catalogues.ts";
import { randomOf } from "../../support/generate-catalogue.ts";
import { runs } from "../../support/runs.ts";

type SourceOf = { readonly id: string; readonly source: string };

/** Changes of a catalogue's events, as one version. */
type EventChanges = {
  readonly add?: readonly SeismicEventRecord[];
  readonly update?: ReadonlyMap<string, SeismicEventRecord>;
  readonly remove?: readonly string[];
  /** Removed ones that come back under their ids. */
  readonly restore?: ReadonlyMap<string, SeismicEventRecord>;
};

/** Merges and refreshes over a real log and real threads. */
function useMerges() {
  const catalogues = useCatalogues();
  const refreshing = new Set<string>();
  let opened: ReturnType<typeof openGatewayThreads>;
  beforeAll(() => {
    opened = openGatewayThreads(catalogues.databaseUrl);
  });
  afterAll(() => opened.close());

  return {
    catalogues,
    get threads() {
      return opened.threads;
    },
    async merge(
      sources: readonly SourceOf[],
      config: MergeConfig,
      decisions: readonly MergeDecision[] = [],
    ): Promise<string> {
      const { context } = catalogues;
      const wanted = { name: "merged", sources, config, decisions, reader: SERVICE };
      const run = { ...NOBODY, onProgress() {} };
      const made = await mergeCataloguesCommand({ context, ...opened }, newCommand(), wanted, run);
      return made.catalogueId;
    },
    refresh(catalogueId: string, config?: MergeConfig): Promise<RefreshedMerge> {
      const wanted = { catalogueId, config, reader: SERVICE };
      return refreshMergeCommand(
        { context: catalogues.context, refreshing, ...opened },
        newCommand(),
        wanted,
        NOBODY,
      );
    },
    /** Replaces the decisions of a merge. */
    decide(of: OfMerge, decisions: readonly MergeDecision[]): Promise<void> {
      const { context } = catalogues;
      const body = Buffer.from(JSON.stringify({ decisions }));
      const submitted = { body, asker: NOBODY };
      return setDecisionsCommand({ context, ...opened }, newCommand(), of, submitted);
    },
    /** The events of the latest version, in order of the ids. */
    async eventsOf(catalogueId: string): Promise<SeismicEvent[]> {
      const rows = await catalogues.context.pool.any(sql.unsafe`
        select ${WHOLE_COLUMNS} from read_model.seismic_events
        where catalogue_key = (select key from read_model.catalogues where id = ${catalogueId})
          and revision_to is null order by event_id`);
      return (rows as readonly EventRow[]).map(toSeismicEvent);
    },
    /** Changes events as people and imports do. */
    async change(catalogueId: string, changes: EventChanges): Promise<void> {
      const { context } = catalogues;
      const { add = [], update = new Map(), remove = [], restore = new Map() } = changes;
      const before = new Map((await this.eventsOf(catalogueId)).map((one) => [one.id, one]));
      await editCatalogue(editOf(context, catalogueId), { cause: "edit" }, (base, write) => {
        const writer = createChunkWriter();
        for (const record of add) writer.add(record);
        for (const [id, record] of restore) writer.restore(id, record);
        for (const [id, record] of update) writer.update(id, record);
        for (const id of remove) writer.remove(id);
        const chunk = writer.finish();
        const goneIds = [...update.keys(), ...remove];
        const gone = goneIds.flatMap((id) => before.get(id) ?? []);
        const touched = gone.flatMap((event) => touchedBounds(base.bounds, event));
        const made = { ...writer.counts(), bounds: writer.bounds(), touched, goneIds };
        return write({
          chunks: chunk === null ? [] : [chunk],
          totals: () => totalsAfter(context, base, made),
        });
      });
    },
  };
}

/** An event of a merged catalogue at a refresh: its members, and the one that was chosen when it was made. */
type Former = {
  readonly id: string;
  readonly founder: string;
  readonly members: readonly string[];
};

const membersOf = ({ source_events: members }: SeismicEvent) =>
  (members ?? []).map(({ event_id: id }) => id);

/** What is known of the events of a merge. @param before of those that were there before */
function formersOf(events: readonly SeismicEvent[], before: readonly Former[]): Former[] {
  return events.map((event) => {
    const chosen = event.source_events?.find((one) => one.chosen)?.event_id ?? "";
    const known = before.find(({ id }) => id === event.id);
    return { id: event.id, founder: known?.founder ?? chosen, members: membersOf(event) };
  });
}

/** The rule of infra/decisions/0047, said once more and slowly. */
function expectedIds(formers: readonly Former[], events: readonly SeismicEvent[]): void {
  const heirs = formers.map((former) => {
    const holds = (event: SeismicEvent, id: string) => membersOf(event).includes(id);
    const shared = (event: SeismicEvent) => former.members.filter((id) => holds(event, id)).length;
    const heir =
      events.find((event) => holds(event, former.founder)) ??
      events.find((event) => shared(event) > former.members.length / 2);
    return { former, heir, shared: heir ? shared(heir) : 0 };
  });
  for (const event of events) {
    const claims = heirs.filter(({ heir }) => heir === event);
    claims.sort((a, b) => b.shared - a.shared || (a.former.id < b.former.id ? -1 : 1));
    const [first] = claims;
    if (first !== undefined) expect(event.id).toBe(first.former.id);
    else expect(formers.map(({ id }) => id)).not.toContain(event.id);
  }
}

const merges = useMerges();

/** Small numbers, so that places, times and ids meet again and again. */
type Random = {
  readonly below: (end: number) => number;
  readonly chance: (part: number) => boolean;
};

const A = "A".charCodeAt(0);
const EARTHQUAKES = 25;
const START = Date.parse("2020-01-01T00:00:00Z");

function record({ below, chance }: Random): SeismicEventRecord {
  const earthquake = below(EARTHQUAKES);
  const ms = START + earthquake * 60_000 + below(12) * 1_500;
  return {
    ...emptyRecord({
      time: new Date(ms).toISOString(),
      latitude: (earthquake % 5) / 10 + below(4) / 20,
      longitude: chance(0.5) ? 179.95 : -179.95,
    }),
    magnitude: chance(0.1) ? null : below(60) / 10,
    magnitude_type: chance(0.5) ? "Mw" : "ML",
    used_station_count: chance(0.5) ? below(40) : null,
    agency_id: chance(0.7) ? (["GNS", "us", "ISC"][below(3)] ?? null) : null,
    source_id: chance(0.8) ? `${chance(0.1) ? "smi:ünï/" : ""}${below(12)}` : null,
    extra: chance(0.3) ? { public_id: `smi:ünï/${below(8)}` } : null,
  };
}

const STRATEGIES = ["quality", "priority", "average", "newest", "complete"] as const;

function anyStrategy({ below }: Random) {
  return STRATEGIES[below(STRATEGIES.length)] ?? "quality";
}

/** By groups of attributes, by stations and with conversions, or each of them not. */
function anyChoice(random: Random): Partial<MergeConfig> {
  const { below, chance } = random;
  const choice = () => (chance(0.5) ? anyStrategy(random) : ["ISC", "gns"].slice(below(2)));
  const prefer = {
    ...(chance(0.6) && { location: choice() }),
    ...(chance(0.6) && { magnitude: choice() }),
    ...(chance(0.3) && { mechanism: choice() }),
  };
  const ofML = { from: "ML", to: "Mw", slope: 0.9, intercept: 0.5, sigma: 0.2, reference: "here" };
  return {
    ...(chance(0.5) && { prefer }),
    ...(chance(0.3) && { minMagnitudeStations: 5 + below(20) }),
    ...(chance(0.5) && {
      conversions: [
        { ...ofML, name: "of GNS", agency: "GNS", range: [2, 4] },
        { ...ofML, name: "of all", slope: 1.1, range: [1, 5] },
      ],
    }),
  };
}

function anyConfig(random: Random): MergeConfig {
  const { below, chance } = random;
  const config: MergeConfig = {
    timeThreshold: [0, 3, 6, 3_600][below(4)] ?? 3,
    distanceThreshold: [0, 6, 12][below(3)] ?? 6,
    mergeStrategy: anyStrategy(random),
    priority: "B",
    linkage: chance(0.5) ? "complete" : "nearest",
    ...anyChoice(random),
  };
  if (chance(0.5)) return config;
  const to = "2020-01-01T00:10:00Z";
  return {
    ...config,
    windows: [
      { to, sources: ["A", "B"], timeThreshold: 15, distanceThreshold: 30 },
      { minMagnitude: 5, timeThreshold: null, distanceThreshold: null },
    ],
  };
}

type World = {
  readonly sources: readonly SourceOf[];
  readonly id: string;
  config: MergeConfig;
  decisions: MergeDecision[];
  readonly removed: { readonly catalogue: string; readonly event: SeismicEvent }[];
};

const pick = <T>(items: readonly T[], { below }: Random): T | undefined =>
  items[below(items.length)];
const withoutId = ({ id: _, bulletin_sha256: __, bulletin_counts: ___, ...event }: SeismicEvent) =>
  event;

/** Some share their content. */
function anyBulletin({ below, chance }: Random): PackedBulletin | null {
  return chance(0.3) ? packBulletin(smallBulletin(`${below(8)}`)) : null;
}

/** Changes of a catalogue as its people make them. */
async function changeSome(world: World, catalogue: string, random: Random): Promise<void> {
  const events = await merges.eventsOf(catalogue);
  const [first, second] = [pick(events, random), pick(events, random)];
  const update = new Map<string, SeismicEventRecord>();
  if (first && random.chance(0.7)) {
    const members = first.source_events;
    update.set(first.id, { ...record(random), source_events: members });
  }
  const isRemoved = second && second.id !== first?.id && random.chance(0.5);
  const restore = new Map<string, SeismicEventRecord>();
  const back = world.removed.findIndex((one) => one.catalogue === catalogue);
  if (back >= 0 && random.chance(0.5)) {
    for (const { event } of world.removed.splice(back, 1)) {
      // A refresh may have put it back already.
      if (events.every(({ id }) => id !== event.id)) restore.set(event.id, withoutId(event));
    }
  }
  await merges.change(catalogue, {
    add: random.chance(0.6) ? [record(random)] : [],
    update,
    remove: isRemoved ? [second.id] : [],
    restore,
  });
  if (isRemoved) world.removed.push({ catalogue, event: second });
}

/** Contradictory ones are refused, and those before stay. */
async function decide(world: World, random: Random): Promise<void> {
  const kept = world.decisions.filter(() => random.chance(0.8));
  const events: MergeDecision["events"] = [];
  for (const { id: catalogue_id } of world.sources) {
    const event = pick(await merges.eventsOf(catalogue_id), random);
    if (event && random.chance(0.8)) events.push({ catalogue_id, event_id: event.id });
  }
  const type = random.chance(0.5) ? "same" : "different";
  const wanted = events.length < 2 ? kept : [...kept, { type, events } as const];
  const of = { catalogueId: world.id, reader: SERVICE, hidden: null };
  try {
    await merges.decide(of, wanted);
    world.decisions = [...wanted];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

const preview = (world: World, wholeFrom: number) =>
  merges.threads.merges.run(
    "previewRefresh",
    { catalogueId: world.id, config: world.config, reader: SERVICE, wholeFrom },
    NOBODY,
  );

const inOrder = ({ changes, ...counts }: RefreshPreview) => ({
  ...counts,
  changes: changes.toSorted((a, b) => (a.event.id < b.event.id ? -1 : 1)),
});

/** All of each event but its id: of its bulletin the hash. */
const rows = async (id: string) =>
  (await merges.eventsOf(id)).map(({ id: _, ...event }) => JSON.stringify(event)).sort();

/** A refresh: by what changed and from scratch the same, and the ids by the rule. */
async function refreshAndCheck(world: World, formers: readonly Former[]): Promise<Former[]> {
  const [closed, whole] = [await preview(world, Number.POSITIVE_INFINITY), await preview(world, 0)];
  expect(inOrder(closed)).toEqual(inOrder(whole));
  const { version, ...counts } = await merges.refresh(world.id, world.config);
  expect(whole).toMatchObject(counts);
  const scratch = await merges.merge(world.sources, world.config, world.decisions);
  expect(await rows(world.id)).toEqual(await rows(scratch));
  const events = await merges.eventsOf(world.id);
  expectedIds(formers, events);
  expect(await merges.refresh(world.id)).toEqual({ version, added: 0, updated: 0, removed: 0 });
  return formersOf(events, formers);
}

function randomFrom(seed: number): Random {
  const next = randomOf(seed);
  return { below: (end) => Math.floor(next() * end), chance: (part) => next() < part };
}

async function life(seed: number): Promise<void> {
  const random = randomFrom(seed);
  const { context } = merges.catalogues;
  const sources: SourceOf[] = [];
  const isWide = random.chance(0.1);
  const count = isWide ? MERGE_LIMITS.maxSources : 2 + random.below(2);
  for (const source of Array.from({ length: count }, (_, i) => String.fromCodePoint(A + i))) {
    const length = isWide ? 1 + random.below(3) : 10 + random.below(20);
    const records = Array.from({ length }, () => record(random));
    const bulletins = records.map(() => anyBulletin(random));
    const bulletinOf = (i: number) => bulletins[i] ?? null;
    sources.push({ id: await createdFrom(context, records, newCommand(), bulletinOf), source });
  }
  const config = anyConfig(random);
  const id = await merges.merge(sources, config);
  const world: World = { sources, id, config, decisions: [], removed: [] };
  let formers = formersOf(await merges.eventsOf(id), []);
  for (let round = 0; round < 4; round += 1) {
    for (const source of sources) {
      if (random.chance(0.6)) await changeSome(world, source.id, random);
    }
    if (random.chance(0.5)) await decide(world, random);
    if (random.chance(0.3)) await changeSome(world, id, random);
    if (random.chance(0.2)) world.config = anyConfig(random);
    formers = await refreshAndCheck(world, formers);
  }
}

test("a refresh gives what a merge from scratch gives, whatever happened since, and events keep their ids by the rule", {
  timeout: 600_000,
}, async () => {
  await fc.assert(fc.asyncProperty(fc.integer({ min: 0 }), life), {
    numRuns: runs(30, 1 / 30),
    endOnFailure: true,
  });
});

test("a merge that earlier rules have grouped is grouped by today's at its next refresh, which is recorded", async () => {
  const { context } = merges.catalogues;
  const { pool } = context;
  const random = randomFrom(1);
  const sources: SourceOf[] = [];
  for (const source of ["A", "B"]) {
    sources.push({ id: await createdFrom(context, [record(random)], newCommand()), source });
  }
  const id = await merges.merge(sources, anyConfig(random));
  const rules = () =>
    pool.oneFirst(sql.type(z.object({ rules: z.int().nullable() }))`
      select merge_rules as rules from read_model.catalogues where id = ${id}::uuid`);
  expect(await rules()).toBe(GROUPING_RULES);
  await pool.query(sql.unsafe`
    update read_model.catalogues set merge_rules = null where id = ${id}::uuid`);
  expect(await merges.refresh(id)).toMatchObject({ version: 1 });
  expect(await rules()).toBe(GROUPING_RULES);
});
