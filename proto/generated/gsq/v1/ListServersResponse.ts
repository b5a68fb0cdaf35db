// Original file: gsq/v1/admin.proto

import type { ServerResult as _gsq_v1_ServerResult, ServerResult__Output as _gsq_v1_ServerResult__Output } from '../../gsq/v1/ServerResult.ts';
import type { ServerAccess as _gsq_v1_ServerAccess, ServerAccess__Output as _gsq_v1_ServerAccess__Output } from '../../gsq/v1/ServerAccess.ts';

export interface ListServersResponse {
  'servers'?: (_gsq_v1_ServerResult)[];
  /**
   * `page_token` of the next page; empty if this is the last page.
   */
  'nextPageToken'?: (string);
  /**
   * One entry for each server of the page that has a secret or options, in the order of `servers`.
   */
  'access'?: (_gsq_v1_ServerAccess)[];
  /**
   * Id of the token that inserted each server, in the order of `servers`; `admin` if an operator inserted it. A core of
   * release 0.1.0 sends none.
   */
  'insertedBy'?: (string)[];
}

export interface ListServersResponse__Output {
  'servers': (_gsq_v1_ServerResult__Output)[];
  /**
   * `page_token` of the next page; empty if this is the last page.
   */
  'nextPageToken': (string);
  /**
   * One entry for each server of the page that has a secret or options, in the order of `servers`.
   */
  'access': (_gsq_v1_ServerAccess__Output)[];
  /**
   * Id of the token that inserted each server, in the order of `servers`; `admin` if an operator inserted it. A core of
   * release 0.1.0 sends none.
   */
  'insertedBy': (string)[];
}
