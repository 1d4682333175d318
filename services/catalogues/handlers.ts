import deprecated from "spdx-license-ids/deprecated.json" with { type: "json" };
import current from "spdx-license-ids/index.json" with { type: "json" };
import { z } from "zod";
import { type CatalogueMetadata, CatalogueMetadataInput } from "#contracts/catalogue-metadata.ts";
import { invalid, Refusal } from "#contracts/errors.ts";
import { NO_BOUNDS } from "#contracts/events/catalogues.ts";
import {
  accessGiven,
  agree,
  type Catalogue,
  CreateCatalogueBody,
  DISAGREE,
} from "#contracts/http/catalogues.ts";
import type { ValidationReport } from "#contracts/http/event-bodies.ts";
import { EXPORT_FORMATS } from "#contracts/http/exports.ts";
import type { Warning } from "#contracts/http/operation.ts";
import { UploadReference } from "#contracts/http/uploads.ts";
import { CatalogueAccess, Editing } from "#contracts/rights.ts";
import type { ExportedCatalogue } from "#infra/formats/format-writer.ts";
import { unknownMembers, validate } from "#infra/json/validation.ts";
import { peek } from "#infra/kernel/iteration.ts";
import type { EncodedChunk } from "#infra/log/chunks.ts";
import { type Lookups, whileAsked } from "#infra/postgres/statements.ts";
import {
  catalogueById,
  listCatalogues,
  listMembers,
  listShares,
  listVersions,
  withoutRights,
} from "#projections/read/catalogues.ts";
import { countExported, exportedBytes } from "#projections/read/exports.ts";
import { catalogueFacts, SERVICE } from "#projections/read/rights.ts";
import { firstReadable, type ResolvedVersion, resolveVersion } from "#projections/read/versions.ts";
import type { Command } from "#services/context.ts";
import { effectiveRight, mayGiveRights } from "#services/domain/catalogues/access.ts";
import { catalogueName } from "#services/domain/catalogues/catalogue.ts";
import { type VersionHistory, versionOf } from "#services/domain/versions.ts";
import {
  type ChunkedSubmission,
  requireEvents,
  requireSomeValid,
  type SubmissionDeps,
  useSubmission,
} from "#services/events/commands.ts";
import { answerOrStart, type Run } from "#services/works.ts";
import { reportedChunks } from "../changes/revision-changes.ts";
import { acceptedFormat, attachment, exportForm, writtenFile } from "../exports/exporter.ts";
import { following, type Handlers } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import {
  acceptedType,
  catalogueTag,
  catalogueUnchanged,
  changesTag,
  guestTag,
  versionTag,
} from "../headers.ts";
import { LINK_FORMAT, timeMap, versionHeaders } from "../versions/memento.ts";
import {
  createCatalogueCommand,
  deleteCatalogueCommand,
  endShareCommand,
  type NewCatalogue,
  removeMemberCommand,
  setMemberCommand,
  shareCatalogueCommand,
  updateCatalogueCommand,
} from "./commands.ts";

export function handlersOfCatalogues(deps: HandlerDeps) {
  const {
    pool,
    runner,
    keepBody,
    lookups,
    context,
    exportPool,
    threads,
    now,
    versionHistories,
    publicBaseUrl,
  } = deps;
  return {
    listCatalogues: async ({ query, reader, isGuest }) => {
      const { catalogues, total } = await listCatalogues(pool, query, reader);
      const { page, pageSize } = query;
      return {
        body: {
          catalogues: isGuest ? catalogues.map(guestView) : [...catalogues],
          total,
          page,
          pageSize,
        },
        // Signed-in callers see more of private catalogues.
        isPublic: isGuest,
      };
    },

    /** The catalogue is made to the end, whether the client waits or not. */
    createCatalogue: async (call) => {
      const { body, command } = call;
      return answerOrStart(runner, call, {
        job: { kind: "create", unit: "events" },
        keep: () => keepBody(body),
        work: async (run) => createdAnswer(deps, await createFromBody(deps, command, body, run)),
      });
    },

    getCatalogue: async ({ params, reader, isGuest }) => {
      const catalogue = await catalogueById(lookups, params.id, reader);
      if (catalogue === null) throw new Refusal("NOT_FOUND", "Catalogue not found");
      // Below a share nothing is told of who made what.
      const isShared = reader.kind === "share";
      return {
        body: isGuest
          ? guestView(catalogue)
          : { ...catalogue, ...(isShared && { created_by: null }) },
        headers: { etag: isGuest ? guestTag(catalogue) : catalogueTag(catalogue) },
        // Who made it is for signed-in callers.
        isPublic: isGuest && catalogue.is_public,
      };
    },

    updateCatalogue: async ({ params, body, actor, facts, command, ifMatch }) => {
      const { name, is_public: isPublic, publishHistory, access, editing, parts, metadata } = body;
      const given = [name, isPublic, access, editing, parts, metadata];
      const isEmpty = given.every((one) => one === undefined);
      if (isEmpty) throw new Refusal("MISSING_NAME");
      requireLicense(metadata);
      if (parts === true) await requirePublishable(lookups, params.id);
      const change = {
        isByOwner: facts !== null && mayGiveRights(actor.role, facts),
        ...(name !== undefined && { name }),
        ...(isPublic !== undefined && { isPublic }),
        ...(access !== undefined && { access }),
        ...(editing !== undefined && { editing }),
        ...(parts !== undefined && { parts }),
        ...(publishHistory !== undefined && { publishHistory }),
        ...(metadata !== undefined && { metadata }),
      };
      await updateCatalogueCommand(
        context,
        command,
        params.id,
        change,
        catalogueUnchanged(ifMatch),
      );
      return { body: { success: true } };
    },

    deleteCatalogue: async ({ params, command, ifMatch }) => {
      await deleteCatalogueCommand(context, command, params.id, catalogueUnchanged(ifMatch));
      return { body: { success: true } };
    },

    exportCatalogue: async ({ params, query, reader, facts, accept, turn, asker }) => {
      await turn("exports");
      const {
        format = acceptedFormat(accept),
        orderBy = "time",
        asOf,
        table = "events",
        include,
        detail,
        form,
        ...filters
      } = query;
      const written = exportForm({ format, table, include, detail, form });
      const request = { catalogueId: params.id, asOf, reader, facts };
      const version = await resolveVersion(lookups, request);
      const found = await catalogueById(lookups, params.id, reader);
      if (found === null) throw new Refusal("NOT_FOUND", "Catalogue not found");
      const catalogue = withoutRights(found);
      // As long as the export itself takes, it may.
      const counting = whileAsked(exportPool, asker.signal);
      const count = await countExported(counting, { version, filters });
      const history = await versionHistories.read(version.id);
      const links = history && linksOf(publicBaseUrl, version, history);
      const exported = {
        catalogue,
        version: version.version,
        exportedAt: now().toISOString(),
        isRedacted: version.hidden !== null,
      };
      const selection = { version, filters, order: orderBy, ...written.columns };
      return {
        contentType: EXPORT_FORMATS[format].contentType,
        headers: { ...headersOf(exported, written.extension, count), ...links },
        open: () =>
          writtenFile(
            threads,
            written.taskOf(exported, count),
            (copyForm) => exportedBytes(exportPool, selection, asker.signal, copyForm),
            asker,
          ),
      };
    },

    /** As JSON, or as a time map where the client prefers one. */
    listVersions: async ({ params, query, reader, facts, isGuest, accept }) => {
      const request = { catalogueId: params.id, reader, facts };
      const latest = await resolveVersion(lookups, request);
      const from = firstReadable(latest, isGuest);
      const { rows: versions, nextCursor } = await listVersions(pool, latest, from, query);
      const etag = isGuest ? changesTag(latest.version, from) : versionTag(latest.version);
      // Who made a version is for signed-in callers.
      const isPublic = isGuest && latest.publicFrom !== null;
      const head = { headers: { etag, vary: "Accept" }, isPublic };
      if (acceptedType(accept, ["application/json", LINK_FORMAT]) === LINK_FORMAT) {
        const address = `${publicBaseUrl}/api/catalogues/${latest.id}`;
        return {
          ...head,
          contentType: LINK_FORMAT,
          text: timeMap(address, versions, query.cursor, nextCursor),
        };
      }
      const isTold = reader.kind === "user";
      const list = versions.map((entry) => (isTold ? entry : { ...entry, actor: null }));
      return { ...head, body: { versions: list, ...following(nextCursor) } };
    },

    createShare: async ({ params, body, command }) => {
      const { label = null, expiresInDays = null } = body;
      const wanted = { label, expiresInDays };
      const made = await shareCatalogueCommand(context, command, params.id, wanted);
      const shares = await listShares(context.pool, params.id);
      const share = shares.find(({ id }) => id === made.shareId);
      if (share === undefined) throw new Refusal("NOT_FOUND", "The share was ended meanwhile");
      return {
        body: { share: { ...share, url: `${publicBaseUrl}/api/share/${made.secret}` } },
        headers: { location: `/api/catalogues/${params.id}/shares` },
        isSecret: true,
      };
    },

    listShares: async ({ params, reader }) => {
      const catalogue = await catalogueById(lookups, params.id, reader);
      if (catalogue === null) throw new Refusal("NOT_FOUND", "Catalogue not found");
      return { body: { shares: [...(await listShares(pool, params.id))] } };
    },

    endShare: async ({ params, command }) => {
      await endShareCommand(context, command, params.id, params.shareId);
      return { body: { success: true } };
    },

    listMembers: async ({ params }) => ({
      body: { members: [...(await listMembers(pool, params.id))] },
    }),

    getRight: async ({ actor, facts }) => {
      if (facts === null) throw new Refusal("NOT_FOUND", "Catalogue not found");
      return { body: { right: effectiveRight(actor.role, facts) } };
    },

    setMember: async ({ params, body, command }) => {
      const { id, memberId } = params;
      await setMemberCommand(context, command, id, memberId, body.right);
      const members = await listMembers(context.pool, id);
      const member = members.find((one) => one.id === memberId);
      if (member === undefined) throw new Refusal("NOT_FOUND", "The member was removed meanwhile");
      return { body: { member } };
    },

    removeMember: async ({ params, command }) => {
      await removeMemberCommand(context, command, params.id, params.memberId);
      return { body: { success: true } };
    },
  } satisfies Partial<Handlers>;
}

/**
 * Parts are the same for everybody, so they name no source that is hidden from anybody.
 * @throws Refusal CONFLICT
 */
async function requirePublishable(lookups: Lookups, catalogueId: string): Promise<void> {
  const facts = await catalogueFacts(lookups, catalogueId, SERVICE);
  if (!facts?.seesMore) return;
  throw new Refusal("CONFLICT", "A catalogue with a restricted source has no parts");
}

/** How the version of a file is cited; null of the empty catalogue. */
function linksOf(base: string, { id, version }: ResolvedVersion, history: VersionHistory) {
  const entry = versionOf(history, version);
  if (entry === undefined) return null;
  const catalogueAddress = `${base}/api/catalogues/${id}`;
  const address = `${catalogueAddress}/versions/${version}`;
  const { committedAt } = entry;
  const { metadata } = history;
  return versionHeaders({ address, catalogueAddress, committedAt, version, metadata });
}

function headersOf({ catalogue, version }: ExportedCatalogue, extension: string, count: number) {
  return {
    etag: versionTag(version),
    vary: "Accept",
    "content-disposition": attachment(catalogue.name, version, extension),
    "x-export-event-count": String(count),
  };
}

const KNOWN: ReadonlySet<string> = new Set([...current, ...deprecated]);

/** The body without its events; an absent name is refused by the domain, as missing. */
const Envelope = z
  .object({
    name: z.string().default(""),
    is_public: z.boolean().optional(),
    access: CatalogueAccess.optional(),
    editing: Editing.default("all"),
    metadata: CatalogueMetadataInput.nullable().default(null),
    ...UploadReference.partial().shape,
  })
  .refine(agree, DISAGREE);

/**
 * A catalogue as guests see it: without its creator, and a private one also without times and places
 * of its events and the sources of its merge. With few events, bounds would reveal each of them.
 */
function guestView(catalogue: Catalogue): Catalogue {
  const byNobody = { ...catalogue, created_by: null };
  if (catalogue.is_public) return byNobody;
  const hidden = { ...NO_BOUNDS, bbox: null, metadata: null };
  return { ...byNobody, ...hidden, merge_config: null, source_catalogues: null };
}

type Created = {
  readonly id: string;
  readonly validationReport: ValidationReport;
  readonly warnings: readonly Warning[];
};

async function createdAnswer(
  { context }: SubmissionDeps,
  { id, validationReport, warnings }: Created,
) {
  const catalogue = await catalogueById(context.pool, id, SERVICE);
  if (catalogue === null) throw new Refusal("NOT_FOUND", "The catalogue was deleted meanwhile");
  return {
    body: {
      ...catalogue,
      importMessage: importMessage(validationReport),
      partialImport: validationReport.failedValidation > 0,
      validationReport,
      ...(warnings.length > 0 && { warnings: [...warnings] }),
    },
    headers: { location: `/api/catalogues/${id}`, etag: catalogueTag(catalogue) },
  };
}

/** Creates a catalogue from a body as it is submitted. */
export function createFromBody(
  deps: SubmissionDeps,
  command: Command,
  body: Buffer,
  run: Run,
): Promise<Created> {
  const source = { bytes: body, owner: command.actor };
  return useSubmission(deps, source, null, run, async (submission) => {
    const id = await createCatalogueCommand(deps.context, command, wantedOf(submission), {
      chunks: await someChunks(submission, run),
      totals: async () => (await submission.end()).changes,
    });
    const validationReport = requireEvents((await submission.end()).report);
    return {
      id,
      validationReport,
      warnings: unknownMembers(CreateCatalogueBody, submission.envelope),
    };
  });
}

function wantedOf({ envelope, count }: ChunkedSubmission): NewCatalogue {
  const wanted = validate(Envelope, envelope);
  const { name, editing, metadata } = wanted;
  requireLicense(metadata);
  requireEvents(count);
  const access = accessGiven(wanted) ?? "internal";
  return { name: catalogueName(name), access, editing, merge: null, metadata };
}

/**
 * Passes the chunks on once there is one, or if no event was submitted.
 * @throws Refusal ALL_EVENTS_INVALID
 */
async function someChunks(
  { chunks, count, end }: ChunkedSubmission,
  run: Run,
): Promise<AsyncIterable<EncodedChunk> | Iterable<EncodedChunk>> {
  const some = await peek(reportedChunks(chunks, count, run));
  if (some === null) requireSomeValid((await end()).report);
  return some ?? [];
}

function importMessage(report: ValidationReport): string {
  const { totalSubmitted, successfullyImported, failedValidation } = report;
  const events = totalSubmitted === 1 ? "event" : "events";
  if (failedValidation === 0) return `Imported ${totalSubmitted} ${events}`;
  return `Imported ${successfullyImported} of ${totalSubmitted} ${events}; ${failedValidation} failed validation`;
}

/**
 * Checks that a licence is named as the SPDX License List does.
 * @throws Refusal VALIDATION_ERROR
 */
function requireLicense(metadata: Pick<CatalogueMetadata, "license"> | null | undefined): void {
  const license = metadata?.license;
  if (license === undefined || KNOWN.has(license)) return;
  throw invalid("metadata.license", "is no SPDX id");
}
