/** Types of the part of gamedig in use; the package has none. */
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
    /** Further options that the protocol of the game takes. */
    [option: string]: unknown;
  }

  /** Games by their id. */
  export const games: Readonly<Record<string, { options: { protocol: string } }>>;

  export class GameDig {
    /** Resolves with what the protocol filled in; rejects if no attempt succeeded. */
    query(options: QueryOptions): Promise<unknown>;
  }
}
