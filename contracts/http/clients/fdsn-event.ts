import { z } from "zod";
import { documentedParameters } from "../../fdsn/documented-parameters.ts";
import { Id } from "../catalogue.ts";
import { type Address, operation } from "../operation.ts";

/** Where the FDSN event service lies below each of its bases. */
const SERVICE = "fdsnws/event/1";

/** A time in a path, to the second, UTC: ISO 8601's basic form, without colons, which clients refuse. */
const PATH_TIME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/**
 * The bases of the service: a catalogue, a version of it, the version of a time, the same of a shared
 * catalogue, and the root, where a parameter chooses the catalogue.
 */
const BASES: readonly Omit<Address, "suffix">[] = [
  { path: "/api/catalogues/:id", access: "readers" },
  { path: "/api/catalogues/:id/versions/:version", access: "readers" },
  { path: "/api/catalogues/:id/at/:at", access: "readers" },
  { path: "/api/share/:token", access: "share" },
  { path: "/api/share/:token/versions/:version", access: "share" },
  { path: "/api/share/:token/at/:at", access: "share" },
  { path: "", access: "public" },
];

const SUFFIXES = ["", "AtVersion", "AtTime", "Shared", "SharedAtVersion", "SharedAtTime", "AtRoot"];

type Addresses = readonly [Address, ...Address[]];

/** The addresses of a method below all bases. */
function addressesAt(...methods: string[]): Addresses {
  const all = methods.flatMap((method, i) =>
    BASES.map(({ path, access }, base) => ({
      path: `${path}/${SERVICE}/${method}`,
      access,
      suffix: `${SUFFIXES[base]}${i === 0 ? "" : "WithFormat"}`,
    })),
  );
  return all as unknown as Addresses;
}

/** The addresses of a path below all bases that name a catalogue. */
export function addressesBelowCatalogues(below: string): Addresses {
  const all = BASES.flatMap(({ path, access }, base) =>
    path === "" ? [] : [{ path: path + below, access, suffix: SUFFIXES[base] ?? "" }],
  );
  return all as unknown as Addresses;
}

export const FdsnParams = z.object({
  id: Id.optional(),
  version: z
    .string()
    .regex(/^\d{1,9}$/)
    .optional(),
  at: z
    .string()
    .regex(PATH_TIME)
    .transform((text) => text.replace(PATH_TIME, "$1-$2-$3T$4:$5:$6Z"))
    .pipe(z.iso.datetime())
    .optional(),
  format: z.string().optional(),
});
export type FdsnParams = z.output<typeof FdsnParams>;

/** What the methods have in common. */
function method(names: readonly string[], summary: string) {
  const [{ path, access }, ...alsoAt] = addressesAt(...names);
  return {
    method: "GET",
    path,
    access,
    alsoAt,
    summary,
    tag: "FDSN event service",
    rate: "clients",
    caching: "revalidated",
    errorsAs: "fdsn",
    errors: ["VALIDATION_ERROR", "NOT_FOUND", "TOO_MANY_EVENTS"],
    params: FdsnParams,
  } as const;
}

const text = z.string();
const TEXT = "text/plain; charset=utf-8";
const XML = "application/xml";

export const fdsnQuery = operation({
  ...method(["query", "query.:format"], "Events, as FDSN event 1.2 and ComCat"),
  errors: ["VALIDATION_ERROR", "NOT_FOUND", "GONE", "TOO_MANY_EVENTS"],
  canBeEmpty: true,
  query: "fdsn",
  documentedQuery: documentedParameters("query"),
  success: {
    status: 200,
    schema: text.describe("the events; 204 or 404 for none in xml and text"),
    contentTypes: [
      XML,
      TEXT,
      "application/json; charset=utf-8",
      "text/csv; charset=utf-8",
      "application/vnd.google-earth.kml+xml",
    ],
  },
});

export const fdsnCount = operation({
  ...method(["count"], "The number of events that a query selects"),
  query: "fdsn",
  documentedQuery: documentedParameters("count"),
  success: {
    status: 200,
    schema: text,
    contentTypes: [TEXT, "application/json; charset=utf-8", XML],
  },
});

const query = z.strictObject({});

export const fdsnCatalogs = operation({
  ...method(["catalogs"], "The values of the parameter catalog"),
  query,
  success: { status: 200, schema: text, contentTypes: [XML] },
});

export const fdsnContributors = operation({
  ...method(["contributors"], "The values of the parameter contributor"),
  query,
  success: { status: 200, schema: text, contentTypes: [XML] },
});

export const fdsnVersion = operation({
  ...method(["version"], "The version of the event service"),
  query,
  success: { status: 200, schema: text, contentTypes: [TEXT] },
});

export const fdsnWadl = operation({
  ...method(["application.wadl"], "The event service as a WADL document"),
  query,
  success: { status: 200, schema: text, contentTypes: [XML] },
});

export const fdsnApplicationJson = operation({
  ...method(["application.json"], "The lists of values, as ComCat"),
  query,
  success: { status: 200, schema: text, contentTypes: ["application/json; charset=utf-8"] },
});
