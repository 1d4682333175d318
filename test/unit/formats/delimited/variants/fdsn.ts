/** A row of FDSN text, for the variants with and without its header. */
export const FDSN_HEADER =
  "#EventID|Time|Latitude|Longitude|Depth/km|Author|Catalog|Contributor|ContributorID|MagType|Magnitude|MagAuthor|EventLocationName";
export const FDSN_NAMES = FDSN_HEADER.slice(1).split("|");
export const FDSN_ROW = {
  EventID: "2801727",
  Time: "2007-12-20T07:55:15",
  Latitude: -38.874,
  Longitude: 178.509,
  "Depth/km": 33.2,
  Author: "GNS",
  Catalog: "GNS",
  Contributor: "GNS",
  ContributorID: 2801727,
  MagType: "ML",
  Magnitude: 6.7,
  MagAuthor: "GNS",
  EventLocationName: 'Off East Cape, "Gisborne"',
};
