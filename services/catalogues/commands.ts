/** What makes, changes, shares and deletes catalogues, and who may read and change them. */

import { createHash, randomBytes } from "node:crypto";
import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import type { Derivation } from "#contracts/analytics/declustering.ts";
import type { CatalogueMetadata } from "#contracts/catalogue-metadata.ts";
import { Refusal, RetryLater } from "#contracts/errors.ts";
import type { CatalogueEvent } from "#contracts/events/catalogues.ts";
import type { MergeDecision } from "#contracts/merges/decisions.ts";
import type { CatalogueAccess, Editing, MemberRight } from "#contracts/rights.ts";
import { DAY_MS } from "#contracts/units.ts";
import type { EncodedChunk } from "#infra/log/chunks.ts";
import { deriveEventId } from "#infra/log/domain-events.ts";
import { whileLocked } from "#infra/postgres/statements.ts";
import { candidates, orphanOf } from "#projections/read/catalogues.ts";
import {
  endShare,
  type MayOwn,
  removeMember,
  setMember,
  shareCatalogue,
} from "#services/domain/catalogues/access.ts";
import {
  type CatalogueState,
  createCatalogue,
  deleteCatalogue,
  describeCatalogue,
  type ExistingCatalogue,
  evolve,
  existing,
  type MergeOrigin,
  openRevision,
  publicity,
  recordMerge,
  type UpdateCatalogue,
  updateCatalogue,
} from "#services/domain/catalogues/catalogue.ts";
import { decisionEvents } from "#services/domain/merges/decisions.ts";
import type { Command, CommandContext } from "../context.ts";
import { earlierRun, type RevisionContent, writeRevision } from "../revision.ts";
import {
  appendDecisions,
  changeCatalogue,
  decideOnCatalogue,
  loadCatalogue,
  type Precondition,
  requireTag,
} from "../streams.ts";

export type NewCatalogue = {
  readonly name: string;
  readonly access: CatalogueAccess;
  readonly editing?: Editing;
  /** The merge that made the first version; null for submitted events. */
  readonly merge: MergeOrigin | null;
  /** Of a merge. */
  readonly decisions?: readonly MergeDecision[];
  readonly metadata?: CatalogueMetadata | null;
  readonly derivedFrom?: Derivation;
};

/** The id of the catalogue that a command creates; each run after an interrupted one uses a new id. */
export function catalogueIdOf(command: Pick<Command, "id">, run = 0): string {
  return deriveEventId(command.id, "catalogue", run);
}

/**
 * Creates a catalogue with the first version `content` and returns its id once it is visible. A
 * retried command whose catalogue exists returns that one's id; `content` is then read but not
 * written.
 * @throws Refusal MISSING_NAME, NAME_TOO_LONG, VALIDATION_ERROR
 */
export async function createCatalogueCommand(
  context: CommandContext,
  command: Command,
  wanted: NewCatalogue,
  content: RevisionContent,
): Promise<string> {
  for (let run = 0; ; run += 1) {
    const catalogueId = catalogueIdOf(command, run);
    const earlier = await earlierRun(context, command, catalogueId);
    if (earlier.outcome === "cut-off") continue;
    if (earlier.outcome === "committed") {
      // All chunks are read, since their source may count events for its answer.
      for await (const _chunk of content.chunks);
      await context.untilVisible("catalogues", earlier.position);
      return catalogueId;
    }
    const first = { ...command, retried: false };
    const position = await context.revisionsInProgress.during(catalogueId, async () => {
      const opened = await createOpened(context, first, catalogueId, wanted);
      const chunks = decided(context, first, catalogueId, wanted, content);
      return writeRevision(context, first, opened, { ...content, chunks });
    });
    await context.untilVisible("catalogues", position);
    return catalogueId;
  }
}

/** The chunks of a content, once the decisions of the merge are in the log. */
async function* decided(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  { decisions = [] }: NewCatalogue,
  { chunks }: RevisionContent,
): AsyncGenerator<EncodedChunk> {
  const made = decisions.map((decision, index) => ({
    id: deriveEventId(command.id, "decision", index),
    ...decision,
  }));
  const events = decisionEvents(catalogueId, { withdrawn: [], made });
  await appendDecisions(context, command, catalogueId, events);
  yield* chunks;
}

/** A single append creates the catalogue and opens its first revision. */
async function createOpened(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  wanted: NewCatalogue,
): Promise<ExistingCatalogue> {
  const { worker } = context;
  const { name, access, editing = "all", merge, metadata, derivedFrom } = wanted;
  const create = {
    catalogueId,
    name,
    createdBy: command.actor,
    ...publicity(access),
    ...(editing === "members" && { editing }),
    ...(derivedFrom && { derivedFrom }),
  };
  const cause = merge === null ? "created" : "merge";
  const { state } = await decideOnCatalogue(context, command, catalogueId, (absent) => {
    const created = createCatalogue(absent, create);
    const there = created.reduce(evolve, absent);
    const merged = merge === null ? [] : recordMerge(there, merge);
    const events = [...created, ...merged, ...describeCatalogue(there, metadata)];
    return [...events, ...openRevision(events.reduce(evolve, absent), { cause, worker })];
  });
  return existing(state);
}

/**
 * Renames a catalogue or changes its visibility.
 * @throws Refusal NOT_FOUND, MISSING_NAME, NAME_TOO_LONG, PRECONDITION_FAILED
 */
export async function updateCatalogueCommand(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  change: UpdateCatalogue,
  precondition: Precondition,
): Promise<void> {
  await changeCatalogue(context, command, catalogueId, (state) => {
    requireTag(state, precondition);
    return updateCatalogue(state, change);
  });
}

/**
 * Deletes a catalogue with all its events.
 * @throws Refusal NOT_FOUND, PRECONDITION_FAILED
 */
export async function deleteCatalogueCommand(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  precondition: Precondition,
): Promise<void> {
  await changeCatalogue(context, command, catalogueId, (state) => {
    requireTag(state, precondition);
    return deleteCatalogue(state);
  });
}

/** 192 bits: 32 characters of base64url. */
const SECRET_BYTES = 24;

type NewShare = {
  readonly label: string | null;
  /** null: never. */
  readonly expiresInDays: number | null;
};

/**
 * Makes a share of a catalogue. Its secret is returned this once; only its SHA-256 is stored.
 * @throws Refusal NOT_FOUND, VALIDATION_ERROR, CONFLICT
 */
export async function shareCatalogueCommand(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  { label, expiresInDays }: NewShare,
): Promise<{ readonly shareId: string; readonly secret: string }> {
  const now = context.now();
  const secret = randomBytes(SECRET_BYTES).toString("base64url");
  const shareId = command.retried ? context.newId() : command.id;
  const share = {
    shareId,
    label,
    secretHash: createHash("sha256").update(secret).digest("hex"),
    expiresAt:
      expiresInDays === null
        ? null
        : new Date(now.getTime() + expiresInDays * DAY_MS).toISOString(),
    now: now.toISOString(),
    insteadOf: command.retried ? command.id : null,
  };
  // A command of its own id: a repetition makes another secret, so it may not find the first run's.
  const own = { ...command, id: shareId, retried: false };
  await changeCatalogue(context, own, catalogueId, (state) => shareCatalogue(state, share));
  return { shareId, secret };
}

/** Ends a share; its address is unknown from then on. @throws Refusal NOT_FOUND */
export async function endShareCommand(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  shareId: string,
): Promise<void> {
  await changeCatalogue(context, command, catalogueId, (state) => endShare(state, shareId));
}

/**
 * Gives a user or a group a right; resolves when it holds.
 * @throws Refusal NOT_FOUND, CONFLICT
 */
export async function setMemberCommand(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  memberId: string,
  right: MemberRight,
): Promise<void> {
  const candidate = await memberOf(context, memberId);
  const member = { memberId, kind: candidate.kind, right };
  await changeMembers(context, command, catalogueId, (state, mayOwn) =>
    setMember(state, member, mayOwn),
  );
}

/** @throws Refusal NOT_FOUND, CONFLICT */
export async function removeMemberCommand(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  memberId: string,
): Promise<void> {
  await memberOf(context, memberId);
  await changeMembers(context, command, catalogueId, (state, mayOwn) =>
    removeMember(state, memberId, mayOwn),
  );
}

function changeMembers(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  make: (state: CatalogueState, mayOwn: MayOwn) => readonly CatalogueEvent[],
): Promise<void> {
  return whileOwnersStay(context, async () => {
    const mayOwn = await ownersOf(context, catalogueId);
    await changeCatalogue(context, command, catalogueId, (state) => make(state, mayOwn));
  });
}

/** Ids that PostgreSQL can store, and that are not longer than any. */
const ID = /^[\w-]{1,100}$/;

/** @throws Refusal NOT_FOUND for one who is there no more */
async function memberOf({ pool }: Pick<CommandContext, "pool">, memberId: string) {
  const known = ID.test(memberId) ? await candidates(pool, [memberId]) : null;
  const candidate = known?.get(memberId);
  if (candidate === undefined) throw new Refusal("NOT_FOUND", "User or group not found");
  return candidate;
}

/** Whether owners may own still, which the catalogue's own stream does not tell. */
async function ownersOf(context: CommandContext, catalogueId: string): Promise<MayOwn> {
  const { state } = await loadCatalogue(context, catalogueId);
  const owners = [...existing(state).members].filter(([, { right }]) => right === "own");
  const known = await candidates(
    context.pool,
    owners.map(([id]) => id),
  );
  return (id) => known.get(id)?.mayOwn ?? false;
}

/** Any fixed number, unique among the service's advisory locks. */
const OWNERS_LOCK = "4417730962581903";

/**
 * Runs `work`, after which a catalogue may have an owner less, while nobody else does. It ends once its change is
 * visible: of two owners who go at once, by themselves or with a group, one therefore comes second.
 */
export function whileOwnersStay<T>(
  { pool }: Pick<CommandContext, "pool">,
  work: (connection: CommonQueryMethods) => Promise<T>,
): Promise<T> {
  return whileLocked(pool, OWNERS_LOCK, work);
}

/** @throws Refusal CONFLICT where a catalogue would lose its last owner with the users who leave the group */
export async function requireOwnersBeside(
  connection: CommonQueryMethods,
  losing: Parameters<typeof orphanOf>[1],
): Promise<void> {
  const orphan = await orphanOf(connection, losing);
  if (orphan === null) return;
  const which = orphan.name === null ? "a catalogue" : `the catalogue "${orphan.name}"`;
  throw new Refusal("CONFLICT", `The last owner of ${which} stays, and it is this group`);
}

/** Every service's sample has the same ids, by which a loaded one is known, whatever its name is now. */
const SAMPLE = "5a3b6f0e-7c1d-4e52-9f2b-0b8d1c7a4e61";

/** Any fixed number, unique among the service's advisory locks. */
const SAMPLE_LOCK = "2854901137640226";

/**
 * Creates the sample by `create`, unless it is there; once deleted, it can be loaded again.
 * @returns what `create` does
 * @throws Refusal CONFLICT: it is there, or is being loaded
 */
export async function loadSampleCommand<T>(
  context: CommandContext,
  { actor }: Pick<Command, "actor">,
  create: (command: Command) => Promise<T>,
): Promise<T> {
  return context.pool.connect(async (connection) => {
    const { locked } = await connection.one(
      sql.type(z.object({ locked: z.boolean() }))`
        select pg_try_advisory_lock(${SAMPLE_LOCK}::bigint) as locked`,
    );
    if (!locked) throw new RetryLater("CONFLICT", "The sample is being loaded");
    try {
      return await create({ id: await nextSampleId(context), actor });
    } finally {
      await connection.query(sql.unsafe`select pg_advisory_unlock(${SAMPLE_LOCK}::bigint)`);
    }
  });
}

/** The id of the command that creates the next sample, after those that were deleted. */
async function nextSampleId(context: CommandContext): Promise<string> {
  for (let run = 0; ; run += 1) {
    const id = deriveEventId(SAMPLE, "sample", run);
    const { state } = await loadCatalogue(context, catalogueIdOf({ id }));
    if (state.status === "existing") throw new Refusal("CONFLICT", "The sample is there already");
    if (state.status === "absent") return id;
  }
}
