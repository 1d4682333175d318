import { test } from "vitest";
import type { CatalogueEvent } from "#contracts/domain-events/catalogue-events.ts";
import { endShare, shareCatalogue } from "#services/domain/catalogue/shares.ts";
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
