import { FDSN_HEADER, FDSN_NAMES, FDSN_ROW } from "./fdsn.ts";
import { lines, type Variant } from "./variant.ts";

/** Tables as FDSN services and their kin serve them. */
export const SERVICES: readonly Variant[] = [
  {
    title: "FDSN text with 13 columns, a quote being a character like others",
    text: lines(
      FDSN_HEADER,
      '2801727|2007-12-20T07:55:15|-38.874|178.509|33.2|GNS|GNS|GNS|2801727|ML|6.7|GNS|Off East Cape, "Gisborne"',
    ),
    format: "txt",
    headers: FDSN_NAMES,
    rows: [FDSN_ROW],
  },
  {
    title: "FDSN text with 14 columns and blanks around the names",
    text: lines(
      `${FDSN_HEADER.replaceAll("|", " | ")} | EventType`,
      '2801727 | 2007-12-20T07:55:15 | -38.874 | 178.509 | 33.2 | GNS | GNS | GNS | 2801727 | ML | 6.7 | GNS | Off East Cape, "Gisborne" | earthquake',
    ),
    format: "txt",
    headers: [...FDSN_NAMES, "EventType"],
    rows: [{ ...FDSN_ROW, EventType: "earthquake" }],
  },
  {
    title: "USGS csv with quoted places",
    text: lines(
      "time,latitude,longitude,depth,mag,magType,nst,gap,dmin,rms,net,id,updated,place,type",
      '2024-01-01T07:10:09.476Z,37.4874,137.2710,10,7.5,mww,190,33,0.6,0.99,us,us6000m0xl,2024-03-01T00:00:00.040Z,"42 km NE of Anamizu, Japan ""Noto""",earthquake',
      '2024-01-01T07:20:09.476Z,37.4,137.2,10,,,,,,,us,us6000m0xm,2024-03-01T00:00:00.040Z,"Quarry, somewhere",quarry',
    ),
    format: "csv",
    headers:
      "time latitude longitude depth mag magType nst gap dmin rms net id updated place type".split(
        " ",
      ),
    rows: [
      {
        time: "2024-01-01T07:10:09.476Z",
        latitude: 37.4874,
        longitude: 137.271,
        depth: 10,
        mag: 7.5,
        magType: "mww",
        nst: 190,
        gap: 33,
        dmin: 0.6,
        rms: 0.99,
        net: "us",
        id: "us6000m0xl",
        updated: "2024-03-01T00:00:00.040Z",
        place: '42 km NE of Anamizu, Japan "Noto"',
        type: "earthquake",
      },
      {
        time: "2024-01-01T07:20:09.476Z",
        latitude: 37.4,
        longitude: 137.2,
        depth: 10,
        mag: null,
        magType: null,
        nst: null,
        gap: null,
        dmin: null,
        rms: null,
        net: "us",
        id: "us6000m0xm",
        updated: "2024-03-01T00:00:00.040Z",
        place: "Quarry, somewhere",
        type: "quarry blast",
        extra: { type: "quarry" },
      },
    ],
    warnings: ['3: type: "quarry" is read as "quarry blast"'],
  },
  {
    title: "GeoNet quakesearch with WKT, blank types and −9 for no magnitude",
    text: lines(
      "origintime,publicid,eventtype,longitude,latitude,magnitude,depth,geometry",
      "1999-08-04T12:00:00.000Z,1234567,,175.93683624267578125,-38.81,-9,5.0,POINT (175.9 -38.8)",
    ),
    format: "csv",
    headers: [
      "origintime",
      "publicid",
      "eventtype",
      "longitude",
      "latitude",
      "magnitude",
      "depth",
      "geometry",
    ],
    rows: [
      {
        origintime: "1999-08-04T12:00:00.000Z",
        publicid: "1234567",
        eventtype: null,
        longitude: 175.93683624267578,
        latitude: -38.81,
        magnitude: null,
        depth: 5,
        geometry: "POINT (175.9 -38.8)",
        extra: { magnitude: -9 },
      },
    ],
    warnings: ['2: magnitude: -9 stands for "not known"; it is kept under extra'],
  },
  {
    title: "ObsPy csv with nan and null",
    text: lines("time,lat,lon,dep,mag,magtype,id", "2012-04-04,42,42,nan,null,,id1"),
    format: "csv",
    headers: ["time", "lat", "lon", "dep", "mag", "magtype", "id"],
    rows: [
      { time: "2012-04-04", lat: 42, lon: 42, dep: null, mag: null, magtype: null, id: "id1" },
    ],
  },
];
