/** What a bulletin has and its lines do not. */
export type Losses = {
  /** Whole objects by QuakeML's name of their kind. */
  readonly objects: Map<string, number>;
  /** Single values by the kind of their object. */
  readonly values: Map<string, number>;
  /** Numbers and times of which the columns have room for fewer digits. */
  rounded: number;
  /** Given ids that do not fit, for which others stand. */
  ids: number;
};

export function noLosses(): Losses {
  return { objects: new Map(), values: new Map(), rounded: 0, ids: 0 };
}

export function lose(tally: Map<string, number>, kind: string, count = 1): void {
  if (count > 0) tally.set(kind, (tally.get(kind) ?? 0) + count);
}

/** Comments that tell people what is not in the file, one to a line; "" where all is. */
export function lossLines({ objects, values, rounded, ids }: Losses): string {
  const lines = [
    told("not written", listed(objects)),
    told("values not written", listed(values)),
    told("values rounded to the columns", rounded > 0 ? String(rounded) : ""),
    told("ids replaced by shorter ones", ids > 0 ? String(ids) : ""),
  ];
  return lines.join("");
}

function listed(tally: ReadonlyMap<string, number>): string {
  return [...tally].map(([kind, count]) => `${count} of ${kind}`).join(", ");
}

function told(what: string, count: string): string {
  return count === "" ? "" : ` (${what}: ${count})\n`;
}
