import { COUNT_FORMATS, DEFAULT_FORMAT, type FdsnMethod } from "#contracts/fdsn/formats.ts";
import type { Parameter, ParameterKind } from "#contracts/fdsn/parameter.ts";
import { PARAMETER_NAMES, PARAMETERS } from "#contracts/fdsn/parameters.ts";
import { xmlAttribute, xmlText } from "../xml/xml-text.ts";

/** XML Schema types whose names ObsPy knows; `xs:decimal` is not among them. */
const TYPES: Readonly<Record<ParameterKind, string>> = {
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
    `          <param name="${name}" style="query" type="${TYPES[kind]}"` +
    `${value === undefined ? "" : ` default="${xmlAttribute(value)}"`}>` +
    `<doc xml:lang="en">${xmlText(meaning)}</doc>` +
    `${choices.map((option) => `<option value="${xmlAttribute(option)}"/>`).join("")}</param>\n`
  );
}
