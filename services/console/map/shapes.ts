import type { Area, Position } from "#contracts/geometry/shape.ts";
import type { Bounds } from "../model/bounds.ts";
import {
  azimuthTo,
  circleAround,
  distanceKm,
  type Place,
  placeFrom,
  wayBetween,
} from "../model/great-circle.ts";
import { outlineOf, ringOutline } from "./area-outline.ts";
import type { Line } from "./shape-layer.ts";

/** What is drawn on a map by hand. */
export const TOOLS = ["box", "circle", "polygon", "ruler", "section"] as const;
export type Tool = (typeof TOOLS)[number];
/** Draws from where the pointer goes down to where it goes up. */
export type DraggedTool = Exclude<Tool, "polygon">;

export type Shape =
  | { readonly kind: "box"; readonly bounds: Bounds }
  | { readonly kind: "circle"; readonly middle: Place; readonly km: number }
  | { readonly kind: "ruler"; readonly from: Place; readonly to: Place }
  | {
      readonly kind: "section";
      readonly from: Place;
      readonly to: Place;
      /** Kilometres on each side of the line from which events are taken. */
      readonly halfWidthKm: number;
    }
  | { readonly kind: "polygon"; readonly area: Area }
  /** A saved one; its name is null before it is known. */
  | { readonly kind: "region"; readonly area: Area; readonly name: string | null }
  /** A polygon before it is closed. */
  | {
      readonly kind: "draft";
      readonly vertices: readonly Position[];
      /** Where the next one would be; null without a pointer. */
      readonly next: Position | null;
    };

/** Share of a section's length that is taken on each side, where nothing else is said. */
const USUAL_HALF_WIDTH = 0.15;
/** Of a great circle: short enough to be a curve, and few enough that whole pixels do not make it tremble. */
const PIECE_KM = 250;

/** What a tool makes of the places where the hand went down and where it is. */
export function shapeBetween(tool: DraggedTool, from: Place, to: Place): Shape {
  switch (tool) {
    case "box": {
      const isEastward = turned(to.longitude - from.longitude) <= 180;
      const [west, east] = isEastward
        ? [from.longitude, to.longitude]
        : [to.longitude, from.longitude];
      const [south, north] = [
        Math.min(from.latitude, to.latitude),
        Math.max(from.latitude, to.latitude),
      ];
      return { kind: "box", bounds: { south, north, west, east } };
    }
    case "circle":
      return { kind: "circle", middle: from, km: distanceKm(from, to) };
    case "ruler":
      return { kind: "ruler", from, to };
    case "section": {
      const halfWidthKm = Math.max(1, Math.round(distanceKm(from, to) * USUAL_HALF_WIDTH));
      return { kind: "section", from, to, halfWidthKm };
    }
  }
}

/** The lines by which a map shows a shape. */
export function linesOfShape(shape: Shape): readonly Line[] {
  switch (shape.kind) {
    case "box":
      return [outlineOf(shape.bounds)];
    case "circle":
      return [circleAround(shape.middle, shape.km)];
    case "ruler":
      return [wayOf(shape)];
    case "section":
      return [wayOf(shape), bandOf(shape)];
    case "polygon":
    case "region":
      return shape.area.flatMap((rings) => rings.map(ringOutline));
    case "draft": {
      const { vertices, next } = shape;
      return [ringOutline([...vertices, ...(next ? [next] : []), ...vertices.slice(0, 1)])];
    }
  }
}

/** The vertices of what is being drawn, each a line without length, which is a dot. */
export function dotsOfShape(shape: Shape): readonly Line[] {
  if (shape.kind !== "draft") return [];
  return shape.vertices.map((vertex) => ringOutline([vertex, vertex]));
}

function wayOf({ from, to }: { readonly from: Place; readonly to: Place }): Line {
  return wayBetween(from, to, Math.max(1, Math.ceil(distanceKm(from, to) / PIECE_KM)));
}

/** The outline of what lies within the half-width of a section. */
function bandOf(section: Extract<Shape, { kind: "section" }>): Line {
  const { from, to, halfWidthKm } = section;
  const way = wayOf(section);
  const beside = (side: 90 | -90) =>
    way.map((place, i) => {
      const next = way[i + 1];
      const azimuth = next ? azimuthTo(place, next) : azimuthTo(to, from) + 180;
      return placeFrom(place, azimuth + side, halfWidthKm);
    });
  const [left, right] = [beside(-90), beside(90).toReversed()];
  return [...left, ...right, ...left.slice(0, 1)];
}

function turned(degrees: number): number {
  return ((degrees % 360) + 360) % 360;
}
