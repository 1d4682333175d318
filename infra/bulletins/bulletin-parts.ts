import type { Bulletin } from "#contracts/bulletin/bulletin.ts";

type Origin = NonNullable<Bulletin["origin"]>[number];
type Magnitude = NonNullable<Bulletin["magnitude"]>[number];

/** Lists of children with the place of their parent in its list. */
type Placed<T> = readonly (readonly [place: number, children: T])[];

/** A bulletin without its picks, arrivals, amplitudes, station magnitudes and contributions. */
type HeadPart = Bulletin;
type PicksPart = Pick<Bulletin, "pick"> & {
  readonly arrivals?: Placed<NonNullable<Origin["arrival"]>>;
};
type AmplitudesPart = Pick<Bulletin, "amplitude" | "stationMagnitude"> & {
  readonly contributions?: Placed<NonNullable<Magnitude["stationMagnitudeContribution"]>>;
};

/** The parts in which a bulletin is stored, by their numbers, so that a light answer reads one of three. */
export const PARTS = { head: 0, picks: 1, amplitudes: 2 } as const;
export type PartNumber = (typeof PARTS)[keyof typeof PARTS];

/** A bulletin in parts: one without content is absent. */
export type BulletinParts = {
  readonly 0: HeadPart;
  readonly 1?: PicksPart;
  readonly 2?: AmplitudesPart;
};

export function splitBulletin(bulletin: Bulletin): BulletinParts {
  const { pick, amplitude, stationMagnitude, origin, magnitude, ...rest } = bulletin;
  const arrivals = placed(origin, ({ arrival }) => arrival);
  const contributions = placed(magnitude, (of) => of.stationMagnitudeContribution);
  const head: HeadPart = {
    ...rest,
    ...(origin && { origin: origin.map(({ arrival: _, ...other }) => other) }),
    ...(magnitude && {
      magnitude: magnitude.map(({ stationMagnitudeContribution: _, ...other }) => other),
    }),
  };
  const picks: PicksPart = { ...(pick && { pick }), ...(arrivals && { arrivals }) };
  const amplitudes: AmplitudesPart = {
    ...(amplitude && { amplitude }),
    ...(stationMagnitude && { stationMagnitude }),
    ...(contributions && { contributions }),
  };
  return {
    [PARTS.head]: head,
    ...(Object.keys(picks).length > 0 && { [PARTS.picks]: picks }),
    ...(Object.keys(amplitudes).length > 0 && { [PARTS.amplitudes]: amplitudes }),
  };
}

/** The bulletin again, or as much of it as the parts hold. */
export function joinBulletin({
  [PARTS.head]: head,
  [PARTS.picks]: picks = {},
  [PARTS.amplitudes]: amplitudes = {},
}: BulletinParts): Bulletin {
  const { arrivals = [], ...ofPicks } = picks;
  const { contributions = [], ...ofAmplitudes } = amplitudes;
  const { origin, magnitude } = head;
  return {
    ...head,
    ...ofPicks,
    ...ofAmplitudes,
    ...(origin && {
      origin: withChildren(origin, arrivals, (of, arrival) => ({ ...of, arrival })),
    }),
    ...(magnitude && {
      magnitude: withChildren(magnitude, contributions, (of, stationMagnitudeContribution) => ({
        ...of,
        stationMagnitudeContribution,
      })),
    }),
  };
}

function placed<T, C>(
  parents: readonly T[] | undefined,
  childrenOf: (parent: T) => C | undefined,
): Placed<C> | undefined {
  const found = (parents ?? []).flatMap((parent, place): [number, C][] => {
    const children = childrenOf(parent);
    return children === undefined ? [] : [[place, children]];
  });
  return found.length > 0 ? found : undefined;
}

function withChildren<T, C>(
  parents: readonly T[],
  children: Placed<C>,
  join: (parent: T, children: C) => T,
): readonly T[] {
  if (children.length === 0) return parents;
  const joined = [...parents];
  for (const [place, list] of children) {
    const parent = joined[place];
    if (parent === undefined) throw new RangeError(`there is no parent at ${place}`);
    joined[place] = join(parent, list);
  }
  return joined;
}
