import { z } from "zod";
import { CatalogueMetadataInput, StoredMetadata } from "../catalogue-metadata.ts";
import { Bounds, RevisionCause } from "../events/catalogues.ts";
import { MergeConfig, ShownSource } from "../merges/config.ts";
import {
  longListShape,
  nextCursor,
  queryInteger,
  queryList,
  queryText,
} from "../query/parameters.ts";
import { CatalogueAccess, Editing, MemberKind, MemberRight } from "../rights.ts";
import { SubmittedEvent, ValidationReport } from "./event-bodies.ts";
import { Accepted } from "./jobs.ts";
import { Id, operation, Success, sharedAt, Warnings } from "./operation.ts";
import { UploadReference } from "./uploads.ts";

export const CatalogueStatus = z.enum(["processing", "active", "error", "deleting"]);
export type CatalogueStatus = z.infer<typeof CatalogueStatus>;

export const Catalogue = z
  .object({
    id: z.uuid(),
    name: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
    status: CatalogueStatus,
    event_count: z.int(),
    ...Bounds.shape,
    bbox: z
      .tuple([z.number(), z.number(), z.number(), z.number()])
      .nullable()
      .describe(
        "the smallest box around its events: west, south, east, north; west is above east across the antimeridian",
      ),
    is_public: z.boolean(),
    public_from: z
      .int()
      .nullable()
      .describe("the first version that guests may read; null while it is private"),
    access: CatalogueAccess.describe(
      "who reads it: everybody, everybody who is signed in, its members",
    ),
    editing: Editing.describe(
      "who changes it: all editors, or only members who may; of a restricted one always only those",
    ),
    parts: z.boolean().describe("whether its versions are kept as files for engines"),
    version: z.int().describe("latest committed revision of its events; 0 before the first"),
    created_by: z.string().nullable().describe("null for guests"),
    metadata: StoredMetadata.nullable().describe("what it is cited by"),
    merge_config: MergeConfig.nullable().describe("of a merged catalogue"),
    source_catalogues: z.array(ShownSource).nullable().describe("of a merged catalogue"),
  })
  .describe(
    "To guests a private catalogue has no bounds, no bbox, no times, no metadata, no merge_config and no source_catalogues: they are null",
  )
  .meta({ id: "Catalogue" });
export type Catalogue = z.infer<typeof Catalogue>;

export const CATALOGUE_NAME_MAX = 255;

type Publicity = {
  readonly is_public?: boolean | undefined;
  readonly access?: CatalogueAccess | undefined;
};

/** @returns whether `is_public` and `access`, where both are given, say the same */
export function agree({ is_public, access }: Publicity): boolean {
  return is_public === undefined || access === undefined || is_public === (access === "public");
}

/** For a body in which they do not. */
export const DISAGREE = {
  path: ["access"],
  message: "contradicts is_public",
};

/** Who may read the catalogue that a body creates; undefined where it leaves that open. */
export function accessGiven({ is_public, access }: Publicity): CatalogueAccess | undefined {
  return access ?? (is_public === true ? "public" : undefined);
}

const described = {
  name: z.string(),
  is_public: z
    .boolean()
    .optional()
    .describe("whether guests may read it, from its first version on; default false"),
  access: CatalogueAccess.optional().describe("who may read it; default internal"),
  editing: Editing.optional().describe("who may change it; default all"),
  metadata: CatalogueMetadataInput.nullable().optional(),
};

export const CreateCatalogueBody = z.union([
  z.object({ ...described, events: z.array(SubmittedEvent) }),
  z.object({ ...described, ...UploadReference.shape }),
]);

const UpdateCatalogueBody = z
  .object({
    name: z.string().optional(),
    is_public: z
      .boolean()
      .optional()
      .describe("true lets guests read the version that is the latest now, and all later ones"),
    access: CatalogueAccess.optional().describe(
      "who may read it; to restricted and from it by owners alone",
    ),
    editing: Editing.optional().describe("who may change it; by owners alone"),
    parts: z
      .boolean()
      .optional()
      .describe("whether its versions are kept as files for engines; not with a restricted source"),
    publishHistory: z
      .boolean()
      .optional()
      .describe("beside is_public: true: guests may read the earlier versions too; default false"),
    metadata: CatalogueMetadataInput.nullable()
      .optional()
      .describe("what it is cited by, in the place of what it had; null for nothing"),
  })
  .refine(agree, DISAGREE)
  .refine(
    ({ is_public, access, publishHistory }) =>
      publishHistory !== true || is_public === true || access === "public",
    { path: ["publishHistory"], message: "needs is_public: true beside it" },
  );

export const listCatalogues = operation("GET", "/api/catalogues", {
  summary: "List catalogues, newest first",
  access: "public",
  caching: "revalidated",
  query: z.strictObject({
    page: queryInteger({ min: 1, max: 1_000_000_000 }, "page number").default(1),
    pageSize: queryInteger({ min: 1, max: 100 }, "items per page").default(10),
    search: queryText().optional().describe("part of the name; case and accents are ignored"),
    status: queryList(`only catalogues of these: ${CatalogueStatus.options.join(", ")}`)
      .pipe(z.array(CatalogueStatus))
      .optional(),
  }),
  answer: z.object({
    catalogues: z.array(Catalogue),
    total: z.int(),
    page: z.int(),
    pageSize: z.int(),
  }),
});

export const createCatalogue = operation("POST", "/api/catalogues", {
  summary: "Create a catalogue of the valid ones among the submitted events",
  access: "editor",
  makesCatalogue: true,
  body: "bytes",
  documentedBody: CreateCatalogueBody,
  example: {
    name: "Kaikōura 2016",
    events: [
      {
        time: "2016-11-13T11:02:56.346Z",
        latitude: -42.69,
        longitude: 173.02,
        depth: 15.1,
        magnitude: 7.8,
        magnitude_type: "Mw",
      },
    ],
  },
  status: 201,
  answer: z.object({
    ...Catalogue.shape,
    importMessage: z.string(),
    partialImport: z.boolean(),
    validationReport: ValidationReport,
    warnings: Warnings,
  }),
  accepted: { status: 202, schema: Accepted },
  errors: [
    "MISSING_NAME",
    "NAME_TOO_LONG",
    "NOT_FOUND",
    "ALL_EVENTS_INVALID",
    "UNSUPPORTED_FORMAT",
    "PARSE_ERROR",
    "TOO_MANY_EVENTS",
  ],
});

export const getCatalogue = operation("GET", "/api/catalogues/:id", {
  summary: "One catalogue",
  access: "public",
  alsoAt: sharedAt(""),
  caching: "revalidated",
  answer: Catalogue,
});

export const updateCatalogue = operation("PATCH", "/api/catalogues/:id", {
  summary: "Rename a catalogue, change who may read it or what it is cited by",
  access: "editor",
  body: UpdateCatalogueBody,
  example: {
    name: "Kaikōura 2016, reviewed",
    access: "public",
    metadata: { creators: [{ name: "Aroha Ngata" }], license: "CC-BY-4.0" },
  },
  answer: Success,
  errors: ["MISSING_NAME", "NAME_TOO_LONG", "PRECONDITION_FAILED", "CONFLICT"],
});

export const deleteCatalogue = operation("DELETE", "/api/catalogues/:id", {
  summary: "Delete a catalogue and all its events",
  access: "editor",
  answer: Success,
  errors: ["PRECONDITION_FAILED"],
});

export const CatalogueVersion = z
  .object({
    version: z.int(),
    created_at: z.string(),
    cause: RevisionCause,
    actor: z.string().nullable().describe("null for guests"),
    added: z.int(),
    updated: z.int(),
    removed: z.int(),
  })
  .meta({ id: "CatalogueVersion" });
export type CatalogueVersion = z.infer<typeof CatalogueVersion>;

export const listVersions = operation("GET", "/api/catalogues/:id/versions", {
  summary: "The versions of a catalogue, newest first",
  access: "readers",
  alsoAt: sharedAt("/versions"),
  caching: "revalidated",
  query: z.strictObject(longListShape),
  answer: z.object({ versions: z.array(CatalogueVersion), nextCursor }),
  alsoAs: ["application/link-format"],
});

export const Member = z
  .object({
    id: z.string().describe("of the user or the group"),
    kind: MemberKind,
    name: z.string(),
    right: MemberRight.describe("read, edit or own, each with what stands before it"),
  })
  .meta({ id: "Member" });
export type Member = z.infer<typeof Member>;

const MemberParams = z.object({ id: Id, memberId: z.string() });

export const listMembers = operation("GET", "/api/catalogues/:id/members", {
  summary: "The members of a catalogue, owners first, then by name",
  access: "viewer",
  act: "own",
  answer: z.object({ members: z.array(Member) }),
});

export const getRight = operation("GET", "/api/catalogues/:id/right", {
  summary: "What the caller may do with a catalogue, by role and membership",
  access: "viewer",
  answer: z.object({ right: MemberRight }),
});

export const setMember = operation("PUT", "/api/catalogues/:id/members/:memberId", {
  summary: "Make a user or a group a member of a catalogue, or change a member's right",
  access: "editor",
  act: "own",
  params: MemberParams,
  body: z.object({ right: MemberRight }),
  example: { right: "edit" },
  answer: z.object({ member: Member }),
  errors: ["CONFLICT"],
});

export const removeMember = operation("DELETE", "/api/catalogues/:id/members/:memberId", {
  summary: "Take a member's right away",
  access: "editor",
  act: "own",
  params: MemberParams,
  answer: Success,
  errors: ["CONFLICT"],
});

export const SHARE_LABEL_MAX = 100;
const SHARE_DAYS_MAX = 3650;

export const Share = z
  .object({
    id: z.uuid(),
    label: z.string().nullable(),
    created_at: z.string(),
    expires_at: z.string().nullable().describe("null: it does not expire"),
    last_used: z.string().nullable().describe("to the minute; null: never"),
  })
  .meta({ id: "Share" });
export type Share = z.infer<typeof Share>;

/** With the catalogue, where its shares can be ended. */
export const MadeShare = Share.extend({ catalogue_id: z.uuid(), catalogue_name: z.string() }).meta({
  id: "MadeShare",
});
export type MadeShare = z.infer<typeof MadeShare>;

/** What an account has given to others and to scripts, in the answer to whatever makes it somebody's own again. */
export const givenOutShape = {
  tokensEnded: z.int().describe("access tokens that have ended"),
  shares: z
    .array(MadeShare)
    .describe("made by the account and good still, newest first; they stay until they are ended"),
};

export const createShare = operation("POST", "/api/catalogues/:id/shares", {
  summary: "Share a catalogue by a secret address, which this answer alone shows",
  access: "editor",
  body: z.object({
    label: z.string().optional().describe(`one line of at most ${SHARE_LABEL_MAX} characters`),
    expiresInDays: z.int().min(1).max(SHARE_DAYS_MAX).optional().describe("default: never"),
  }),
  example: { label: "For the reviewers of our paper", expiresInDays: 90 },
  status: 201,
  answer: z.object({
    share: Share.extend({ url: z.string().describe("base address of the shared reads") }),
  }),
  errors: ["CONFLICT"],
});

export const listShares = operation("GET", "/api/catalogues/:id/shares", {
  summary: "The shares of a catalogue, newest first",
  access: "editor",
  answer: z.object({ shares: z.array(Share) }),
});

export const endShare = operation("DELETE", "/api/catalogues/:id/shares/:shareId", {
  summary: "End a share at once",
  access: "editor",
  answer: Success,
  errors: ["CONFLICT"],
});
