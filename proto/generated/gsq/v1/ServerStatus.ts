// Original file: gsq/v1/server.proto

export const ServerStatus = {
  SERVER_STATUS_UNSPECIFIED: 'SERVER_STATUS_UNSPECIFIED',
  /**
   * No probe has led to a verdict yet, or the server cannot be queried at present.
   */
  SERVER_STATUS_PENDING: 'SERVER_STATUS_PENDING',
  SERVER_STATUS_ONLINE: 'SERVER_STATUS_ONLINE',
  /**
   * More probes were unanswered than the measured packet loss can explain.
   */
  SERVER_STATUS_OFFLINE: 'SERVER_STATUS_OFFLINE',
  /**
   * The pair of game_id and address is not valid, so it is not tracked.
   */
  SERVER_STATUS_INVALID: 'SERVER_STATUS_INVALID',
} as const;

export type ServerStatus =
  | 'SERVER_STATUS_UNSPECIFIED'
  | 0
  /**
   * No probe has led to a verdict yet, or the server cannot be queried at present.
   */
  | 'SERVER_STATUS_PENDING'
  | 1
  | 'SERVER_STATUS_ONLINE'
  | 2
  /**
   * More probes were unanswered than the measured packet loss can explain.
   */
  | 'SERVER_STATUS_OFFLINE'
  | 3
  /**
   * The pair of game_id and address is not valid, so it is not tracked.
   */
  | 'SERVER_STATUS_INVALID'
  | 4

export type ServerStatus__Output = typeof ServerStatus[keyof typeof ServerStatus]
