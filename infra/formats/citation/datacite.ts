import { licenseAddress } from "#contracts/catalogue-metadata.ts";
import {
  type CitedVersion,
  dayOf,
  doiOf,
  orcidAddress,
  rorAddress,
  selectionOf,
  titleOf,
  uriOf,
  yearOf,
} from "./cited-version.ts";

/** DataCite's words for values that must stand but are not known ("Standard values for unknown information"). */
const UNKNOWN = "(:unkn)";
const UNAVAILABLE = "(:unav)";

/**
 * The version's record for DataCite: its JSON, Metadata Schema 4.6. It uses nothing that 4.5 lacks, whose
 * JSON schema is the latest that is published.
 */
export function citationDatacite(cited: CitedVersion): string {
  const { version, metadata, address, eventCount } = cited;
  const doi = doiOf(cited);
  const record = {
    ...(doi !== null && { doi }),
    url: address,
    types: { resourceTypeGeneral: "Dataset", resourceType: "Earthquake catalogue" },
    creators: creatorsOf(cited),
    titles: [{ title: titleOf(cited) }],
    publisher: { name: metadata?.publisher ?? UNAVAILABLE },
    publicationYear: yearOf(cited),
    dates: datesOf(cited),
    alternateIdentifiers: alternatesOf(cited),
    relatedIdentifiers: relatedOf(cited),
    sizes: [`${eventCount} events`],
    version: String(version),
    ...(metadata?.license && { rightsList: [rightsOf(metadata.license)] }),
    ...descriptionsOf(cited),
    ...placesOf(cited),
    schemaVersion: "http://datacite.org/schema/kernel-4",
  };
  return `${JSON.stringify(record, null, 2)}\n`;
}

function descriptionsOf(cited: CitedVersion): object {
  const description = cited.metadata?.description;
  const selection = selectionOf(cited);
  const descriptions = [
    ...(description ? [{ description, descriptionType: "Abstract" }] : []),
    ...(selection === null ? [] : [{ description: selection, descriptionType: "Methods" }]),
  ];
  return descriptions.length > 0 ? { descriptions } : {};
}

function creatorsOf({ metadata }: CitedVersion): object[] {
  const creators = metadata?.creators ?? [];
  if (creators.length === 0) return [{ name: UNKNOWN }];
  return creators.map(({ name, orcid, ror }) => {
    const nameIdentifiers = [
      orcid && identifier(orcidAddress(orcid), "ORCID", "https://orcid.org"),
      ror && identifier(rorAddress(ror), "ROR", "https://ror.org"),
    ].filter(Boolean);
    const nameType = orcid ? "Personal" : ror ? "Organizational" : null;
    return {
      name,
      ...(nameType && { nameType }),
      ...(nameIdentifiers.length > 0 && { nameIdentifiers }),
    };
  });
}

const identifier = (nameIdentifier: string, nameIdentifierScheme: string, schemeUri: string) => ({
  nameIdentifier,
  nameIdentifierScheme,
  schemeUri,
});

function datesOf(cited: CitedVersion): object[] {
  const { start_time: start, end_time: end } = cited.bounds;
  const issued = { date: dayOf(cited), dateType: "Issued" };
  if (start === null || end === null) return [issued];
  return [issued, { date: `${start.slice(0, 10)}/${end.slice(0, 10)}`, dateType: "Collected" }];
}

function alternatesOf({ address, sha256 }: CitedVersion): object[] {
  const ofAddress = { alternateIdentifier: address, alternateIdentifierType: "URL" };
  if (sha256 === null) return [ofAddress];
  return [ofAddress, { alternateIdentifier: sha256, alternateIdentifierType: "SHA-256" }];
}

function relatedOf({ catalogueAddress, previous, sources, metadata }: CitedVersion): object[] {
  const related = (relatedIdentifier: string, relationType: string) => ({
    relatedIdentifier,
    relatedIdentifierType: "URL",
    relationType,
  });
  return [
    related(catalogueAddress, "IsVersionOf"),
    ...(previous === null ? [] : [related(previous, "IsNewVersionOf")]),
    ...sources.map((source) => related(source, "IsDerivedFrom")),
    ...(metadata?.references ?? []).map((reference) => related(uriOf(reference), "References")),
  ];
}

const rightsOf = (license: string) => ({
  rights: license,
  rightsUri: licenseAddress(license),
  rightsIdentifier: license,
  rightsIdentifierScheme: "SPDX",
  schemeUri: "https://spdx.org/licenses/",
});

function placesOf({ bounds, longitudes }: CitedVersion): object {
  const { min_latitude: south, max_latitude: north, min_longitude, max_longitude } = bounds;
  const { west, east } = longitudes ?? { west: min_longitude, east: max_longitude };
  if (west === null || east === null || south === null || north === null) return {};
  const box = {
    westBoundLongitude: west,
    eastBoundLongitude: east,
    southBoundLatitude: south,
    northBoundLatitude: north,
  };
  return { geoLocations: [{ geoLocationBox: box }] };
}
