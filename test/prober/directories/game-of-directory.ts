import type { RawStatus } from '../../../prober/answers/raw-status.ts';
import type { DirectoryQuestion } from '../../../prober/directories/directory.ts';
import type { Answering } from './fake-directories.ts';

/** Test data for a game with a public server list. */
export interface GameOfDirectory {
  protocol: string;
  directory: string;
  /** Hosts of the public server list, in the order in which gsq sends requests to them. */
  hosts: readonly string[];
  /**
   * Returns the answers of a public server list with `servers` servers. Server number i has the address `addressOf(i)`.
   */
  answers: (servers: number) => Answering;
  /** Expected result of a look-up of the first server in the public server list. */
  expected: RawStatus;
  /** Fields that a look-up needs in addition to the server address, for example a secret. */
  more?: Partial<DirectoryQuestion>;
  /**
   * Returns the options that a look-up of server number i needs, for example an id. Undefined if no options are needed.
   */
  optionsOf?: (i: number) => ReadonlyMap<string, string>;
}

/** Port of all servers in the test data. */
export const PORT = 7777;

/** Returns the address of server number i, from 198.51.100.0 upwards. The tests send no packet to these addresses. */
export function addressOf(i: number): string {
  return `198.51.${100 + (i >> 8)}.${i & 255}`;
}

/** Returns a request to look up server number i of a game. */
export function questionAbout({ protocol, more, optionsOf }: GameOfDirectory, i = 0): DirectoryQuestion {
  const address = addressOf(i);
  const options = optionsOf?.(i) ?? new Map<string, string>();
  return { protocol, host: address, address, ports: [PORT], secret: '', options, ...more };
}

/** Calls `make(address, i)` for each server number i from 0 to `servers` - 1. Returns the results as an array. */
export const eachAddress = <T>(servers: number, make: (address: string, i: number) => T): T[] =>
  Array.from({ length: servers }, (_, i) => make(addressOf(i), i));

/** Player list that contains only the player Ann. */
export const onlyAnn = [{ name: 'Ann' }];
