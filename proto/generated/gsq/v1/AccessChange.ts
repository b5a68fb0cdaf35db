// Original file: gsq/v1/admin.proto

import type { ServerOption as _gsq_v1_ServerOption, ServerOption__Output as _gsq_v1_ServerOption__Output } from '../../gsq/v1/ServerOption.ts';

/**
 * Change of the secret and the options that queries of a server use.
 */
export interface AccessChange {
  /**
   * New secret: a password, key or token of at most 4 KiB without control characters. Empty if the secret does not
   * change. No response contains it.
   */
  'secret'?: (string);
  /**
   * If true, the stored secret is removed.
   */
  'clearSecret'?: (boolean);
  /**
   * New values of at most 16 options. An empty value removes the option. Options that are not listed stay unchanged.
   */
  'options'?: (_gsq_v1_ServerOption)[];
}

/**
 * Change of the secret and the options that queries of a server use.
 */
export interface AccessChange__Output {
  /**
   * New secret: a password, key or token of at most 4 KiB without control characters. Empty if the secret does not
   * change. No response contains it.
   */
  'secret': (string);
  /**
   * If true, the stored secret is removed.
   */
  'clearSecret': (boolean);
  /**
   * New values of at most 16 options. An empty value removes the option. Options that are not listed stay unchanged.
   */
  'options': (_gsq_v1_ServerOption__Output)[];
}
