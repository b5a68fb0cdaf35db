// Original file: gsq/v1/server.proto

import type { Credentials as _gsq_v1_Credentials, Credentials__Output as _gsq_v1_Credentials__Output } from '../../gsq/v1/Credentials.ts';
import type { Caller as _gsq_v1_Caller, Caller__Output as _gsq_v1_Caller__Output } from '../../gsq/v1/Caller.ts';
import type { FetchServersRequest as _gsq_v1_FetchServersRequest, FetchServersRequest__Output as _gsq_v1_FetchServersRequest__Output } from '../../gsq/v1/FetchServersRequest.ts';
import type { CheckAccess as _gsq_v1_CheckAccess, CheckAccess__Output as _gsq_v1_CheckAccess__Output } from '../../gsq/v1/CheckAccess.ts';

export interface FetchCall {
  /**
   * Chosen by the sender, unique among its unanswered calls of this stream.
   */
  'id'?: (number);
  /**
   * Absent: the credentials of the stream's metadata.
   */
  'credentials'?: (_gsq_v1_Credentials | null);
  /**
   * Who is behind the sender; heeded only on the internal port.
   */
  'caller'?: (_gsq_v1_Caller | null);
  /**
   * For logs on both sides.
   */
  'requestId'?: (string);
  'fetch'?: (_gsq_v1_FetchServersRequest | null);
  /**
   * Checks credentials and allowance, charges nothing.
   */
  'check'?: (_gsq_v1_CheckAccess | null);
  /**
   * Whether the answer may come compressed; RenderedFetch tells whether it does.
   */
  'acceptGzip'?: (boolean);
  /**
   * It waited at the sender while there was no core to send it to, and comes with others that did: it does not count
   * against the burst limit. Heeded only on the internal port.
   */
  'held'?: (boolean);
  /**
   * W3C trace context of the caller, for logs; heeded where it is valid.
   */
  'traceparent'?: (string);
  'action'?: "fetch"|"check";
}

export interface FetchCall__Output {
  /**
   * Chosen by the sender, unique among its unanswered calls of this stream.
   */
  'id': (number);
  /**
   * Absent: the credentials of the stream's metadata.
   */
  'credentials': (_gsq_v1_Credentials__Output | null);
  /**
   * Who is behind the sender; heeded only on the internal port.
   */
  'caller': (_gsq_v1_Caller__Output | null);
  /**
   * For logs on both sides.
   */
  'requestId': (string);
  'fetch'?: (_gsq_v1_FetchServersRequest__Output | null);
  /**
   * Checks credentials and allowance, charges nothing.
   */
  'check'?: (_gsq_v1_CheckAccess__Output | null);
  /**
   * Whether the answer may come compressed; RenderedFetch tells whether it does.
   */
  'acceptGzip': (boolean);
  /**
   * It waited at the sender while there was no core to send it to, and comes with others that did: it does not count
   * against the burst limit. Heeded only on the internal port.
   */
  'held': (boolean);
  /**
   * W3C trace context of the caller, for logs; heeded where it is valid.
   */
  'traceparent': (string);
  'action'?: "fetch"|"check";
}
