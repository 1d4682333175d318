import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CatalogueMetadataInput } from "#contracts/catalogue-metadata.ts";
import type { CatalogueEvent } from "#contracts/events/catalogues.ts";
import type { ScheduleSettings } from "#contracts/events/imports.ts";
import {
  endShare,
  removeMember,
  setMember,
  shareCatalogue,
} from "#services/domain/catalogues/access.ts";
import { changeSchedule, endSchedule, makeSchedule } from "#services/domain/imports/schedule.ts";
import { testRows } from "../../support/test-rows.ts";
import { given } from "./scenario.ts";

const catalogueId = "5b0c8f0e-6c8d-4b8e-9a55-0d3c0a1f7e11";
const idOf = (n: number) => `8c1d2a5e-7b0f-4c55-8f0e-${String(n).padStart(12, "0")}`;

const created: CatalogueEvent = {
  type: "CatalogueCreated",
  data: { catalogueId, name: "Wellington", isPublic: false, createdBy: "user_1_a" },
};
const deleted: CatalogueEvent = { type: "CatalogueDeleted", data: { catalogueId } };
const shared = (n: number, expiresAt: string | null = null): CatalogueEvent => ({
  type: "CatalogueShared",
  data: { catalogueId, shareId: idOf(n), label: null, secretHash: "ab", expiresAt },
});
const ended = (n: number): CatalogueEvent => ({
  type: "ShareEnded",
  data: { catalogueId, shareId: idOf(n) },
});
const request = {
  shareId: idOf(1),
  label: null,
  secretHash: "ab",
  expiresAt: null,
  now: "2026-11-23T00:00:00.000Z",
  insteadOf: null,
};
const many = (count: number, expiresAt: string | null = null) =>
  Array.from({ length: count }, (_, i) => shared(1000 + i, expiresAt));

test("a share is recorded by the hash of its secret", () => {
  given(created)
    .when((state) => shareCatalogue(state, request))
    .then(shared(1));
});

test("a share's label is trimmed, and a blank one counts as none", () => {
  const labelled = { ...shared(1).data, label: "Reviewers" };
  given(created)
    .when((state) => shareCatalogue(state, { ...request, label: " Reviewers " }))
    .then({ type: "CatalogueShared", data: labelled } as CatalogueEvent);
  given(created)
    .when((state) => shareCatalogue(state, { ...request, label: "  " }))
    .then(shared(1));
});

testRows("refuses a label that is none", ["two\nlines", "x".repeat(101), "\u202e"], (label) => {
  given(created)
    .when((state) => shareCatalogue(state, { ...request, label }))
    .thenRefused("VALIDATION_ERROR");
});

test("only a catalogue that exists can be shared", () => {
  given()
    .when((state) => shareCatalogue(state, request))
    .thenRefused("NOT_FOUND");
  given(created, deleted)
    .when((state) => shareCatalogue(state, request))
    .thenRefused("NOT_FOUND");
});

test("a catalogue has at most 100 open shares; ended and expired ones do not count", () => {
  given(created, ...many(100))
    .when((state) => shareCatalogue(state, request))
    .thenRefused("CONFLICT");
  given(created, ...many(100), ended(1000))
    .when((state) => shareCatalogue(state, request))
    .then(shared(1));
  given(created, ...many(100, "2026-11-22T23:59:59.999Z"))
    .when((state) => shareCatalogue(state, request))
    .then(shared(1));
});

test("a repeated command ends the share of its first run, whose secret nobody has", () => {
  given(created, shared(2))
    .when((state) => shareCatalogue(state, { ...request, insteadOf: idOf(2) }))
    .then(ended(2), shared(1));
  given(created)
    .when((state) => shareCatalogue(state, { ...request, insteadOf: idOf(2) }))
    .then(shared(1));
});

test("ending a share is recorded once", () => {
  given(created, shared(2))
    .when((state) => endShare(state, idOf(2)))
    .then(ended(2));
  given(created, shared(2), ended(2))
    .when((state) => endShare(state, idOf(2)))
    .thenRefused("NOT_FOUND");
});

const maker = "user_1_a";
const settings: ScheduleSettings = {
  ...{ agency: "geonet", everyMinutes: 60, lookbackHours: 48, detail: "full", push: false },
  filters: {
    ...{ minMagnitude: 2, maxMagnitude: null, minDepth: null, maxDepth: null },
    ...{ minLatitude: null, maxLatitude: null, minLongitude: null, maxLongitude: null },
  },
  ...{ updateExisting: true, withdrawn: "mark", paused: false, pausedBecause: null },
};

const made = (n: number): CatalogueEvent => ({
  type: "ScheduleMade",
  data: { catalogueId, scheduleId: idOf(n), maker, settings },
});
const scheduleEnded: CatalogueEvent = {
  type: "ScheduleEnded",
  data: { catalogueId, scheduleId: idOf(1) },
};
const schedule = { scheduleId: idOf(1), maker, settings };

test("a schedule is recorded with its settings, whole, and who made it", () => {
  given(created)
    .when((state) => makeSchedule(state, schedule))
    .then(made(1));
});

test("a catalogue has 100 schedules at most, ended ones not counted", () => {
  const many = Array.from({ length: 99 }, (_, i) => made(i + 2));
  given(created, made(1), ...many)
    .when((state) => makeSchedule(state, { ...schedule, scheduleId: idOf(500) }))
    .thenRefused("CONFLICT");
  given(created, made(1), scheduleEnded, ...many)
    .when((state) => makeSchedule(state, { ...schedule, scheduleId: idOf(500) }))
    .then(made(500));
});

test("a change is recorded with the settings, whole", () => {
  const changed = { ...settings, everyMinutes: 5 };
  given(created, made(1))
    .when((state) => changeSchedule(state, idOf(1), (now) => ({ ...now, everyMinutes: 5 })))
    .then({
      type: "ScheduleChanged",
      data: { catalogueId, scheduleId: idOf(1), settings: changed },
    });
});

test("a change to what is so already makes no event", () => {
  given(created, made(1))
    .when((state) => changeSchedule(state, idOf(1), (now) => ({ ...now, everyMinutes: 60 })))
    .then();
});

test("a schedule is ended once", () => {
  given(created, made(1))
    .when((state) => endSchedule(state, idOf(1)))
    .then(scheduleEnded);
  given(created, made(1), scheduleEnded)
    .when((state) => endSchedule(state, idOf(1)))
    .thenRefused("NOT_FOUND");
});

test("a deleted catalogue has no schedules", () => {
  given(created, made(1), deleted)
    .when((state) => changeSchedule(state, idOf(1), (now) => now))
    .thenRefused("NOT_FOUND");
  given(created, deleted)
    .when((state) => makeSchedule(state, schedule))
    .thenRefused("NOT_FOUND");
});

const createdByMaker: CatalogueEvent = {
  type: "CatalogueCreated",
  data: { catalogueId, name: "Chile", isPublic: false, createdBy: "maker" },
};
const owner = (memberId: string): CatalogueEvent => ({
  type: "MemberSet",
  data: { catalogueId, memberId, kind: "user", right: "own" },
});
const removed: CatalogueEvent = {
  type: "MemberRemoved",
  data: { catalogueId, memberId: "maker" },
};
const all = () => true;
const onlyMaker = (id: string) => id === "maker";

describe("the last owner of a catalogue", () => {
  test("is not removed", () => {
    given(createdByMaker)
      .when((state) => removeMember(state, "maker", all))
      .thenRefused("CONFLICT");
  });

  test("does not become a reader or an editor", () => {
    for (const right of ["read", "edit"] as const) {
      const member = { memberId: "maker", kind: "user", right } as const;
      given(createdByMaker)
        .when((state) => setMember(state, member, all))
        .thenRefused("CONFLICT");
    }
  });

  test("stays beside others whose role lets them own nothing", () => {
    given(createdByMaker, owner("viewer"))
      .when((state) => removeMember(state, "maker", onlyMaker))
      .thenRefused("CONFLICT");
  });

  test("goes once another may own", () => {
    given(createdByMaker, owner("other"))
      .when((state) => removeMember(state, "maker", all))
      .then(removed);
  });
});

const isTaken = (metadata: unknown) => CatalogueMetadataInput.safeParse(metadata).success;
const by = (creator: object) => isTaken({ creators: [{ name: "Example, Ann", ...creator }] });

const ORCIDS = ["0000-0002-1825-0097", "0000-0001-5109-3700", "0000-0002-1694-233X"];
const RORS = ["03vek6s52", "042nb2s44", "05dxps055"];

describe("what a catalogue is cited by", () => {
  testRows(
    "takes an ORCID iD",
    [...ORCIDS, ...ORCIDS.map((id) => `https://orcid.org/${id}`)],
    (orcid) => {
      expect(by({ orcid })).toBe(true);
    },
  );

  testRows("takes a ROR id", [...RORS, ...RORS.map((id) => `https://ror.org/${id}`)], (ror) => {
    expect(by({ ror })).toBe(true);
  });

  test("refuses an id with any other digit in the place of one", () => {
    const places = fc.record({ at: fc.nat(18), digit: fc.integer({ min: 0, max: 9 }) });
    fc.assert(
      fc.property(fc.constantFrom(...ORCIDS), places, (orcid, { at, digit }) => {
        const before = orcid[at] ?? "";
        fc.pre(/\d/.test(before) && before !== String(digit));
        expect(by({ orcid: orcid.slice(0, at) + digit + orcid.slice(at + 1) })).toBe(false);
      }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...RORS), fc.integer({ min: 0, max: 9 }), (ror, digit) => {
        fc.pre(!ror.endsWith(String(digit)));
        expect(by({ ror: ror.slice(0, -1) + digit })).toBe(false);
      }),
    );
  });

  testRows(
    "takes a DOI",
    ["10.1234/abc", "https://doi.org/10.5066/F7MS3QZH", "10.31905/D808B830", "10.1000.10/1"],
    (doi) => {
      expect(isTaken({ doi })).toBe(true);
    },
  );

  testRows<unknown>(
    "refuses what is none of these",
    [
      { doi: "doi:10.1234/abc" },
      { doi: "http://doi.org/10.1234/abc" },
      { doi: "10.12/abc" },
      { doi: "10.1234/a b" },
      { orcid: ORCIDS[0] },
      { license: "CC BY 4.0" },
      { references: ["javascript:alert(1)"] },
      { references: ["https://"] },
      { title: "" },
      { title: " " },
      { title: "two\nlines" },
      { title: "\u202eturned" },
      { title: "half \ud800" },
      { description: "bell \u0007" },
      { creators: [{}] },
      { creators: [{ name: "A", email: "a@example.org" }] },
      { creators: "Ann" },
      { creators: Array.from({ length: 201 }, () => ({ name: "A" })) },
      { unknown: 1 },
      [],
      "text",
    ],
    (metadata) => {
      expect(isTaken(metadata)).toBe(false);
    },
  );

  test("the largest that it takes fits into an append of the log", () => {
    const creators = Array.from({ length: 200 }, () => ({ name: "漢".repeat(500), ror: RORS[0] }));
    const references = Array.from({ length: 100 }, () => `https://${"a".repeat(1_992)}`);
    const largest = {
      title: "漢".repeat(500),
      description: "漢".repeat(10_000),
      creators,
      references,
    };
    expect(isTaken(largest)).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(largest))).toBeLessThan(900 * 1024);
  });
});
