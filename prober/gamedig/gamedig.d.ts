/** The part of gamedig in use; the package brings no types. */
declare module 'gamedig' {
  export interface QueryOptions {
    type: string;
    address: string;
    host: string;
    port: number;
    givenPortOnly: boolean;
    portCache: boolean;
    maxRetries: number;
    socketTimeout: number;
    attemptTimeout: number;
    /** What the game's protocol takes beside these. */
    [option: string]: unknown;
  }

  /** By id. */
  export const games: Readonly<Record<string, { options: { protocol: string } }>>;

  export class GameDig {
    /** Resolves with whatever the game's protocol filled in; rejects when no attempt succeeded. */
    query(options: QueryOptions): Promise<unknown>;
  }
}
