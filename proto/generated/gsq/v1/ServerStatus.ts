// Original file: gsq/v1/server.proto

export const ServerStatus = {
  SERVER_STATUS_UNSPECIFIED: 'SERVER_STATUS_UNSPECIFIED',
  /**
   * Never probed to a verdict, or not askable now.
   */
  SERVER_STATUS_PENDING: 'SERVER_STATUS_PENDING',
  SERVER_STATUS_ONLINE: 'SERVER_STATUS_ONLINE',
  /**
   * It was asked in vain, more often than the measured loss explains.
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
   * Never probed to a verdict, or not askable now.
   */
  | 'SERVER_STATUS_PENDING'
  | 1
  | 'SERVER_STATUS_ONLINE'
  | 2
  /**
   * It was asked in vain, more often than the measured loss explains.
   */
  | 'SERVER_STATUS_OFFLINE'
  | 3
  /**
   * The pair is not valid and not tracked.
   */
  | 'SERVER_STATUS_INVALID'
  | 4

export type ServerStatus__Output = typeof ServerStatus[keyof typeof ServerStatus]
