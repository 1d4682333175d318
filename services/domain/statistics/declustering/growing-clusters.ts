/** Clusters that events are linked into one by one. Each has a largest event: the first of equal ones. */
export type GrowingClusters = {
  readonly areTogether: (a: number, b: number) => boolean;
  /** The largest event of an event's cluster; null where it has none. */
  readonly largestWith: (event: number) => number | null;
  /** Links an event with another one, which brings its whole cluster. */
  readonly link: (event: number, other: number) => void;
  /** The cluster of each event, from 1 in the order of their first events; 0 for none. */
  readonly numbers: () => Int32Array;
};

type Cluster = { readonly members: number[]; largest: number; order: number };

export function createGrowingClusters(magnitudes: Float64Array): GrowingClusters {
  const of: (Cluster | null)[] = Array.from({ length: magnitudes.length }, () => null);
  let made = 0;

  function add(cluster: Cluster, event: number): void {
    cluster.members.push(event);
    of[event] = cluster;
    enlarge(cluster, event);
  }

  function enlarge(cluster: Cluster, event: number): void {
    if ((magnitudes[event] ?? 0) > (magnitudes[cluster.largest] ?? 0)) cluster.largest = event;
  }

  /** The smaller one goes into the larger one, under the lower number; that one's largest event stays. */
  function merge(a: Cluster, b: Cluster): void {
    const [lower, higher] = a.order < b.order ? [a, b] : [b, a];
    let { largest } = lower;
    if ((magnitudes[higher.largest] ?? 0) > (magnitudes[largest] ?? 0)) largest = higher.largest;
    const [large, small] = a.members.length < b.members.length ? [b, a] : [a, b];
    for (const member of small.members) {
      large.members.push(member);
      of[member] = large;
    }
    large.largest = largest;
    large.order = lower.order;
  }

  return {
    areTogether: (a, b) => of[a] != null && of[a] === of[b],
    largestWith: (event) => of[event]?.largest ?? null,
    link(event, other) {
      const [mine, theirs] = [of[event] ?? null, of[other] ?? null];
      if (mine !== null && theirs !== null) merge(mine, theirs);
      else if (mine !== null) add(mine, other);
      else if (theirs !== null) add(theirs, event);
      else {
        const cluster = { members: [event], largest: event, order: made };
        made += 1;
        of[event] = cluster;
        add(cluster, other);
      }
    },
    numbers: () => numbersOf(of),
  };
}

function numbersOf(clusters: readonly (Cluster | null)[]): Int32Array {
  const byCluster = new Map<Cluster, number>();
  return Int32Array.from(clusters, (cluster) => {
    if (cluster === null) return 0;
    const number = byCluster.get(cluster) ?? byCluster.size + 1;
    byCluster.set(cluster, number);
    return number;
  });
}
