import {
  type Area,
  countVertices,
  MAX_WKT_VERTICES,
  type Position,
} from "#contracts/geometry/shape.ts";
import { type Bounds, turned, widthOf } from "../model/bounds.ts";
import {
  azimuthTo,
  circleAround,
  distanceKm,
  type Place,
  placeFrom,
  wayBetween,
} from "../model/great-circle.ts";
import { count, counted, decimal, latitude, longitude } from "../ui/text/format.ts";
import type { Line } from "./layers.ts";

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
      const south = Math.min(from.latitude, to.latitude);
      const north = Math.max(from.latitude, to.latitude);
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

/** Pieces of an edge, each less than half the world long. */
const PIECES = 4;

/** The edges of a box, along its parallels and meridians; the last place is the first. */
export function outlineOf(box: Bounds): Line {
  const { south, north, west } = box;
  const along = Array.from(
    { length: PIECES + 1 },
    (_, piece) => west + (widthOf(box) * piece) / PIECES,
  );
  return [
    ...along.map((longitude) => ({ latitude: south, longitude })),
    ...along.toReversed().map((longitude) => ({ latitude: north, longitude })),
    { latitude: south, longitude: west },
  ];
}

/** Pieces of a polygon's edge reach so far at most: to the eye a curve on the map, and less than half the world. Degrees. */
const PIECE_UP = 1;
const PIECE_ALONG = 90;

/** The edges of a polygon's ring, which are straight in degrees and therefore curves on the map. */
export function ringOutline(ring: readonly Position[]): Line {
  return ring.flatMap(([longitude, latitude], i) => {
    const [toLongitude, toLatitude] = ring[i + 1] ?? [longitude, latitude];
    const [along, up] = [toLongitude - longitude, toLatitude - latitude];
    const pieces = Math.max(
      1,
      Math.ceil(Math.abs(along) / PIECE_ALONG),
      along === 0 ? 1 : Math.ceil(Math.abs(up) / PIECE_UP),
    );
    return Array.from({ length: pieces }, (_, piece) => ({
      longitude: longitude + (along * piece) / pieces,
      latitude: latitude + (up * piece) / pieces,
    }));
  });
}

export function shapeInWords(shape: Shape): string {
  switch (shape.kind) {
    case "box": {
      const { south, north, west, east } = shape.bounds;
      return `Box ${latitude(south, 2)} to ${latitude(north, 2)}, ${longitude(west, 2)} to ${longitude(east, 2)}`;
    }
    case "circle":
      return `Within ${kilometres(shape.km)} of ${latitude(shape.middle.latitude, 2)} ${longitude(shape.middle.longitude, 2)}`;
    case "ruler": {
      const { from, to } = shape;
      const [there, back] = [azimuthTo(from, to), azimuthTo(to, from)];
      return `${kilometres(distanceKm(from, to))}, azimuth ${decimal(there, 1)}°, back ${decimal(back, 1)}°`;
    }
    case "section":
      return `Section of ${kilometres(distanceKm(shape.from, shape.to))}, ${kilometres(shape.halfWidthKm)} on each side`;
    case "polygon":
      return `Polygon of ${areaInWords(shape.area)}`;
    case "region":
      return shape.name === null ? "A saved region" : `Region ${shape.name}`;
    case "draft": {
      const drawn = counted(shape.vertices.length, "vertex", "vertices");
      return shape.vertices.length === MAX_WKT_VERTICES ? `${drawn}, no more are possible` : drawn;
    }
  }
}

/** "12 vertices", "40 vertices in 2 parts". */
export function areaInWords(area: Area): string {
  const vertices = counted(countVertices(area), "vertex", "vertices");
  return area.length === 1 ? vertices : `${vertices} in ${counted(area.length, "part")}`;
}

function kilometres(km: number): string {
  return `${km < 100 ? decimal(km, 1) : count(km)} km`;
}
