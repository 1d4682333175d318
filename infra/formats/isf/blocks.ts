/**
 * Lines that are no values: those of messages, titles, headers of blocks, comments with a
 * meaning.
 */

/** Parts of a mechanism, which are comments of their own. */
export type MechanismPart = "MOMTENS" | "FAULT_PLANE" | "PRINAX";

/** Blocks whose lines are kept as they stand. */
export type KeptBlock = "effects" | "bibliography" | "unknownBlock";

/** Lines of other blocks that QuakeML has no place for, which are kept as well. */
export type KeptLine = KeptBlock | "origin" | "magnitude" | "phase" | "phaseInformation";

export type Block = "origins" | "magnitudes" | "phases" | "information" | KeptBlock;

/** Lines above the blocks' columns, as the writer writes them; the reader knows them by their first words. */
export const HEADERS: Readonly<Record<Exclude<Block, "unknownBlock">, string>> = {
  origins:
    "   Date       Time        Err   RMS Latitude Longitude  Smaj  Smin  Az Depth   Err Ndef Nsta Gap  mdist  Mdist Qual   Author      OrigID    Rep   DPdep   Err Sgp",
  magnitudes: "Magnitude  Err Nsta Author      OrigID",
  phases:
    "Sta     Dist  EvAz Phase        Time      TRes  Azim AzRes   Slow   SRes Def   SNR       Amp   Per Qual Magnitude    ArrID    Agy   Deploy   Ln Auth  Rep   PCh ACh L   Lat       Lon     Elev    Depth",
  information:
    "Net      Chan F Low_F HighF AuthPhas    Date     eTime wTime eAzim wAzim  eSlow wSlow      eAmp  ePer eMag Author      ArrID",
  effects: "Effects              Loctyp Location           Intensity Scale Author",
  bibliography: "Year  Volume Page1 Page2    Journal",
};

/** Lines above the values of a mechanism, without their parentheses. */
export const MECHANISM_HEADERS: Readonly<Record<MechanismPart, readonly string[]>> = {
  MOMTENS: [
    "(#MOMTENS sc    M0 fCLVD    MRR    MTT    MPP    MRT    MTP    MPR NST1 NST2 Author   )",
    "(#             eM0 eCLVD    eRR    eTT    ePP    eRT    eTP    ePR NCO1 NCO2 Duration )",
  ],
  FAULT_PLANE: ["(#FAULT_PLANE Typ Strike   Dip    Rake  NP  NS Plane Author   )"],
  PRINAX: [
    "(#PRINAX sc  T_val T_azim  T_pl  B_val B_azim  B_pl  P_val P_azim  P_pl Author   )",
    "(+             eTv    eTa   eTp    eBv    eBa   eBp    ePv    ePa   ePp fCLVD    )",
  ],
};

/** Words by which a header is known, since files differ in their blanks and later columns. */
const FIRST_WORDS: readonly (readonly [Block, string])[] = [
  ["origins", "date time err rms"],
  ["magnitudes", "magnitude err nsta author"],
  ["phases", "sta dist evaz phase"],
  ["information", "net chan f low_f"],
  ["effects", "effects loctyp location"],
  ["bibliography", "year volume page1 page2"],
];

const WORDS = 4;
/** Longer words than any header has end the comparison early. */
const HEADER_BEGINNING = 80;

/** The block that a line begins, null for another line. */
export function blockBegunBy(text: string): Block | null {
  const words = text.trim().slice(0, HEADER_BEGINNING).toLowerCase().split(/\s+/);
  const first = words.slice(0, WORDS).join(" ");
  const isIt = ([, beginning]: readonly [Block, string]) =>
    first === beginning || first.startsWith(`${beginning} `);
  return FIRST_WORDS.find(isIt)?.[0] ?? null;
}

export function isKept(block: Block | null): block is KeptBlock {
  return block === "effects" || block === "bibliography" || block === "unknownBlock";
}

export function startsWithWord(text: string, word: string): boolean {
  const rest = text.slice(word.length);
  return text.startsWith(word) && (rest === "" || rest.startsWith(" "));
}

/** What stands between a comment's parentheses, null for a line that is no comment. */
export function commentIn(text: string): string | null {
  const trimmed = text.trim();
  if (!trimmed.startsWith("(")) return null;
  return trimmed.slice(1, trimmed.endsWith(")") ? -1 : undefined);
}

/** Comments that say something of the origin before them, by their first word. */
export const PRIME = "#PRIME";
export const CENTROID = "#CENTROID";
export const ORIGIN_ID = "#OrigID";
/** Says the same of the magnitude before it, for which ISF has no word of its own. */
export const PREFERRED = "#PREFERRED";

const DATA_TYPE = /^\s*(?:<[^<>]{0,200}>\s*){0,9}data_type\s+(\S+)(?:\s+(\S+))?/i;
const TITLE = /^event\s+(\S+)/i;
const STOP = /^\s*stop\s*$/i;

/** Kinds of data that are events with their titles. */
const OF_EVENTS: readonly string[] = ["bulletin", "event"];

/** A kind of data that a line of a message announces. */
export type AnnouncedData = { readonly isBulletin: boolean; readonly format: string };

/** What a line announces, null for another line. */
export function dataAnnouncedBy(text: string): AnnouncedData | null {
  const match = DATA_TYPE.exec(text);
  if (match === null) return null;
  const isBulletin = OF_EVENTS.includes(match[1]?.toLowerCase() ?? "");
  return { isBulletin, format: match[2] ?? "IMS1.0" };
}

/** True for the line that ends a message. */
export function isStop(text: string): boolean {
  return STOP.test(text);
}

/** True for a line that is the message's, not an event's. */
export function isMessageLine(text: string): boolean {
  return isStop(text) || dataAnnouncedBy(text) !== null;
}

export type Title = { readonly id: string; readonly region: string };

/** The id and the region in an event's title, null for another line. */
export function titleIn(text: string): Title | null {
  const trimmed = text.trim();
  const match = TITLE.exec(trimmed);
  if (match === null) return null;
  return { id: match[1] ?? "", region: trimmed.slice(match[0].length).trim() };
}
