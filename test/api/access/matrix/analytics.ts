import type { Rows } from "./row.ts";

export const ANALYTICS = {
  decluster: {
    level: "editor",
    request: ({ catalogue }) => [
      "POST",
      `/api/catalogues/${catalogue}/analytics/decluster`,
      { method: "gardner-knopoff" },
    ],
    success: 200,
  },
  listLabels: {
    level: "viewer",
    request: ({ catalogue, labels }) => [
      "GET",
      `/api/catalogues/${catalogue}/analytics/decluster/${labels}/events`,
    ],
    success: 200,
  },
  createDeclustered: {
    level: "editor",
    request: ({ catalogue, labels }) => [
      "POST",
      `/api/catalogues/${catalogue}/analytics/decluster/${labels}/catalogue`,
      { name: "main events", role: "main" },
    ],
    success: 201,
  },
  getNearestNeighbours: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/analytics/nearest-neighbour`],
    success: 200,
  },
  getAnalyticsSummary: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/analytics/summary`],
    success: 200,
  },
  getMagnitudeFrequency: {
    level: "viewer",
    request: ({ catalogue }) => [
      "GET",
      `/api/catalogues/${catalogue}/analytics/magnitude-frequency`,
    ],
    success: 200,
  },
  getCompleteness: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/analytics/completeness`],
    success: 200,
  },
  getBValue: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/analytics/b-value`],
    success: 200,
  },
  getRates: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/analytics/rates`],
    success: 200,
  },
  getMoment: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/analytics/moment`],
    success: 200,
  },
  getInterEventTimes: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/analytics/inter-event`],
    success: 200,
  },
  getDepths: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/analytics/depths`],
    success: 200,
  },
  getDensity: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/analytics/density`],
    success: 200,
  },
  getOmori: {
    level: "viewer",
    request: ({ catalogue }) => [
      "GET",
      `/api/catalogues/${catalogue}/analytics/omori?mainshock=2016-11-13T11:02:56Z`,
    ],
    success: 200,
  },
  getQuality: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/analytics/quality`],
    success: 200,
  },
  plotMagnitudeFrequency: {
    level: "viewer",
    request: ({ catalogue }) => [
      "GET",
      `/api/catalogues/${catalogue}/analytics/magnitude-frequency.svg`,
    ],
    success: 200,
  },
  plotCompleteness: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/analytics/completeness.png`],
    success: 200,
  },
  plotRates: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/analytics/rates.svg`],
    success: 200,
  },
  plotTimeMagnitude: {
    level: "viewer",
    request: ({ catalogue }) => [
      "GET",
      `/api/catalogues/${catalogue}/analytics/time-magnitude.png`,
    ],
    success: 200,
  },
  plotDepths: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/analytics/depths.svg`],
    success: 200,
  },
  plotOmori: {
    level: "viewer",
    request: ({ catalogue }) => [
      "GET",
      `/api/catalogues/${catalogue}/analytics/omori.png?mainshock=2016-11-13T11:02:56Z`,
    ],
    success: 200,
  },
  plotDensity: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/analytics/density.svg`],
    success: 200,
  },
  plotNearestNeighbour: {
    level: "viewer",
    request: ({ catalogue }) => [
      "GET",
      `/api/catalogues/${catalogue}/analytics/nearest-neighbour.png`,
    ],
    success: 200,
  },
  compareCatalogues: {
    level: "viewer",
    request: ({ catalogue, otherCatalogue }) => [
      "POST",
      "/api/compare",
      { a: catalogue, b: otherCatalogue, timeThreshold: 10, distanceThreshold: 50 },
    ],
    success: 200,
  },
} satisfies Rows;
