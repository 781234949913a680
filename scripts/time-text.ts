/** Formats Unix seconds as an ISO date and time in UTC. */
export function timeText(seconds: number): string {
  return new Date(1000 * seconds).toISOString().replace(".000Z", "Z");
}
