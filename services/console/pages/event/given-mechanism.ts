import type { Mechanism, Plane, Tensor } from "../../plots/beach-ball.ts";

type Axis = { readonly azimuth?: number; readonly plunge?: number };

/** A focal mechanism with QuakeML's members; any of them may be missing. */
export type Given = {
  readonly nodalPlanes?: {
    readonly nodalPlane1?: Partial<Plane>;
    readonly nodalPlane2?: Partial<Plane>;
  };
  readonly principalAxes?: {
    readonly tAxis?: Axis;
    readonly pAxis?: Axis;
    readonly nAxis?: Axis;
  };
  readonly momentTensor?: {
    readonly scalarMoment?: number;
    readonly tensor?: Partial<Tensor>;
  };
};

/** What a ball is drawn of: the tensor where it is whole, else the first plane. */
export function mechanismOf(given: Given): Mechanism | null {
  const tensor = tensorOf(given);
  if (tensor) return { tensor };
  const [plane] = planesOf(given);
  return plane ? { plane } : null;
}

/** The nodal planes that are whole. */
export function planesOf({ nodalPlanes }: Given): readonly Plane[] {
  return [nodalPlanes?.nodalPlane1, nodalPlanes?.nodalPlane2].filter(isPlane);
}

export type NamedAxis = {
  readonly name: string;
  readonly azimuth: number;
  readonly plunge: number;
};

export function axesOf({ principalAxes }: Given): readonly NamedAxis[] {
  const { tAxis, pAxis, nAxis } = principalAxes ?? {};
  return [
    { name: "T", ...tAxis },
    { name: "P", ...pAxis },
    { name: "N", ...nAxis },
  ].filter((axis): axis is NamedAxis => areNumbers(axis.azimuth, axis.plunge));
}

/** The tensor where it is whole. */
export function tensorOf({ momentTensor }: Given): Tensor | null {
  const { Mrr, Mtt, Mpp, Mrt, Mrp, Mtp } = momentTensor?.tensor ?? {};
  const tensor = { Mrr, Mtt, Mpp, Mrt, Mrp, Mtp };
  return areNumbers(...Object.values(tensor)) ? (tensor as Tensor) : null;
}

function isPlane(plane: Partial<Plane> | undefined): plane is Plane {
  return areNumbers(plane?.strike, plane?.dip, plane?.rake);
}

function areNumbers(...values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === "number");
}
