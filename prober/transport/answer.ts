import type { RawStatus } from '../protocols/protocol.ts';

/** An address literal, as the kernel writes it, and a port. Nothing in this folder resolves names. */
export interface Endpoint {
  address: string;
  port: number;
}

/** How asking one port of one server once ended. `detail` is for people. */
export type Answer =
  /** `ping` is the first round trip in ms. */
  | { kind: 'online'; status: RawStatus; ping: number }
  | { kind: 'silent'; detail: string }
  | { kind: 'malformed'; detail: string }
  | { kind: 'refused'; detail: string }
  /** Asking failed on our side; says nothing about the server. */
  | { kind: 'fault'; detail: string };

/** The budgets of an address, its network or all had no room for too long. */
export const NO_ROOM: Answer = { kind: 'fault', detail: 'no room for a packet' };

/** What went wrong with a socket: its code where it has one. */
export function errorDetail(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
