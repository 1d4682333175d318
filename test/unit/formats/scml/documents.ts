/** The namespaces of the versions of SCML that have events. */
export const NAMESPACES: Readonly<Record<string, string>> = Object.fromEntries([
  ...[7, 8, 9, 10, 11, 12, 13, 15].map((minor) => [
    `0.${minor}`,
    `http://geofon.gfz-potsdam.de/ns/seiscomp3-schema/0.${minor}`,
  ]),
  ["0.14", "http://geofon.gfz.de/ns/seiscomp-schema/0.14"],
]);
export const VERSIONS = ["0.7", "0.8", "0.9", "0.10", "0.11", "0.12", "0.13", "0.14"] as const;

/** A document with these children of EventParameters. */
export function scml(children: readonly string[], version = "0.13"): string {
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n` +
    `<seiscomp xmlns="${NAMESPACES[version]}" version="${version}">\n` +
    `<EventParameters publicID="parameters">\n${children.join("\n")}\n</EventParameters>\n</seiscomp>\n`
  );
}

export const info =
  "<creationInfo><agencyID>TST</agencyID><creationTime>2024-05-06T08:00:00Z</creationTime></creationInfo>";

export function pick(id: string, station = "AAA"): string {
  return (
    `<pick publicID="${id}"><time><value>2024-05-06T07:08:10.25Z</value><uncertainty>0.1</uncertainty></time>` +
    `<waveformID networkCode="XX" stationCode="${station}" locationCode="00" channelCode="HHZ"/>` +
    `<phaseHint>P</phaseHint><evaluationMode>manual</evaluationMode>${info}</pick>`
  );
}

function arrival(pickId: string, weight = "<weight>1</weight>"): string {
  return `<arrival><pickID>${pickId}</pickID><phase>P</phase><azimuth>31.5</azimuth><takeOffAngle>92.25</takeOffAngle>${weight}</arrival>`;
}

function origin(id: string, arrivals: readonly string[], inside = ""): string {
  return (
    `<origin publicID="${id}"><time><value>2024-05-06T07:08:09.5Z</value></time>` +
    `<latitude><value>-41.5</value><uncertainty>1.25</uncertainty></latitude>` +
    `<longitude><value>174.5</value><uncertainty>2.5</uncertainty></longitude>` +
    `<depth><value>5.1162109375</value><uncertainty>0.3</uncertainty><confidenceLevel>68</confidenceLevel></depth>` +
    `<depthType>from location</depthType><methodID>LOCSAT</methodID>` +
    `<quality><usedPhaseCount>3</usedPhaseCount><azimuthalGap>120</azimuthalGap></quality>` +
    `<uncertainty><horizontalUncertainty>1.5</horizontalUncertainty>` +
    `<minHorizontalUncertainty>0.5</minHorizontalUncertainty>` +
    `<maxHorizontalUncertainty>1.75</maxHorizontalUncertainty>` +
    `<azimuthMaxHorizontalUncertainty>30</azimuthMaxHorizontalUncertainty>` +
    `<confidenceEllipsoid><semiMajorAxisLength>4321.5</semiMajorAxisLength>` +
    `<semiMinorAxisLength>1000</semiMinorAxisLength>` +
    `<semiIntermediateAxisLength>2000</semiIntermediateAxisLength><majorAxisPlunge>10</majorAxisPlunge>` +
    `<majorAxisAzimuth>20</majorAxisAzimuth><majorAxisRotation>30</majorAxisRotation></confidenceEllipsoid>` +
    `<preferredDescription>confidence ellipsoid</preferredDescription></uncertainty>` +
    `<evaluationMode>manual</evaluationMode><evaluationStatus>confirmed</evaluationStatus>${info}` +
    `<comment><text>by hand</text><id>note</id></comment>${arrivals.join("")}${inside}</origin>`
  );
}

const amplitude =
  `<amplitude publicID="a1"><type>MLv</type><amplitude><value>1.5</value></amplitude>` +
  `<timeWindow><reference>2024-05-06T07:08:10Z</reference><begin>-1</begin><end>2</end></timeWindow>` +
  `<unit>m/s</unit><pickID>p7</pickID>` +
  `<waveformID networkCode="XX" stationCode="GGG"><resourceURI>smi:local/g</resourceURI></waveformID></amplitude>`;

const magnitudes =
  `<stationMagnitude publicID="s1"><magnitude><value>4.25</value></magnitude><type>MLv</type>` +
  `<amplitudeID>a1</amplitudeID></stationMagnitude>` +
  `<magnitude publicID="m1"><magnitude><value>4.5</value><uncertainty>0.25</uncertainty></magnitude>` +
  `<type>MLv</type><stationCount>1</stationCount><stationMagnitudeContribution>` +
  `<stationMagnitudeID>s1</stationMagnitudeID><residual>0.25</residual><weight>1</weight>` +
  `</stationMagnitudeContribution></magnitude>`;

const mechanism =
  `<focalMechanism publicID="f1"><triggeringOriginID>o1</triggeringOriginID>` +
  `<nodalPlanes preferredPlane="1"><nodalPlane1><strike><value>10</value></strike><dip><value>20</value></dip>` +
  `<rake><value>30</value></rake></nodalPlane1></nodalPlanes>` +
  `<momentTensor publicID="t1"><derivedOriginID>o2</derivedOriginID><momentMagnitudeID>m1</momentMagnitudeID>` +
  `<scalarMoment><value>1e17</value></scalarMoment><method>CMT - moment tensor with zero trace</method>` +
  `<dataUsed><waveType>P body waves</waveType><stationCount>3</stationCount><componentCount>9</componentCount>` +
  `</dataUsed></momentTensor></focalMechanism>`;

const event =
  `<event publicID="e1"><preferredOriginID>o1</preferredOriginID>` +
  `<preferredMagnitudeID>m1</preferredMagnitudeID><preferredFocalMechanismID>f1</preferredFocalMechanismID>` +
  `<type>other</type>${info}<description><text>Somewhere</text><type>region name</type></description>` +
  `<comment><text>felt</text></comment><originReference>o1</originReference>` +
  `<originReference>o2</originReference></event>`;

/**
 * The children of a document with one event of two origins, of seven picks: two of both origins, two of
 * each alone, and one of an amplitude alone.
 */
export const ONE_EVENT: readonly string[] = [
  ...["p1", "p2", "p3", "p4", "p5", "p6", "p7"].map((id) => pick(id)),
  amplitude,
  origin(
    "o1",
    ["p1", "p2", "p3", "p4"].map((id) => arrival(id)),
    magnitudes,
  ),
  origin(
    "o2",
    ["p3", "p4", "p5", "p6"].map((id) => arrival(id)),
  ),
  mechanism,
  event,
];

/** A document with as little as SCML requires of an event and its origin. */
export function plainEvent(id: string, ...children: readonly string[]): readonly string[] {
  const time = "<time><value>2024-05-06T07:08:09Z</value></time>";
  return [
    `<origin publicID="${id}-o">${time}<latitude><value>1</value></latitude>` +
      `<longitude><value>2</value></longitude>${children.join("")}</origin>`,
    `<event publicID="${id}"><originReference>${id}-o</originReference></event>`,
  ];
}
