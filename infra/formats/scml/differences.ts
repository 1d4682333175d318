import type { QUAKEML_TYPES, TypeName } from "#contracts/bulletin/quakeml-types.ts";
import { densityOf, type OwnShape, PHASE_SETTING, STATION_CONTRIBUTION } from "./own-shapes.ts";
import * as words from "./words.ts";

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
  readonly words?: { readonly [N in M]?: words.Words };
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

const status = { evaluationStatus: words.EVALUATION_STATUS } as const;

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
    words: { type: words.EVENT_TYPE, typeCertainty: words.TYPE_CERTAINTY },
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
    words: { ...status, depthType: words.DEPTH_TYPE },
    order:
      "time latitude longitude depth depthType timeFixed epicenterFixed referenceSystemID methodID " +
      "earthModelID quality uncertainty type evaluationMode evaluationStatus creationInfo comment " +
      "compositeTime arrival",
  },
  OriginUncertainty: {
    kilometres: ["horizontalUncertainty", "minHorizontalUncertainty", "maxHorizontalUncertainty"],
    words: { preferredDescription: words.UNCERTAINTY_DESCRIPTION },
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
    words: { unit: words.AMPLITUDE_UNIT },
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
    words: { inversionType: words.INVERSION_TYPE },
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
    words: { waveType: words.WAVE_TYPE },
  },
};
