import type { Bulletin } from "#contracts/bulletin/quakeml.ts";

/** Two origins, three magnitudes and four arrivals at three stations, one of which is not used. */
export const SMALL_BULLETIN: Bulletin = {
  publicID: "smi:local/event",
  comment: [{ text: "Felt in the town.", creationInfo: { author: "A. Reader" } }],
  preferredOriginID: "smi:local/origin/2",
  preferredMagnitudeID: "smi:local/magnitude/1",
  origin: [
    {
      publicID: "smi:local/origin/1",
      comment: [{ text: "By hand." }],
      time: { value: "2024-05-07T08:24:08.5Z" },
      latitude: { value: -38.5 },
      longitude: { value: 176 },
      depth: { value: 12_000 },
    },
    {
      publicID: "smi:local/origin/2",
      time: { value: "2024-05-07T10:24:10.000001+02:00" },
      latitude: { value: -38.6 },
      longitude: { value: 176.2 },
      depth: { value: 5_000 },
      originUncertainty: [
        {
          minHorizontalUncertainty: 1_000,
          maxHorizontalUncertainty: 4_000,
          azimuthMaxHorizontalUncertainty: 60,
        },
      ],
      arrival: [
        {
          publicID: "smi:local/arrival/1",
          pickID: "smi:local/pick/1",
          phase: "S",
          azimuth: 10,
          distance: 0.5,
          timeResidual: 0.4,
          timeWeight: 0.5,
        },
        {
          publicID: "smi:local/arrival/2",
          pickID: "smi:local/pick/2",
          phase: "P",
          azimuth: 10,
          distance: 0.5,
          timeResidual: -0.1,
        },
        {
          publicID: "smi:local/arrival/3",
          pickID: "smi:local/pick/none",
          phase: "Pn",
        },
        {
          publicID: "smi:local/arrival/4",
          pickID: "smi:local/pick/4",
          phase: "pP",
          azimuth: 350,
          distance: 0.2,
          timeWeight: 0,
        },
      ],
    },
  ],
  pick: [
    {
      publicID: "smi:local/pick/1",
      time: { value: "2024-05-07T08:24:26.25Z" },
      waveformID: { networkCode: "NZ", stationCode: "WEL", channelCode: "HHN", locationCode: "10" },
      onset: "emergent",
    },
    {
      publicID: "smi:local/pick/2",
      time: { value: "2024-05-07T08:24:20.000001Z" },
      waveformID: { networkCode: "NZ", stationCode: "WEL", channelCode: "HHZ", locationCode: "10" },
    },
    {
      publicID: "smi:local/pick/4",
      time: { value: "2024-05-07T08:24:14.000001Z" },
      waveformID: {
        networkCode: "NZ",
        stationCode: "HSRZ",
        channelCode: "EHZ",
        locationCode: "--",
      },
    },
    {
      publicID: "smi:local/pick/2",
      time: { value: "2024-05-07T09:00:00Z" },
      waveformID: { networkCode: "XX", stationCode: "SECOND" },
    },
  ],
  amplitude: [
    {
      publicID: "smi:local/amplitude/1",
      genericAmplitude: { value: 1e-6 },
      waveformID: { networkCode: "NZ", stationCode: "HSRZ", channelCode: "EHZ" },
    },
  ],
  stationMagnitude: [
    {
      publicID: "smi:local/stationMagnitude/1",
      originID: "smi:local/origin/2",
      mag: { value: 1.5 },
      type: "ML",
      waveformID: { networkCode: "NZ", stationCode: "WEL", channelCode: "HHN" },
    },
    {
      publicID: "smi:local/stationMagnitude/2",
      originID: "smi:local/origin/2",
      mag: { value: 1.2 },
      type: "ML",
      amplitudeID: "smi:local/amplitude/1",
    },
  ],
  magnitude: [
    {
      publicID: "smi:local/magnitude/1",
      mag: { value: 1.4 },
      type: "ML",
      originID: "smi:local/origin/2",
      stationMagnitudeContribution: [
        { stationMagnitudeID: "smi:local/stationMagnitude/1", weight: 1 },
        { stationMagnitudeID: "smi:local/stationMagnitude/2", residual: -0.25, weight: 0 },
        { stationMagnitudeID: "smi:local/stationMagnitude/none" },
      ],
    },
    {
      publicID: "smi:local/magnitude/2",
      mag: { value: 1.9 },
      type: "Mw",
      originID: "smi:local/origin/none",
    },
    { publicID: "smi:local/magnitude/3", mag: { value: 1.3 }, type: "ML" },
  ],
};

/** The row of the preferred solution. */
export const SHOWN = {
  time: "2024-05-07T08:24:10.000001Z",
  latitude: -38.6,
  longitude: 176.2,
  magnitude: 1.4,
  magnitude_type: "ML",
};
