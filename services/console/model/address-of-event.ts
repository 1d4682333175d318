/** The page of an event, as it is at a version or now. */
export function addressOfEvent(catalogue: string, event: string, asOf?: string | number): string {
  const address = `/catalogues/${catalogue}/events/${event}`;
  return asOf === undefined ? address : `${address}?asOf=${encodeURIComponent(asOf)}`;
}
