/** Shapes in degrees, their well-known texts, and the boxes around them. */

import { TURN, turned, wrapLongitude } from "./globe.ts";

/** Degrees, as GeoJSON has them. A number means its shortest decimal. */
export type Position = readonly [longitude: number, latitude: number];

/** Closed: its last position is its first. */
export type Ring = readonly Position[];

/**
 * The coordinates of a MultiPolygon. A place is in one of its polygons by even and odd, so that further rings are
 * holes; edges are straight in longitude and latitude and inside. Longitudes reach from −360 to 360: a place counts
 * by each of its longitudes in there.
 */
export type Area = readonly (readonly Ring[])[];

/** An area as GeoJSON (RFC 7946) has it. */
export type AreaGeometry =
  | { readonly type: "Polygon"; readonly coordinates: readonly Ring[] }
  | { readonly type: "MultiPolygon"; readonly coordinates: Area };

/** What a place is on or in. A pole, which all meridians meet, is in every shape that touches its latitude. */
export type Shape = {
  readonly polygons: Area;
  readonly lines: readonly (readonly Position[])[];
  readonly points: readonly Position[];
};

const MAX_LONGITUDE = 360;
const MAX_LATITUDE = 90;

/** Positions of a ring, at least, its first again among them. */
export const MIN_RING = 4;

export function shapeOf(area: Area): Shape {
  return { polygons: area, lines: [], points: [] };
}

export function areaOfGeometry(geometry: AreaGeometry): Area {
  return geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
}

/** Vertices without the closing ones. */
export function countVertices(area: Area): number {
  return area.flat().reduce((sum, ring) => sum + ring.length - 1, 0);
}

/** What is wrong with a number; null where nothing is. */
export function faultOfLongitude(degrees: number): string | null {
  return Math.abs(degrees) <= MAX_LONGITUDE ? null : "a longitude beyond ±360";
}

export function faultOfLatitude(degrees: number): string | null {
  return Math.abs(degrees) <= MAX_LATITUDE ? null : "a latitude beyond ±90";
}

export function isClosed(ring: Ring): boolean {
  const [first, last] = [ring[0], ring.at(-1)];
  return first?.[0] === last?.[0] && first?.[1] === last?.[1];
}

/** Vertices of a polygon in an address, at most, without the closing ones. */
export const MAX_WKT_VERTICES = 500;

/** What is wrong with a text, and where. */
export class GeometryFault extends Error {
  override name = "GeometryFault";
  /** From 1. */
  readonly character: number;

  constructor(reason: string, character: number) {
    super(`${reason}, at character ${character}`);
    this.character = character;
  }
}

const WORD = /[A-Za-z]+/y;
/** Other white space, also of Unicode, is none of WKT's. */
const BLANK = /[ \t\r\n]*/y;
const NUMBER = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const SRID = /SRID=\d*;/iy;
/** What ends a number. */
const DELIMITER = /[ \t\r\n,()]|$/y;

/**
 * The area of a POLYGON or MULTIPOLYGON in well-known text (OGC 06-103r4, 7.2), longitude before latitude; as
 * PostGIS does it may say before it that these are meant, `SRID=4326;`.
 * @throws GeometryFault
 */
export function areaOfWkt(text: string): Area {
  const reader = new WktReader(text);
  const area = reader.area();
  reader.end();
  return area;
}

class WktReader {
  readonly #text: string;
  #at = 0;
  #vertices = 0;

  constructor(text: string) {
    this.#text = text;
  }

  area(): Area {
    this.#coordinateSystem();
    const start = this.#start();
    const type = this.#take(WORD).toUpperCase();
    if (type !== "POLYGON" && type !== "MULTIPOLYGON") {
      throw fault("neither POLYGON nor MULTIPOLYGON", start);
    }
    const next = this.#start();
    const word = this.#take(WORD).toUpperCase();
    if (word === "EMPTY") throw fault(`an empty ${type}`, next);
    if (word !== "") throw fault(`"(" expected; positions are longitude and latitude alone`, next);
    const polygon = () => this.#list(() => this.#ring());
    return type === "POLYGON" ? [polygon()] : this.#list(polygon);
  }

  /** What PostGIS writes before the text: longitude and latitude of WGS 84 may be said, nothing else. */
  #coordinateSystem(): void {
    const start = this.#start();
    const said = this.#take(SRID).toUpperCase();
    if (said !== "" && said !== "SRID=4326;") throw fault("a SRID other than 4326", start);
  }

  end(): void {
    const start = this.#start();
    if (start < this.#text.length) throw fault("nothing may follow", start);
  }

  #ring(): Ring {
    const start = this.#start();
    let last = start;
    let vertices = this.#vertices;
    const ring = this.#list((): Position => {
      last = this.#start();
      // The closing one is not known before the end.
      if (vertices > MAX_WKT_VERTICES) throw fault(`more than ${MAX_WKT_VERTICES} vertices`, last);
      vertices += 1;
      const position: Position = [this.#number(faultOfLongitude), this.#number(faultOfLatitude)];
      const next = this.#start();
      if (!this.#isAt(",", ")")) throw fault("more than longitude and latitude", next);
      return position;
    });
    if (!isClosed(ring)) throw fault("the ring does not end where it begins", last);
    if (ring.length < MIN_RING) throw fault(`a ring of fewer than ${MIN_RING} positions`, start);
    this.#vertices = vertices - 1;
    return ring;
  }

  #list<T>(member: () => T): T[] {
    this.#expect("(");
    const members = [member()];
    while (this.#isAt(",")) {
      this.#at += 1;
      members.push(member());
    }
    this.#expect(")");
    return members;
  }

  #number(faultOf: (degrees: number) => string | null): number {
    const start = this.#start();
    const text = this.#take(NUMBER);
    DELIMITER.lastIndex = this.#at;
    if (text === "" || !DELIMITER.test(this.#text)) throw fault("a number expected", start);
    const degrees = Number(text);
    const reason = faultOf(degrees);
    if (reason !== null) throw fault(reason, start);
    // Without the sign of −0.
    return degrees + 0;
  }

  #expect(sign: string): void {
    const start = this.#start();
    if (!this.#isAt(sign)) throw fault(`"${sign}" expected`, start);
    this.#at += 1;
  }

  #isAt(...signs: string[]): boolean {
    return signs.includes(this.#text.charAt(this.#start()));
  }

  /** Where the next word or sign begins. */
  #start(): number {
    this.#take(BLANK);
    return this.#at;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ""] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }
}

/** All that stands before a fault is ASCII: its place in the string counts characters. */
function fault(reason: string, at: number): GeometryFault {
  return new GeometryFault(reason, at + 1);
}

/** The area as `areaOfWkt` reads it, without limits. */
export function wktOf(area: Area): string {
  const texts = area.map((polygon) =>
    inBrackets(polygon.map((ring) => inBrackets(ring.map((position) => position.join(" "))))),
  );
  return texts.length === 1 ? `POLYGON${texts[0]}` : `MULTIPOLYGON${inBrackets(texts)}`;
}

function inBrackets(texts: readonly string[]): string {
  return `(${texts.join(",")})`;
}

/**
 * The smallest box of longitudes around parts that may lie on both sides of the antimeridian: whole turns by which
 * each of them comes to lie in it.
 */
export type Extent = {
  readonly west: number;
  /** Less than a turn to the east of it. */
  readonly east: number;
  readonly turns: readonly number[];
};

type Span = { readonly part: number; readonly west: number; readonly east: number };

/**
 * The box of an area, for whoever knows no areas; its longitudes are between −180 and 180. The west above the east is a
 * box across the antimeridian.
 */
export function boxOfArea(area: Area) {
  const latitudes = area.flat(2).map(([, latitude]) => latitude);
  const extent = extentOf(area.map((polygon) => polygon.flat()));
  return {
    west: extent?.west ?? -180,
    east: extent === null ? 180 : wrapLongitude(extent.east),
    south: least(latitudes),
    north: greatest(latitudes),
  };
}

/** East of the widest gap between the parts; null where there is none. */
export function extentOf(parts: readonly (readonly Position[])[]): Extent | null {
  const spans = parts.map(spanOf).toSorted((a, b) => a.west - b.west);
  let first = 0;
  let gap = 0;
  let reached = greatest(spans.map(({ east }) => east)) - TURN;
  for (const [i, { west, east }] of spans.entries()) {
    if (west - reached > gap) [first, gap] = [i, west - reached];
    reached = Math.max(reached, east);
  }
  if (gap === 0) return null;
  const ordered = [
    ...spans.slice(first),
    ...spans.slice(0, first).map((span) => ({ ...span, ...shifted(span, 1) })),
  ];
  const turns = new Array<number>(parts.length).fill(0);
  for (const { part, west } of ordered) {
    turns[part] = Math.round((west - least((parts[part] ?? []).map(([x]) => x))) / TURN);
  }
  const [{ west } = { west: 0 }] = ordered;
  return { west, east: greatest(ordered.map(({ east }) => east)), turns };
}

/** With the west between −180 and 180. */
function spanOf(part: readonly Position[], index: number): Span {
  const longitudes = part.map(([longitude]) => longitude);
  const span = { part: index, west: least(longitudes), east: greatest(longitudes) };
  return { ...span, ...shifted(span, -Math.floor((span.west + 180) / TURN)) };
}

function shifted({ west, east }: Omit<Span, "part">, turns: number): Omit<Span, "part"> {
  return { west: turned(west, turns), east: turned(east, turns) };
}

/** Of lists of any length. */
export function least(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
}

export function greatest(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
}
