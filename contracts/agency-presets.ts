import type { AgencySettings } from "./agency.ts";
import { REQUESTS_AT_ONCE } from "./agency-limits.ts";

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
