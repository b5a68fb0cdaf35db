// Original file: gsq/v1/cluster.proto

export const ServerAction = {
  SERVER_ACTION_UNSPECIFIED: 'SERVER_ACTION_UNSPECIFIED',
  SERVER_ACTION_REMOVE: 'SERVER_ACTION_REMOVE',
  SERVER_ACTION_LIST_PUBLICLY: 'SERVER_ACTION_LIST_PUBLICLY',
  SERVER_ACTION_HIDE: 'SERVER_ACTION_HIDE',
  /**
   * Changes the access data of the servers, and makes the servers due.
   */
  SERVER_ACTION_ACCESS: 'SERVER_ACTION_ACCESS',
} as const;

export type ServerAction =
  | 'SERVER_ACTION_UNSPECIFIED'
  | 0
  | 'SERVER_ACTION_REMOVE'
  | 1
  | 'SERVER_ACTION_LIST_PUBLICLY'
  | 2
  | 'SERVER_ACTION_HIDE'
  | 3
  /**
   * Changes the access data of the servers, and makes the servers due.
   */
  | 'SERVER_ACTION_ACCESS'
  | 4

export type ServerAction__Output = typeof ServerAction[keyof typeof ServerAction]
