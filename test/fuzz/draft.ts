import type { ApiOperation } from "./api-document.ts";
import type { Kind } from "./known-ids.ts";
import { writeJson } from "./raw-json.ts";
import { type ValueDeps, validValue } from "./schema-values.ts";

/** A request that is being made: still apart, so that each part can be spoiled. */
export type Draft = {
  method: string;
  path: string;
  readonly params: Map<string, string>;
  readonly query: [name: string, value: string][];
  readonly headers: Map<string, string>;
  /** Undefined where there is none. */
  json: unknown;
  /** Instead of `json`. */
  bytes: Buffer | null;
  /** True once it does not show its role's session. */
  isGuest: boolean;
};

const HEADER_SHARE = 0.1;

const KIND_OF_PATH: readonly (readonly [prefix: string, kind: Kind])[] = [
  ["/api/users", "users"],
  ["/api/role-requests", "role-requests"],
  ["/api/operations", "operations"],
  ["/api/notifications", "notifications"],
];

/** A request as the document asks for it. */
export function validDraft(operation: ApiOperation, deps: ValueDeps): Draft {
  const { random, known } = deps;
  const draft: Draft = {
    method: operation.method,
    path: operation.path,
    params: new Map(),
    query: [],
    headers: new Map(),
    json: undefined,
    bytes: null,
    isGuest: false,
  };
  for (const { name, in: place, required, schema } of operation.parameters) {
    const value = () => percent(String(validValue(schema, name, deps)));
    if (place === "path") {
      draft.params.set(name, known.one(kindOf(operation, name), random) ?? value());
    } else if (place === "query" && (required || random.chance(1 / operation.parameters.length))) {
      draft.query.push([name, value()]);
    } else if (place === "header" && random.chance(HEADER_SHARE)) {
      draft.headers.set(name.toLowerCase(), String(validValue(schema, name, deps)));
    }
  }
  const { body } = operation;
  if (body !== null) {
    draft.headers.set("content-type", "application/json");
    draft.json = validValue(body.schema, "", deps);
  }
  return draft;
}

function kindOf({ path }: ApiOperation, name: string): Kind {
  if (name === "eventId") return "events";
  return KIND_OF_PATH.find(([prefix]) => path.startsWith(prefix))?.[1] ?? "catalogues";
}

/** Text as a part of an address. */
export function percent(text: string): string {
  return Buffer.from(text)
    .toString("latin1")
    .replaceAll(
      /[^\w.~-]/g,
      (character) => `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
    );
}

/** The request's target as it goes over the wire. */
export function targetOf({ path, params, query }: Draft): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params.get(name) ?? "");
  const search = query.map(([name, value]) => `${name}=${value}`).join("&");
  return search === "" ? filled : `${filled}?${search}`;
}

export function bodyOf({ json, bytes }: Draft): Buffer | null {
  return bytes ?? (json === undefined ? null : Buffer.from(writeJson(json)));
}

const MAX_HEADER = 8_000;

/** The headers as a client can send them. */
export function headersOf({ headers }: Draft): Record<string, string> {
  return Object.fromEntries(
    [...headers].map(([name, value]) => [
      name,
      value
        .slice(0, MAX_HEADER)
        .replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "?")
        .trim(),
    ]),
  );
}
