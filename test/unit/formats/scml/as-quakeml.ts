import { info, pick } from "./documents.ts";

const quantity = (name: string, value: string, uncertainty?: string): string =>
  `<${name}><value>${value}</value>${uncertainty ? `<uncertainty>${uncertainty}</uncertainty>` : ""}</${name}>`;

const arrival = (id: string, pickId: string): string =>
  `<arrival publicID="${id}"><pickID>${pickId}</pickID><phase>P</phase><azimuth>31.5</azimuth>` +
  `${quantity("takeoffAngle", "92.25")}<timeWeight>1</timeWeight></arrival>`;

function origin(id: string, arrivals: readonly string[]): string {
  return (
    `<origin publicID="${id}"><time><value>2024-05-06T07:08:09.5Z</value></time>` +
    quantity("latitude", "-41.5", "1.25") +
    quantity("longitude", "174.5", "2.5") +
    `<depth><value>5116.2109375</value><uncertainty>300</uncertainty><confidenceLevel>68</confidenceLevel></depth>` +
    `<depthType>from location</depthType><methodID>LOCSAT</methodID>` +
    `<quality><usedPhaseCount>3</usedPhaseCount><azimuthalGap>120</azimuthalGap></quality>` +
    `<originUncertainty><horizontalUncertainty>1500</horizontalUncertainty>` +
    `<minHorizontalUncertainty>500</minHorizontalUncertainty>` +
    `<maxHorizontalUncertainty>1750</maxHorizontalUncertainty>` +
    `<azimuthMaxHorizontalUncertainty>30</azimuthMaxHorizontalUncertainty>` +
    `<confidenceEllipsoid><semiMajorAxisLength>4321.5</semiMajorAxisLength>` +
    `<semiMinorAxisLength>1000</semiMinorAxisLength>` +
    `<semiIntermediateAxisLength>2000</semiIntermediateAxisLength><majorAxisPlunge>10</majorAxisPlunge>` +
    `<majorAxisAzimuth>20</majorAxisAzimuth><majorAxisRotation>30</majorAxisRotation></confidenceEllipsoid>` +
    `<preferredDescription>confidence ellipsoid</preferredDescription></originUncertainty>` +
    `<evaluationMode>manual</evaluationMode><evaluationStatus>confirmed</evaluationStatus>${info}` +
    `<comment id="note"><text>by hand</text></comment>${arrivals.join("")}</origin>`
  );
}

/**
 * The event of ONE_EVENT as QuakeML has it.
 * @param arrivalIds of the eight arrivals, since SCML gives them none
 */
export function oneEventAsQuakeml(arrivalIds: readonly string[]): string {
  const arrivals = ["p1", "p2", "p3", "p4", "p3", "p4", "p5", "p6"].map((pickId, place) =>
    arrival(arrivalIds[place] ?? "", pickId),
  );
  return (
    `<q:quakeml xmlns:q="http://quakeml.org/xmlns/quakeml/1.2" xmlns="http://quakeml.org/xmlns/bed/1.2">` +
    `<eventParameters publicID="parameters"><event publicID="e1">` +
    ["p1", "p2", "p3", "p4", "p5", "p6", "p7"].map((id) => pick(id)).join("") +
    `<amplitude publicID="a1"><type>MLv</type>${quantity("genericAmplitude", "1.5")}` +
    `<timeWindow><reference>2024-05-06T07:08:10Z</reference><begin>-1</begin><end>2</end></timeWindow>` +
    `<unit>m/s</unit><pickID>p7</pickID>` +
    `<waveformID networkCode="XX" stationCode="GGG">smi:local/g</waveformID></amplitude>` +
    origin("o1", arrivals.slice(0, 4)) +
    origin("o2", arrivals.slice(4)) +
    `<stationMagnitude publicID="s1">${quantity("mag", "4.25")}<type>MLv</type>` +
    `<amplitudeID>a1</amplitudeID><originID>o1</originID></stationMagnitude>` +
    `<magnitude publicID="m1">${quantity("mag", "4.5", "0.25")}<type>MLv</type>` +
    `<stationCount>1</stationCount><originID>o1</originID><stationMagnitudeContribution>` +
    `<stationMagnitudeID>s1</stationMagnitudeID><residual>0.25</residual><weight>1</weight>` +
    `</stationMagnitudeContribution></magnitude>` +
    `<focalMechanism publicID="f1"><triggeringOriginID>o1</triggeringOriginID>` +
    `<nodalPlanes preferredPlane="1"><nodalPlane1>${quantity("strike", "10")}${quantity("dip", "20")}` +
    `${quantity("rake", "30")}</nodalPlane1></nodalPlanes>` +
    `<momentTensor publicID="t1"><derivedOriginID>o2</derivedOriginID>` +
    `<momentMagnitudeID>m1</momentMagnitudeID>${quantity("scalarMoment", "1e17")}` +
    `<inversionType>zero trace</inversionType><dataUsed><waveType>P waves</waveType>` +
    `<stationCount>3</stationCount><componentCount>9</componentCount></dataUsed></momentTensor>` +
    `</focalMechanism><preferredOriginID>o1</preferredOriginID>` +
    `<preferredMagnitudeID>m1</preferredMagnitudeID>` +
    `<preferredFocalMechanismID>f1</preferredFocalMechanismID><type>other event</type>${info}` +
    `<description><text>Somewhere</text><type>region name</type></description>` +
    `<comment><text>felt</text></comment></event></eventParameters></q:quakeml>`
  );
}
