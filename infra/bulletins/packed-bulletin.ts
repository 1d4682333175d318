/**
 * Bulletins as the log and the read model keep them: in up to three parts, each the UTF-8 JSON of its
 * content in RFC 8785 form, cut into pieces of PIECE_BYTES. A small bulletin is whole in its head. A piece is
 * one byte with the format, which is 1, and a zstd frame that was made with the dictionary below.
 */

import { hash } from "node:crypto";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import {
  type BulletinSummary,
  countElements,
  type ElementCounts,
} from "#contracts/bulletin/counts.ts";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import {
  MAX_BULLETIN_BYTES,
  MAX_BULLETIN_ELEMENTS,
} from "#contracts/seismic-event/bulletin-objects.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { MIB } from "#contracts/units.ts";
import { canonicalJson } from "../json/json-text.ts";
import { atOnce, type Steps } from "../kernel/iteration.ts";

/** The piece with the number `piece` of a part, from 0, which has `of` pieces. */
export type BulletinPiece = {
  readonly part: number;
  readonly piece: number;
  readonly of: number;
  readonly bytes: Uint8Array;
};

/** Pieces as they are stored. */
type StoredPieces = Iterable<Pick<BulletinPiece, "part" | "bytes">>;

export type PackedBulletin = BulletinSummary & { readonly pieces: readonly BulletinPiece[] };

/** The pieces are damaged, or of a later format. */
export class CorruptBulletin extends Error {
  override readonly name = "CorruptBulletin";
}

const FORMAT = 1;
/** Below this the parts of a bulletin are not worth their rows. */
const WHOLE_BYTES = 16 * 1024;
/** Bytes of JSON in a piece: even if they cannot be compressed, some fit an append to the log. */
const PIECE_BYTES = 512 * 1024;
const COMPRESSION_LEVEL = 3;

/** Bytes of JSON of a bulletin that is read and written within 20 ms; larger ones are the work of threads. */
export const QUICK_BULLETIN_BYTES = 512 * 1024;

export function packedBytes({ pieces }: PackedBulletin): number {
  return pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

/** @throws BulletinTooLarge */
export const packBulletin = (bulletin: Bulletin): PackedBulletin => atOnce(packing(bulletin));

/** The same in steps, of which each takes at most a second or so. @throws BulletinTooLarge */
export function* packing(bulletin: Bulletin): Steps<PackedBulletin> {
  const { json, sha256, counts } = sealBulletin(bulletin);
  if (counts.bytes <= WHOLE_BYTES) {
    return { sha256, counts, pieces: piecesOf(PARTS.head, json) };
  }
  yield;
  const pieces: BulletinPiece[] = [];
  for (const [part, content] of Object.entries(splitBulletin(bulletin))) {
    const text = canonicalJson(content as JsonObject);
    yield;
    pieces.push(...piecesOf(Number(part), text));
    yield;
  }
  return { sha256, counts, pieces };
}

/**
 * The bulletin of all pieces, or as much of it as the pieces of some parts hold; the head is among them.
 * @param pieces of one part in their order
 * @throws CorruptBulletin
 */
export const unpackBulletin = (pieces: StoredPieces): Bulletin => atOnce(unpacking(pieces));

/** The same in steps, of which each takes at most a second or so. @throws CorruptBulletin */
export function* unpacking(pieces: StoredPieces): Steps<Bulletin> {
  const parts = new Map<number, Uint8Array[]>();
  for (const { part, bytes } of pieces) {
    const known = parts.get(part);
    if (known === undefined) parts.set(part, [unpacked(bytes)]);
    else known.push(unpacked(bytes));
  }
  if (!parts.has(PARTS.head)) throw new CorruptBulletin("the bulletin has no head");
  try {
    const contents: [number, unknown][] = [];
    for (const [part, bytes] of parts) {
      const text = Buffer.concat(bytes).toString("utf8");
      yield;
      contents.push([part, JSON.parse(text)]);
      yield;
    }
    return joinBulletin(Object.fromEntries(contents) as BulletinParts);
  } catch (cause) {
    throw new CorruptBulletin("a part of the bulletin cannot be parsed", { cause });
  }
}

function piecesOf(part: number, json: string): BulletinPiece[] {
  const bytes = Buffer.from(json);
  const of = Math.ceil(bytes.length / PIECE_BYTES);
  return Array.from({ length: of }, (_, piece) => {
    const from = piece * PIECE_BYTES;
    return { part, piece, of, bytes: packed(bytes.subarray(from, from + PIECE_BYTES)) };
  });
}

function packed(bytes: Buffer): Uint8Array {
  const frame = zstdCompressSync(bytes, {
    dictionary: DICTIONARY,
    params: {
      [constants.ZSTD_c_compressionLevel]: COMPRESSION_LEVEL,
      [constants.ZSTD_c_checksumFlag]: 1,
    },
  });
  // Of its own: imports and uploads hold thousands, each of which would keep a slab of Node's pool.
  const piece = Buffer.allocUnsafeSlow(1 + frame.length);
  piece[0] = FORMAT;
  piece.set(frame, 1);
  return piece;
}

function unpacked(bytes: Uint8Array): Buffer {
  if (bytes[0] !== FORMAT) throw new CorruptBulletin("a piece of the bulletin has no known format");
  try {
    return zstdDecompressSync(bytes.subarray(1), {
      dictionary: DICTIONARY,
      maxOutputLength: PIECE_BYTES,
    });
  } catch (cause) {
    throw new CorruptBulletin("a piece of the bulletin cannot be decompressed", { cause });
  }
}

/** A bulletin beyond the limits; the message is a sentence for the submitter. */
export class BulletinTooLarge extends Error {
  override readonly name = "BulletinTooLarge";
}

/**
 * A bulletin as it is hashed and stored: `json` is its RFC 8785 form, `sha256` the hash of that in hex.
 * @throws BulletinTooLarge above MAX_BULLETIN_ELEMENTS or MAX_BULLETIN_BYTES
 */
export function sealBulletin(bulletin: Bulletin) {
  const elements = countElements(bulletin);
  const total = Object.values(elements).reduce((sum, count) => sum + count, 0);
  if (total > MAX_BULLETIN_ELEMENTS) {
    throw new BulletinTooLarge(
      `has ${total} elements, of ${MAX_BULLETIN_ELEMENTS} that a bulletin may have`,
    );
  }
  const json = canonicalJson(bulletin as unknown as JsonObject);
  const bytes = Buffer.byteLength(json);
  if (bytes > MAX_BULLETIN_BYTES) {
    const most = MAX_BULLETIN_BYTES / MIB;
    throw new BulletinTooLarge(`has ${bytes} bytes of JSON, more than ${most} MiB`);
  }
  return { json, sha256: hash("sha256", json), counts: { ...shown(elements), bytes } };
}

function shown(elements: ElementCounts) {
  return {
    origins: elements.origin,
    magnitudes: elements.magnitude,
    station_magnitudes: elements.stationMagnitude,
    amplitudes: elements.amplitude,
    picks: elements.pick,
    arrivals: elements.arrival,
    focal_mechanisms: elements.focalMechanism,
    comments: elements.comment,
  };
}

type Magnitude = NonNullable<Bulletin["magnitude"]>[number];

/** Lists of children with the place of their parent in its list. */
type Placed<T> = readonly (readonly [place: number, children: T])[];

type PicksPart = Pick<Bulletin, "pick"> & {
  readonly arrivals?: Placed<NonNullable<NonNullable<Bulletin["origin"]>[number]["arrival"]>>;
};
type AmplitudesPart = Pick<Bulletin, "amplitude" | "stationMagnitude"> & {
  readonly contributions?: Placed<NonNullable<Magnitude["stationMagnitudeContribution"]>>;
};

/** The parts in which a bulletin is stored, by their numbers, so that a light answer reads one of three. */
export const PARTS = { head: 0, picks: 1, amplitudes: 2 } as const;
export type PartNumber = (typeof PARTS)[keyof typeof PARTS];

/** A bulletin in parts: one without content is absent. */
type BulletinParts = {
  /** Without picks, arrivals, amplitudes, station magnitudes and contributions. */
  readonly 0: Bulletin;
  readonly 1?: PicksPart;
  readonly 2?: AmplitudesPart;
};

function splitBulletin(bulletin: Bulletin): BulletinParts {
  const { pick, amplitude, stationMagnitude, origin, magnitude, ...rest } = bulletin;
  const arrivals = placed(origin, ({ arrival }) => arrival);
  const contributions = placed(magnitude, (of) => of.stationMagnitudeContribution);
  const head: Bulletin = {
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
function joinBulletin({
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

/**
 * What bulletins have in common, as zstd's dictionary: a small one is compressed to about two thirds of
 * what it takes without. Packed bulletins cannot be read without it, so it never changes.
 */
const TEXT = [
  '{"creationInfo":{"agencyID":"ISC","author":"","creationTime":"2024-01-01T00:00:00.000000Z","',
  'version":"1"},"comment":[{"text":""}],"description":[{"text":"","type":"earthquake name"},{"',
  'text":"","type":"region name"},{"text":"","type":"Flinn-Engdahl region"}],"typeCertainty":"k',
  'nown"}{"focalMechanism":[{"azimuthalGap":1,"momentTensor":[{"category":"regional","clvd":0,"',
  'creationInfo":{"agencyID":""},"dataUsed":[{"componentCount":1,"shortestPeriod":1,"stationCou',
  'nt":1,"waveType":"body waves"},{"waveType":"surface waves"},{"waveType":"mantle waves"}],"de',
  'rivedOriginID":"smi:","doubleCouple":1,"greensFunctionID":"smi:","inversionType":"zero trace',
  '","momentMagnitudeID":"smi:","publicID":"smi:","scalarMoment":{"uncertainty":1,"value":1},"s',
  'ourceTimeFunction":{"duration":1,"type":"triangle"},"tensor":{"Mpp":{"uncertainty":1,"value"',
  ':-1},"Mrp":{"uncertainty":1,"value":-1},"Mrr":{"uncertainty":1,"value":-1},"Mrt":{"uncertain',
  'ty":1,"value":-1},"Mtp":{"uncertainty":1,"value":-1},"Mtt":{"uncertainty":1,"value":-1}},"va',
  'rianceReduction":1}],"nodalPlanes":{"nodalPlane1":{"dip":{"value":1},"rake":{"value":1},"str',
  'ike":{"value":1}},"nodalPlane2":{"dip":{"value":1},"rake":{"value":1},"strike":{"value":1}},',
  '"preferredPlane":1},"principalAxes":{"nAxis":{"azimuth":{"value":1},"length":{"value":1},"pl',
  'unge":{"value":1}},"pAxis":{"azimuth":{"value":1},"length":{"value":1},"plunge":{"value":1}}',
  ',"tAxis":{"azimuth":{"value":1},"length":{"value":1},"plunge":{"value":1}}},"publicID":"smi:',
  '","stationPolarityCount":1,"waveformID":[]}]}{"foreign":[{"attribute":true,"name":"eventsour',
  'ce","ns":"http://anss.org/xmlns/catalog/0.1","text":""},{"name":"modificationTime","ns":"htt',
  'p://geofon.gfz-potsdam.de/ns/seiscomp3-schema/0.","text":""},{"name":"passedQC"}]}{"amplitud',
  'e":[{"category":"point","creationInfo":{"agencyID":"","author":"","creationTime":"2024-01-01',
  'T00:00:00.000000Z"},"evaluationMode":"automatic","filterID":"smi:","genericAmplitude":{"valu',
  'e":0.1},"methodID":"smi:","period":{"value":1},"pickID":"smi:","publicID":"smi:","snr":1,"ti',
  'meWindow":{"begin":0,"end":1,"reference":"2024-"},"type":"AML","unit":"m","waveformID":{"cha',
  'nnelCode":"BHZ","locationCode":"00","networkCode":"","stationCode":""}}]}{"stationMagnitude"',
  ':[{"amplitudeID":"smi:","creationInfo":{"agencyID":""},"mag":{"value":1},"methodID":"smi:","',
  'originID":"smi:","publicID":"smi:","type":"MLv","waveformID":{"channelCode":"HHZ","locationC',
  'ode":"10","networkCode":"","stationCode":""}}]}{"pick":[{"backazimuth":{"value":1},"creation',
  'Info":{"agencyID":"","author":"","creationTime":"2024-"},"evaluationMode":"automatic","evalu',
  'ationStatus":"preliminary","filterID":"smi:","horizontalSlowness":{"value":1},"methodID":"sm',
  'i:","onset":"impulsive","phaseHint":"P","polarity":"positive","publicID":"smi:","time":{"unc',
  'ertainty":0.1,"value":"2024-"},"waveformID":{"channelCode":"EHZ","locationCode":"","networkC',
  'ode":"","stationCode":""}},{"onset":"emergent","phaseHint":"S","polarity":"undecidable"},{"o',
  'nset":"questionable","polarity":"negative"}]}{"magnitude":[{"azimuthalGap":1,"creationInfo":',
  '{"agencyID":"USGS","author":"","creationTime":"2024-"},"evaluationMode":"manual","evaluation',
  'Status":"confirmed","mag":{"uncertainty":0.1,"value":1},"methodID":"smi:","originID":"smi:",',
  '"publicID":"smi:","stationCount":1,"stationMagnitudeContribution":[{"residual":0.1,"stationM',
  'agnitudeID":"smi:","weight":1},{"residual":-0.1,"stationMagnitudeID":"smi:","weight":0}],"ty',
  'pe":"ML"},{"mag":{"value":1},"type":"mb"},{"type":"Mww"},{"type":"Mw(mB)"},{"type":"Ms"},{"t',
  'ype":"Md"}]}{"arrival":[{"azimuth":1,"creationInfo":{"agencyID":""},"distance":1,"earthModel',
  'ID":"smi:","phase":"P","pickID":"smi:","publicID":"smi:","takeoffAngle":{"value":1},"timeRes',
  'idual":-0.1,"timeWeight":1},{"phase":"Pn","timeResidual":0.1},{"phase":"S"},{"phase":"Sg"},{',
  '"phase":"Pg"}]}{"origin":[{"arrival":[],"creationInfo":{"agencyID":"","author":"","creationT',
  'ime":"2024-"},"depth":{"uncertainty":1000,"value":10000},"depthType":"from location","earthM',
  'odelID":"smi:","epicenterFixed":false,"evaluationMode":"manual","evaluationStatus":"reviewed',
  '","latitude":{"uncertainty":0.1,"value":1},"longitude":{"uncertainty":0.1,"value":1},"method',
  'ID":"smi:","originUncertainty":[{"azimuthMaxHorizontalUncertainty":1,"confidenceEllipsoid":{',
  '"majorAxisAzimuth":1,"majorAxisPlunge":1,"majorAxisRotation":1,"semiIntermediateAxisLength":',
  '1,"semiMajorAxisLength":1,"semiMinorAxisLength":1},"confidenceLevel":90,"horizontalUncertain',
  'ty":1000,"maxHorizontalUncertainty":1000,"minHorizontalUncertainty":1000,"preferredDescripti',
  'on":"uncertainty ellipse"},{"preferredDescription":"horizontal uncertainty"}],"publicID":"sm',
  'i:local/","quality":{"associatedPhaseCount":1,"associatedStationCount":1,"azimuthalGap":1,"m',
  'aximumDistance":1,"medianDistance":1,"minimumDistance":0.1,"secondaryAzimuthalGap":1,"standa',
  'rdError":0.1,"usedPhaseCount":1,"usedStationCount":1},"time":{"uncertainty":0.1,"value":"202',
  '4-01-01T00:00:00.000000Z"},"timeFixed":false,"type":"hypocenter"},{"depthType":"operator ass',
  'igned","publicID":"quakeml:"}],"preferredFocalMechanismID":"smi:","preferredMagnitudeID":"sm',
  'i:","preferredOriginID":"smi:","publicID":"quakeml:","type":"earthquake"}',
];

export const DICTIONARY = Buffer.from(TEXT.join(""));
