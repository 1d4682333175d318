import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { DeclusterMethod } from "#contracts/decluster.ts";
import { Refusal } from "#contracts/errors.ts";
import {
  type DeclusterAnswer,
  type DeclusterBody,
  LABELS_LIMIT,
  MAX_DECLUSTERED,
} from "#contracts/http/analytics/decluster.ts";
import { EventFilters } from "#contracts/query/filter-parameters.ts";
import { findResult, readLabels } from "#infra/declustering/decluster-store.ts";
import { magnitudeCounts } from "#projections/queries/analytics/magnitude-counts.ts";
import { fromCursorText, invalidCursor, toCursorText } from "#projections/queries/cursor-text.ts";
import { filterTexts } from "#projections/queries/events/event-cursor.ts";
import {
  isPublicVersion,
  type ResolvedVersion,
  resolveVersion,
} from "#projections/queries/events/resolve-version.ts";
import { uuidOrNull } from "#projections/queries/sql-values.ts";
import { createDeclusteredCommand } from "#services/commands/catalogues/create-declustered.ts";
import { answerOrStart } from "../../http/answer-or-start.ts";
import { parametersTag } from "../../http/headers/etag.ts";
import { validate } from "../../http/validate.ts";
import type { HandlerDeps, MakeHandler } from "../make-handler.ts";
import { splitQuery } from "./analysis/analyse.ts";
import { inputOfCounts } from "./analysis/input.ts";

/** Events above which a method runs in the background. */
const AT_ONCE: Readonly<Record<DeclusterMethod["method"], number>> = {
  "gardner-knopoff": 200_000,
  reasenberg: 20_000,
  "nearest-neighbour": 20_000,
};

const REFERENCES: Readonly<Record<DeclusterMethod["method"], string>> = {
  "gardner-knopoff": "Gardner & Knopoff 1974",
  reasenberg: "Reasenberg 1985",
  "nearest-neighbour": "Zaliapin & Ben-Zion 2013",
};

/** Wide bins: only the number of events is looked at. */
const ONE_BIN = 100;
const JOB = { kind: "decluster", unit: "events" } as const;

export const declusterHandler: MakeHandler<"decluster", "reads" | "declusterer" | "runner"> =
  ({ reads, declusterer, runner }) =>
  async (call) => {
    const { filters, asOf, method } = askedOf(call.query, call.body);
    const request = { catalogueId: call.params.id, asOf, isGuest: false };
    const version = await resolveVersion(reads.prepared, request);
    const leave = await call.turn("analyses");
    const counts = await magnitudeCounts(reads.pool, { version, filters }, ONE_BIN).finally(leave);
    const input = inputOfCounts(counts, filters);
    const events = requireFew(input.events - (input.withoutMagnitude ?? 0));
    return answerOrStart(runner, call, {
      job: { ...JOB, reads: [{ id: version.id, version: version.version }] },
      isLong: events > AT_ONCE[method.method],
      work: async (run): Promise<{ body: DeclusterAnswer }> => {
        const result = randomUUID();
        const clusters = await declusterer.find({ result, version, filters, method }, run);
        const { method: name, ...parameters } = clusters.method;
        return {
          body: {
            result,
            catalogue: version.id,
            version: version.version,
            filters,
            method: name,
            parameters,
            input,
            ...clusters.outcome,
            warnings: [...clusters.warnings],
            reference: REFERENCES[name],
          },
        };
      },
    });
  };

/** @throws Refusal TOO_MANY_EVENTS */
function requireFew(events: number): number {
  if (events <= MAX_DECLUSTERED) return events;
  const text = `There are ${events} events, more than ${MAX_DECLUSTERED}: narrow the filters`;
  throw new Refusal("TOO_MANY_EVENTS", text);
}

/**
 * What is asked, from query and body together; the body comes first.
 * @throws Refusal VALIDATION_ERROR where their filters do not go together
 */
function askedOf(query: EventFilters & { asOf?: string | undefined }, body: DeclusterBody) {
  const ofBody = splitQuery(body);
  const together = { ...splitQuery(query).filters, ...ofBody.filters };
  const filters = validate(EventFilters, filterTexts(together));
  const asOf = body.asOf ?? query.asOf;
  return { filters, asOf, method: methodOf(body) };
}

function methodOf(body: DeclusterBody): DeclusterMethod {
  switch (body.method) {
    case "gardner-knopoff": {
      const {
        method,
        linked,
        window = linked ? "gk-table" : "gk-fit",
        foreshockFraction = 1,
      } = body;
      return { method, window, linked, foreshockFraction };
    }
    case "reasenberg": {
      const { method, tau0, tauMin, tauMax, p, xk, rfact, xmeff, floor } = body;
      return { method, tau0, tauMin, tauMax, p, xk, rfact, xmeff, floor };
    }
    case "nearest-neighbour": {
      const { method, df, b, threshold } = body;
      return { method, df, b, threshold };
    }
  }
}

type ResultDeps = Pick<HandlerDeps, "reads" | "pool">;
type ResultParams = { readonly id: string; readonly result: string };

/** A result with its version, where the caller may read that. @throws Refusal NOT_FOUND, UNAUTHENTICATED */
async function readResult({ reads, pool }: ResultDeps, params: ResultParams, isGuest: boolean) {
  const catalogueId = uuidOrNull(params.id);
  const id = uuidOrNull(params.result);
  const result = catalogueId && id ? await findResult(pool, id, catalogueId) : null;
  if (result === null) throw new Refusal("NOT_FOUND", "There is no such result");
  const request = { catalogueId: result.catalogueId, asOf: String(result.version), isGuest };
  const version: ResolvedVersion = await resolveVersion(reads.prepared, request);
  return { result, version };
}

const LabelCursor = z.strictObject({
  walk: z.literal("labels"),
  result: z.uuid(),
  role: z.string().nullable(),
  /** The place of the event before. */
  after: z.int().nonnegative(),
});

export const listLabelsHandler: MakeHandler<"listLabels", "reads" | "pool"> =
  (deps) =>
  async ({ params, query, isGuest, turn }) => {
    const { result, version } = await readResult(deps, params, isGuest);
    const { role, limit = LABELS_LIMIT.default } = query;
    const cursor = query.cursor === undefined ? null : fromCursorText(query.cursor, LabelCursor);
    const bound = { result: result.id, role: role ?? null };
    if (cursor && (cursor.result !== bound.result || cursor.role !== bound.role)) {
      throw invalidCursor();
    }
    const from = cursor === null ? 0 : cursor.after + 1;
    const leave = await turn("pages");
    const labels = await readLabels(deps.pool, result.id, { role, from, limit: limit + 1 }).finally(
      leave,
    );
    const page = labels.slice(0, limit);
    const after = page.at(-1)?.place;
    const nextCursor =
      labels.length > limit && after !== undefined
        ? toCursorText({ walk: "labels", ...bound, after })
        : null;
    const key = JSON.stringify([bound, from, limit]);
    return {
      body: {
        result: result.id,
        version: version.version,
        events: page.map(({ place: _place, ...label }) => label),
        nextCursor,
      },
      headers: { etag: parametersTag(version.version, key) },
      isPublic: isPublicVersion(version),
    };
  };

/** Runs to its end, whether the client waits or not. */
export const createDeclusteredHandler: MakeHandler<
  "createDeclustered",
  "context" | "reads" | "pool" | "declusterer" | "runner"
> =
  ({ runner, ...deps }) =>
  async (call) => {
    const { result, version } = await readResult(deps, call.params, false);
    const { id, ...source } = result;
    const { name, role } = call.body;
    const wanted = { name, version, result: id, derivedFrom: { ...source, role } };
    return answerOrStart(runner, call, {
      job: JOB,
      work: async (run) => ({
        body: { catalogueId: await createDeclusteredCommand(deps, call.command, wanted, run) },
      }),
    });
  };
