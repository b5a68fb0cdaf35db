/**
 * Status of a game server as the parser of a protocol read it from the replies, before `normalise` cleans it. Its texts
 * are not trusted: they can contain anything.
 */
export interface RawStatus {
  name: string;
  map?: string;
  /** Number of players on the server, bots included; absent if the server does not report the number. */
  players?: number;
  maxplayers?: number;
  numbots?: number;
  password?: boolean;
  version?: string;
  /** Port at which players join the game server; absent if the server does not report this port. */
  connectPort?: number;
  playerList?: RawPlayer[];
}

/** Status from a protocol that always reports both the number of players and the maximum number of players. */
export type CountedStatus = RawStatus & { players: number; maxplayers: number };

export interface RawPlayer {
  name: string;
  score?: number;
  /** Seconds since the player joined the server. */
  time?: number;
}

/**
 * Syntax of the colour codes in the strings of a protocol: caret (`^1`) or section sign (`§1`). `normalise` removes the
 * codes.
 */
export type ColourCodes = 'caret' | 'section' | 'none';
