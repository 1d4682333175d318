import { bulletinOfRow } from "#contracts/bulletin/row.ts";
import { invalid, Refusal } from "#contracts/errors.ts";
import type { BulletinFormat } from "#contracts/http/bulletins.ts";
import {
  AddEventsBody,
  AddEventsEnvelope,
  COLUMNS_FORMS,
  DEFAULT_COLUMNS,
  EVENTS_OF_ID,
} from "#contracts/http/events.ts";
import { MAX_WARNINGS, type Warning } from "#contracts/http/operation.ts";
import type { Operations } from "#contracts/http/table/operations.ts";
import { KNOWN_CONVERSIONS } from "#contracts/merges/conversions.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import { meantName } from "#contracts/seismic-event/names.ts";
import { COLUMN_NAMES } from "#contracts/seismic-event/seismic-event.ts";
import { unknownMembers, validate } from "#infra/json/validation.ts";
import { staying } from "#infra/kernel/fair-queue.ts";
import { eachCopiedRow } from "#infra/postgres/copy/copy-out.ts";
import type { AskedPool } from "#infra/postgres/statements.ts";
import { readPieces, tableRowOf } from "#projections/read/bulletins.ts";
import { catalogueById, withoutRights } from "#projections/read/catalogues.ts";
import { readEvent, readEventsOfId } from "#projections/read/events.ts";
import { columnBytes, countExported } from "#projections/read/exports.ts";
import {
  isPublicVersion,
  type ResolvedVersion,
  resolveVersion,
} from "#projections/read/versions.ts";
import { foreignMembers } from "#services/domain/events/validation/validate-event.ts";
import { answerOrStart, type Run } from "#services/works.ts";
import { changeIn } from "../bulletins/work.ts";
import { reportedChunks } from "../changes/revision-changes.ts";
import type { CommandContext } from "../context.ts";
import { resolvedConversions } from "../domain/events/magnitude-conversion.ts";
import { writtenColumns, writtenDocument, writtenFile } from "../exports/exporter.ts";
import type { ColumnsForm } from "../exports/writers.ts";
import { type Call, type Handlers, KEPT } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { acceptedType, eventsUnchanged, formTag, versionTag } from "../headers.ts";
import { readBounded, readsFor } from "../turns.ts";
import {
  type Additions,
  addCommentCommand,
  addEventsCommand,
  changeEventCommand,
  deleteSolutionCommand,
  preferSolutionsCommand,
  removeBulletinCommand,
  removeEventCommand,
  removeEventsCommand,
  requireEvents,
  requireSomeValid,
  restoreEventCommand,
  type SubmittedBody,
  setBulletinCommand,
  useSubmission,
} from "./commands.ts";
import { convertMagnitudesCommand, type MagnitudesConverted } from "./convert.ts";
import { changedEvent, handlersOfReads } from "./reads.ts";

export function handlersOfEvents(deps: HandlerDeps) {
  const { lookups, exportPool, columnsLimits, threads, reads, pool, now, context } = deps;
  const editOf = (call: EditCall<unknown>) => editIn(context, call);
  const eventEditOf = (call: EditCall<{ readonly eventId: string }>) => ({
    ...editOf(call),
    eventId: call.params.eventId,
  });
  return {
    ...handlersOfReads(deps),

    getEventColumns: async ({ params, query, accept, reader, facts, turn, asker }) => {
      const { columns = DEFAULT_COLUMNS, asOf, ...filters } = query;
      const request = { catalogueId: params.id, asOf, reader, facts };
      const version = await resolveVersion(lookups, request);
      const { events: most, largest } = columnsLimits;
      const leave = await turn("columns", bytesOf(Math.min(version.eventCount, most), columns));
      const total = await readBounded(exportPool, asker, (pool) =>
        countBeyond(most, pool, version, filters),
      );
      const isTruncated = total > most;
      const count = isTruncated ? largest : total;
      const form = acceptedForm(accept);
      const catalogue = { catalogue: version.id, version: version.version };
      const head = { ...catalogue, columns, ...(isTruncated && { total }) };
      const selection = { version, filters, columns, largest: isTruncated ? largest : null };
      return {
        contentType: COLUMNS_FORMS[form].contentType,
        headers: {
          etag: FORM_TAGS[form](version.version),
          vary: "Accept",
          ...(isTruncated && { "x-truncated": "true" }),
        },
        isPublic: isPublicVersion(version),
        ...KEPT,
        open: () =>
          writtenColumns(
            threads,
            { ...head, form, count },
            (copyForm) =>
              thenLeave(
                columnBytes({ exportPool, lookups }, selection, asker.signal, copyForm),
                leave,
              ),
            asker,
          ),
      };
    },

    findDuplicates: async ({ params, body: { filters = {}, ...thresholds }, reader, asker }) => {
      const { id, key, version, eventCount } = await resolveVersion(reads.prepared, {
        catalogueId: params.id,
        reader,
      });
      const request = { version: { id, key, version, eventCount }, filters, ...thresholds };
      return {
        body: await threads.merges.run("findDuplicates", request, asker),
        headers: { etag: versionTag(version) },
      };
    },

    addEvents: addEventsHandler(deps),

    getEventsById: async ({ params: { id }, reader }) => {
      const { events, truncated } = await readEventsOfId(reads.prepared, reader, id, EVENTS_OF_ID);
      if (events.length === 0) {
        throw new Refusal("NOT_FOUND", "No event that you may read has or had this id");
      }
      return {
        body: {
          events: events.map(({ catalogueId, eventId, ...event }) => ({
            catalogue_id: catalogueId,
            event_id: eventId,
            ...event,
          })),
          truncated,
        },
      };
    },

    /** A thread makes the rows: a bulletin may have a hundred thousand of them. */
    getArrivals: async ({
      params: { id: catalogueId, eventId },
      query: { asOf },
      reader,
      facts,
      turn,
      asker,
    }) => {
      const version = await resolveVersion(lookups, { catalogueId, asOf, reader, facts });
      const lines: Buffer[] = [];
      const row = tableRowOf(version, eventId, TABLE);
      await readsFor(reads, { turn, asker }).search({ price: 0, events: 1 }, async (pool) =>
        eachCopiedRow(await pool.connect(), row, (line) => lines.push(Buffer.from(line))),
      );
      if (lines.length === 0) throw new Refusal("NOT_FOUND", "Event not found");
      const head = { version: version.version };
      return {
        contentType: "application/json; charset=utf-8",
        headers: { etag: versionTag(version.version) },
        isPublic: isPublicVersion(version),
        open: () =>
          writtenFile(
            threads,
            { table: TABLE, tableFormat: "json", head, count: 1 },
            () => copied(),
            asker,
          ),
      };

      async function* copied(): AsyncGenerator<Buffer> {
        yield* lines;
      }
    },

    getBulletin: async ({ params, query, accept, reader, facts, asker }) => {
      const { id: catalogueId, eventId } = params;
      const { asOf, parts, format = acceptedBulletinFormat(accept), form } = query;
      if (form !== undefined && format !== "quakeml") throw invalid("form", "is of quakeml only");
      const request = { catalogueId, eventId, asOf, reader, facts };
      const { event, version } = await readEvent(lookups, request);
      const pieces =
        event.bulletin_sha256 === undefined
          ? null
          : await readPieces(pool, version.id, event.id, version.version);
      const catalogue = await catalogueById(lookups, version.id, reader);
      if (catalogue === null) throw new Refusal("NOT_FOUND", "Catalogue not found");
      const task = {
        source: pieces ?? bulletinOfRow(event),
        bytes: pieces === null ? 0 : (event.bulletin_counts?.bytes ?? 0),
        parts: parts ?? null,
        format,
        form: form ?? "valid",
        exported: {
          catalogue: withoutRights(catalogue),
          version: version.version,
          exportedAt: now().toISOString(),
        },
        eventId: event.id,
      };
      const etag = format === "json" ? versionTag : (of: number) => formTag(of, format);
      return {
        contentType: CONTENT_TYPES[format],
        headers: { etag: etag(version.version), vary: "Accept" },
        isPublic: isPublicVersion(version),
        open: () => writtenDocument(threads, task, asker),
      };
    },

    setBulletin: async (call) => {
      const submitted = { bytes: call.body, asker: staying(call.asker) };
      const changed = await setBulletinCommand(threads, eventEditOf(call), submitted);
      return changedEvent(changed, call.hidden);
    },

    removeBulletin: async (call) =>
      changedEvent(await removeBulletinCommand(eventEditOf(call)), call.hidden),

    preferSolutions: async (call) => {
      const make = changeIn(threads, staying(call.asker));
      const changed = await preferSolutionsCommand(eventEditOf(call), call.body, make);
      return changedEvent(changed, call.hidden);
    },

    deleteSolution: async (call) => {
      const { kind, publicID } = call.params;
      const isCascade = call.query.cascade === "true";
      const make = changeIn(threads, staying(call.asker));
      const solution = { kind, publicID };
      const body = await deleteSolutionCommand(eventEditOf(call), solution, isCascade, make);
      return { body, headers: { etag: versionTag(body.version) } };
    },

    addComment: async (call) => {
      const comment = { text: call.body.text, author: call.actor.name };
      const make = changeIn(threads, staying(call.asker));
      const body = await addCommentCommand(eventEditOf(call), comment, make);
      return { body, headers: { etag: versionTag(body.version) } };
    },

    changeEvent: async (call) => {
      const { body, hidden, warnings } = call;
      const make = changeIn(threads, staying(call.asker));
      const changed = await changeEventCommand(eventEditOf(call), body, make);
      for (const path of foreignMembers(body)) {
        const meant = meantName(path, COLUMN_NAMES);
        const kept = body[path] === null ? "" : " and is kept in extra";
        warnings.push({ path, message: `is no attribute of events${kept}${meant}` });
      }
      return changedEvent(changed, hidden);
    },

    removeEvent: async (call) => {
      const { version } = await removeEventCommand(eventEditOf(call));
      return { body: { success: true, version }, headers: { etag: versionTag(version) } };
    },

    removeEvents: async (call) => {
      const removed = await removeEventsCommand(editOf(call), call.body.events);
      return { body: removed, headers: { etag: versionTag(removed.version) } };
    },

    restoreEvent: async (call) => {
      const { versionHistories } = deps;
      const { version } = call.body;
      const changed = await restoreEventCommand(versionHistories, eventEditOf(call), version);
      return changedEvent(changed, call.hidden);
    },

    listConversions: async () => ({
      body: { conversions: [...KNOWN_CONVERSIONS] },
    }),

    /** Runs to its end, whether the client waits or not. */
    convertMagnitudes: async (call) => {
      const { conversions, filters = {} } = call.body;
      const wanted = { conversions: resolvedConversions(conversions), filters };
      return answerOrStart(deps.runner, call, {
        job: { kind: "convert", unit: "events" },
        work: async (run): Promise<{ body: MagnitudesConverted; headers: { etag: string } }> => {
          const result = await convertMagnitudesCommand(threads, editOf(call), wanted, run);
          return { body: result, headers: { etag: versionTag(result.version) } };
        },
      });
    },
  } satisfies Partial<Handlers>;
}

type EditCall<P> = Pick<Call<Operations["removeEvents"]>, "command" | "ifMatch"> & {
  readonly params: { readonly id: string } & P;
};

/** What a call edits, where the events are still as it says that they were. */
function editIn(context: CommandContext, { params, command, ifMatch }: EditCall<unknown>) {
  return { context, command, catalogueId: params.id, precondition: eventsUnchanged(ifMatch) };
}

/** Of a value in a column, most of which take no more. */
const VALUE_BYTES = 16;

function bytesOf(events: number, columns: readonly unknown[]): number {
  return events * columns.length * VALUE_BYTES;
}

/** The turn is over with the last row: what is read waits for its client in a file. */
async function* thenLeave(rows: AsyncIterable<Buffer>, leave: () => void): AsyncGenerator<Buffer> {
  try {
    yield* rows;
  } finally {
    leave();
  }
}

/** The two forms have one address, so their tags must differ. */
const FORM_TAGS: Readonly<Record<ColumnsForm, (version: number) => string>> = {
  packed: versionTag,
  json: (version) => formTag(version, "json"),
};

/** How many satisfy the filters; where a version has no more than `most`, at most so many: they are not counted. */
async function countBeyond(
  most: number,
  pool: AskedPool,
  version: ResolvedVersion,
  filters: EventFilters,
): Promise<number> {
  const { eventCount } = version;
  return eventCount <= most ? eventCount : countExported(pool, { version, filters });
}

/** The form that `Accept` prefers; packed when it accepts none. */
function acceptedForm(accept: string | undefined): ColumnsForm {
  const type = acceptedType(accept, ["application/octet-stream", "application/json"]);
  return type === "application/json" ? "json" : "packed";
}

/** The events are added to the end, whether the client waits or not. */
const addEventsHandler: (deps: HandlerDeps) => Handlers["addEvents"] = (deps) => {
  const { context, runner, keepBody } = deps;
  const additionsOf = (body: SubmittedBody, run: Run, warnings: Warning[]): Additions => ({
    against: (target, use) =>
      useSubmission(deps, body, target, run, ({ chunks, ...submission }) => {
        validate(AddEventsEnvelope, submission.envelope);
        warnings.push(...unknownMembers(AddEventsBody, submission.envelope));
        const total = requireEvents(submission.count);
        return use({ ...submission, chunks: reportedChunks(chunks, total, run) });
      }),
  });

  return async (call) => {
    const { body, command } = call;
    return answerOrStart(runner, call, {
      job: { kind: "add", unit: "events" },
      keep: () => keepBody(body),
      work: async (run) => {
        const warnings: Warning[] = [];
        const {
          report,
          warnings: ofRows = [],
          ...result
        } = await addEventsCommand(
          editIn(context, call),
          additionsOf({ bytes: body, owner: command.actor }, run, warnings),
        );
        const told = [...warnings, ...ofRows].slice(0, MAX_WARNINGS);
        return {
          body: {
            ...result,
            validationReport: requireSomeValid(report),
            ...(told.length > 0 && { warnings: told }),
          },
          headers: { etag: versionTag(result.version) },
        };
      },
    });
  };
};

const TABLE = "arrivals";

const CONTENT_TYPES: Readonly<Record<BulletinFormat, string>> = {
  json: "application/json; charset=utf-8",
  quakeml: "application/xml",
  isf: "text/plain; charset=utf-8",
};

/** JSON first: it is the answer to whoever accepts anything. */
const BY_MEDIA_TYPE: ReadonlyMap<string, BulletinFormat> = new Map([
  ["application/json", "json"],
  ["application/xml", "quakeml"],
  ["text/plain", "isf"],
]);

/** The format that `Accept` prefers; JSON when it accepts none of them. */
function acceptedBulletinFormat(accept: string | undefined): BulletinFormat {
  const type = acceptedType(accept, [...BY_MEDIA_TYPE.keys()]);
  return BY_MEDIA_TYPE.get(type ?? "") ?? "json";
}
