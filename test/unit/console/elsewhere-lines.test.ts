import { expect, test } from "vitest";
import { curlLine, obspyLines } from "#services/console/features/analytics/elsewhere-lines.ts";

const SHOWN = {
  origin: "https://example.org",
  catalogue: "/api/catalogues/c",
  version: 3,
  isPublic: true,
  filters: {},
};

test("a shell takes curl's line as it is meant, whatever stands in it", () => {
  const body = { method: "it's $HOME" };
  expect(curlLine({ address: "/api/x?eventType=it's&a=1", body }, SHOWN)).toBe(
    [
      'curl -H "authorization: Bearer $TOKEN"',
      "'https://example.org/api/x?eventType=it'\\''s&a=1'",
      `--json '{"method":"it'\\''s $HOME"}'`,
    ].join(" "),
  );
});

test("a public catalogue is read without a token, a private one with it", () => {
  const answer = { address: "/api/x" };
  expect(curlLine(answer, SHOWN)).toBe("curl 'https://example.org/api/x'");
  const hidden = { ...SHOWN, isPublic: false };
  expect(curlLine(answer, hidden)).toContain("$TOKEN");
  expect(obspyLines(hidden)).toContain('/versions/3", user=TOKEN_ID, password=TOKEN)');
});

test("ObsPy asks for the same events as far as event services know the filters", () => {
  const filters = {
    startTime: "2016-11-13",
    minMagnitude: "+2",
    magnitudeType: 'Mw,"x"',
    maxAzimuthalGap: "180",
  };
  expect(obspyLines({ ...SHOWN, filters }).split("\n")).toEqual([
    "from obspy import UTCDateTime",
    "from obspy.clients.fdsn import Client",
    'client = Client("https://example.org/api/catalogues/c/versions/3")',
    'events = client.get_events(starttime=UTCDateTime("2016-11-13"), minmagnitude=2, magnitudetype="Mw,\\"x\\"")',
    "# not known to event services: azimuthal gap ≤ 180°",
  ]);
});

test("ObsPy asks for the same polygon and the same region", () => {
  const filters = {
    polygon: "POLYGON ((174 -41, 176 -41, 175 -39, 174 -41))",
    region: "3b241101-e2bb-4255-8caf-4136c566a962",
  };
  expect(obspyLines({ ...SHOWN, filters })).toContain(
    'get_events(polygon="POLYGON ((174 -41, 176 -41, 175 -39, 174 -41))", region="3b241101-e2bb-4255-8caf-4136c566a962")',
  );
});
