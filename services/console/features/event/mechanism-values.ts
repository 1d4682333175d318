import { auxiliaryPlane, type Plane, type Tensor } from "#contracts/seismic-event/double-couple.ts";
import {
  type Axis,
  axesOfPlane,
  axesOfTensor,
  type Mechanism,
  planesOfTensor,
} from "../../plots/beach-ball.ts";

/** A focal mechanism with QuakeML's members; any of them may be missing. */
export type FocalMechanism = {
  readonly nodalPlanes?: {
    readonly nodalPlane1?: Partial<Plane>;
    readonly nodalPlane2?: Partial<Plane>;
  };
  readonly principalAxes?: {
    readonly tAxis?: Partial<Axis>;
    readonly pAxis?: Partial<Axis>;
    readonly nAxis?: Partial<Axis>;
  };
  readonly momentTensor?: {
    readonly scalarMoment?: number;
    readonly tensor?: Partial<Tensor>;
    readonly creationInfo?: CreationInfo;
  };
  readonly creationInfo?: CreationInfo;
};

type CreationInfo = { readonly agencyID?: string; readonly author?: string };

/** Whose a mechanism is: "GCMT", "USGS, moments"; empty where the file does not say. */
export function sourceOf({ creationInfo, momentTensor }: FocalMechanism): string {
  const { agencyID, author } = creationInfo ?? momentTensor?.creationInfo ?? {};
  return [...new Set([agencyID, author])].filter(Boolean).join(", ");
}

/** What a ball is drawn of: the tensor where it is whole, else the first plane. */
export function mechanismOf(focal: FocalMechanism): Mechanism | null {
  const tensor = tensorOf(focal);
  if (tensor) return { tensor };
  const [plane] = wholePlanesOf(focal);
  return plane ? { plane } : null;
}

/** Whether the file has a value; otherwise it was computed from what the file has. */
type Origin = { readonly isComputed: boolean };

/** Both nodal planes: those of the file that are whole first, the others from these or the tensor. */
export function planesOf(focal: FocalMechanism): readonly (Plane & Origin)[] {
  const whole = wholePlanesOf(focal);
  const [only] = whole;
  const tensor = tensorOf(focal);
  const computed =
    whole.length === 2
      ? []
      : only
        ? [auxiliaryPlane(only)]
        : ((tensor && planesOfTensor(tensor)) ?? []);
  return [
    ...whole.map((plane) => ({ ...plane, isComputed: false })),
    ...computed.map((plane) => ({ ...plane, isComputed: true })),
  ];
}

function wholePlanesOf({ nodalPlanes }: FocalMechanism): readonly Plane[] {
  return [nodalPlanes?.nodalPlane1, nodalPlanes?.nodalPlane2].filter(isPlane);
}

type NamedAxis = Axis & Origin & { readonly name: "T" | "P" | "N" };

/** The axes of the file; those that are not whole from the tensor or a plane. */
export function axesOf(focal: FocalMechanism): readonly NamedAxis[] {
  const { tAxis, pAxis, nAxis } = focal.principalAxes ?? {};
  const tensor = tensorOf(focal);
  const [plane] = wholePlanesOf(focal);
  const computed = tensor ? axesOfTensor(tensor) : plane ? axesOfPlane(plane) : null;
  return [
    namedAxis("T", tAxis, computed?.t),
    namedAxis("P", pAxis, computed?.p),
    namedAxis("N", nAxis, computed?.n),
  ].filter((axis) => axis !== null);
}

function namedAxis(
  name: NamedAxis["name"],
  focal: Partial<Axis> | undefined,
  computed: Axis | undefined,
): NamedAxis | null {
  if (isAxis(focal)) return { name, ...focal, isComputed: false };
  return computed ? { name, ...computed, isComputed: true } : null;
}

/** The tensor where it is whole. */
export function tensorOf({ momentTensor }: FocalMechanism): Tensor | null {
  const { Mrr, Mtt, Mpp, Mrt, Mrp, Mtp } = momentTensor?.tensor ?? {};
  const tensor = { Mrr, Mtt, Mpp, Mrt, Mrp, Mtp };
  return areNumbers(...Object.values(tensor)) ? (tensor as Tensor) : null;
}

function isPlane(plane: Partial<Plane> | undefined): plane is Plane {
  return areNumbers(plane?.strike, plane?.dip, plane?.rake);
}

function isAxis(axis: Partial<Axis> | undefined): axis is Axis {
  return areNumbers(axis?.azimuth, axis?.plunge);
}

function areNumbers(...values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === "number");
}
