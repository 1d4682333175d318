import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { servedEvents } from "../support/agency/generated-events.ts";
import { textHead, writeText } from "../support/agency/geonet-text.ts";
import { writeXml, XML_HEAD, XML_TAIL } from "../support/agency/geonet-xml.ts";

export type BaseFile = { readonly name: string; readonly bytes: Buffer };

const FIXTURES = join(import.meta.dirname, "../fixtures");
const EVENTS = 40;

/** Layouts that the fixtures do not have. */
const TABLES: Readonly<Record<string, string>> = {
  "zmap.dat":
    "173.02\t-42.69\t2016.8671\t11\t13\t7.8\t15.1\t11\t2\t56.3\n178.1\t-38.2\t2021.17\t3\t4\t7.3\t94\t13\t27\t34.8\n",
  "semicolon.csv":
    'Datum;Zeit;Breite;Länge;Tiefe;mag\n2016-11-13;11:02:56,3;"-42,69";173,02;15,1;7,8\n# comment\n',
  "isc.csv":
    "EVENTID,AUTHOR,DATE,TIME,LAT,LON,DEPTH,DEPFIX,AUTHOR,TYPE,MAG\n607,ISC,2016-11-13,11:02:56.3,-42.6,173.0,15.1,,ISC,Mw,7.8,NEIC,mb,6.9\n",
  "split.csv":
    "eventID,Agency,year,month,day,hour,minute,second,longitude,latitude,depth,magnitude\n1,X,2016,11,13,11,02,60.0,173.02,-42.69,-9,-9.99\n",
  "quoted.csv":
    'time,latitude,longitude,depth,mag,place\n2016-11-13T11:02:56Z,-42.69,173.02,15.1,7.8,"near ""A"", b"\n',
};

/** Files of every format that is read, as they should be. */
export function baseFiles(): BaseFile[] {
  const fixtures = globSync(["formats/**/*.*", "*.csv"], { cwd: FIXTURES }).map((name) => ({
    name,
    bytes: readFileSync(join(FIXTURES, name)),
  }));
  const events = [...servedEvents(7, EVENTS)];
  const xml = XML_HEAD + events.map((event) => writeXml(event, 1)).join("") + XML_TAIL;
  const text =
    textHead(true) +
    events.map((event) => writeText(event, { rounded: true, typed: true })).join("");
  return [
    ...fixtures,
    ...Object.entries(TABLES).map(([name, table]) => ({ name, bytes: Buffer.from(table) })),
    { name: "agency.xml", bytes: Buffer.from(xml) },
    { name: "agency.txt", bytes: Buffer.from(text) },
  ];
}
