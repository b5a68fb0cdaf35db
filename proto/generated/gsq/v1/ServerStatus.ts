// Original file: gsq/v1/server.proto

export const ServerStatus = {
  SERVER_STATUS_UNSPECIFIED: 'SERVER_STATUS_UNSPECIFIED',
  /**
   * Never probed to a verdict.
   */
  SERVER_STATUS_PENDING: 'SERVER_STATUS_PENDING',
  SERVER_STATUS_ONLINE: 'SERVER_STATUS_ONLINE',
  /**
   * Two probes in a row failed.
   */
  SERVER_STATUS_OFFLINE: 'SERVER_STATUS_OFFLINE',
  /**
   * The pair is not valid and not tracked.
   */
  SERVER_STATUS_INVALID: 'SERVER_STATUS_INVALID',
} as const;

export type ServerStatus =
  | 'SERVER_STATUS_UNSPECIFIED'
  | 0
  /**
   * Never probed to a verdict.
   */
  | 'SERVER_STATUS_PENDING'
  | 1
  | 'SERVER_STATUS_ONLINE'
  | 2
  /**
   * Two probes in a row failed.
   */
  | 'SERVER_STATUS_OFFLINE'
  | 3
  /**
   * The pair is not valid and not tracked.
   */
  | 'SERVER_STATUS_INVALID'
  | 4

export type ServerStatus__Output = typeof ServerStatus[keyof typeof ServerStatus]
