import { descendants, readXml, type XmlElement } from "./xml-document.ts";

/** What ObsPy 1.5 makes of a parameter's type. */
type ObspyType = "time" | "string" | "float" | "int" | "bool";
type ObspyParameter = { readonly type: ObspyType; readonly options: readonly string[] };

/** The parameters that ObsPy expects of every event service. */
const OBSPY_REQUIRED = [
  ..."starttime endtime minlatitude maxlatitude minlongitude maxlongitude".split(" "),
  ..."mindepth maxdepth minmagnitude maxmagnitude orderby".split(" "),
];

/**
 * The parameters of a WADL by the rules of ObsPy's reader.
 * @throws Error where ObsPy's constructor would raise or warn
 */
export function readAsObspy(wadl: string): ReadonlyMap<string, ObspyParameter> {
  const root = readXml(wadl);
  if (root.name !== "application" || root.prefix !== "") throw new Error("not /application");
  // Its paths stand in the default namespace alone.
  const below = (element: XmlElement, name: string) =>
    descendants(element, name).filter(({ prefix, uri }) => prefix === "" && uri === root.uri);
  const base = below(root, "resources")[0]?.attributes.get("base") ?? "";
  if (["dataselect", "station"].some((service) => base.includes(service))) {
    throw new Error("another service");
  }
  if (!base.includes("event")) throw new Error("not an event service");
  const query = below(root, "method").filter(
    ({ attributes }) => attributes.get("name") === "GET" && attributes.get("id") === "query",
  );
  const params = query.flatMap((method) =>
    method.children.flatMap((request) =>
      request.name === "request" ? request.children.filter(({ name }) => name === "param") : [],
    ),
  );
  const parameters = new Map<string, ObspyParameter>();
  for (const { attributes, children } of params) {
    const name = attributes.get("name") ?? "";
    if (name === "nodata") continue;
    if (attributes.get("style") !== "query") throw new Error(`${name} has no style query`);
    if (attributes.get("required")?.toLowerCase() === "true")
      throw new Error(`${name} is required`);
    if (parameters.has(name)) throw new Error(`${name} comes twice`);
    const type = obspyType(attributes.get("type") ?? "string");
    const options = children
      .filter((child) => child.name === "option")
      .map((option) => option.attributes.get("value") ?? "");
    const values = [attributes.get("default"), ...options].filter((value) => value !== undefined);
    for (const value of values) requireConvertible(value, type);
    parameters.set(name, { type, options });
  }
  const missing = OBSPY_REQUIRED.filter((name) => !parameters.has(name));
  if (missing.length > 0) throw new Error(`the service cannot deal with ${missing.join(", ")}`);
  return parameters;
}

function obspyType(given: string): ObspyType {
  const type = given.toLowerCase();
  if (type.includes("date")) return "time";
  if (type.includes("string")) return "string";
  if (type.includes("double") || type.includes("float")) return "float";
  if (type.includes("long") || type.includes("int")) return "int";
  if (type.includes("bool")) return "bool";
  throw new Error(`unknown type ${given}`);
}

function requireConvertible(value: string, type: ObspyType): void {
  const isValid = {
    time: () => !Number.isNaN(Date.parse(value)),
    string: () => true,
    float: () => value.trim() !== "" && Number.isFinite(Number(value)),
    int: () => /^[+-]?\d+$/.test(value),
    bool: () => /^(?:true|false)$/i.test(value),
  }[type]();
  if (!isValid) throw new Error(`${value} is no ${type}`);
}

/** What QQuake takes from a service's description. */
type QquakeService = {
  readonly endpoint: string;
  /** West, south, east, north. */
  readonly boundingBox: readonly number[];
  readonly knows: ReadonlySet<string>;
};

/** The service that a WADL describes by the rules of QQuake's reader. */
export function readAsQquake(wadl: string): QquakeService {
  const root = readXml(wadl);
  const [resources, ...others] = descendants(root, "resources");
  if (resources === undefined || others.length > 0) throw new Error("not one list of resources");
  const first = (element: XmlElement | undefined, name: string) =>
    element?.children.find((child) => child.name === name);
  const query = descendants(resources, "resource").find(
    (resource) => first(first(resource, "method"), "request") !== undefined,
  );
  const request = first(first(query, "method"), "request");
  if (query === undefined || request === undefined) throw new Error("no resource with a request");
  const params = new Map(
    descendants(request, "param").map((param) => [param.attributes.get("name") ?? "", param]),
  );
  const bound = (name: string) =>
    Number.parseFloat(params.get(name)?.attributes.get("default") ?? "");
  const format = params.get("format");
  const formats = format === undefined ? [] : descendants(format, "option");
  const base = resources.attributes.get("base") ?? "";
  return {
    endpoint: `${base.endsWith("/") ? base : `${base}/`}${query.attributes.get("path")?.replace(/^\//, "")}?`,
    boundingBox: ["minlongitude", "minlatitude", "maxlongitude", "maxlatitude"].map(bound),
    knows: new Set([
      ...params.keys(),
      ...formats.map((option) => option.attributes.get("value") ?? ""),
    ]),
  };
}
