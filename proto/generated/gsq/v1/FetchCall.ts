// Original file: gsq/v1/server.proto

import type { Credentials as _gsq_v1_Credentials, Credentials__Output as _gsq_v1_Credentials__Output } from '../../gsq/v1/Credentials.ts';
import type { Caller as _gsq_v1_Caller, Caller__Output as _gsq_v1_Caller__Output } from '../../gsq/v1/Caller.ts';
import type { FetchServersRequest as _gsq_v1_FetchServersRequest, FetchServersRequest__Output as _gsq_v1_FetchServersRequest__Output } from '../../gsq/v1/FetchServersRequest.ts';
import type { CheckAccess as _gsq_v1_CheckAccess, CheckAccess__Output as _gsq_v1_CheckAccess__Output } from '../../gsq/v1/CheckAccess.ts';

export interface FetchCall {
  /**
   * Id of the call. The sender chooses it. No two unanswered calls of a stream can have the same id. Between a gateway
   * and the core, the id identifies a call on all streams with the same link id (metadata `x-gsq-link-id`, used only on
   * the internal port). If the gateway sends a call again with the same id, the core does not charge it again, and
   * answers with the servers that the first call inserted.
   */
  'id'?: (number);
  /**
   * If absent, the call uses the credentials in the metadata of the stream.
   */
  'credentials'?: (_gsq_v1_Credentials | null);
  /**
   * Caller for whom the sender makes the call. Used only on the internal port.
   */
  'caller'?: (_gsq_v1_Caller | null);
  /**
   * Id of the request for the logs of sender and receiver.
   */
  'requestId'?: (string);
  'fetch'?: (_gsq_v1_FetchServersRequest | null);
  /**
   * Checks the credentials and the allowance without charging a request.
   */
  'check'?: (_gsq_v1_CheckAccess | null);
  /**
   * True if the reply can be compressed. RenderedFetch.gzipped shows whether it is.
   */
  'acceptGzip'?: (boolean);
  /**
   * True if the sender queued the call while the core was unavailable, or sends it again after its stream broke. All
   * such calls arrive at the same moment, so they do not count against the burst limit. Used only on the internal port.
   */
  'held'?: (boolean);
  /**
   * W3C trace context of the caller, for logs. Ignored if it is not valid.
   */
  'traceparent'?: (string);
  /**
   * True if the sender will log the call. The reply then has the field `account`.
   */
  'wantsAccount'?: (boolean);
  'action'?: "fetch"|"check";
}

export interface FetchCall__Output {
  /**
   * Id of the call. The sender chooses it. No two unanswered calls of a stream can have the same id. Between a gateway
   * and the core, the id identifies a call on all streams with the same link id (metadata `x-gsq-link-id`, used only on
   * the internal port). If the gateway sends a call again with the same id, the core does not charge it again, and
   * answers with the servers that the first call inserted.
   */
  'id': (number);
  /**
   * If absent, the call uses the credentials in the metadata of the stream.
   */
  'credentials': (_gsq_v1_Credentials__Output | null);
  /**
   * Caller for whom the sender makes the call. Used only on the internal port.
   */
  'caller': (_gsq_v1_Caller__Output | null);
  /**
   * Id of the request for the logs of sender and receiver.
   */
  'requestId': (string);
  'fetch'?: (_gsq_v1_FetchServersRequest__Output | null);
  /**
   * Checks the credentials and the allowance without charging a request.
   */
  'check'?: (_gsq_v1_CheckAccess__Output | null);
  /**
   * True if the reply can be compressed. RenderedFetch.gzipped shows whether it is.
   */
  'acceptGzip': (boolean);
  /**
   * True if the sender queued the call while the core was unavailable, or sends it again after its stream broke. All
   * such calls arrive at the same moment, so they do not count against the burst limit. Used only on the internal port.
   */
  'held': (boolean);
  /**
   * W3C trace context of the caller, for logs. Ignored if it is not valid.
   */
  'traceparent': (string);
  /**
   * True if the sender will log the call. The reply then has the field `account`.
   */
  'wantsAccount': (boolean);
  'action'?: "fetch"|"check";
}
