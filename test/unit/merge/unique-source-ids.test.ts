import { expect, test } from "vitest";
import { emptyRecord } from "#contracts/seismic-event/seismic-event.ts";
import { createUniqueSourceIds } from "#services/merges/plan.ts";

const event = (sourceId: string | null, extra: Record<string, string> | null = null) => ({
  ...emptyRecord({ time: "2020-01-01T00:00:00Z", latitude: 1, longitude: 2 }),
  source_id: sourceId,
  extra,
});

test("a source_id of merged events stays with the first event that has it", () => {
  const unique = createUniqueSourceIds();
  expect(unique(event("a"), "a")).toEqual(event("a"));
  expect(unique(event("b"), "b")).toEqual(event("b"));
  expect(unique(event("a"), "a")).toEqual(event(null, { source_id: "a" }));
  expect(unique(event("a", { note: "x" }), "a")).toEqual(
    event(null, { source_id: "a", note: "x" }),
  );
});

test("a source_id of merged events takes the place of no other source_id in extra", () => {
  const unique = createUniqueSourceIds();
  unique(event("a"), "a");
  expect(unique(event("a", { source_id: "given" }), "a")).toEqual(
    event(null, { source_id: "given" }),
  );
});

test("a source_id of merged events is not shared by events that have none", () => {
  const unique = createUniqueSourceIds();
  for (let i = 0; i < 2; i += 1) expect(unique(event(null), null)).toEqual(event(null));
  const publicId = { public_id: "smi:a/1" };
  expect(unique(event(null, publicId), null)).toEqual(event(null, publicId));
  expect(unique(event(null, publicId), null)).toEqual(event(null, { shared_public_id: "smi:a/1" }));
});

test("a source_id of merged events is the public id of an event whose own is another's", () => {
  const unique = createUniqueSourceIds();
  for (const publicId of ["smi:a/1", "smi:b/1", "smi:c/1"]) {
    const merged = unique(event("1", { public_id: publicId }), "1");
    const id = publicId === "smi:a/1" ? "1" : publicId;
    expect(merged).toEqual(event(id, { public_id: publicId }));
  }
  const twice = unique(event("1", { public_id: "smi:b/1", note: "x" }), "1");
  const extra = { source_id: "1", shared_public_id: "smi:b/1", note: "x" };
  expect(twice).toEqual(event(null, extra));
});

test("a source_id of merged events stays where it is only the public id that another event has", () => {
  const unique = createUniqueSourceIds();
  unique(event("1", { public_id: "smi:a/1" }), "1");
  expect(unique(event("2", { public_id: "smi:a/1" }), "2")).toEqual(
    event("2", { shared_public_id: "smi:a/1" }),
  );
  expect(unique(event("smi:a/1"), "smi:a/1")).toEqual(event(null, { source_id: "smi:a/1" }));
});

test("a source_id of merged events is compared as it stands", () => {
  const unique = createUniqueSourceIds();
  for (const id of ["A", "a", " a", "__proto__"]) expect(unique(event(id), id)).toEqual(event(id));
});
