/**
 * QuakeML 1.2 BED in JSON: its types and their members, the objects of them, and where they
 * refer to each other.
 */

import {
  DEPTH_TYPES,
  EVALUATION_MODES,
  EVALUATION_STATUSES,
  EVENT_TYPE_CERTAINTIES,
  QUAKEML_EVENT_TYPES,
} from "../seismic-event/attributes.ts";

/**
 * What QuakeML has no place for: an element of another namespace or, with `attribute`, an attribute.
 * `at` names the simple member of the object on which an attribute stands. The namespace is kept,
 * its prefix is not.
 */
export type Foreign = {
  readonly ns: string;
  readonly name: string;
  readonly attribute?: true;
  readonly at?: string;
  readonly text?: string;
  readonly attributes?: readonly ForeignAttribute[];
  readonly children?: readonly Foreign[];
};

export type ForeignAttribute = {
  readonly ns?: string;
  readonly name: string;
  readonly text: string;
};

/** Elements within foreign elements, at most. */
export const MAX_FOREIGN_DEPTH = 16;

type Single<F extends Field> = F extends { type: infer T extends TypeName }
  ? QuakemlObject<T>
  : F extends { values: readonly (infer V)[] }
    ? V
    : F["kind"] extends "real" | "integer"
      ? number
      : F["kind"] extends "boolean"
        ? boolean
        : string;

type Value<F> = F extends Field
  ? F extends { many: true }
    ? readonly Single<F>[]
    : Single<F>
  : never;

type Fields<T extends TypeName> = (typeof QUAKEML_TYPES)[T];

type RequiredNames<T extends TypeName> = {
  [N in keyof Fields<T>]: Fields<T>[N] extends { required: true } ? N : never;
}[keyof Fields<T>];

/**
 * An object of a QuakeML type in JSON: the type's members by their QuakeML names, without nulls and
 * without empty lists. Times are text as given, references and ids text, reals JSON numbers.
 */
export type QuakemlObject<T extends TypeName> = {
  readonly [N in RequiredNames<T>]: Value<Fields<T>[N]>;
} & {
  readonly [N in Exclude<keyof Fields<T>, RequiredNames<T>>]?: Value<Fields<T>[N]>;
} & { readonly foreign?: readonly Foreign[] };

/** All that was said of one event: QuakeML's Event in JSON. */
export type Bulletin = QuakemlObject<"Event">;

const integer = { kind: "integer" } as const;
const time = { kind: "time" } as const;
const flag = { kind: "boolean" } as const;
const resource = { kind: "resource" } as const;
const publicID = { kind: "id", required: true, xml: "attribute" } as const;

const object = <const T extends string>(type: T) => ({ kind: "object", type }) as const;

const integerQuantity = object("IntegerQuantity");

const many = <const F extends Field>(field: F) => ({ ...field, many: true }) as const;

const comment = many(object("Comment"));
const creationInfo = object("CreationInfo");

const one = <const V extends readonly string[]>(values: V) =>
  ({ kind: "enumeration", values }) as const;

const evaluation = {
  evaluationMode: one(EVALUATION_MODES),
  evaluationStatus: one(EVALUATION_STATUSES),
} as const;
/** The members of a merged event from which an object comes: places in `source_events`, from 0. */
const member = { kind: "integer", many: true, xml: "own" } as const;
const waveform = object("WaveformStreamID");

const real = <const U extends string>(unit?: U) =>
  ({ kind: "real", ...(unit !== undefined && { unit }) }) as const;

const spread = { confidenceLevel: real("%") } as const;

/** A value with its uncertainties, in `unit`. */
const quantity = <const U extends string>(unit?: U) =>
  ({ kind: "object", type: "RealQuantity", ...(unit !== undefined && { unit }) }) as const;

const attribute = <const F extends Field>(field: F) => ({ ...field, xml: "attribute" }) as const;

const text = (maxLength?: number) =>
  ({ kind: "text", ...(maxLength !== undefined && { maxLength }) }) as const;

const to = <const K extends Kind>(kind: K) => ({ kind: "reference", to: kind }) as const;

const required = <const F extends Field>(field: F) => ({ ...field, required: true }) as const;

export const TENSOR_CATEGORIES = ["teleseismic", "regional"] as const;

/**
 * The types of QuakeML 1.2 BED and their members, after its XML schema: the one table from which
 * reader, writer, JSON schema, documentation and the tests' documents are derived. Members stand in
 * the order in which they are written.
 */
export const QUAKEML_TYPES = {
  RealQuantity: {
    value: required(real()),
    uncertainty: real(),
    lowerUncertainty: real(),
    upperUncertainty: real(),
    ...spread,
  },
  IntegerQuantity: {
    value: required(integer),
    uncertainty: integer,
    lowerUncertainty: integer,
    upperUncertainty: integer,
    ...spread,
  },
  TimeQuantity: {
    value: required(time),
    uncertainty: real("s"),
    lowerUncertainty: real("s"),
    upperUncertainty: real("s"),
    ...spread,
  },
  Event: {
    publicID,
    description: many(object("EventDescription")),
    comment,
    focalMechanism: many(object("FocalMechanism")),
    amplitude: many(object("Amplitude")),
    magnitude: many(object("Magnitude")),
    stationMagnitude: many(object("StationMagnitude")),
    origin: many(object("Origin")),
    pick: many(object("Pick")),
    preferredOriginID: to("origin"),
    preferredMagnitudeID: to("magnitude"),
    preferredFocalMechanismID: to("focalMechanism"),
    type: one(QUAKEML_EVENT_TYPES),
    typeCertainty: one(EVENT_TYPE_CERTAINTIES),
    creationInfo,
  },
  EventDescription: {
    text: required(text()),
    type: one([
      "felt report",
      "Flinn-Engdahl region",
      "local time",
      "tectonic summary",
      "nearest cities",
      "earthquake name",
      "region name",
    ]),
  },
  Comment: { id: attribute(resource), text: required(text()), creationInfo },
  CreationInfo: {
    agencyID: text(64),
    agencyURI: resource,
    author: text(128),
    authorURI: resource,
    creationTime: time,
    version: text(64),
  },
  Origin: {
    publicID,
    compositeTime: many(object("CompositeTime")),
    comment,
    originUncertainty: many(object("OriginUncertainty")),
    arrival: many(object("Arrival")),
    time: required(object("TimeQuantity")),
    longitude: required(quantity("deg")),
    latitude: required(quantity("deg")),
    depth: quantity("m"),
    depthType: one(DEPTH_TYPES),
    timeFixed: flag,
    epicenterFixed: flag,
    referenceSystemID: resource,
    methodID: resource,
    earthModelID: resource,
    quality: object("OriginQuality"),
    type: one([
      "hypocenter",
      "centroid",
      "amplitude",
      "macroseismic",
      "rupture start",
      "rupture end",
    ]),
    region: text(128),
    ...evaluation,
    creationInfo,
    member,
  },
  CompositeTime: {
    year: integerQuantity,
    month: integerQuantity,
    day: integerQuantity,
    hour: integerQuantity,
    minute: integerQuantity,
    second: quantity("s"),
  },
  OriginQuality: {
    associatedPhaseCount: integer,
    usedPhaseCount: integer,
    associatedStationCount: integer,
    usedStationCount: integer,
    depthPhaseCount: integer,
    standardError: real("s"),
    azimuthalGap: real("deg"),
    secondaryAzimuthalGap: real("deg"),
    groundTruthLevel: text(32),
    maximumDistance: real("deg"),
    minimumDistance: real("deg"),
    medianDistance: real("deg"),
  },
  OriginUncertainty: {
    horizontalUncertainty: real("m"),
    minHorizontalUncertainty: real("m"),
    maxHorizontalUncertainty: real("m"),
    azimuthMaxHorizontalUncertainty: real("deg"),
    confidenceEllipsoid: object("ConfidenceEllipsoid"),
    preferredDescription: one([
      "horizontal uncertainty",
      "uncertainty ellipse",
      "confidence ellipsoid",
    ]),
    ...spread,
  },
  ConfidenceEllipsoid: {
    semiMajorAxisLength: required(real("m")),
    semiMinorAxisLength: required(real("m")),
    semiIntermediateAxisLength: required(real("m")),
    majorAxisPlunge: required(real("deg")),
    majorAxisAzimuth: required(real("deg")),
    majorAxisRotation: required(real("deg")),
  },
  Arrival: {
    publicID,
    comment,
    pickID: required(to("pick")),
    phase: required(text()),
    timeCorrection: real("s"),
    azimuth: real("deg"),
    distance: real("deg"),
    takeoffAngle: quantity("deg"),
    timeResidual: real("s"),
    horizontalSlownessResidual: real("s/deg"),
    backazimuthResidual: real("deg"),
    timeWeight: real(),
    horizontalSlownessWeight: real(),
    backazimuthWeight: real(),
    earthModelID: resource,
    creationInfo,
  },
  Pick: {
    publicID,
    comment,
    time: required(object("TimeQuantity")),
    waveformID: required(waveform),
    filterID: resource,
    methodID: resource,
    horizontalSlowness: quantity("s/deg"),
    backazimuth: quantity("deg"),
    slownessMethodID: resource,
    onset: one(["emergent", "impulsive", "questionable"]),
    phaseHint: text(),
    polarity: one(["positive", "negative", "undecidable"]),
    ...evaluation,
    creationInfo,
    member,
  },
  WaveformStreamID: {
    networkCode: attribute(required(text(8))),
    stationCode: attribute(required(text(8))),
    channelCode: attribute(text(8)),
    locationCode: attribute(text(8)),
    resourceURI: { kind: "resource", xml: "text" },
  },
  Amplitude: {
    publicID,
    comment,
    genericAmplitude: required(quantity()),
    type: text(32),
    category: one(["point", "mean", "duration", "period", "integral", "other"]),
    unit: one(["m", "s", "m/s", "m/(s*s)", "m*s", "dimensionless", "other"]),
    methodID: resource,
    period: quantity("s"),
    snr: real(),
    timeWindow: object("TimeWindow"),
    pickID: to("pick"),
    waveformID: waveform,
    filterID: resource,
    scalingTime: object("TimeQuantity"),
    magnitudeHint: text(32),
    ...evaluation,
    creationInfo,
    member,
  },
  TimeWindow: { begin: required(real("s")), end: required(real("s")), reference: required(time) },
  Magnitude: {
    publicID,
    comment,
    stationMagnitudeContribution: many(object("StationMagnitudeContribution")),
    mag: required(quantity()),
    type: text(32),
    originID: to("origin"),
    methodID: resource,
    stationCount: integer,
    azimuthalGap: real("deg"),
    ...evaluation,
    creationInfo,
    member,
  },
  StationMagnitudeContribution: {
    stationMagnitudeID: required(to("stationMagnitude")),
    residual: real(),
    weight: real(),
  },
  StationMagnitude: {
    publicID,
    comment,
    originID: required(to("origin")),
    mag: required(quantity()),
    type: text(32),
    amplitudeID: to("amplitude"),
    methodID: resource,
    waveformID: waveform,
    creationInfo,
    member,
  },
  FocalMechanism: {
    publicID,
    waveformID: many(waveform),
    comment,
    momentTensor: many(object("MomentTensor")),
    triggeringOriginID: to("origin"),
    nodalPlanes: object("NodalPlanes"),
    principalAxes: object("PrincipalAxes"),
    azimuthalGap: real("deg"),
    stationPolarityCount: integer,
    misfit: real(),
    stationDistributionRatio: real(),
    methodID: resource,
    ...evaluation,
    creationInfo,
    member,
  },
  NodalPlanes: {
    preferredPlane: attribute(integer),
    nodalPlane1: object("NodalPlane"),
    nodalPlane2: object("NodalPlane"),
  },
  NodalPlane: {
    strike: required(quantity("deg")),
    dip: required(quantity("deg")),
    rake: required(quantity("deg")),
  },
  PrincipalAxes: {
    tAxis: required(object("Axis")),
    pAxis: required(object("Axis")),
    nAxis: object("Axis"),
  },
  Axis: {
    azimuth: required(quantity("deg")),
    plunge: required(quantity("deg")),
    length: required(quantity("N·m")),
  },
  MomentTensor: {
    publicID,
    dataUsed: many(object("DataUsed")),
    comment,
    derivedOriginID: required(to("origin")),
    momentMagnitudeID: to("magnitude"),
    scalarMoment: quantity("N·m"),
    tensor: object("Tensor"),
    variance: real(),
    varianceReduction: real("%"),
    doubleCouple: real(),
    clvd: real(),
    iso: real(),
    greensFunctionID: resource,
    filterID: resource,
    sourceTimeFunction: object("SourceTimeFunction"),
    methodID: resource,
    category: one(TENSOR_CATEGORIES),
    inversionType: one(["general", "zero trace", "double couple"]),
    creationInfo,
  },
  Tensor: {
    Mrr: required(quantity("N·m")),
    Mtt: required(quantity("N·m")),
    Mpp: required(quantity("N·m")),
    Mrt: required(quantity("N·m")),
    Mrp: required(quantity("N·m")),
    Mtp: required(quantity("N·m")),
  },
  DataUsed: {
    waveType: required(
      one(["P waves", "body waves", "surface waves", "mantle waves", "combined", "unknown"]),
    ),
    stationCount: integer,
    componentCount: integer,
    shortestPeriod: real("s"),
    longestPeriod: real("s"),
  },
  SourceTimeFunction: {
    type: required(one(["box car", "triangle", "trapezoid", "unknown"])),
    duration: required(real("s")),
    riseTime: real("s"),
    decayTime: real("s"),
  },
} as const satisfies Record<string, Record<string, Field>>;

export type TypeName = keyof typeof QUAKEML_TYPES;

/** What objects a reference leads to: the elements that have a publicID, and stand in one event. */
export type Kind =
  | "origin"
  | "magnitude"
  | "stationMagnitude"
  | "amplitude"
  | "pick"
  | "arrival"
  | "focalMechanism"
  | "momentTensor";

/**
 * One member of a QuakeML type. `id` is the object's own publicID, `reference` names an object of
 * `to` in the same event, `resource` one elsewhere, which is never looked up. An `object` is of the
 * type `type`. A member that is `many` is a list, in the order of the file.
 */
export type Field = {
  readonly kind:
    | "real"
    | "integer"
    | "time"
    | "boolean"
    | "text"
    | "enumeration"
    | "id"
    | "reference"
    | "resource"
    | "object";
  readonly required?: true;
  readonly many?: true;
  readonly unit?: string;
  /** Characters at most. */
  readonly maxLength?: number;
  readonly values?: readonly string[];
  readonly to?: Kind;
  readonly type?: string;
  /** Where it stands in XML, if not in an element of its name. */
  readonly xml?: "attribute" | "text" | "own";
};

/** Where a type has ids and references: in its own members, and in the objects inside it. */
export type ReferencePlan = {
  readonly references: readonly { readonly member: string; readonly to: Kind }[];
  /** The members with objects that have an id or a reference, or hold such. */
  readonly parts: readonly ReferencePart[];
  /** Those of them that have a reference, or hold one. */
  readonly referring: readonly ReferencePart[];
  readonly hasId: boolean;
};

export type ReferencePart = {
  readonly member: string;
  readonly type: TypeName;
  readonly many: boolean;
  readonly plan: ReferencePlan;
};

const PLANS = new Map<TypeName, ReferencePlan>();

/** A type's plan, made once: no type holds itself. */
export function referencePlanOf(type: TypeName): ReferencePlan {
  const known = PLANS.get(type);
  if (known !== undefined) return known;
  const fields = Object.entries<Field>(QUAKEML_TYPES[type]);
  const references = fields.flatMap(([member, { to }]) =>
    to === undefined ? [] : [{ member, to }],
  );
  const parts = fields.flatMap(([member, { type: inner, many = false }]): ReferencePart[] => {
    if (inner === undefined) return [];
    const part = inner as TypeName;
    const plan = referencePlanOf(part);
    const isSeen = plan.hasId || plan.references.length > 0 || plan.parts.length > 0;
    return isSeen ? [{ member, type: part, many, plan }] : [];
  });
  const plan: ReferencePlan = {
    references,
    parts,
    referring: parts.filter((part) => refers(part.plan)),
    hasId: "publicID" in QUAKEML_TYPES[type],
  };
  PLANS.set(type, plan);
  return plan;
}

function refers({ references, referring }: ReferencePlan): boolean {
  return references.length > 0 || referring.length > 0;
}
