/**
 * What one probe found out about a server, for the history. A sample counts from `at` until the next sample, but at
 * most for `holdMs`. If no sample counts at a time, the status of the server at this time is unknown.
 */
export interface Sample {
  /** Time of the probe that gave this sample, Unix ms. */
  readonly at: number;
  /**
   * State of the server. `unknown` means that gsq cannot query the server from this time on, so the state of the
   * previous sample no longer counts.
   */
  readonly state: 'online' | 'offline' | 'unknown';
  /** Number of players; undefined if the server does not report it or is not online. */
  readonly players: number | undefined;
  /** Maximum number of players; undefined if the server does not report it or is not online. */
  readonly maxPlayers: number | undefined;
  readonly bots: number;
  /** Longest time for which the sample counts, ms: one and a half probe intervals. */
  readonly holdMs: number;
}
