import type { ServerRecord } from '../servers/server-record.ts';

/**
 * The visible fields of a server, as bits of `Transition.fields`. Readers of the change feed learn only of changes in
 * these fields.
 */
export const VISIBLE = {
  status: 1,
  players: 2,
  map: 4,
  name: 8,
  maxplayers: 16,
  version: 32,
  password: 64,
} as const;

/** Bit mask of all visible fields: the sum of the bits in `VISIBLE`. */
export const ALL_FIELDS = 127;

/**
 * A visible change of a server: one of the fields in `VISIBLE` changed, the server was inserted or removed, or its
 * property `isPublic` changed.
 */
export interface Transition {
  /** Sequence number of the change: 1 for the first change of a core process, and one more for each further change. */
  readonly sequence: number;
  /** `serverKey` of the changed server. */
  readonly key: string;
  /**
   * The changed fields of the server, as a sum of bits of `VISIBLE`. All bits are set if the server was inserted or
   * removed, or if `isPublic` changed. The bit `VISIBLE.status` is set if the status in answers has changed. This
   * status can differ from `ServerRecord.status`, for example if the data is old.
   */
  readonly fields: number;
  /** Record of the server before the change; undefined if the server was inserted. */
  readonly before: ServerRecord | undefined;
  /** Record of the server after the change; undefined if the server was removed. */
  readonly after: ServerRecord | undefined;
}
