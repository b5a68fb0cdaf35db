// Original file: gsq/v1/history.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.ts';

/**
 * A period in which a server was offline.
 */
export interface Incident {
  /**
   * Time when gsq found that the server was offline.
   */
  'started'?: (_google_protobuf_Timestamp | null);
  /**
   * Time when the server answered again; absent if it is still offline. Equals `started` if gsq does not know the time.
   */
  'ended'?: (_google_protobuf_Timestamp | null);
  /**
   * Reason why the server was offline, such as `no_reply` or `refused` (docs/errors.md).
   */
  'reason'?: (string);
}

/**
 * A period in which a server was offline.
 */
export interface Incident__Output {
  /**
   * Time when gsq found that the server was offline.
   */
  'started': (_google_protobuf_Timestamp__Output | null);
  /**
   * Time when the server answered again; absent if it is still offline. Equals `started` if gsq does not know the time.
   */
  'ended': (_google_protobuf_Timestamp__Output | null);
  /**
   * Reason why the server was offline, such as `no_reply` or `refused` (docs/errors.md).
   */
  'reason': (string);
}
