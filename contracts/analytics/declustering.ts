import { z } from "zod";

const number = z.number();
const atLeastZero = number.min(0);

export const WindowName = z.enum(["gk-fit", "gk-table", "uhrhammer", "gruenthal"]);
export type WindowName = z.infer<typeof WindowName>;

/** Windows of space and time. `linked`: every event opens one, whether it is in a cluster or not. */
const GardnerKnopoff = z.strictObject({
  method: z.literal("gardner-knopoff"),
  window: WindowName,
  linked: z.boolean(),
  foreshockFraction: number.min(0).max(1).describe("of a window's duration, before its main event"),
});

const Reasenberg = z.strictObject({
  method: z.literal("reasenberg"),
  tau0: atLeastZero.describe("days"),
  tauMin: atLeastZero.describe("days"),
  tauMax: atLeastZero.describe("days"),
  p: number.min(0).lt(1).describe("probability"),
  xk: number.min(0).max(1),
  rfact: atLeastZero.describe("crack radii"),
  xmeff: number.nullable().describe("effective magnitude; null for the lowest of the events"),
  floor: z.boolean().describe("whether magnitudes above xmeff count as 0 at least"),
});

const NearestNeighbour = z.strictObject({
  method: z.literal("nearest-neighbour"),
  df: number.min(0).max(3).describe("fractal dimension of epicentres"),
  b: number.min(0).max(3).describe("b-value; 0 for proximities without magnitudes"),
  threshold: number.nullable().describe("log₁₀ η; null for that of the events' distribution"),
});

export const DeclusterMethod = z.discriminatedUnion("method", [
  GardnerKnopoff,
  Reasenberg,
  NearestNeighbour,
]);
export type DeclusterMethod = z.infer<typeof DeclusterMethod>;

/** The same as clients give it: what is left out has its default. */
export const METHOD_SHAPES = {
  "gardner-knopoff": {
    ...GardnerKnopoff.shape,
    window: WindowName.optional().describe("default gk-fit; gk-table where linked"),
    linked: GardnerKnopoff.shape.linked.default(false),
    foreshockFraction: GardnerKnopoff.shape.foreshockFraction.optional().describe("default 1"),
  },
  reasenberg: {
    ...Reasenberg.shape,
    tau0: Reasenberg.shape.tau0.default(1),
    tauMin: Reasenberg.shape.tauMin.default(1),
    tauMax: Reasenberg.shape.tauMax.default(10),
    p: Reasenberg.shape.p.default(0.95),
    xk: Reasenberg.shape.xk.default(0.5),
    rfact: Reasenberg.shape.rfact.default(10),
    xmeff: Reasenberg.shape.xmeff.default(null),
    floor: Reasenberg.shape.floor.default(true),
  },
  "nearest-neighbour": {
    ...NearestNeighbour.shape,
    df: NearestNeighbour.shape.df.default(1.6),
    b: NearestNeighbour.shape.b.default(1),
    threshold: NearestNeighbour.shape.threshold.default(null),
  },
} as const;

const share = z.number().nullable();

/** What a method finds; the members depend on it. */
export const DeclusterEstimate = z.union([
  z.strictObject({
    main: z.int().describe("events that are left when all others of their clusters are taken away"),
    clusters: z.int().describe("of two events and more"),
    foreshocks: z.int(),
    aftershocks: z.int(),
    both: z.int().optional().describe("foreshocks of one event and aftershocks of another"),
    largest: z.int().describe("events of the largest cluster"),
  }),
  z.strictObject({
    clusters: z.int(),
    clustered: z.int().describe("events in clusters"),
    independent: z.int().describe("clusters, and events without one"),
    largest: z.int(),
  }),
  z.strictObject({
    logEtaMedian: share,
    logEtaMean: share,
    weight: share.describe("share of the clustered part of the distribution"),
    means: z.array(z.number()).length(2).nullable(),
    sigmas: z.array(z.number()).length(2).nullable(),
    threshold: z.number(),
    ashmanD: share,
    background: z.int().describe("events without a nearer one than the threshold"),
    families: z.int().describe("of two events and more"),
    largest: z.int(),
  }),
]);
export type DeclusterEstimate = z.infer<typeof DeclusterEstimate>;

export const ClusterRole = z.enum(["main", "fore", "after"]);
export type ClusterRole = z.infer<typeof ClusterRole>;

/** What a catalogue was made of that has the events of one role of another's clusters. */
export const Derivation = z.object({
  catalogueId: z.uuid(),
  version: z.int().positive(),
  filters: z.record(z.string(), z.string()).describe("as texts of a query string"),
  method: DeclusterMethod,
  role: ClusterRole,
});
export type Derivation = z.infer<typeof Derivation>;
