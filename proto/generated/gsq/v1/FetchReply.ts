// Original file: gsq/v1/server.proto

import type { Allowance as _gsq_v1_Allowance, Allowance__Output as _gsq_v1_Allowance__Output } from '../../gsq/v1/Allowance.ts';
import type { RenderedFetch as _gsq_v1_RenderedFetch, RenderedFetch__Output as _gsq_v1_RenderedFetch__Output } from '../../gsq/v1/RenderedFetch.ts';
import type { CheckedAccess as _gsq_v1_CheckedAccess, CheckedAccess__Output as _gsq_v1_CheckedAccess__Output } from '../../gsq/v1/CheckedAccess.ts';
import type { Status as _google_rpc_Status, Status__Output as _google_rpc_Status__Output } from '../../google/rpc/Status.ts';
import type { CallAccount as _gsq_v1_CallAccount, CallAccount__Output as _gsq_v1_CallAccount__Output } from '../../gsq/v1/CallAccount.ts';

export interface FetchReply {
  'id'?: (number);
  /**
   * Remaining allowances of the token. The first is the allowance that caused a refusal, else the daily allowance.
   * Empty if the caller was not authenticated.
   */
  'allowances'?: (_gsq_v1_Allowance)[];
  'fetched'?: (_gsq_v1_RenderedFetch | null);
  'checked'?: (_gsq_v1_CheckedAccess | null);
  'error'?: (_google_rpc_Status | null);
  /**
   * Data about the call for the log of its sender. Present only if the token of the caller is valid, and if the call has
   * `wants_account` or was refused.
   */
  'account'?: (_gsq_v1_CallAccount | null);
  'outcome'?: "fetched"|"checked"|"error";
}

export interface FetchReply__Output {
  'id': (number);
  /**
   * Remaining allowances of the token. The first is the allowance that caused a refusal, else the daily allowance.
   * Empty if the caller was not authenticated.
   */
  'allowances': (_gsq_v1_Allowance__Output)[];
  'fetched'?: (_gsq_v1_RenderedFetch__Output | null);
  'checked'?: (_gsq_v1_CheckedAccess__Output | null);
  'error'?: (_google_rpc_Status__Output | null);
  /**
   * Data about the call for the log of its sender. Present only if the token of the caller is valid, and if the call has
   * `wants_account` or was refused.
   */
  'account': (_gsq_v1_CallAccount__Output | null);
  'outcome'?: "fetched"|"checked"|"error";
}
