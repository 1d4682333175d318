import type { QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import {
  columnsOf,
  FaultyLine,
  integerIn,
  numberIn,
  required,
  type TextLine,
} from "../fixed-columns.ts";
import { present } from "../lines/present.ts";
import { serviceId } from "../quakeml/shared/service-id.ts";

/** The file's moments are in dyne·cm. */
const DYNE_CM = -7;
/** IASPEI's, for a moment in N·m (Bormann and Di Giacomo, 2011). */
const MW_CONSTANT = 9.1;
/** Those with which the project publishes Mw; the moment itself has four. */
const MW_DIGITS = 1;
/** The version of the project's own program, whose Mw is that of its centroids. */
const OWN_PROGRAM = /^V\d/;

const WAVES = { B: "body waves", S: "surface waves", M: "mantle waves" } as const;
const INVERSIONS = { 0: "general", 1: "zero trace", 2: "double couple" } as const;
const FUNCTIONS = { TRIHD: "triangle", BOXHD: "box car" } as const;

const COMPONENTS = ["Mrr", "Mtt", "Mpp", "Mrt", "Mrp", "Mtp"] as const;
/** Eigenvalues stand in this order. */
const AXES = ["tAxis", "nAxis", "pAxis"] as const;

type Solution = {
  readonly publicID: string;
  readonly hypocentreID: string;
  readonly centroidID: string;
  readonly creationInfo: QuakemlObject<"CreationInfo">;
  readonly warn: (line: number, message: string) => void;
};

/**
 * The mechanism, and Mw by its scalar moment.
 * @param lines the second, fourth and fifth of an event
 * @throws FaultyLine
 */
export function readTensor(
  [method, tensor, axes]: readonly [TextLine, TextLine, TextLine],
  { publicID, hypocentreID, centroidID, creationInfo, warn }: Solution,
): { focalMechanism: QuakemlObject<"FocalMechanism">; magnitude: QuakemlObject<"Magnitude"> } {
  const exponent = required(tensor, integerIn(tensor, 1, 2), "exponent") + DYNE_CM;
  const moment = required(axes, numberIn(axes, 49, 56, exponent), "scalar moment");
  if (moment <= 0) throw new FaultyLine(axes.number, "the scalar moment is not above zero");
  const readable = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof FaultyLine)) throw error;
      warn(error.line, `${error.message}; the event is kept without it`);
      return undefined;
    }
  };
  const nodalPlanes = present({
    nodalPlane1: readable(() => readPlane(axes, 57)),
    nodalPlane2: readable(() => readPlane(axes, 69)),
  });
  const magnitude = momentMagnitude(moment, { publicID, centroidID, creationInfo });
  return {
    magnitude,
    focalMechanism: {
      publicID: serviceId(publicID, "focalMechanism", 0),
      momentTensor: [
        {
          publicID: serviceId(publicID, "momentTensor", 0),
          ...present({ dataUsed: readData(method) }),
          derivedOriginID: centroidID,
          momentMagnitudeID: magnitude.publicID,
          scalarMoment: { value: moment },
          tensor: readComponents(tensor, exponent),
          sourceTimeFunction: readFunction(method),
          inversionType: readInversion(method),
          creationInfo,
        },
      ],
      triggeringOriginID: hypocentreID,
      ...(Object.keys(nodalPlanes).length > 0 && { nodalPlanes }),
      ...present({ principalAxes: readable(() => readAxes(axes, exponent)) }),
      creationInfo,
    },
  };
}

function momentMagnitude(
  moment: number,
  {
    publicID,
    centroidID,
    creationInfo,
  }: Pick<Solution, "publicID" | "centroidID" | "creationInfo">,
): QuakemlObject<"Magnitude"> {
  const value = (2 / 3) * (Math.log10(moment) - MW_CONSTANT);
  return {
    publicID: serviceId(publicID, "magnitude", 2),
    comment: [{ text: `Mw = 2/3 (log10 M0 - ${MW_CONSTANT}), M0 in N·m` }],
    mag: { value: Number(value.toFixed(MW_DIGITS)) },
    type: OWN_PROGRAM.test(creationInfo.version ?? "") ? "Mwc" : "Mw",
    originID: centroidID,
    creationInfo,
  };
}

/** Kinds of waves with their stations, components and shortest period. */
function readData(line: TextLine): QuakemlObject<"DataUsed">[] {
  return [18, 33, 48].flatMap((at) => {
    const name = columnsOf(line, at, at + 1);
    if (name === "") return [];
    const waveType = WAVES[name.charAt(0) as keyof typeof WAVES];
    if (waveType === undefined || name.charAt(1) !== ":") {
      throw new FaultyLine(line.number, `${JSON.stringify(name)} is no kind of data: B:, S: or M:`);
    }
    const stationCount = integerIn(line, at + 2, at + 4);
    const componentCount = integerIn(line, at + 5, at + 9);
    const shortestPeriod = numberIn(line, at + 10, at + 13);
    return [{ waveType, ...present({ stationCount, componentCount, shortestPeriod }) }];
  });
}

function readInversion(line: TextLine) {
  const digit = /^CMT: *([012])$/.exec(columnsOf(line, 63, 68))?.[1];
  const type = INVERSIONS[Number(digit) as keyof typeof INVERSIONS];
  return required(line, type, "kind of source in columns 63 to 68: CMT: 0, 1 or 2");
}

/** The file has half of the duration. */
function readFunction(line: TextLine): QuakemlObject<"SourceTimeFunction"> {
  const type = FUNCTIONS[columnsOf(line, 70, 74) as keyof typeof FUNCTIONS] ?? "unknown";
  const half = required(line, numberIn(line, 76, 80), "duration of the source");
  return { type, duration: half * 2 };
}

function readComponents(line: TextLine, exponent: number): QuakemlObject<"Tensor"> {
  const quantities = COMPONENTS.map((name, i) => {
    const at = 3 + 13 * i;
    const value = required(line, numberIn(line, at, at + 6, exponent), name);
    return [
      name,
      { value, ...present({ uncertainty: numberIn(line, at + 7, at + 12, exponent) }) },
    ];
  });
  return Object.fromEntries(quantities) as QuakemlObject<"Tensor">;
}

function readAxes(line: TextLine, exponent: number): QuakemlObject<"PrincipalAxes"> {
  const axes = AXES.map((name, i) => {
    const at = 4 + 15 * i;
    const axis = {
      azimuth: {
        value: required(line, numberIn(line, at + 11, at + 14), `azimuth of the ${name}`),
      },
      plunge: { value: required(line, numberIn(line, at + 8, at + 10), `plunge of the ${name}`) },
      length: {
        value: required(line, numberIn(line, at, at + 7, exponent), `value of the ${name}`),
      },
    };
    return [name, axis];
  });
  return Object.fromEntries(axes) as QuakemlObject<"PrincipalAxes">;
}

function readPlane(line: TextLine, at: number): QuakemlObject<"NodalPlane"> {
  const angle = (name: string, from: number, to: number) => ({
    value: required(line, numberIn(line, from, to), `${name} of a nodal plane`),
  });
  return {
    strike: angle("strike", at, at + 3),
    dip: angle("dip", at + 4, at + 6),
    rake: angle("rake", at + 7, at + 11),
  };
}
