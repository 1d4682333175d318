/**
 * The way of a request through its operation: counted, authorised, its body read, its turn
 * awaited, its parts checked and its region looked up, done once by its key, answered as its
 * reader may see it.
 */

import { randomUUID } from "node:crypto";
import type {
  FastifyInstance,
  FastifyPluginAsync,
  FastifyRequest,
  onRequestAsyncHookHandler,
  RouteOptions,
} from "fastify";
import { z } from "zod";
import { invalid, Refusal } from "#contracts/errors.ts";
import { ParameterFault, rawParameters } from "#contracts/fdsn/query.ts";
import {
  type Address,
  addressesOf,
  bodyWhereNone,
  catalogueActOf,
  Id,
  MAX_WARNINGS,
  type Operation,
  type RateClass,
  scopeOf,
  type Warning,
  Warnings,
} from "#contracts/http/operation.ts";
import { operations } from "#contracts/http/table/operations.ts";
import type { RegionArea } from "#contracts/query/filters.ts";
import { MIB } from "#contracts/units.ts";
import type { Config } from "#infra/config/config.ts";
import { parseJson } from "#infra/json/json.ts";
import { unknownMembers, validate } from "#infra/json/validation.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import { fromCursorText } from "#projections/read/lists.ts";
import { type CatalogueFacts, type Reader, SERVICE } from "#projections/read/rights.ts";
import type { CallerNetwork } from "#services/accounts/passwords.ts";
import type { Regions } from "#services/regions/commands.ts";
import type { VersionHistories } from "#services/versions/history.ts";
import {
  authorise,
  authoriseCatalogue,
  callerOf,
  isLocal,
  networkOf,
  readerOf,
  requireMaker,
} from "../access.ts";
import type { AnyAnswer, Call, Handlers, SocketAnswer } from "../handler.ts";
import {
  askedTime,
  isKeyed,
  parseEntityTags,
  parseIdempotencyKey,
  prefersAsync,
  tagInEpoch,
  tagInRegion,
  tagsOfEpoch,
  tagWithout,
} from "../headers.ts";
import type { AnswerPlace, AnswerPlaces, Recipient } from "../turns.ts";
import { asMemento } from "../versions/memento.ts";
import { checkAnswer, sendAnswer } from "./answers.ts";
import { formParts, registerMultipart, SMALL_BODY_BYTES } from "./bodies.ts";
import { type KeptAnswers, keepingOf, keyOf } from "./kept.ts";
import type { OnceByKey, Perform } from "./once.ts";
import type { RateLimitHooks } from "./rate-limits.ts";

/** Enough for bodies without seismic events in bulk. */
const ORDINARY_BODY_BYTES = MIB;
/** Size of most answers, assumed until an answer is made. */
const SMALL_ANSWER_BYTES = 16 * 1024;

export type OperationDeps = {
  readonly handlers: Handlers;
  /** What a reader may do with a catalogue; null where none is there for him. */
  readonly catalogueFacts: (catalogueId: string, reader: Reader) => Promise<CatalogueFacts | null>;
  /** Those of some catalogues that are there for a reader. */
  readonly thereAmong: (ids: readonly string[], reader: Reader) => Promise<ReadonlySet<string>>;
  /** The catalogue of a share's secret; null for an unknown one. */
  readonly sharedCatalogue: (secret: string) => Promise<string | null>;
  readonly regions: Regions;
  readonly rateLimits: (rate: RateClass) => RateLimitHooks;
  readonly onceByKey: OnceByKey;
  /** Turns of answers. */
  readonly places: AnswerPlaces;
  readonly config: Pick<
    Config,
    "maxBodyBytes" | "maxUploadBytes" | "publicBaseUrl" | "openId" | "fdsnCatalogue"
  >;
  readonly versionHistories: VersionHistories;
  readonly keptAnswers: KeptAnswers;
  /** Checks every answer against its schema: on in tests, where a mismatch is a 500. */
  readonly checkAnswers: boolean;
  /** Added to versions in entity tags; null until the first restore of the log or the database. */
  readonly epoch: string | null;
};

/** Registers the operation table: each entry with its access, its schemas and its handler. */
export function registerOperations(app: FastifyInstance, deps: OperationDeps): void {
  app.decorateRequest("sharedCatalogue", null);
  app.decorateRequest("catalogueFacts", null);
  app.decorateRequest("missingCatalogue", null);
  for (const [id, definition] of Object.entries(operations)) {
    const operation: Operation = definition;
    // The pairs come from one mapped type, which the compiler cannot see in a loop.
    const handler = deps.handlers[id as keyof Handlers] as unknown as AnyHandler;
    for (const address of addressesOf(operation)) {
      const route = routeOf(operation, address, handler, deps);
      if (operation.body === "file") {
        void app.register(filesContext(route, deps.config.maxUploadBytes));
      } else app.route(route);
    }
  }
}

/** A separate context, because it accepts bodies of other types. */
function filesContext(route: RouteOptions, maxUploadBytes: number): FastifyPluginAsync {
  return async (files) => {
    await registerMultipart(files, maxUploadBytes);
    files.route(route);
  };
}

/** The way of a request, from its first header to its answer. */
function routeOf(
  operation: Operation,
  address: Address,
  handler: AnyHandler,
  deps: OperationDeps,
): RouteOptions {
  const { epoch, places, config } = deps;
  const limits = deps.rateLimits(operation.rate);
  const withRegion = resolvingRegions(operation, deps.regions);
  const route = {
    method: operation.method,
    url: address.path,
    config: { operation },
    // 1. Its rate, counted first, so that refused requests count too. 2. Who calls, and by which right.
    onRequest: [...limits.onRequest, authorisation(operation, address, deps)],
  };
  if (operation.upgrade) return { ...route, ...upgradeOf() };
  return {
    ...route,
    bodyLimit: bodyLimitOf(operation, config.maxBodyBytes),
    preHandler: limits.preHandler,
    handler: async (request, reply) => {
      const place = places.of(recipientOf(request), request.scope);
      // 3. Its turn. Probes are answered without waiting for one.
      if (operation.rate !== "none") await place.turn("others", SMALL_ANSWER_BYTES);
      // 4. What was answered to the same question, where that is kept.
      const began = performance.now();
      const question = keyOf(operation, request);
      const kept = question === null ? null : await deps.keptAnswers.find(question);
      if (kept !== null) return sendAnswer(operation, request, reply, kept, place);
      const perform: Perform = async (command) => {
        if (request.missingCatalogue) throw request.missingCatalogue.refusal;
        const run = async (network: CallerNetwork | null) => {
          const call = await callFor(request, command, { network, epoch, place });
          const done = withWarnings(operation, await handler(call), call.warnings);
          return byRegion(done, request.method, call.regionArea);
        };
        const done = await (limits.attempt?.(request, reply, run) ?? run(null));
        const answered = await asOfTime(request, done);
        if (deps.checkAnswers) checkAnswer(operation, answered);
        return answered;
      };
      // 5. Once: what was done by its key is answered again.
      const answer = await (isKeyed(operation, request)
        ? deps.onceByKey(operation, request, perform)
        : perform({ id: randomUUID(), retried: false }));
      // 9. Its answer.
      const shown = asShown(answer, request, epoch);
      request.keeping = keepingOf(question, shown, began);
      return sendAnswer(operation, request, reply, shown, place);
    },
  };

  /** What the handler gets, which is the eighth step. */
  async function callFor(
    request: FastifyRequest,
    command: Parameters<Perform>[0],
    extras: CallExtras,
  ): Promise<Call<Operation>> {
    // 6. Its parameters and its body, with the region that they name.
    const call = await withRegion(callOf(operation, request, command, extras));
    // 7. The catalogues that they name beside the address.
    await authoriseNamed(operation, call, deps);
    return call;
  }

  async function asOfTime(request: FastifyRequest, answer: AnyAnswer): Promise<AnyAnswer> {
    if (askedTime(operation, request) === null) return answer;
    const { versionHistories } = deps;
    const { publicBaseUrl } = config;
    const { id } = request.params as { id?: string };
    const catalogue = request.sharedCatalogue ?? id?.toLowerCase();
    return asMemento({ versionHistories, publicBaseUrl }, request, catalogue, answer);
  }

  /** The request is checked before the upgrade, so that refusals are ordinary answers. */
  function upgradeOf(): Pick<RouteOptions, "preHandler" | "handler" | "wsHandler"> {
    return {
      preHandler: async (request, reply) => {
        if (!request.ws) throw new Refusal("VALIDATION_ERROR", "This address is for WebSockets");
        const place = places.of(recipientOf(request), request.scope);
        const extras = { network: null, epoch: null, place };
        const call = await callFor(request, { id: request.id }, extras);
        const answer = (await handler(call)) as unknown as SocketAnswer;
        request.connect = answer.connect;
        reply.raw.statusCode = operation.status;
      },
      // Not reached: what is no upgrade is refused above.
      handler: async () => undefined,
      wsHandler: (socket, request) => request.connect?.(socket),
    };
  }
}

/** Callers without a session may only send bodies that are not counted (`bodies.ts`). */
function bodyLimitOf({ access, body, bodyMiB }: Operation, maxBodyBytes: number): number {
  if (bodyMiB !== undefined) return Math.min(bodyMiB * MIB, maxBodyBytes);
  if (body === "bytes") return maxBodyBytes;
  return access === "public" ? SMALL_BODY_BYTES : ORDINARY_BODY_BYTES;
}

type AnyHandler = (call: Call<Operation>) => Promise<AnyAnswer>;

declare module "fastify" {
  interface FastifyContextConfig {
    operation?: Operation;
  }
  interface FastifyRequest {
    /** The catalogue that the request's address shares; null at other addresses. */
    sharedCatalogue: string | null;
    /** What the caller may do with the catalogue that the address names, or reads; null without one that is there. */
    catalogueFacts: CatalogueFacts | null;
    /** Where a request with a key names a catalogue that is not there for the caller; `isGone`: for nobody. */
    missingCatalogue: { readonly refusal: Refusal; readonly isGone: () => Promise<boolean> } | null;
  }
}

function authorisation(
  operation: Operation,
  address: Address,
  deps: OperationDeps,
): onRequestAsyncHookHandler {
  const { access } = address;
  const needed = { access, scope: scopeOf(operation, access) };
  const act = access === "share" ? "read" : catalogueActOf(operation, address);
  // The event service without a catalogue in its address reads that one unless its query names another.
  const atRoot = operation.query === "fdsn" ? deps.config.fdsnCatalogue : null;
  const isAbsent = operation.needs === "institute" && deps.config.openId === null;
  return async (request) => {
    if (request.refusedCredentials) throw request.refusedCredentials;
    if (isAbsent) throw new Refusal("NOT_FOUND");
    const { actor } = request;
    const { id = "", token = "" } = request.params as { id?: string; token?: string };
    await authorise(needed, {
      actor,
      isLocal: () => isLocal(request),
      isShared: async () => {
        request.sharedCatalogue = await deps.sharedCatalogue(token);
        return request.sharedCatalogue !== null;
      },
    });
    if (operation.makesCatalogue === true) requireMaker(actor);
    if (act === null) {
      if (atRoot !== null)
        request.catalogueFacts = await deps.catalogueFacts(atRoot, readerOf(request));
      return;
    }
    const facts = await deps.catalogueFacts(request.sharedCatalogue ?? id, readerOf(request));
    // Clients of the event service are asked who they are before they learn which catalogues there are.
    const hidesUnknown = operation.errorsAs === "fdsn" && Id.safeParse(id).success;
    const call = { act, access, actor, facts, hidesUnknown };
    try {
      request.catalogueFacts = authoriseCatalogue(call);
    } catch (error) {
      // What was done already by the request's key is answered again, also of a catalogue that is gone by now.
      if (
        !(error instanceof Refusal && error.code === "NOT_FOUND" && isKeyed(operation, request))
      ) {
        throw error;
      }
      const isGone = async () => (await deps.catalogueFacts(id, SERVICE)) === null;
      request.missingCatalogue = { refusal: error, isGone };
    }
  };
}

/**
 * Refuses callers who may not do with the catalogues that body or query name what the operation does with those. One
 * that is not there for the caller is answered for as one that does not exist.
 * @throws Refusal NOT_FOUND, FORBIDDEN
 */
async function authoriseNamed(
  { names = {}, access }: Operation,
  call: Call<Operation>,
  { catalogueFacts, thereAmong }: Pick<OperationDeps, "catalogueFacts" | "thereAmong">,
): Promise<void> {
  const { actor, reader } = call;
  for (const [path, act] of Object.entries(names)) {
    const ids = idsAt(call, path.split("."));
    if (act === "change") {
      for (const id of ids) {
        const facts = await catalogueFacts(id, reader);
        authoriseCatalogue({ act, access, actor, facts, hidesUnknown: false });
      }
    } else if (act === "read" && ids.length > 0) {
      const there = await thereAmong(ids, reader);
      const missing = ids.find((id) => !there.has(id));
      if (missing === undefined) continue;
      const name = ids.length > 1 ? `Catalogue ${missing}` : "Catalogue";
      throw new Refusal("NOT_FOUND", `${name} not found`);
    }
  }
}

/** The ids at a path, of each member of a list; none where nothing is named. */
function idsAt(value: unknown, [member, ...rest]: readonly string[]): readonly string[] {
  if (Array.isArray(value)) {
    return value.flatMap((one) => idsAt(one, member === undefined ? [] : [member, ...rest]));
  }
  if (member === undefined) return typeof value === "string" ? [value] : [];
  return idsAt((value as Readonly<Record<string, unknown>> | undefined)?.[member], rest);
}

/** Of a write: what is told of its body, beside what was done. */
function withWarnings(
  { answer: schema }: Operation,
  answer: AnyAnswer,
  warnings: readonly Warning[],
): AnyAnswer {
  if (warnings.length === 0 || !("body" in answer) || (answer.status ?? 200) >= 400) return answer;
  // Analyses have warnings of another kind.
  if (!(schema instanceof z.ZodObject) || schema.shape["warnings"] !== Warnings) return answer;
  const body = answer.body as { readonly warnings?: readonly Warning[] };
  const all = [...warnings, ...(body.warnings ?? [])];
  return { ...answer, body: { ...body, warnings: all.slice(0, MAX_WARNINGS) } };
}

/** A region may change at any time, so that no answer by one stays as it is, of whatever version. */
function byRegion(answer: AnyAnswer, method: string, area: RegionArea | null): AnyAnswer {
  if (area === null) return answer;
  const etag = answer.headers?.["etag"];
  // The tag in the answer to a write is that of the catalogue's events.
  const isTagged = etag !== undefined && (method === "GET" || method === "HEAD");
  const tagged = isTagged && { headers: { ...answer.headers, etag: tagInRegion(etag, area) } };
  return { ...answer, ...tagged, isVersioned: false, region: area };
}

/** The answer for its reader alone where he sees more than guests do, and with its entity tag as clients get it. */
function asShown(
  given: AnyAnswer,
  { catalogueFacts }: FastifyRequest,
  epoch: string | null,
): AnyAnswer {
  const { hidden = null, seesMore = false } = given.shown ?? catalogueFacts ?? {};
  const answer = seesMore ? { ...given, isPublic: false } : given;
  const etag = answer.headers?.["etag"];
  if (etag === undefined || (epoch === null && hidden === null)) return answer;
  const shown = hidden === null ? etag : tagWithout(etag, hidden);
  const last = epoch === null ? shown : tagInEpoch(shown, epoch);
  return { ...answer, headers: { ...answer.headers, etag: last } };
}

/** What a request says of a saved region, in its query, its cursor or its body. */
type Naming = {
  region?: string | null;
  filters?: Naming;
  filter?: Naming;
  cursor?: string;
  regionArea?: RegionArea;
};

/**
 * Makes what looks up the saved region of an operation's requests. What it is now goes beside its id, wherever
 * filters of events are: in the query, in the body and in the body's member `filters`; and into the call, for
 * queries that their handlers read, and for cursors.
 * @throws Refusal VALIDATION_ERROR for an unknown region, INVALID_CURSOR
 */
function resolvingRegions({ query, body }: Operation, { find }: Regions) {
  const ofClients = query === "fdsn";
  const ofQuery = !ofClients && haveFilters(query);
  const ofBody = haveFilters(body);
  const shape = body instanceof z.ZodObject ? body.shape : {};
  const member = (["filters", "filter"] as const).find((name) => haveFilters(shape[name]));

  return async (call: Call<Operation>): Promise<Call<Operation>> => {
    if (ofClients) return { ...call, ...(await areaIn({ region: regionOf(String(call.query)) })) };
    const parameters = call.query as Naming | undefined;
    const given = call.body as Naming | undefined;
    const cursor = ofQuery ? parameters?.cursor : undefined;
    const walk = cursor === undefined ? null : fromCursorText(cursor, FilteredCursor);
    const ofWalk = walk?.filters.region ?? null;
    const inQuery = ofQuery ? await areaIn({ region: parameters?.region ?? ofWalk }) : null;
    const inBody = ofBody ? await areaIn(given) : null;
    const inMember = member ? await areaIn(given?.[member]) : null;
    const found = inQuery ?? inBody ?? inMember;
    if (found === null) return call;
    const filters = inMember && member && { [member]: { ...given?.[member], ...inMember } };
    return {
      ...call,
      ...found,
      ...(inQuery && { query: { ...parameters, ...inQuery } }),
      ...((inBody ?? inMember) && { body: { ...given, ...inBody, ...filters } }),
    } as Call<Operation>;
  };

  async function areaIn(named: Naming | undefined): Promise<{ regionArea: RegionArea } | null> {
    const region = named?.region ?? null;
    if (region === null) return null;
    const regionArea = await find(region);
    if (regionArea === null) throw invalid("region", "there is no such region");
    return { regionArea };
  }
}

/** Whether a part of a request has filters of events, as far as a region may be among them. */
function haveFilters(schema: unknown): boolean {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return haveFilters(schema.unwrap());
  }
  if (schema instanceof z.ZodUnion) return schema.options.some(haveFilters);
  return schema instanceof z.ZodObject && "region" in schema.shape && "polygon" in schema.shape;
}

/** The region of an event service's query; what else is wrong with that is its handler's. */
function regionOf(raw: string): string | null {
  try {
    return rawParameters(raw).get("region") ?? null;
  } catch (error) {
    if (error instanceof ParameterFault) return null;
    throw error;
  }
}

/** A cursor of filtered events, or of changes. */
const FilteredCursor = z.looseObject({ filters: z.looseObject({ region: z.string().optional() }) });

type CallExtras = {
  readonly network: CallerNetwork | null;
  readonly epoch: string | null;
  readonly place: AnswerPlace;
};

/** What a handler gets of a request. @throws Refusal for what is not valid */
function callOf(
  operation: Operation,
  request: FastifyRequest,
  command: Parameters<Perform>[0],
  { network, epoch, place }: CallExtras,
): Call<Operation> {
  const { actor } = request;
  const warnings: Warning[] = [];
  const query = queryOf(operation, request);
  const parts = {
    params: paramsOf(operation, request),
    query,
    body: bodyOf(operation, request, warnings),
    warnings,
    actor,
    isGuest: actor === null && request.sharedCatalogue === null,
    reader: readerOf(request),
    facts: request.catalogueFacts,
    hidden: request.catalogueFacts?.hidden ?? null,
    regionArea: null,
    command: { ...command, actor: actor?.userId ?? "guest", ...reasonOf(query) },
    network,
    cookies: request.cookies,
    url: request.url,
    ifMatch: tagsOfEpoch(parseEntityTags(request.headers["if-match"]), epoch),
    key: operation.body === "file" ? parseIdempotencyKey(request.headers["idempotency-key"]) : null,
    lastEventId: headerOf(request, "last-event-id"),
    accept: request.headers.accept,
    prefersAsync: prefersAsync(request.headers["prefer"]),
    scope: request.scope,
    asker: askerOf(request),
    turn: place.turn,
    log: request.log,
  };
  return parts as Call<Operation>;
}

function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}

/** An impossible path is not found: 404, not 400. */
function paramsOf({ params }: Operation, request: FastifyRequest): unknown {
  const { sharedCatalogue } = request;
  const values = request.params as Record<string, string>;
  const withShare = sharedCatalogue === null ? values : { ...values, id: sharedCatalogue };
  const result = params?.safeParse(withShare);
  if (result && !result.success) throw new Refusal("NOT_FOUND");
  return result?.data;
}

function reasonOf(query: unknown): { readonly reason?: string } {
  const reason = (query as { reason?: unknown } | undefined)?.reason;
  return typeof reason === "string" ? { reason } : {};
}

const NO_PARAMETERS = z.strictObject({});

/** An operation without parameters takes none; only probes ignore what their clients add. */
function queryOf(operation: Operation, request: FastifyRequest): unknown {
  const { query, rate } = operation;
  if (query === undefined) {
    if (rate !== "none") validate(NO_PARAMETERS, request.query);
    return undefined;
  }
  const time = askedTime(operation, request);
  if (query !== "fdsn") {
    return validate(query, { ...(request.query as object), ...(time && { asOf: time }) });
  }
  const start = request.url.indexOf("?");
  const raw = start < 0 ? "" : request.url.slice(start + 1);
  return time === null ? raw : `${raw}&asof=${encodeURIComponent(time)}`;
}

function bodyOf(operation: Operation, request: FastifyRequest, warnings: Warning[]): unknown {
  const { body, documentedBody } = operation;
  if (body === "file") return formParts(request);
  const bytes = request.body instanceof Buffer ? request.body : Buffer.alloc(0);
  if (body === undefined) {
    // Nothing of it is used, but what no body may hold is refused all the same.
    if (bytes.length > 0) parseJson(bytes);
    return undefined;
  }
  if (body === "bytes") return bytes;
  if (bytes.length > 0) {
    const json = parseJson(bytes);
    const valid = validate(body, json);
    warnings.push(...unknownMembers(documentedBody ?? body, json));
    return valid;
  }
  const none = bodyWhereNone(operation);
  if (none === undefined) throw new Refusal("INVALID_JSON", "A body is needed: a JSON object");
  return none;
}

/** Its signal is made only for those who wait for something. */
function askerOf(request: FastifyRequest): Asker {
  return {
    ...recipientOf(request),
    get signal() {
      return request.scope.signal;
    },
  };
}

function recipientOf(request: FastifyRequest): Recipient {
  const isGuest = request.actor === null;
  return { caller: callerOf(request), network: networkOf(request), isGuest };
}
