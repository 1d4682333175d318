/**
 * What an FDSN event service answers beside events: its description, lists of names, counts,
 * errors.
 */

import { STATUS_CODES } from "node:http";
import {
  COUNT_FORMATS,
  DEFAULT_FORMAT,
  type FdsnMethod,
  PARAMETER_NAMES,
  PARAMETERS,
  type Parameter,
  type ParameterKind,
} from "#contracts/fdsn/parameters.ts";
import { cleanText } from "../delimited/fdsn-text.ts";
import { FDSN_VERSION } from "../facade-row.ts";
import { xmlAttribute, xmlText } from "../xml/xml.ts";

/** XML Schema types whose names ObsPy knows; `xs:decimal` is not among them. */
const DOCUMENT_TYPES: Readonly<Record<ParameterKind, string>> = {
  time: "xs:dateTime",
  number: "xs:double",
  integer: "xs:integer",
  boolean: "xs:boolean",
  choice: "xs:string",
  list: "xs:string",
  text: "xs:string",
  version: "xs:string",
};

const XML = "application/xml";
const JSON_TYPE = "application/json";

/** Media types of the answers of each method, the default one first. */
const METHODS = {
  query: [XML, "text/plain", JSON_TYPE, "text/csv", "application/vnd.google-earth.kml+xml"],
  count: ["text/plain", JSON_TYPE, XML],
  catalogs: [XML],
  contributors: [XML],
  version: ["text/plain"],
  "application.wadl": [XML],
  "application.json": [JSON_TYPE],
} as const;

/**
 * The description of a service at a base address, in the Web Application Description Language (W3C
 * submission of 31 August 2009), which the standard requires as `application.wadl`. It has long names
 * only and all parameters (1.1, p. 4). `query` comes first, because QQuake takes the first method that
 * has a request; the namespace is the default one, no parameter is required and none has a default of
 * another type than its own, because ObsPy needs that.
 * @param base absolute, up to and including `event/1`
 */
export function wadl(base: string): string {
  const resources = Object.entries(METHODS).map(([method, types]) => resource(method, types));
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    '<application xmlns="http://wadl.dev.java.net/2009/02" xmlns:xs="http://www.w3.org/2001/XMLSchema">\n' +
    `  <resources base="${xmlAttribute(base.replace(/\/?$/, "/"))}">\n` +
    `${resources.join("")}  </resources>\n</application>\n`
  );
}

function resource(method: string, types: readonly string[]): string {
  const request = method === "query" || method === "count" ? requestOf(method) : "";
  const representations = types.map((type) => `<representation mediaType="${type}"/>`);
  return (
    `    <resource path="${method}">\n      <method name="GET" id="${method}">\n${request}` +
    `        <response status="200">${representations.join("")}</response>\n` +
    "      </method>\n    </resource>\n"
  );
}

function requestOf(method: FdsnMethod): string {
  const params = PARAMETER_NAMES.map((name) => {
    const parameter: Parameter = PARAMETERS[name];
    return param(name, name === "format" ? formatOf(parameter, method) : parameter);
  });
  return `        <request>\n${params.join("")}        </request>\n`;
}

function formatOf(parameter: Parameter, method: FdsnMethod): Parameter {
  const options = method === "count" ? COUNT_FORMATS : (parameter.options ?? []);
  return { ...parameter, default: DEFAULT_FORMAT[method], options };
}

/**
 * Lists have no options here, because readers that enforce them would refuse more than one; nor have
 * flags, of which ObsPy takes every text for true.
 */
function param(name: string, { kind, meaning, default: value, options = [] }: Parameter): string {
  const choices = kind === "choice" ? options : [];
  return (
    `          <param name="${name}" style="query" type="${DOCUMENT_TYPES[kind]}"` +
    `${value === undefined ? "" : ` default="${xmlAttribute(value)}"`}>` +
    `<doc xml:lang="en">${xmlText(meaning)}</doc>` +
    `${choices.map((option) => `<option value="${xmlAttribute(option)}"/>`).join("")}</param>\n`
  );
}

/**
 * The answer of the method `catalogs`: the names as the text format's column Catalog has them. Clients
 * read it without a namespace.
 */
export function catalogsXml(names: readonly string[]): string {
  return listXml("Catalogs", "Catalog", names);
}

/** The answer of the method `contributors`, as the text format's column Contributor has them. */
export function contributorsXml(names: readonly string[]): string {
  return listXml("Contributors", "Contributor", names);
}

/** ComCat's description of what a service holds, `application.json`. */
export function applicationJson({
  catalogs,
  contributors,
  magnitudeTypes,
}: {
  readonly catalogs: readonly string[];
  readonly contributors: readonly string[];
  /** Of the events that the service has. */
  readonly magnitudeTypes: readonly string[];
}): string {
  return JSON.stringify({
    catalogs: catalogs.map(cleanText),
    contributors: contributors.map(cleanText),
    producttypes: [],
    eventtypes: PARAMETERS.eventtype.options.filter((type) => type !== "*"),
    magnitudetypes: magnitudeTypes,
  });
}

function listXml(list: string, item: string, names: readonly string[]): string {
  const items = names.map((name) => `<${item}>${xmlText(cleanText(name))}</${item}>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${list}>${items.join("")}</${list}>\n`;
}

/** There is no limit; this is the largest number that every client's integer holds. */
const MAX_ALLOWED = 2 ** 31 - 1;

/** The answers of the method `count`, as USGS ComCat's, by format. */
export const COUNT_DOCUMENTS = {
  text: {
    contentType: "text/plain; charset=utf-8",
    write: (count: number): string => String(count),
  },
  geojson: {
    contentType: "application/json; charset=utf-8",
    write: (count: number): string => JSON.stringify({ count, maxAllowed: MAX_ALLOWED }),
  },
  xml: {
    contentType: "application/xml",
    write: (count: number): string =>
      `<?xml version="1.0" encoding="UTF-8"?>\n` +
      `<query><count>${count}</count><maxAllowed>${MAX_ALLOWED}</maxAllowed></query>\n`,
  },
} as const;

type ServiceError = {
  /** HTTP. */
  readonly status: number;
  /** What is wrong, for people. */
  readonly detail: string;
  /** Where people sign in, for those who came with a browser. */
  readonly signIn?: string | undefined;
  /** The address of the documentation. */
  readonly usage: string;
  /** The address that was requested. */
  readonly request: string;
  /** When, ISO 8601 UTC. */
  readonly submitted: string;
};

/** ZMAP takes all further numbers in front of `Request:` for a limit and a count of events. A time is one. */
const NUMBERS = /\d\d+(?:[.,:TZ-]+\d+)*Z?/g;
const GONE = 410;
const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;

/**
 * The body of an error, text/plain, as FDSN Web Service Specification 1.1 has it on p. 3. Numbers of two
 * or more digits are left out of the detail, though not out of addresses; of what is gone, versions are named.
 */
export function errorText(error: ServiceError): string {
  const { status, detail, signIn, usage, request, submitted } = error;
  const clean = detail.replaceAll(CONTROLS, " ");
  const plain = status === GONE ? clean : clean.replaceAll(NUMBERS, "...");
  return [
    `Error ${status}: ${STATUS_CODES[status] ?? "Error"}`,
    signIn === undefined ? plain : withSignIn(plain, signIn),
    `Usage details are available from ${usage}`,
    `Request:\n${request}`,
    `Request Submitted:\n${submitted}`,
    `Service version:\n${FDSN_VERSION}\n`,
  ].join("\n\n");
}

export function withSignIn(detail: string, address: string): string {
  return `${detail}. Sign in at ${address}`;
}

/**
 * The body of an error as ComCat answers with `format=geojson&jsonerror=true`, and status 200: a
 * FeatureCollection without features.
 */
export function errorJson({
  status,
  detail,
  request,
  submitted,
}: Omit<ServiceError, "usage" | "signIn">): string {
  const metadata = {
    status,
    generated: Date.parse(submitted),
    url: request,
    title: "Search Error",
    api: FDSN_VERSION,
    count: 0,
    error: detail,
  };
  return JSON.stringify({ type: "FeatureCollection", metadata, features: [] });
}
