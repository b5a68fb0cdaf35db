/**
 * The status that a protocol parser read from replies, before `normalise` cleans it. Texts may be hostile.
 */
export interface RawStatus {
  name: string;
  map?: string;
  /** Players on the server, bots included. Absent if the server does not tell. */
  players?: number;
  maxplayers?: number;
  numbots?: number;
  password?: boolean;
  version?: string;
  /** The port that players join at; absent if the server does not name one. */
  connectPort?: number;
  playerList?: RawPlayer[];
}

/** The status of a protocol whose servers always tell players and slots. */
export type CountedStatus = RawStatus & { players: number; maxplayers: number };

export interface RawPlayer {
  name: string;
  score?: number;
  /** Seconds that the player has been on the server. */
  time?: number;
}

/** The syntax of colour codes in a protocol's texts: `^1` or `§1`. `normalise` removes the codes. */
export type ColourCodes = 'caret' | 'section' | 'none';
