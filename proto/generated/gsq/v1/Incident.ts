// Original file: gsq/v1/history.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.ts';

/**
 * A time in which a server was offline.
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
   * Reason, a word of docs/errors.md: no_reply, refused ...
   */
  'reason'?: (string);
}

/**
 * A time in which a server was offline.
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
   * Reason, a word of docs/errors.md: no_reply, refused ...
   */
  'reason': (string);
}
