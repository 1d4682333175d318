/** An event in the old Nordic format, so many minutes after the beginning of 2 January 2020, with one pick. */
export function nordicEventAt(minute: number): string {
  const clock = `${String(Math.floor(minute / 60)).padStart(2)}${String(minute % 60).padStart(2)}`;
  const id = `2020010200${String(minute).padStart(4, "0")}`;
  return (
    ` 2020  1 2 ${clock}  1.5 L  10.000  20.000  5.0  TES                               1\n` +
    ` ACTION:NEW                                              ID:${id}     I\n` +
    " STAT SP IPHASW D HRMM SECON CODA AMPLIT PERI AZIMU VELO AIN AR TRES W  DIS CAZ7\n" +
    ` SIMPLSZ IP       ${clock}  2.25                                                    \n\n`
  );
}

/** A time in that minute, with seconds of so many digits. */
export function timeInMinute(minute: number, seconds: string): string {
  return `${new Date(Date.UTC(2020, 0, 2, 0, minute)).toISOString().slice(0, 17)}${seconds}Z`;
}
