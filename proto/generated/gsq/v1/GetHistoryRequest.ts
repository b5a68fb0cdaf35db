// Original file: gsq/v1/history.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.ts';

export interface GetHistoryRequest {
  /**
   * Id or alias of a game.
   */
  'gameId'?: (string);
  /**
   * Address, `<host_or_ip>:<port>`.
   */
  'server'?: (string);
  /**
   * Begin of the history, rounded down to a multiple of `step`. If absent, the history begins 24 hours before `to`.
   */
  'from'?: (_google_protobuf_Timestamp | null);
  /**
   * End of the history, rounded up to a multiple of `step`. If absent, the history ends now.
   */
  'to'?: (_google_protobuf_Timestamp | null);
  /**
   * Length of a step: `60s`, `900s`, `1d`, or a multiple of one of them, such as `1h`. If empty, gsq takes the shortest
   * step with which the answer has at most 2000 steps and for which gsq still has data of the whole time.
   */
  'step'?: (string);
}

export interface GetHistoryRequest__Output {
  /**
   * Id or alias of a game.
   */
  'gameId': (string);
  /**
   * Address, `<host_or_ip>:<port>`.
   */
  'server': (string);
  /**
   * Begin of the history, rounded down to a multiple of `step`. If absent, the history begins 24 hours before `to`.
   */
  'from': (_google_protobuf_Timestamp__Output | null);
  /**
   * End of the history, rounded up to a multiple of `step`. If absent, the history ends now.
   */
  'to': (_google_protobuf_Timestamp__Output | null);
  /**
   * Length of a step: `60s`, `900s`, `1d`, or a multiple of one of them, such as `1h`. If empty, gsq takes the shortest
   * step with which the answer has at most 2000 steps and for which gsq still has data of the whole time.
   */
  'step': (string);
}
