/**
 * What SCML has and QuakeML has not: its elements, their shapes, its weights of arrivals, its
 * namespace.
 */

import type { Foreign, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { isScmlNamespace, scmlVersion } from "../bulletin/members.ts";
import { xmlAttribute, xmlText } from "../xml/xml.ts";

/** Elements that SCML has alone are foreign in a bulletin, in the namespace of the version they came from. */
export function isOwn({ ns, attribute }: Foreign): boolean {
  return attribute !== true && isScmlNamespace(ns);
}

/** A foreign element as SCML has it; null if the schema refuses it. */
export function writeOwn(foreign: Foreign, shape: OwnShape): string | null {
  const { name, text = "", attributes = [], children = [] } = foreign;
  if (typeof shape === "object" && !("words" in shape)) return writeStructure(foreign, shape);
  if (attributes.length > 0 || children.length > 0) return null;
  const fits = typeof shape === "string" ? isWritten(shape, text) : shape.words.includes(text);
  return fits ? `<${name}>${xmlText(text)}</${name}>` : null;
}

function writeStructure(foreign: Foreign, shape: OwnStructure): string | null {
  const attributes = writeAttributes(foreign, shape.attributes ?? {});
  const elements = writeElements(foreign, shape);
  const given = [...(foreign.attributes ?? []), ...(foreign.children ?? [])];
  const isWhole = shape.required.every((name) => given.some((one) => one.name === name));
  if (attributes === null || elements === null || !isWhole) return null;
  return `<${foreign.name}${attributes}>${elements}</${foreign.name}>`;
}

function writeAttributes(
  { attributes = [] }: Foreign,
  known: Readonly<Record<string, OwnText>>,
): string | null {
  let xml = "";
  for (const { ns, name, text } of attributes) {
    const kind = known[name];
    if (ns !== undefined || kind === undefined || !isWritten(kind, text)) return null;
    xml += ` ${name}="${xmlAttribute(text)}"`;
  }
  return xml;
}

function writeElements(
  { children = [] }: Foreign,
  { elements = {}, lists = [] }: OwnStructure,
): string | null {
  if (children.some((child) => !isOwn(child) || elements[child.name] === undefined)) return null;
  let xml = "";
  for (const [name, shape] of Object.entries(elements)) {
    const named = children.filter((child) => child.name === name);
    if (named.length > 1 && !lists.includes(name)) return null;
    for (const child of named) {
      const written = writeOwn(child, shape);
      if (written === null) return null;
      xml += written;
    }
  }
  return xml;
}

/** What SCML has alone: its text, one of its words, or its attributes and elements. */
export type OwnShape = OwnText | OwnWords | OwnStructure;

type OwnText = "text" | "boolean" | "integer" | "real" | "reals" | "time" | "times";

/** An enumeration that QuakeML has not. */
type OwnWords = { readonly words: readonly string[] };

type OwnStructure = {
  readonly attributes?: Readonly<Record<string, OwnText>>;
  readonly elements?: Readonly<Record<string, OwnShape>>;
  /** Attributes and elements without which it is none. */
  readonly required: readonly string[];
  /** Elements that may repeat. */
  readonly lists?: readonly string[];
};

const REAL = /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|-?INF|NaN)$/;
const TIME =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:0\d|1[0-3]):[0-5]\d)?$/;

const ITEMS = { reals: REAL, times: TIME } as const;
const VALUES = {
  boolean: /^(?:true|false|0|1)$/,
  integer: /^[+-]?\d+$/,
  real: REAL,
  time: TIME,
} as const;

/** True for a text that XML Schema takes for a value of this kind; a 31st stands for any month's. */
export function isWritten(kind: OwnText, text: string): boolean {
  const value = text.trim();
  switch (kind) {
    case "text":
      return true;
    case "reals":
    case "times":
      return value === "" || value.split(/\s+/).every((item) => ITEMS[kind].test(item));
    default:
      return VALUES[kind].test(value);
  }
}

/** The probability density of a real value, or of a time. */
export const densityOf = (variable: "reals" | "times"): OwnStructure => ({
  elements: { variable, probability: "reals" },
  required: ["variable", "probability"],
});

export const PHASE_SETTING: OwnStructure = {
  attributes: {
    code: "text",
    lowerPeriod: "real",
    upperPeriod: "real",
    minimumSNR: "real",
    maximumTimeShift: "real",
  },
  required: ["code", "lowerPeriod", "upperPeriod"],
};

const COMPONENT: OwnStructure = {
  attributes: { phaseCode: "text", component: "integer", active: "boolean" },
  elements: {
    weight: "real",
    timeShift: "real",
    dataTimeWindow: "reals",
    misfit: "real",
    snr: "real",
  },
  required: ["phaseCode", "component", "active", "weight", "timeShift", "dataTimeWindow"],
};

const WAVEFORM: OwnStructure = {
  attributes: {
    networkCode: "text",
    stationCode: "text",
    locationCode: "text",
    channelCode: "text",
  },
  elements: { resourceURI: "text" },
  required: ["networkCode", "stationCode"],
};

export const STATION_CONTRIBUTION: OwnStructure = {
  attributes: { publicID: "text", active: "boolean", weight: "real", timeShift: "real" },
  elements: { waveformID: WAVEFORM, component: COMPONENT },
  required: ["publicID", "active"],
  lists: ["component"],
};

/** Picks and amplitudes that belong together; it stands beside the events. */
export const READING: OwnStructure = {
  attributes: { publicID: "text" },
  elements: { pickReference: "text", amplitudeReference: "text" },
  required: ["publicID"],
  lists: ["pickReference", "amplitudeReference"],
};

type Arrival = QuakemlObject<"Arrival">;

/** QuakeML's three weights, each with SCML's flag that gives it the arrival's one weight. */
const FLAGS = {
  timeWeight: "timeUsed",
  horizontalSlownessWeight: "horizontalSlownessUsed",
  backazimuthWeight: "backazimuthUsed",
} as const;
type Weight = keyof typeof FLAGS;
const WEIGHTS = Object.keys(FLAGS) as Weight[];

/** The texts of SCML's elements that say it, by name. */
type Said = ReadonlyMap<string, string>;
const ELEMENTS: ReadonlySet<string> = new Set([...Object.values(FLAGS), "weight"]);

const isSaid = (foreign: Foreign): boolean => isOwn(foreign) && ELEMENTS.has(foreign.name);

/** What an arrival's foreign elements say of its weights. */
export function saidOf(foreign: readonly Foreign[]): Said {
  return new Map(foreign.filter(isSaid).map(({ name, text = "" }) => [name, text]));
}

/**
 * The weights of an arrival as texts, by SeisComP's rule: the one weight for what is used, 1 without
 * a weight; without any flag it is the time's.
 */
export function weightsOf(said: Said): readonly (readonly [Weight, string])[] {
  const weight = said.get("weight");
  const isFlagged = WEIGHTS.some((name) => said.has(FLAGS[name]));
  return WEIGHTS.filter((name) => {
    const flag = said.get(FLAGS[name])?.trim();
    if (!isFlagged) return name === "timeWeight" && weight !== undefined;
    return flag === "true" || flag === "1";
  }).map((name) => [name, weight ?? "1"] as const);
}

/**
 * An arrival with SCML's weight and flags as foreign elements instead of the three weights: those it
 * came with where they mean the same, so that what is not used stays so. `lost` gets each weight
 * that SCML has no place for, because it differs from the others.
 */
export function withFlags(arrival: Arrival, lost: (weight: Weight) => void): Omit<Arrival, Weight> {
  const { timeWeight, horizontalSlownessWeight, backazimuthWeight, ...rest } = arrival;
  const weights = { timeWeight, horizontalSlownessWeight, backazimuthWeight };
  const { foreign = [] } = rest;
  const meant = new Map<string, number>(
    weightsOf(saidOf(foreign)).map(([name, text]) => [name, Number(text)]),
  );
  if (WEIGHTS.every((name) => meant.get(name) === weights[name])) return rest;
  const common = WEIGHTS.map((name) => weights[name]).find((weight) => weight !== undefined);
  const flagged: Foreign[] = [];
  for (const name of WEIGHTS) {
    if (weights[name] === undefined) continue;
    if (weights[name] !== common) lost(name);
    else flagged.push({ ns: SCML_NAMESPACE, name: FLAGS[name], text: "true" });
  }
  if (common !== undefined)
    flagged.push({ ns: SCML_NAMESPACE, name: "weight", text: String(common) });
  return { ...rest, foreign: [...foreign.filter((one) => !isSaid(one)), ...flagged] };
}

/** The version that our writer writes. */
export const SCML_VERSION = "0.13";
export const SCML_NAMESPACE = `http://geofon.gfz-potsdam.de/ns/seiscomp3-schema/${SCML_VERSION}`;

/** The latest minor version of 0 that is known. */
const LATEST_MINOR = 14;

/** What is to be said of a document by the namespace of its content; null of a known version's. */
export function remarkOnVersion(namespace: string): string | null {
  const version = scmlVersion(namespace);
  if (version === null) {
    return `the namespace ${JSON.stringify(namespace.slice(0, 200))} is none of SCML's`;
  }
  const { major, minor } = version;
  if (major === 0 && minor <= LATEST_MINOR) return null;
  return `SCML ${major}.${minor} is not known and is read as 0.${LATEST_MINOR}, the latest that is`;
}
