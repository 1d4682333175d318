import type { AgencySettings } from "./imports.ts";

/** Requests to one agency at a time, where nothing else is said. */
export const REQUESTS_AT_ONCE = 2;

const service = {
  enabled: false,
  maxPerRequest: null,
  requestsAtOnce: REQUESTS_AT_ONCE,
  push: null,
} as const;

/**
 * Agencies that are known beforehand, by id; turned off until an administrator changes that. Most events in one answer
 * as the agencies or the widely used clients QQuake and ObsPy state them; null where nobody does.
 */
export const AGENCY_PRESETS: Readonly<Record<string, AgencySettings>> = {
  geonet: {
    ...service,
    name: "GeoNet",
    url: "https://service.geonet.org.nz/fdsnws/event/1",
    dialect: "geonet",
    maxPerRequest: 10_000,
  },
  usgs: {
    ...service,
    name: "USGS ComCat",
    url: "https://earthquake.usgs.gov/fdsnws/event/1",
    dialect: "comcat",
    maxPerRequest: 20_000,
  },
  emsc: {
    ...service,
    name: "EMSC",
    url: "https://www.seismicportal.eu/fdsnws/event/1",
    dialect: "emsc",
    maxPerRequest: 1_000,
    push: "wss://www.seismicportal.eu/standing_order/websocket",
  },
  // Its requests run slowly.
  isc: {
    ...service,
    name: "ISC",
    url: "https://www.isc.ac.uk/fdsnws/event/1",
    dialect: "isc",
    requestsAtOnce: 1,
  },
  ingv: {
    ...service,
    name: "INGV",
    url: "https://webservices.ingv.it/fdsnws/event/1",
    dialect: "fdsn",
    maxPerRequest: 10_000,
  },
  gfz: {
    ...service,
    name: "GFZ",
    url: "https://geofon.gfz.de/fdsnws/event/1",
    dialect: "seiscomp",
    maxPerRequest: 1_000,
  },
  // The Swiss Seismological Service, which is also the node of ORFEUS for events.
  eth: {
    ...service,
    name: "ORFEUS / ETH Zürich",
    url: "https://eida.ethz.ch/fdsnws/event/1",
    dialect: "seiscomp",
    maxPerRequest: 1_000,
  },
  ncedc: {
    ...service,
    name: "NCEDC",
    url: "https://service.ncedc.org/fdsnws/event/1",
    dialect: "fdsn",
  },
  scedc: {
    ...service,
    name: "SCEDC",
    url: "https://service.scedc.caltech.edu/fdsnws/event/1",
    dialect: "fdsn",
  },
};

/** What settings of an agency may be at most; the id and the texts in characters. */
export const AGENCY_LIMITS = { id: 64, name: 100, url: 2000, perRequest: 1_000_000, atOnce: 16 };

/** The id of an agency that is known by its name alone: small letters and digits, with a hyphen for anything else. */
export function agencySlug(name: string): string {
  const plain = name
    .normalize("NFD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .toLowerCase();
  const slug = plain.replaceAll(/[^a-z0-9]+/g, "-").slice(0, AGENCY_LIMITS.id);
  return slug.replaceAll(/^-|-$/g, "") || "agency";
}
