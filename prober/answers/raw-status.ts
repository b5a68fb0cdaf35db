/** What a protocol module learned, before the normaliser has seen it. Text may still be hostile. */
export interface RawStatus {
  name: string;
  map?: string;
  /** Everyone on the server, bots included; absent if the server does not tell, as are the places. */
  players?: number;
  maxplayers?: number;
  numbots?: number;
  password?: boolean;
  version?: string;
  /** The port to join at, where the server names one. */
  connectPort?: number;
  playerList?: RawPlayer[];
}

/** A status of a protocol that always tells players and places. */
export type CountedStatus = RawStatus & { players: number; maxplayers: number };

export interface RawPlayer {
  name: string;
  score?: number;
  /** Seconds on the server. */
  time?: number;
}

/** How names are coloured in a protocol's text: `^1` or `§1`. The normaliser takes the codes out. */
export type ColourCodes = 'caret' | 'section' | 'none';
