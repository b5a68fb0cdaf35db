// Original file: gsq/v1/admin.proto

import type { ServerOption as _gsq_v1_ServerOption, ServerOption__Output as _gsq_v1_ServerOption__Output } from '../../gsq/v1/ServerOption.ts';

/**
 * What changes of what servers are asked with beside their address.
 */
export interface AccessChange {
  /**
   * A password, key or token: at most 4 KiB, no control characters. Empty: stays as it was. It is in no answer.
   */
  'secret'?: (string);
  /**
   * Forgets the secret that is stored.
   */
  'clearSecret'?: (boolean);
  /**
   * At most 16; each replaces the one of its name, with an empty value it removes it. The others stay.
   */
  'options'?: (_gsq_v1_ServerOption)[];
}

/**
 * What changes of what servers are asked with beside their address.
 */
export interface AccessChange__Output {
  /**
   * A password, key or token: at most 4 KiB, no control characters. Empty: stays as it was. It is in no answer.
   */
  'secret': (string);
  /**
   * Forgets the secret that is stored.
   */
  'clearSecret': (boolean);
  /**
   * At most 16; each replaces the one of its name, with an empty value it removes it. The others stay.
   */
  'options': (_gsq_v1_ServerOption__Output)[];
}
