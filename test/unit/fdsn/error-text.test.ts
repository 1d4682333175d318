import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { errorJson, errorText } from "#infra/formats/fdsn/error-text.ts";
import { testRows } from "../../support/test-rows.ts";

const ERROR = {
  status: 400,
  detail: "minlatitude: expected degrees from pole to pole",
  usage: "https://example.org/api/docs",
  request: "https://example.org/api/catalogues/7f3e/fdsnws/event/1/query?minlat=100",
  submitted: "2024-05-05T10:11:12Z",
};

describe("the text of an error", () => {
  test("the text of an error has the blocks of the standard", () => {
    expect(errorText(ERROR)).toBe(
      [
        "Error 400: Bad Request",
        "",
        "minlatitude: expected degrees from pole to pole",
        "",
        "Usage details are available from https://example.org/api/docs",
        "",
        "Request:",
        "https://example.org/api/catalogues/7f3e/fdsnws/event/1/query?minlat=100",
        "",
        "Request Submitted:",
        "2024-05-05T10:11:12Z",
        "",
        "Service version:",
        "1.2.0",
        "",
      ].join("\n"),
    );
  });

  testRows(
    "a status is called by its name",
    [
      [401, "Unauthorized"],
      [404, "Not Found"],
      [413, "Payload Too Large"],
      [429, "Too Many Requests"],
      [503, "Service Unavailable"],
    ],
    (status, name) => {
      expect(errorText({ ...ERROR, status })).toMatch(new RegExp(`^Error ${status}: ${name}\n\n`));
    },
  );

  test("the status is the only number of several digits in front of the request", () => {
    const anyDetail = fc.string({ unit: fc.constantFrom(..."0123456789., -x\r\n\u2028\0") });
    fc.assert(
      fc.property(anyDetail, (detail) => {
        const [head = ""] = errorText({ ...ERROR, detail }).split("\n\nRequest:\n");
        expect(head.match(/\d\d+/g)).toEqual(["400"]);
        expect(head.split("\n\n")).toHaveLength(3);
      }),
    );
  });

  test("people are told the whole address where they sign in; a time is left out as one number", () => {
    const detail = "The access token expired on 2026-11-26T20:15:00.000Z";
    const text = errorText({ ...ERROR, detail, signIn: "http://127.0.0.1:3000/login" });
    const sentence = "The access token expired on .... Sign in at http://127.0.0.1:3000/login";
    expect(text).toContain(`\n\n${sentence}\n\n`);
  });

  test("the documentation is named by its whole address, on a numbered port too", () => {
    const text = errorText({ ...ERROR, usage: "http://127.0.0.1:3000/api/docs" });
    expect(text).toContain("\nUsage details are available from http://127.0.0.1:3000/api/docs\n");
  });
});

test("an error as JSON is a collection without features, as ComCat's", () => {
  expect(JSON.parse(errorJson(ERROR))).toEqual({
    type: "FeatureCollection",
    metadata: {
      status: 400,
      generated: 1_714_903_872_000,
      url: ERROR.request,
      title: "Search Error",
      api: "1.2.0",
      count: 0,
      error: ERROR.detail,
    },
    features: [],
  });
});
