import type { ServerRecord } from '../servers/server-record.ts';

/** The fields of a server whose change a person would see, as bits of `Transition.fields`. */
export const VISIBLE = {
  status: 1,
  players: 2,
  map: 4,
  name: 8,
  maxplayers: 16,
  version: 32,
  password: 64,
} as const;

/** A change of a server that a person would see. */
export interface Transition {
  /** Number of the change. Each change has a higher number than the one before. */
  readonly sequence: number;
  /** The fields that changed: the sum of bits of `VISIBLE`. All bits if the server was inserted or removed. */
  readonly fields: number;
  /** Record before the change; undefined if the server was inserted. Its `data` is valid only during the callback. */
  readonly before: ServerRecord | undefined;
  /** Record after the change; undefined if the server was removed. */
  readonly after: ServerRecord | undefined;
}
