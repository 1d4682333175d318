import type { Point } from "./shapefile.ts";

type Topology = {
  readonly transform: { readonly scale: Point; readonly translate: Point };
  readonly arcs: readonly (readonly Point[])[];
  readonly objects: {
    readonly rivers: {
      readonly geometries: readonly {
        readonly type: string;
        readonly arcs: readonly number[] | readonly (readonly number[])[];
      }[];
    };
  };
};

/** The rivers of a TopoJSON file, a line for each. */
export function readRivers({ transform, arcs, objects }: Topology): readonly (readonly Point[])[] {
  const { scale, translate } = transform;
  const decoded = arcs.map((arc) => {
    let [x, y] = [0, 0];
    return arc.map(([dx, dy]): Point => {
      [x, y] = [x + dx, y + dy];
      return [x * scale[0] + translate[0], y * scale[1] + translate[1]];
    });
  });
  // A negative index is that of an arc which runs the other way: −1 is the first one.
  const arcOf = (index: number) =>
    index < 0 ? (decoded[-1 - index] ?? []).toReversed() : (decoded[index] ?? []);
  return objects.rivers.geometries.flatMap(({ arcs: indexes }) =>
    indexes.flatMap((index) =>
      typeof index === "number" ? [arcOf(index)] : index.map((one) => arcOf(one)),
    ),
  );
}
