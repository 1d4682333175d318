/** What SCML has alone: its text, one of its words, or its attributes and elements. */
export type OwnShape = OwnText | OwnWords | OwnStructure;

export type OwnText = "text" | "boolean" | "integer" | "real" | "reals" | "time" | "times";

/** An enumeration that QuakeML has not. */
type OwnWords = { readonly words: readonly string[] };

export type OwnStructure = {
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
