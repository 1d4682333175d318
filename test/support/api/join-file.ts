import type { UnmatchedRow } from "#contracts/events/imports.ts";
import type { ValidationReport } from "#contracts/http/event-bodies.ts";
import type { ApiClient } from "../api-client.ts";
import { keepFile } from "./events-of-file.ts";

export type JoinAnswer = {
  readonly version: number;
  readonly validationReport: ValidationReport;
  readonly newEvents: number;
  readonly updatedEvents: number;
  readonly skippedEvents: number;
  readonly unmatched: readonly UnmatchedRow[];
  readonly unmatchedCount: number;
};

/** Uploads a file and joins its rows to the events of a catalogue. */
export async function joinFile(
  client: ApiClient,
  id: string,
  content: string,
  {
    fileName = "table.csv",
    ...options
  }: Readonly<Record<string, unknown>> & { fileName?: string } = {},
) {
  const { uploadId } = await keepFile(client, content, fileName);
  const body = { uploadId, join: "source_id", ...options };
  return client.send<JoinAnswer>("POST", `/api/catalogues/${id}/events`, body);
}

/** Two earthquakes as GeoNet's search gives them, by the first letters of their ids. */
export const EVENTS = [
  {
    source_id: "2103645",
    time: "2003-08-21T12:12:49.75Z",
    latitude: -45.1904,
    longitude: 166.8302,
    depth: 24.1,
    magnitude: 6.9,
    magnitude_type: "ML",
    extra: { public_id: "smi:nz.org.geonet/2103645" },
  },
  {
    source_id: "2016p858000",
    time: "2016-11-13T11:02:56.346094Z",
    latitude: -42.69245,
    longitude: 173.02158,
    depth: 15.1171875,
    magnitude: 7.1,
    magnitude_type: "MLv",
  },
];

/** In the shape of GeoNet's table of moment tensors: moments in dyne·cm, tensors in 10²⁰ of these. */
export const MOMENT_TENSORS = `PublicID,Date,Latitude,Longitude,strike1,dip1,rake1,strike2,dip2,rake2,ML,Mw,Mo,CD,NS,DC,Mxx,Mxy,Mxz,Myy,Myz,Mzz,VR,Tva,Tpl,Taz,Nva,Npl,Naz,Pva,Ppl,Paz,Method
2103645,20030821121200,-45.1904,166.8302,0,90,180,90,90,0,6.9,7.0,4.0e+26,22,5,87,0.00,4000000.00,0.00,0.00,0.00,0.00,83,4000000,0,45,0,90,0,-4000000,0,135,1
2016p858000,20161113110200,-42.69,173.02,226,33,141,350,71,64,7.1,7.8,n/a,n/a,n/a,n/a,n/a,n/a,n/a,n/a,n/a,n/a,n/a,n/a,n/a,n/a,n/a,n/a,n/a,n/a,n/a,n/a,1
9999999,20161113120000,-42.69,173.02,226,33,141,350,71,64,5.1,5.0,3.5e+23,8,4,90,1,2,3,4,5,6,70,1,2,3,4,5,6,7,8,9,1
`;
