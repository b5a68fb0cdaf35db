/** Types of the functions of gamedig that gsq uses. The package itself contains no types. */
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
    /** Additional query options that depend on the protocol of the game. */
    [option: string]: unknown;
  }

  /** Games that gamedig can query, keyed by the game id of gamedig. */
  export const games: Readonly<Record<string, { options: { protocol: string } }>>;

  /** The classes of the protocols, keyed by the name of the protocol. */
  export const protocols: Readonly<Record<'eldewrito', { prototype: object }>>;

  export class GameDig {
    /**
     * Queries a game server. Resolves with the status that gamedig's protocol parsed. Rejects if all attempts failed.
     */
    query(options: QueryOptions): Promise<unknown>;
  }
}
