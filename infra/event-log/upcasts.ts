import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";

/** Converts an event's data from one version to the next; stateless, never fails. */
type Upcast = (data: JsonObject) => JsonObject;

/** Upcasts by event type, from version 1 on. New events get the version after the last. */
export type Upcasts = Readonly<Record<string, readonly Upcast[]>>;

/** A changed schema needs an upcast here and a fixture in test/fixtures/events. */
export const UPCASTS: Upcasts = {
  CatalogueMerged: [withLinkage],
  VisibilityChanged: [withPublicFrom],
};

/** Before linkage became an option, every merge used complete linkage. */
function withLinkage(data: JsonObject): JsonObject {
  return { ...data, config: { ...(data["config"] as JsonObject), linkage: "complete" } };
}

/** Before `public_from`, guests could read every version of a public catalogue. */
function withPublicFrom(data: JsonObject): JsonObject {
  return { ...data, publicFrom: data["isPublic"] === true ? 1 : null };
}

/** The version in which events of a type are written now. */
export function currentVersion(type: string, upcasts: Upcasts = UPCASTS): number {
  return 1 + (upcasts[type]?.length ?? 0);
}

/** The data of an event, converted from its version to the current one. */
export function upcast(
  { type, version, data }: { type: string; version: number; data: JsonObject },
  upcasts: Upcasts = UPCASTS,
): JsonObject {
  const steps = upcasts[type]?.slice(version - 1) ?? [];
  return steps.reduce((older, step) => step(older), data);
}
