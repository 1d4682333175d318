import type { QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { movePoint } from "#contracts/seismic-event/input-names.ts";
import { present } from "#infra/formats/bulletin/members.ts";
import { ownValues } from "#infra/formats/bulletin/names.ts";
import type { JoinedRow } from "#services/domain/bulletins/join.ts";
import type { Cells } from "./cells.ts";

type Mechanism = NonNullable<JoinedRow["focalMechanism"]>[number];
type Content = Omit<Mechanism, "publicID" | "momentTensor"> & {
  readonly momentTensor?: Omit<NonNullable<Mechanism["momentTensor"]>[number], "publicID">;
};

/** IASPEI's, for a moment in N·m (Bormann and Di Giacomo, 2011). */
const MW_CONSTANT = 9.1;
const DYNE_CM = -7;
/** Between two units of moments there are 4.7 magnitudes. */
const MOMENT_TOLERANCE = 1;
/** Definitions of the scalar moment differ by less, in powers of ten. */
const SCALE_TOLERANCE = 0.2;
const PERCENT = 100;

type Component = "Mrr" | "Mtt" | "Mpp" | "Mrt" | "Mrp" | "Mtp";

/** The tensor's components in the axes up, south, east, by columns in those and in north, east, down. */
const COMPONENTS: readonly (readonly [Component, string, string, 1 | -1])[] = [
  ["Mrr", "mrr", "mzz", 1],
  ["Mtt", "mtt", "mxx", 1],
  ["Mpp", "mpp", "myy", 1],
  ["Mrt", "mrt", "mxz", 1],
  ["Mrp", "mrp", "myz", -1],
  ["Mtp", "mtp", "mxy", -1],
];
const AXES = [
  ["tAxis", "t"],
  ["pAxis", "p"],
  ["nAxis", "n"],
] as const;

/**
 * The mechanism in the columns of a table, as GeoNet publishes one (GeoNet/data, moment-tensor): planes,
 * scalar moment, tensor and axes. Units follow from the row itself: that of the moment from Mw, the scale
 * of the tensor from the moment. What has no unit then is left out.
 * @param mw the row's moment magnitude
 */
export function mechanismOfColumns(cells: Cells, mw: number | null): Content | null {
  const [first, second] = [planeOf(cells, "1") ?? planeOf(cells, ""), planeOf(cells, "2")];
  const planes = present({ nodalPlane1: first, nodalPlane2: second });
  const moment = momentOf(cells, mw);
  const tensor = tensorOf(cells, moment);
  const axes = tensor && axesOf(cells, tensor.power);
  const momentTensor = moment === null ? null : tensorContent(cells, moment, tensor?.components);
  if (first === undefined && second === undefined && momentTensor === null) return null;
  return present({
    momentTensor: momentTensor ?? undefined,
    nodalPlanes: first === undefined && second === undefined ? undefined : planes,
    principalAxes: axes ?? undefined,
    foreign: ownValues("mechanism", { method: cells.text("method") ?? undefined }),
  });
}

function planeOf(cells: Cells, which: string): QuakemlObject<"NodalPlane"> | undefined {
  const angle = (...names: string[]) =>
    cells.number(...names.flatMap((name) => [name + which, `np${which}${name}`]));
  const [strike, dip, rake] = [angle("strike", "str"), angle("dip", "dp"), angle("rake", "slip")];
  if (strike === null || dip === null || rake === null) return undefined;
  return { strike: { value: strike }, dip: { value: dip }, rake: { value: rake } };
}

/** N·m. */
function momentOf(cells: Cells, mw: number | null): number | null {
  const given = cells.number("mo", "m0", "scalarmoment", "seismicmoment");
  if (given === null || given <= 0 || mw === null) return null;
  const expected = 1.5 * mw + MW_CONSTANT;
  const power = [0, DYNE_CM].find(
    (places) => Math.abs(Math.log10(given) + places - expected) < MOMENT_TOLERANCE,
  );
  return power === undefined ? null : (movePoint(given, power) as number);
}

function tensorOf(cells: Cells, moment: number | null) {
  const found = COMPONENTS.map(([name, spherical, cartesian, sign]) => {
    const value = cells.number(spherical);
    const other = cells.number(cartesian);
    return [name, value ?? (other === null ? null : sign * other)] as const;
  });
  if (moment === null || found.some(([, value]) => value === null)) return null;
  const squares = found.reduce(
    (sum, [, value], i) => sum + (i < 3 ? 1 : 2) * (value as number) ** 2,
    0,
  );
  const exact = Math.log10(moment) - Math.log10(Math.sqrt(squares / 2));
  const power = Math.round(exact);
  if (!(Math.abs(exact - power) < SCALE_TOLERANCE)) return null;
  const components = found.map(([name, value]) => [name, { value: movePoint(value, power) }]);
  return { power, components: Object.fromEntries(components) as QuakemlObject<"Tensor"> };
}

function axesOf(cells: Cells, power: number): QuakemlObject<"PrincipalAxes"> | null {
  const axes = AXES.flatMap(([name, letter]) => {
    const part = (of: string) => cells.number(letter + of);
    const [length, plunge, azimuth] = [part("va"), part("pl"), part("az")];
    if (length === null || plunge === null || azimuth === null) return [];
    const axis = {
      azimuth: { value: azimuth },
      plunge: { value: plunge },
      length: { value: movePoint(length, power) as number },
    };
    return [[name, axis]];
  });
  const { tAxis, pAxis, nAxis } = Object.fromEntries(axes);
  return tAxis && pAxis ? { tAxis, pAxis, ...(nAxis && { nAxis }) } : null;
}

function tensorContent(
  cells: Cells,
  moment: number,
  tensor: QuakemlObject<"Tensor"> | undefined,
): NonNullable<Content["momentTensor"]> {
  const stations = cells.number("ns", "nsta", "stations");
  const couple = cells.number("dc", "doublecouple", "percentdc", "dcpercent");
  return present({
    dataUsed:
      stations !== null && Number.isSafeInteger(stations)
        ? [{ waveType: "unknown" as const, stationCount: stations }]
        : undefined,
    scalarMoment: { value: moment },
    tensor,
    varianceReduction: cells.number("vr", "variancereduction") ?? undefined,
    doubleCouple: couple === null ? undefined : couple > 1 ? couple / PERCENT : couple,
  });
}
