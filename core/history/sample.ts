/**
 * Result of one probe of a server, for the history. A sample is the status of the server from `at` until the next
 * sample, but for at most `holdMs`. After `holdMs`, the status is unknown until the next sample.
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
  /**
   * Longest time for which this sample counts as the status of the server, ms. It is one and a half probe intervals.
   */
  readonly holdMs: number;
}
