import {
  type Area,
  faultOfLatitude,
  faultOfLongitude,
  isClosed,
  MIN_RING,
  type Position,
  type Ring,
} from "./shape.ts";

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
    inBrackets(polygon.map((ring) => inBrackets(ring.map(textOf)))),
  );
  return texts.length === 1 ? `POLYGON${texts[0]}` : `MULTIPOLYGON${inBrackets(texts)}`;
}

function textOf([longitude, latitude]: Position): string {
  return `${longitude} ${latitude}`;
}

function inBrackets(texts: readonly string[]): string {
  return `(${texts.join(",")})`;
}
