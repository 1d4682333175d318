import { type Field, QUAKEML_TYPES, type TypeName } from "#contracts/bulletin/quakeml.ts";
import { shiftDecimal } from "../written-values.ts";
import { densityOf, type OwnShape, PHASE_SETTING, STATION_CONTRIBUTION } from "./own-elements.ts";

/** How SCML spells an enumeration of QuakeML. Words that are not named here are the same in both. */
export type Words = {
  /** QuakeML's value → SCML's word for it. */
  readonly words?: Readonly<Record<string, string>>;
  /** QuakeML's value without a word in SCML → the one that comes nearest. */
  readonly nearest?: Readonly<Record<string, string>>;
  /** SCML's words without a value in QuakeML; "any" where SCML takes any text. */
  readonly further?: readonly string[] | "any";
};

/** A member of an SCML type that QuakeML has too. */
export type SharedMember = {
  /** SCML's name. */
  readonly name: string;
  /** QuakeML's name, and what it is there. */
  readonly member: string;
  readonly field: Field;
  readonly isAttribute: boolean;
  readonly isList: boolean;
  readonly isRequired: boolean;
  readonly isKilometres: boolean;
  /** A quantity of which SCML has the value alone. */
  readonly isNumber: boolean;
  readonly words: Words;
  /** What is written where there is none, because SCML requires it. */
  readonly standIn: string | undefined;
};

/** An element that SCML has alone. */
export type OwnMember = {
  readonly name: string;
  readonly own: OwnShape;
  readonly isList: boolean;
};

export type ScmlType = {
  readonly attributes: readonly SharedMember[];
  readonly ownAttributes: readonly string[];
  /** In SCML's order, by SCML's names: several QuakeML members may share one place. */
  readonly elements: ReadonlyMap<string, readonly SharedMember[] | OwnMember>;
  /** QuakeML's members that SCML has not, or in another place. */
  readonly without: readonly string[];
};

function membersOf(type: TypeName, difference: Difference): readonly SharedMember[] {
  const { without = [], kilometres = [], numbers = [], elements = [], optional = [] } = difference;
  const { names = {}, single = [], required = {}, words = {} } = difference;
  return Object.entries<Field>(QUAKEML_TYPES[type])
    .filter(([member, field]) => !without.includes(member) && field.xml !== "own")
    .map(([member, field]) => ({
      name: names[member] ?? member,
      member,
      field,
      isAttribute: field.xml === "attribute" && !elements.includes(member),
      isList: field.many === true && !single.includes(member),
      isRequired: field.required === true && !optional.includes(member),
      isKilometres: kilometres.includes(member),
      isNumber: numbers.includes(member),
      words: words[member] ?? {},
      standIn: required[member],
    }));
}

function typeOf(type: TypeName): ScmlType {
  const difference: Difference = DIFFERENCES[type] ?? {};
  const shared = membersOf(type, difference);
  const inElements = shared.filter(({ isAttribute }) => !isAttribute);
  const { own: ownShapes = {}, ownLists = [] } = difference;
  const own = Object.entries(ownShapes).map(([name, own]) => ({
    name,
    own,
    isList: ownLists.includes(name),
  }));
  const order = difference.order?.split(" ") ?? [
    ...inElements.filter(({ isList }) => !isList).map(({ name }) => name),
    ...inElements.filter(({ isList }) => isList).map(({ name }) => name),
    ...own.map(({ name }) => name),
  ];
  const placed = order.map((name): [string, readonly SharedMember[] | OwnMember] => [
    name,
    own.find((member) => member.name === name) ??
      inElements.filter((member) => member.name === name),
  ]);
  const kept = new Set(shared.map(({ member }) => member));
  return {
    attributes: shared.filter(({ isAttribute }) => isAttribute),
    ownAttributes: difference.ownAttributes ?? [],
    elements: new Map(placed),
    without: Object.keys(QUAKEML_TYPES[type]).filter((member) => !kept.has(member)),
  };
}

const status = { evaluationStatus: { further: ["reported"] } } as const;

/** Values of SCML 0.13; 0.7 to 0.12 have fewer of them, 0.14 the same. */
const EVENT_TYPE: Words = {
  words: { "other event": "other" },
  further: [
    "not locatable",
    "outside of network interest",
    "induced earthquake",
    "meteor impact",
    "duplicate",
    "calving",
    "frost quake",
    "tremor pulse",
    "submarine landslide",
    "rocket launch",
    "rocket",
    "rocket impact",
    "artillery strike",
    "bomb detonation",
    "moving aircraft",
    "atmospheric meteor explosion",
    "volcano-tectonic",
    "volcanic long-period",
    "volcanic very-long-period",
    "volcanic hybrid",
    "volcanic rockfall",
    "volcanic tremor",
    "pyroclastic flow",
    "lahar",
  ],
};

export const INVERSION_WORDS = {
  general: "CMT - general moment tensor",
  "zero trace": "CMT - moment tensor with zero trace",
  "double couple": "CMT - double-couple source",
} as const;

/**
 * SCML 0.13 beside QuakeML 1.2: the types that differ. SCML's other types and members are QuakeML's.
 * Earlier versions have fewer members and words, 0.14 one more, the catalogue.
 */
export const DIFFERENCES: {
  readonly [T in TypeName]?: DifferenceOf<keyof (typeof QUAKEML_TYPES)[T] & string>;
} = {
  RealQuantity: { own: { pdf: densityOf("reals") } },
  TimeQuantity: { own: { pdf: densityOf("times") } },
  Event: {
    without: ["focalMechanism", "amplitude", "magnitude", "stationMagnitude", "origin", "pick"],
    words: { type: EVENT_TYPE, typeCertainty: { further: ["damaging", "felt"] } },
  },
  EventDescription: { required: { type: "region name" } },
  Comment: {
    elements: ["id"],
    own: { start: "time", end: "time" },
    order: "text id start end creationInfo",
  },
  CreationInfo: {
    own: { modificationTime: "time" },
    order: "agencyID agencyURI author authorURI creationTime modificationTime version",
  },
  Origin: {
    names: { originUncertainty: "uncertainty" },
    without: ["region"],
    single: ["originUncertainty"],
    kilometres: ["depth"],
    words: {
      ...status,
      depthType: { nearest: { "constrained by depth and direct phases": "other" } },
    },
    order:
      "time latitude longitude depth depthType timeFixed epicenterFixed referenceSystemID methodID " +
      "earthModelID quality uncertainty type evaluationMode evaluationStatus creationInfo comment " +
      "compositeTime arrival",
  },
  OriginUncertainty: {
    kilometres: ["horizontalUncertainty", "minHorizontalUncertainty", "maxHorizontalUncertainty"],
    words: { preferredDescription: { further: ["probability density function"] } },
  },
  Arrival: {
    names: { takeoffAngle: "takeOffAngle" },
    without: ["publicID", "comment", "timeWeight", "horizontalSlownessWeight", "backazimuthWeight"],
    numbers: ["takeoffAngle"],
    own: {
      timeUsed: "boolean",
      horizontalSlownessUsed: "boolean",
      backazimuthUsed: "boolean",
      weight: "real",
    },
    ownAttributes: ["preliminary"],
    order:
      "pickID phase timeCorrection azimuth distance takeOffAngle timeResidual " +
      "horizontalSlownessResidual backazimuthResidual timeUsed horizontalSlownessUsed " +
      "backazimuthUsed weight earthModelID creationInfo",
  },
  Pick: { words: status },
  WaveformStreamID: { elements: ["resourceURI"] },
  Amplitude: {
    names: { genericAmplitude: "amplitude" },
    without: ["category", "evaluationStatus"],
    optional: ["genericAmplitude"],
    required: { type: "" },
    words: { unit: { further: "any" } },
    order:
      "type amplitude timeWindow period snr unit pickID waveformID filterID methodID scalingTime " +
      "magnitudeHint evaluationMode creationInfo comment",
  },
  TimeWindow: { order: "reference begin end" },
  Magnitude: { names: { mag: "magnitude" }, without: ["evaluationMode"], words: status },
  StationMagnitude: {
    names: { mag: "magnitude" },
    optional: ["originID"],
    own: { passedQC: "boolean" },
    order: "originID magnitude type amplitudeID methodID waveformID passedQC creationInfo comment",
  },
  FocalMechanism: { without: ["waveformID"], words: status },
  MomentTensor: {
    names: { category: "method", inversionType: "method" },
    words: { inversionType: { words: INVERSION_WORDS } },
    own: {
      status: { words: ["standard CMT solution", "quick CMT solution"] },
      cmtName: "text",
      cmtVersion: "text",
      phaseSetting: PHASE_SETTING,
      stationMomentTensorContribution: STATION_CONTRIBUTION,
    },
    ownLists: ["phaseSetting", "stationMomentTensorContribution"],
    order:
      "derivedOriginID momentMagnitudeID scalarMoment tensor variance varianceReduction doubleCouple " +
      "clvd iso greensFunctionID filterID sourceTimeFunction methodID method status cmtName " +
      "cmtVersion creationInfo comment dataUsed phaseSetting stationMomentTensorContribution",
  },
  DataUsed: {
    without: ["longestPeriod"],
    required: { stationCount: "0", componentCount: "0" },
    words: {
      waveType: {
        words: { "P waves": "P body waves", "mantle waves": "long-period mantle waves" },
        nearest: { combined: "unknown" },
      },
    },
  },
};

/** SCML's types, derived from QuakeML's and the differences. */
export const SCML_TYPES: { readonly [T in TypeName]: ScmlType } = Object.fromEntries(
  Object.keys(QUAKEML_TYPES).map((type) => [type, typeOf(type as TypeName)]),
) as { [T in TypeName]: ScmlType };

/** What a type of SCML has otherwise than QuakeML's of that name; `M` are QuakeML's members. */
type DifferenceOf<M extends string> = {
  /** SCML's names. */
  readonly names?: { readonly [N in M]?: string };
  /** What SCML has not, or has in another place. */
  readonly without?: readonly M[];
  /** Lists of which SCML has one item. */
  readonly single?: readonly M[];
  /** Numbers and quantities in kilometres. */
  readonly kilometres?: readonly M[];
  /** Quantities that are mere numbers in SCML. */
  readonly numbers?: readonly M[];
  /** QuakeML's attributes and texts that are elements in SCML. */
  readonly elements?: readonly M[];
  /** What SCML does not require. */
  readonly optional?: readonly M[];
  /** What SCML requires, and what SeisComP's stylesheets write where there is none. */
  readonly required?: { readonly [N in M]?: string };
  readonly words?: { readonly [N in M]?: Words };
  /** What SCML has alone, by its names. */
  readonly own?: Readonly<Record<string, OwnShape>>;
  /** Those of them that may repeat. */
  readonly ownLists?: readonly string[];
  /** Attributes that SCML has alone; they are booleans. */
  readonly ownAttributes?: readonly string[];
  /** SCML's order of elements, by its names, where it is not QuakeML's with lists last. */
  readonly order?: string;
};

export type Difference = DifferenceOf<string>;

const METRES_TO_KILOMETRES = -3;
const KILOMETRES_TO_METRES = 3;

/** The members of a quantity that are of its value's unit. */
export const OF_THE_UNIT: ReadonlySet<string> = new Set([
  "value",
  "uncertainty",
  "lowerUncertainty",
  "upperUncertainty",
]);

/** Kilometres as text for a number of metres: exact, because the point is moved in the shortest text. */
export function kilometresOf(metres: unknown): string {
  return shifted(metres, METRES_TO_KILOMETRES);
}

export function metresOf(kilometres: unknown): number {
  return Number(shifted(kilometres, KILOMETRES_TO_METRES));
}

function shifted(number: unknown, places: number): string {
  const text = String(number);
  return shiftDecimal(text, places) ?? text;
}
