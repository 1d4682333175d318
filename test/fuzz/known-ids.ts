import { z } from "zod";
import type { Random } from "../support/random.ts";

/** What is there to be asked for: a request about nothing does not get far. */
export const KINDS = [
  "catalogues",
  "events",
  "users",
  "role-requests",
  "operations",
  "notifications",
  "cursors",
  "tags",
] as const;
export type Kind = (typeof KINDS)[number];

export type KnownIds = {
  readonly one: (kind: Kind, random: Random) => string | undefined;
  readonly note: (kind: Kind, id: unknown) => void;
  /** Notes what an answer names. */
  readonly harvest: (body: unknown) => void;
};

const KEPT = 100;
const Listed = z.array(z.looseObject({ id: z.string() })).catch([]);

/** Where answers name things. */
const LISTS: readonly (readonly [member: string, kind: Kind])[] = [
  ["catalogues", "catalogues"],
  ["events", "events"],
  ["users", "users"],
  ["requests", "role-requests"],
  ["notifications", "notifications"],
];
const SINGLE: readonly (readonly [member: string, kind: Kind])[] = [
  ["event", "events"],
  ["user", "users"],
  ["request", "role-requests"],
  ["operation", "operations"],
];

/** @param isReserved true for what no request may be about */
export function createKnownIds(isReserved: (id: string) => boolean): KnownIds {
  const known = new Map<Kind, string[]>(KINDS.map((kind) => [kind, []]));
  function note(kind: Kind, id: unknown): void {
    const ids = known.get(kind);
    if (typeof id !== "string" || isReserved(id) || ids === undefined || ids.includes(id)) return;
    ids.push(id);
    if (ids.length > KEPT) ids.shift();
  }
  return {
    one(kind, random) {
      const ids = known.get(kind) ?? [];
      return ids[random.below(ids.length)];
    },
    note,
    harvest(body) {
      if (typeof body !== "object" || body === null) return;
      const answer = body as Readonly<Record<string, unknown>>;
      for (const [member, kind] of LISTS) {
        for (const { id } of Listed.parse(answer[member])) note(kind, id);
      }
      for (const [member, kind] of SINGLE) {
        for (const { id } of Listed.parse([answer[member]])) note(kind, id);
      }
      if ("event_count" in answer) note("catalogues", answer["id"]);
      note("catalogues", answer["catalogueId"]);
      note("operations", answer["operationId"]);
      note("cursors", answer["nextCursor"]);
      const { pagination } = answer as { pagination?: { nextCursor?: unknown } | null };
      note("cursors", pagination?.nextCursor);
    },
  };
}
