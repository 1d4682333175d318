import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";

/** Makes the data of one version of an event those of the next; it knows no state and never fails. */
export type Upcast = (data: JsonObject) => JsonObject;

/**
 * By event type, the upcasts from version 1 on, each to the version after it. A type is written in
 * the version that its last upcast leads to, in version 1 when it has none.
 */
export type Upcasts = Readonly<Record<string, readonly Upcast[]>>;

/**
 * What old versions in the log become when they are read. Whoever changes the schema of an event adds
 * an upcast here, and a golden fixture of the new version in test/fixtures/events.
 */
export const UPCASTS: Upcasts = {
  CatalogueMerged: [withLinkage],
  VisibilityChanged: [withPublicFrom],
};

/** Merges were all by complete linkage before it could be chosen. */
function withLinkage(data: JsonObject): JsonObject {
  return { ...data, config: { ...(data["config"] as JsonObject), linkage: "complete" } };
}

/** Guests could read every version of a public catalogue before it could be published from one on. */
function withPublicFrom(data: JsonObject): JsonObject {
  return { ...data, publicFrom: data["isPublic"] === true ? 1 : null };
}

/** The version that events of a type are written in today. */
export function currentVersion(type: string, upcasts: Upcasts = UPCASTS): number {
  return 1 + (upcasts[type]?.length ?? 0);
}

/** The data of an event of any version up to today's as they are today. */
export function upcast(
  { type, version, data }: { type: string; version: number; data: JsonObject },
  upcasts: Upcasts = UPCASTS,
): JsonObject {
  const steps = upcasts[type]?.slice(version - 1) ?? [];
  return steps.reduce((older, step) => step(older), data);
}
